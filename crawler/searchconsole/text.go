package searchconsole

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"

	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

// maxLine is how many bytes a line may have.
const maxLine = 64 << 10

// noText is the kind of a file that is no text.
const noText = "no text"

// decode returns a text file as UTF-8 without a byte order mark, and what it is where it cannot be
// a table; kind is "" for a table. Bytes of another charset stay: addresses are ASCII in nearly all
// of them.
func decode(r io.Reader) (text *bufio.Reader, kind string) {
	text = bufio.NewReader(transform.NewReader(r, unicode.BOMOverride(transform.Nop)))
	head, _ := text.Peek(text.Size()) // the next read returns an error again
	head = bytes.ToLower(bytes.TrimSpace(head))
	switch {
	case bytes.IndexByte(head, 0) >= 0:
		return text, noText
	case !bytes.HasPrefix(head, []byte("<")):
		return text, ""
	case bytes.Contains(head, []byte("<urlset")) || bytes.Contains(head, []byte("<sitemapindex")):
		return text, "a sitemap"
	case bytes.Contains(head, []byte("<html")) || bytes.Contains(head, []byte("<!doctype html")):
		return text, "a web page"
	}
	return text, "XML"
}

// A line is a line that is neither blank nor a comment (#).
type line struct {
	n    int // from 1
	text string
}

// says reports whether a line is neither blank nor a comment.
func says(s string) bool { return strings.TrimSpace(s) != "" && s[0] != '#' }

// linesOf returns the lines of a text.
func linesOf(r io.Reader) iter.Seq2[line, error] {
	return func(yield func(line, error) bool) {
		s := bufio.NewScanner(r)
		s.Buffer(nil, maxLine)
		n := 1
		for ; s.Scan(); n++ {
			if text := s.Text(); says(text) && !yield(line{n, text}, nil) {
				return
			}
		}
		switch err := s.Err(); {
		case errors.Is(err, bufio.ErrTooLong):
			yield(line{}, &FormatError{fmt.Sprintf("its line %d has more than %d bytes", n, maxLine), howTo})
		case err != nil:
			yield(line{}, err)
		}
	}
}
