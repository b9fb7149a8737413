// Package command writes commands for a reader to paste into a POSIX shell. They contain all flags
// of the audit: without its --resolve, for example, a command about a staging host would crawl the
// live one.
package command

import (
	"slices"
	"strings"
	"unicode"

	"sitemend/crawler/audit"
)

// Audit returns the command for an audit of the same targets with the flags in info. A flag that is not
// "" ("--as=browser") comes first, and replaces that of its name; those named in without ("--sample") are
// left out.
func Audit(info *audit.Info, flag string, without ...string) string {
	words := []string{"sitemend audit"}
	if flag != "" {
		words = append(words, Word(flag))
		without = append(without, name(flag))
	}
	for _, f := range info.Given {
		if !slices.Contains(without, name(f)) {
			words = append(words, Word(f))
		}
	}
	for _, t := range info.Targets {
		if strings.HasPrefix(t, "-") && t != "-" { // a file of that name
			t = "./" + t
		}
		words = append(words, Word(t))
	}
	return strings.Join(words, " ")
}

// name returns a flag without its value.
func name(flag string) string {
	flag, _, _ = strings.Cut(flag, "=")
	return flag
}

// Word returns s as one word of a POSIX shell (XCU 2.2.2), quoted where it needs to be.
func Word(s string) string {
	plain := func(r rune) bool {
		return unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("/._-:+@,=%", r)
	}
	if s != "" && !strings.ContainsFunc(s, func(r rune) bool { return !plain(r) }) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
