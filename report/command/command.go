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

// Audit returns the command for an audit of the same targets with the flags in info. Flags of set
// ("--as=browser", "-q") come first, and replace those of the same names; those named in without
// ("sample") are left out.
func Audit(info *audit.Info, set []string, without ...string) string {
	words := []string{"sitemend audit"}
	for _, f := range set {
		words = append(words, flag(f)...)
		without = append(without, name(f))
	}
	for _, f := range info.Given {
		if !slices.Contains(without, name(f)) {
			words = append(words, flag(f)...)
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

// name returns the name of a flag with or without a value.
func name(f string) string {
	f, _, _ = strings.Cut(strings.TrimLeft(f, "-"), "=")
	return f
}

// flag returns a flag in its usual form, as words of a shell. The value of a switch, one that could
// be taken for another flag, and one of a flag that may stand without a value stay joined to the
// flag.
func flag(f string) []string {
	name, value, ok := strings.Cut(f, "=")
	switch {
	case !ok:
		return []string{Word(f)}
	case value == "true" || value == "false" || strings.HasPrefix(value, "-") && value != "-":
		return []string{name + "=" + Word(value)}
	}
	return []string{name, Word(value)}
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
