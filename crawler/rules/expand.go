package rules

import (
	"regexp"
	"strings"
)

// MaxAddress is the length in bytes beyond which no address is requested, so that no longer source
// can match. A target that its placeholders make longer is never built: Location is its beginning
// then, of a few bytes more than MaxAddress.
const MaxAddress = 8000

// tooLong is the Unmodelled of a rewrite to a path that is longer than MaxAddress.
const tooLong = "the file at a URL of more than 8,000 bytes"

// expand replaces each name that find finds in a target by its value. It stops beyond MaxAddress:
// a rule that takes its splat four times makes a megabyte of ten redirects.
func expand(target string, find func(string) []int, value func(name string) string) string {
	var b strings.Builder
	for len(target) > 0 && b.Len() <= MaxAddress {
		at := find(target[:min(len(target), 2*MaxAddress)])
		if at == nil {
			at = []int{len(target), len(target)}
		}
		put(&b, target[:at[0]])
		if at[0] < at[1] {
			put(&b, value(target[at[0]:at[1]]))
		}
		target = target[at[1]:]
	}
	return b.String()
}

// template is Expand of package regexp, but stops beyond MaxAddress.
func template(re *regexp.Regexp, text, src string) string {
	var b []byte
	match := re.FindStringSubmatchIndex(src)
	for text != "" && len(b) <= MaxAddress {
		end := len(text) // of a piece that has one $ at most, which is its first byte
		switch next := strings.IndexByte(text[1:], '$'); {
		case next == 0 && text[0] == '$': // $$ is a $
			end = 2
		case next >= 0:
			end = 1 + next
		}
		b = re.ExpandString(b, text[:end], src, match)
		text = text[end:]
	}
	return string(b)
}

// put appends no more of s than is needed to exceed MaxAddress.
func put(b *strings.Builder, s string) {
	b.WriteString(s[:min(len(s), max(0, MaxAddress+1-b.Len()))])
}

// long reports whether a target was cut because it is longer than MaxAddress, and the effect of its rule.
func long(r *Rule, target string) (Match, bool) {
	switch {
	case len(target) <= MaxAddress:
		return Match{}, false
	case r.Redirects():
		return Match{Location: target}, true
	}
	return Match{Unmodelled: tooLong}, true
}
