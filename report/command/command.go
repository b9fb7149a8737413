// Package command writes the commands that are offered to a reader, to be pasted into a
// POSIX shell. All that an audit was given goes into them: without its --resolve a command
// about a staging host would crawl the one that is live.
package command

import (
	"slices"
	"strings"
	"unicode"

	"sitemend/crawler/audit"
)

// Audit is the command of an audit of the same targets with the flags that info was given.
// Flags of set ("--as=browser", "-q") come first, and replace what was given under their
// names; those named in without ("sample") are left out.
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

// Asking are the names of the flags that say as whom to crawl, and where to: those of every
// command that sends requests.
var Asking = []string{"as", "user-agent", "max-hops", "timeout", "robots", "header", "user", "resolve", "map", "ca", "allow-private"}

// Probe is the command that tries the spellings of url as the audit of info crawled.
func Probe(info *audit.Info, url string) string {
	words := []string{"sitemend probe"}
	for _, f := range info.Given {
		if slices.Contains(Asking, name(f)) {
			words = append(words, flag(f)...)
		}
	}
	return strings.Join(append(words, Quoted(url)), " ")
}

// name is the name of a flag with or without a value.
func name(f string) string {
	f, _, _ = strings.Cut(strings.TrimLeft(f, "-"), "=")
	switch f {
	case "q":
		return "quiet"
	case "v":
		return "verbose"
	}
	return f
}

// flag is a flag as it is usually written, in words of a shell. The value of a switch, and
// what could be taken for another flag, stays joined to it; so does that of a flag that may
// stand without one.
func flag(f string) []string {
	name, value, ok := strings.Cut(f, "=")
	switch {
	case !ok:
		return []string{Word(f)}
	case name == "--links" || value == "true" || value == "false" || strings.HasPrefix(value, "-") && value != "-":
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
	return Quoted(s)
}

// Quoted returns s in single quotes of a POSIX shell.
func Quoted(s string) string { return "'" + Escaped(s) + "'" }

// Escaped returns s as it stands inside single quotes of a POSIX shell.
func Escaped(s string) string { return strings.ReplaceAll(s, "'", `'\''`) }
