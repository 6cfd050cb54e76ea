// Package selfimprove has the tools by which an agent adjusts itself: adapt_personality, manage_skills, create_workflow and
// self_evaluate. Each acts for its caller's own persona and session, and for no other; what it keeps is a document of that
// persona or session, changed in one transaction with the audit entry that tells of it. Nothing here changes a model's
// weights, a guardrail or a policy.
//
// The package reaches the world through what it is handed: a shelf for documents, a model, and the host's one way of calling
// tools. Everything is safe for concurrent use. Errors are *tool.Error.
package selfimprove
