package policy

import "strings"

// plainInShell are the characters that no shell reads anything into.
const plainInShell = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789@%+=:,./_-"

// ShellWord is text as one word of a POSIX shell, for commands in hints.
func ShellWord(text string) string {
	if text != "" && strings.Trim(text, plainInShell) == "" {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}
