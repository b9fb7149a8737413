package pattern

import "strings"

// An edit replaces a part of a path, between parts that stay.
type edit struct {
	kind editKind
	// at is how many segments precede the part; atEnd where it is the end of the path.
	at int
	n  int // segments that are removed
	// x is the removed text and y the new one, segments with slashes between them; with editWords a
	// part of one segment, in x with {digits} for a number.
	x, y string
	// pre and post report whether something stays before and after the part: of the path, or with
	// editWords of the segment. With editWords, rest reports whether segments follow.
	pre, post, rest bool
}

type editKind uint8

const (
	editNone  editKind = iota
	editSegs           // these segments become those
	editAny            // so many segments, whatever they are, become those
	editWords          // a part of one segment becomes another
)

// atEnd is the place of an edit that counts from the end of the path.
const atEnd = -1

func (e *edit) none() bool { return e.kind == editNone }

// editOf is the edit of the segments x to y, between so many that stay.
func editOf(x, y []string, pre, post int) edit {
	e := edit{
		kind: editSegs, at: pre, n: len(x),
		x: strings.Join(x, "/"), y: strings.Join(y, "/"),
		pre: pre > 0, post: post > 0,
	}
	if post == 0 && pre > 0 {
		e.at = atEnd
	}
	return e
}

// inWords describes an edit of one segment by its words. It returns false, where there is nothing
// that stays.
func (e *edit) inWords() bool {
	if e.n != 1 || e.y == "" || strings.Contains(e.y, "/") {
		return false
	}
	a, b := wordsOf(e.x), wordsOf(e.y)
	pre, post := 0, 0
	for pre < min(len(a), len(b)) && a[pre] == b[pre] {
		pre++
	}
	for post < min(len(a), len(b))-pre && a[len(a)-1-post] == b[len(b)-1-post] {
		post++
	}
	x := strings.Join(a[pre:len(a)-post], "")
	if pre+post == 0 || x == "" && pre > 0 && post > 0 {
		return false
	}
	*e = edit{
		kind: editWords, at: e.at, n: 1, pre: pre > 0, post: post > 0, rest: e.post,
		x: anyDigits(x), y: strings.Join(b[pre:len(b)-post], ""),
	}
	return true
}

// wordsOf splits a segment into words and the characters between them.
func wordsOf(segment string) (words []string) {
	start := 0
	for i := 0; i < len(segment); i++ {
		if strings.IndexByte("-_.~,+", segment[i]) < 0 {
			continue
		}
		if start < i {
			words = append(words, segment[start:i])
		}
		words = append(words, segment[i:i+1])
		start = i + 1
	}
	if start < len(segment) {
		words = append(words, segment[start:])
	}
	return words
}

// anyDigits writes {digits} for each number in x. No wire form contains a brace.
func anyDigits(x string) string {
	var b strings.Builder
	for i := 0; i < len(x); i++ {
		switch {
		case !isDigit(x[i]):
			b.WriteByte(x[i])
		case i == 0 || !isDigit(x[i-1]):
			b.WriteString("{digits}")
		}
	}
	return b.String()
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// key appends a text that distinguishes e from other edits.
func (e *edit) key(b []byte) []byte {
	if e.none() {
		return b
	}
	at := byte('0' + min(e.at, 60))
	if e.at == atEnd {
		at = '$'
	}
	b = append(b, "-sam"[e.kind], at)
	if e.kind == editAny {
		b = append(b, byte('0'+min(e.n, 60)))
	}
	for i, stays := range [3]bool{e.pre, e.post, e.rest} {
		if stays {
			b = append(b, "<>/"[i])
		}
	}
	b = append(append(b, ' '), e.x...)
	return append(append(append(b, '>'), e.y...), ' ')
}

// texts returns an edit as two patterns: * stands for what stays, {any} for any single segment.
// before is what precedes it.
func (e *edit) texts(before string) (from, to string) {
	after := ""
	if e.post && e.kind != editWords || e.rest {
		after = "/*"
	}
	switch e.kind {
	case editWords:
		pre, post := "", ""
		if e.pre {
			pre = "*"
		}
		if e.post {
			post = "*"
		}
		to = pre + e.y + post
		if to == "**" {
			to = "*"
		}
		return before + "/" + pre + e.x + post + after, before + "/" + to + after
	case editAny:
		return before + strings.Repeat("/{any}", e.n) + after, before + slashed(e.y) + after
	}
	return before + slashed(e.x) + after, before + slashed(e.y) + after
}

func slashed(s string) string {
	if s == "" {
		return ""
	}
	return "/" + s
}
