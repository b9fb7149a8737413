package sitemap

import "bytes"

// A token is a kind of token of XML.
type token uint8

const (
	tokEnd   token = iota // the end of the text
	tokText               // text; if it begins with "<", it looks like markup but is not
	tokBlank              // white space; the next token is markup, or looks like it
	tokCDATA              // a whole CDATA section
	tokOpen               // a start tag
	tokEmpty              // a self-closing tag
	tokClose              // an end tag
	tokMatch              // the end tag that the caller of next expects
	tokOther              // a comment, processing instruction or DOCTYPE
)

// tokens splits a text into tokens that follow one another without a gap. It checks only what it
// needs to find their ends; a "<" that begins no complete token is text.
type tokens struct {
	window
	start, end int64 // of the last token
	// intro is the beginning of a tokOther, up to 512 bytes.
	intro   []byte
	space   [512]byte
	stopped bool
	// cut is set where the text ended within a comment, a CDATA section, a
	// processing instruction or a DOCTYPE.
	cut bool
	// ahead is the place of the first "<" after a tag, where it was seen already.
	ahead int64
	shape shape
}

// raw returns the bytes of the last token. They are valid until next. Those of a tokOther, and of a
// tokCDATA longer than scale.run, may have left the window.
func (t *tokens) raw() []byte { return t.bytes(Span{t.start, t.end}) }

// next moves to the next token. expected is the name whose end tag is a tokMatch; nil for none.
func (t *tokens) next(expected *key) token {
	if t.stopped {
		return tokEnd
	}
	t.start, t.end = t.here(), t.here()
	if !t.need(1) {
		return tokEnd
	}
	if t.buf[t.pos] != '<' {
		return t.text(0)
	}
	return t.markup(expected)
}

// take ends the token n bytes after its first.
func (t *tokens) take(kind token, n int) token {
	t.pos += n
	t.end = t.here()
	return kind
}

// halt stops where scale.run bytes come without a tag.
func (t *tokens) halt() token {
	t.stop(errRun)
	t.stopped = true
	return tokEnd
}

// text reads to the next "<" at or after from.
func (t *tokens) text(from int) token {
	if n := t.ahead - t.here(); n > 0 && n <= t.scale.run {
		return t.take(tokText, int(n))
	}
	if n := t.blanks(); n > 0 && int64(n) <= t.scale.run {
		return t.take(tokBlank, n)
	}
	for {
		b := t.buf[t.pos:]
		if i := bytes.IndexByte(b[from:], '<'); i >= 0 {
			if int64(from+i) > t.scale.run {
				return t.halt()
			}
			return t.take(tokText, from+i)
		}
		if from = len(b); int64(from) > t.scale.run {
			return t.halt()
		}
		if !t.more() {
			return t.take(tokText, len(b))
		}
	}
}

// blanks returns the length of the white space at the current place; 0 where something other than
// "<" follows it.
func (t *tokens) blanks() int {
	for i, c := range t.buf[t.pos:] {
		if c == '<' {
			return i
		}
		if !asciiSpace(c) {
			break
		}
	}
	return 0
}

func (t *tokens) markup(expected *key) token {
	if !t.need(2) {
		return t.text(1)
	}
	switch c := t.buf[t.pos+1]; {
	case c == '/':
		if n := expected.endTag(t.buf[t.pos:]); n > 0 {
			return t.take(tokMatch, n)
		}
		return t.tag(tokClose)
	case c == '!':
		return t.declaration()
	case c == '?':
		return t.skip(2, "?>", tokOther)
	case nameStart[c]:
		return t.tag(tokOpen)
	}
	return t.text(1)
}

// nameStart contains the bytes that an element's name may begin with; all from 0x80 on are
// accepted.
var nameStart = func() (set [256]bool) {
	for c := range set {
		set[c] = c >= 0x80 || c == '_' || c == ':' || c|0x20 >= 'a' && c|0x20 <= 'z'
	}
	return set
}()

// tag reads a tag. A tag with a "<" in it counts as text: so tag searches the next "<" first, and
// examines nothing beyond it.
func (t *tokens) tag(kind token) token {
	for {
		b := t.buf[t.pos:]
		if n := t.shape.scan(b); n > 0 && int64(n) <= t.scale.run {
			return t.take(kind, n)
		}
		next := bytes.IndexByte(b[1:], '<') + 1
		if next > 0 {
			t.ahead = t.here() + int64(next)
			b = b[:next]
		}
		n := t.shape.scanAttributes(b)
		if n == 0 {
			n = tagEnd(b)
		}
		if int64(n) > t.scale.run || n == 0 && next == 0 && int64(len(b)) > t.scale.run {
			return t.halt()
		}
		if n > 0 {
			if kind == tokOpen && b[n-2] == '/' {
				kind = tokEmpty
			}
			return t.take(kind, n)
		}
		if next > 0 || !t.more() {
			return t.text(1)
		}
	}
}

// tagEnd returns the length of the tag that b begins with; 0 where it does not end in b.
func tagEnd(b []byte) int {
	i := bytes.IndexByte(b, '>')
	if i < 0 {
		return 0
	}
	if inner := b[1:i]; bytes.IndexByte(inner, '\'') < 0 && bytes.Count(inner, doubleQuote)&1 == 0 {
		return i + 1
	}
	return quotedTagEnd(b)
}

var doubleQuote = []byte{'"'}

// quotedTagEnd is tagEnd for a tag with a ">" or "'" in quotes.
func quotedTagEnd(b []byte) int {
	quote := byte(0)
	for i, c := range b[1:] {
		switch {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == '>':
			return i + 2
		}
	}
	return 0
}

func (t *tokens) declaration() token {
	t.need(9)
	switch b := t.buf[t.pos:]; {
	case bytes.HasPrefix(b, []byte("<!--")):
		return t.skip(4, "-->", tokOther)
	case bytes.HasPrefix(b, []byte("<![CDATA[")):
		return t.skip(9, "]]>", tokCDATA)
	case len(b) >= 9 && bytes.EqualFold(b[:9], []byte("<!DOCTYPE")):
		return t.doctype()
	}
	return t.text(1)
}

// introduce keeps the beginning of the token.
func (t *tokens) introduce() {
	t.need(len(t.space))
	t.intro = t.space[:copy(t.space[:], t.buf[t.pos:])]
}

// skip reads to the end mark of a token. It keeps only the beginning of a tokOther; it holds a
// tokCDATA in the window until the caller sets section to -1. A token without an end mark extends
// to the end of the text.
func (t *tokens) skip(from int, end string, kind token) token {
	if kind == tokOther {
		t.introduce()
	} else {
		t.section = t.here()
	}
	last := t.here() // the last "<"
	t.pos += from
	for {
		b := t.buf[t.pos:]
		i := bytes.Index(b, []byte(end))
		n := max(len(b)-len(end)+1, 0)
		if i >= 0 {
			n = i + len(end)
		}
		if !t.lasts(b[:n], &last) {
			return t.halt()
		}
		t.pos += n
		if i >= 0 {
			t.end = t.here()
			return kind
		}
		if !t.more() {
			return t.unended()
		}
	}
}

// unended consumes the rest of the text.
func (t *tokens) unended() token {
	t.pos = len(t.buf)
	t.end = t.here()
	t.intro, t.cut, t.section = nil, true, -1
	return tokOther
}

// lasts processes the next bytes of a token, and the place of the last "<" before them. Where more
// than scale.run bytes pass without another "<", it returns false, and the token ends there: how
// many bytes came in one read makes no difference.
func (t *tokens) lasts(b []byte, last *int64) bool {
	for at := t.here(); ; {
		i := bytes.IndexByte(b, '<')
		next := at + int64(i)
		if i < 0 {
			next = at + int64(len(b))
		}
		if next-*last > t.scale.run {
			t.end = *last + t.scale.run + 1
			return false
		}
		if i < 0 {
			return true
		}
		*last = next
		b, at = b[i+1:], next+1
	}
}

// doctype skips a DOCTYPE: to the ">" outside quotes, brackets and comments.
func (t *tokens) doctype() token {
	t.introduce()
	var s doctypeState
	last := t.here()
	t.pos += 9
	for {
		b := t.buf[t.pos:]
		n, done := s.scan(b)
		if !t.lasts(b[:n], &last) {
			return t.halt()
		}
		t.pos += n
		if done {
			t.end = t.here()
			return tokOther
		}
		if !t.more() {
			return t.unended()
		}
	}
}

// doctypeState is the position within a DOCTYPE.
type doctypeState struct {
	quote   byte
	depth   int
	comment bool
	seen    uint32 // the last four bytes
}

// scan returns how much of b belongs to the DOCTYPE, and whether it ends there.
func (s *doctypeState) scan(b []byte) (int, bool) {
	for i, c := range b {
		s.seen = s.seen<<8 | uint32(c)
		switch {
		case s.comment:
			s.comment = s.seen&0xFFFFFF != '-'<<16|'-'<<8|'>'
		case s.quote != 0:
			if c == s.quote {
				s.quote = 0
			}
		case s.seen == '<'<<24|'!'<<16|'-'<<8|'-':
			s.comment, s.seen = true, 0
		case c == '"' || c == '\'':
			s.quote = c
		case c == '[':
			s.depth++
		case c == ']':
			s.depth--
		case c == '>' && s.depth <= 0:
			return i + 1, true
		}
	}
	return len(b), false
}
