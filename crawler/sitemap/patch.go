package sitemap

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
)

// ErrEdits is the error where Rewrite would not have written the edits as required, so that its
// output must not be used. It is a bug of this package or of its caller, never a fault of the file.
var ErrEdits = errors.New("the edits do not fit the file")

// A patch is text to write in place of a span.
type patch struct {
	Span
	text string
}

// patches are those that are not yet written. A patch keeps its number, counted from 0 over the
// whole file, while others before it are written: so a number stays valid over a call that moves
// the window.
type patches struct {
	list    []patch
	written int // how many patches left the list
}

// count returns the number of the next patch.
func (p *patches) count() int { return p.written + len(p.list) }

func (p *patches) add(one patch) { p.list = append(p.list, one) }

// at returns the patch of a number that is not yet written. It is valid until the window moves.
func (p *patches) at(number int) *patch { return &p.list[number-p.written] }

// merge replaces the patches with the numbers from first to last by one.
func (p *patches) merge(first, last int, one patch) {
	p.list = slices.Replace(p.list, first-p.written, last-p.written+1, one)
}

// from returns the patches from a number on that are not yet written.
func (p *patches) from(number int) []patch { return p.list[max(number-p.written, 0):] }

// cut drops the patches from a number on that are not yet written.
func (p *patches) cut(number int) { p.list = p.list[:max(number-p.written, 0)] }

// sort sorts the patches from a number on by their place in the text.
func (p *patches) sort(number int) {
	slices.SortStableFunc(p.from(number),
		func(a, b patch) int { return cmp.Compare(a.Start, b.Start) })
}

// leave removes the first n patches from the list.
func (p *patches) leave(n int) {
	p.list = slices.Delete(p.list, 0, n)
	p.written += n
}

// takeLines extends the removed spans, from a patch on, to whole lines where only they and blanks
// stand on them.
func (p *patching) takeLines(number int) {
	w := p.window
	for first := number; first < p.patches.count(); first++ {
		if p.patches.at(first).text != "" {
			continue
		}
		start := w.lineStart(p.patches.at(first).Start)
		last := first
		for last+1 < p.patches.count() && p.patches.follows(w, last+1) {
			last++
		}
		if start.alone {
			// Reading on may write patches before these, so we look them up again.
			if end, ok := w.lineEnd(p.patches.at(last).End); ok {
				p.patches.merge(first, last, patch{Span: Span{start.at, end}})
				last = first
			}
		}
		first = last
	}
}

// follows reports whether the patch of a number removes what comes next on the line after the patch
// before it.
func (p *patches) follows(w *window, number int) bool {
	one := p.at(number)
	return one.text == "" && one.Start-p.at(number-1).End <= w.scale.line &&
		w.blank(p.at(number-1).End, one.Start)
}

// patching writes a text with patches while its window moves over it.
type patching struct {
	w       *bufio.Writer
	window  *window
	done    int64 // the text is written up to here
	patches patches
}

// write writes the text up to a place, with its patches, including one that extends beyond the
// place.
func (p *patching) write(upTo int64) error {
	n := 0
	for ; n < len(p.patches.list) && p.patches.list[n].Start < upTo; n++ {
		if err := p.put(&p.patches.list[n]); err != nil {
			return err
		}
	}
	p.patches.leave(n)
	return p.copy(upTo)
}

// put writes the text before a patch, and then the patch.
func (p *patching) put(one *patch) error {
	if one.Start < p.done || one.End < one.Start || one.End > p.window.end() {
		return fmt.Errorf("%w: one at byte %d, where %d are written", ErrEdits, one.Start, p.done)
	}
	if err := p.copy(one.Start); err != nil {
		return err
	}
	_, err := p.w.WriteString(one.text)
	p.done = one.End
	return err
}

// copy writes the text up to a place as it is.
func (p *patching) copy(upTo int64) error {
	if upTo <= p.done {
		return nil
	}
	_, err := p.w.Write(p.window.bytes(Span{p.done, upTo}))
	p.done = upTo
	return err
}

// rest writes what the walk left: the end of the window, and the text that was not read.
func (p *patching) rest(s *source) error {
	if w := p.window; w != nil {
		if err := p.write(w.end()); err != nil {
			return err
		}
		if _, err := p.w.Write(w.beyond); err != nil {
			return err
		}
	}
	if _, err := io.Copy(p.w, s); err != nil {
		return err
	}
	return p.w.Flush()
}
