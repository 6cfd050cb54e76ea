// Package compose runs tools that are made of other tools. A pipeline is a list of steps; each calls one tool with arguments
// that are literals or references to the pipeline's input and to what earlier steps returned. This is the one reference
// language of toolsmith:
//
//	$input          the input of the pipeline
//	$prev           what the step before returned; null before the first step
//	$steps[N]       what step N returned, counted from 0; null when it was skipped
//	$steps.<name>   the same, by the step's name
//
// Each may go on with any number of .key, .N, [N] or ["key"], which reach own members of objects and items of lists and
// nothing else. A key behind a dot is made of letters, digits, underscores and inner hyphens. A string that is one reference
// becomes the value it refers to, with its type; in longer strings references are replaced by text: strings as they are,
// other values as compact JSON, what is missing by nothing. $$ is a dollar sign, and so is a $ that no known root follows.
// References stand anywhere in the arguments, also within lists and nested objects, but not in keys. What a reference became
// is never looked at again.
//
// A step's condition is an expression of references, .length of strings and lists, literals, == != < <= > >= && || ! and
// parentheses; false, null, what is missing, 0 and "" skip the step.
//
// Values stay the JSON they are: numbers keep their digits, objects the order of their members, strings their escapes. All
// that comes from outside is bounded, and no work is more than linear in those bounds.
//
// The package calls nothing itself: Run is handed the one call path, so that every step has the caller's identity, rights and
// limits. It imports runtime/tool and runtime/decimal. Pipelines do not change and are safe for concurrent use.
package compose
