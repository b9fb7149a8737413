package sitemap

import (
	"bufio"
	"fmt"
	"io"
)

// A patch is text to write in place of a span, or a span to remove, with its lines where nothing
// else stands on them.
type patch struct {
	Span
	text   string
	remove bool
}

// maxBlanks is how many blanks around removed elements of one line are held.
const maxBlanks = 64 << 10

// copying writes a text with patches while its window moves over it.
type copying struct {
	w      *bufio.Writer
	window *window
	done   int64 // the text is written, or removed, up to here
	// alone is set where, so far, nothing but what was removed stands on the line: what comes next
	// decides whether its blanks go, too.
	alone  bool
	blanks []byte
}

// copy writes the text up to a place as it is.
func (c *copying) copy(upTo int64) error {
	if upTo <= c.done {
		return nil
	}
	c.settle()
	_, err := c.w.Write(c.window.bytes(Span{c.done, upTo}))
	c.done = upTo
	return err
}

// settle writes the blanks of a line on which something else stands. Its error comes back with the
// next write.
func (c *copying) settle() {
	_, _ = c.w.Write(c.blanks)
	c.alone, c.blanks = false, c.blanks[:0]
}

// put writes the text before a patch, and then the patch.
func (c *copying) put(p *patch) error {
	if p.remove {
		return c.remove(p.Span)
	}
	if err := c.fits(p.Span); err != nil {
		return err
	}
	if err := c.copy(p.Start); err != nil {
		return err
	}
	c.settle()
	_, err := c.w.WriteString(p.text)
	c.done = p.End
	return err
}

// fits returns an error for a span that is not all left to be written.
func (c *copying) fits(s Span) error {
	if s.Start < c.done || s.End < s.Start || s.End > c.window.end() {
		return fmt.Errorf("%w: one at byte %d, where %d are written", ErrEdits, s.Start, c.done)
	}
	return nil
}

// remove writes the text before a span that goes.
func (c *copying) remove(s Span) error {
	if err := c.fits(s); err != nil {
		return err
	}
	from, on := c.window.lineStart(s.Start)
	if c.alone && s.Start-c.done <= c.window.scale.line && len(c.blanks) < maxBlanks &&
		blank(c.window.bytes(Span{c.done, s.Start})) {
		from, on = c.done, true
	} else {
		if err := c.copy(from); err != nil {
			return err
		}
		c.settle()
	}
	c.alone, c.blanks = on, append(c.blanks, c.window.bytes(Span{from, s.Start})...)
	c.done = s.End
	if !on {
		return nil
	}
	if end, ok := c.window.lineEnd(s.End); ok {
		c.done, c.alone, c.blanks = end, false, c.blanks[:0]
	}
	return nil
}

// rest writes what the walk left: the end of the window, and the text that was not read.
func (c *copying) rest(s *source) error {
	if err := c.copy(c.window.end()); err != nil {
		return err
	}
	c.settle()
	if _, err := c.w.Write(c.window.beyond); err != nil {
		return err
	}
	if _, err := io.Copy(c.w, s); err != nil {
		return err
	}
	return c.w.Flush()
}
