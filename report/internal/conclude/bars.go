package conclude

import (
	"cmp"
	"slices"
	"strconv"

	"sitemend/crawler/audit"
)

// A Bar is a picture of Shares: those of an audit, or what is left after the upload.
type Bar struct {
	Name, Figure Sentence // "Today", "48 % clean"
	Shares       Shares
	After        bool // after the upload
	// Percent is how much of what was checked is clean, as the function Percent writes it; "" where
	// most was not checked.
	Percent  string
	Segments []Segment // from left to right, none empty
}

// Total is how many entries all segments are of.
func (b *Bar) Total() (n int) {
	for _, s := range b.Segments {
		n += s.Count
	}
	return n
}

// A Segment is a part of a bar. Kind is one of "clean", "spelt", "fix", "decide",
// "unseen", "removed" and "untried", which were not requested: their host was left alone, or only a
// part was crawled; Label says it in a few words, Short in one.
type Segment struct {
	Kind         string
	Count        int
	Label, Short Sentence
}

// bars are the last audit, this one, and what is left after the upload; none where they
// would show nothing.
func (c *concluding) bars() (out []Bar) {
	switch c.state {
	case Stopped, ExpectedOnly, ReportedOnly, FilesOnly, Script, OtherSpelling, Fine, FileFaults, Clean:
		return nil
	}
	if c.now.Crawled() == 0 {
		return nil
	}
	if last := c.result.Last; last != nil {
		if s := SharesOf(func(g audit.Group) int { return last.Groups[g] }); s.Crawled() > 0 {
			bar := newBar(verbatim(last.At.UTC().Format("2006-01-02 15:04")), s, c.unwritten())
			bar.noindex(last.Noindex, c.unwritten())
			out = append(out, bar)
		}
	}
	would := c.unwritten() || len(c.changed) > 0 && len(c.uploads) == 0
	today := newBar(say("bar-today"), c.now, would)
	today.noindex(c.noindex(), would)
	today.Figure = FigureRead(c.now, c.state != InPart && c.state != Unread)
	untried := c.result.Counts.Unseen[string(audit.FaultAbandoned)]
	today.untried(untried)
	out = append(out, today)
	if p := c.result.Proof; !c.unwritten() && p.Entries > 0 && !p.Blind() && len(c.uploads) > 0 && c.cutCopies() == 0 && c.now.Fix > 0 {
		after := newBar(say("bar-after"), Uploaded(c.result), false)
		after.After = true
		after.untried(untried)
		if n := c.now.Entries - after.Shares.Entries; n > 0 { // so that both bars have one scale
			after.Segments = append(after.Segments, newSegment("removed", "removed", n))
		}
		out = append(out, after)
	}
	return out
}

func newBar(name Sentence, s Shares, would bool) Bar {
	b := Bar{Name: name, Shares: s, Figure: Figure(s)}
	if !s.MostlyUnseen() {
		b.Percent = s.Percent()
	}
	fix := "fix"
	if would {
		fix = "would"
	}
	for _, x := range []struct {
		kind, words string
		n           int
	}{{"clean", "clean", s.Clean - s.Spelt}, {"spelt", "spelt", s.Spelt}, {"fix", fix, s.Fix}, {"decide", "decide", s.Decide}, {"unseen", "unseen", s.Unseen}, {"untried", "left", s.LeftOut}} {
		if x.n > 0 {
			b.Segments = append(b.Segments, newSegment(x.kind, x.words, x.n))
		}
	}
	return b
}

// Figure says how much is clean, and of how many entries where not all were checked. Where most
// were not, it says so in numbers, and no percentage.
func Figure(s Shares) Sentence {
	switch checked := s.Checked(); {
	case checked == 0:
		return say("bar-unknown")
	case s.MostlyUnseen():
		return say("bar-checked", "c", s.Clean, "k", checked)
	case !s.AsGoodAsAll():
		return say("bar-clean-part", "p", s.Percent(), "n", checked)
	}
	return say("bar-clean", "p", s.Percent())
}

// FigureRead is Figure where whole says whether all sitemaps were read to their ends.
func FigureRead(s Shares, whole bool) Sentence {
	if whole || s.Checked() == 0 || s.MostlyUnseen() {
		return Figure(s)
	}
	return say("bar-clean-read", "p", s.Percent())
}

func newSegment(kind, words string, n int) Segment {
	return Segment{kind, n, say("seg-"+words, "n", n), say("seg-short-"+words, "n", n)}
}

// noindex tells n of the entries that the upload changes from those that it fixes: they are removed
// for their noindex, and nobody but their owner knows whether that fixes anything.
func (b *Bar) noindex(n int, would bool) {
	at := slices.IndexFunc(b.Segments, func(s Segment) bool { return s.Kind == "fix" })
	if n == 0 || at < 0 {
		return
	}
	removed, fixed, rest := "noindex", "fix", b.Segments[at].Count-n
	if would {
		removed, fixed = "would-noindex", "would"
	}
	b.Segments[at] = newSegment("removed", removed, n)
	if rest > 0 {
		b.Segments = slices.Insert(b.Segments, at, newSegment("fix", fixed, rest))
	}
}

// untried tells n of the entries that could not be checked from the others: their host was
// left alone before they were tried.
func (b *Bar) untried(n int) {
	last := len(b.Segments) - 1
	if n == 0 || last < 0 || b.Segments[last].Kind != "unseen" {
		return
	}
	if rest := b.Segments[last].Count - n; rest > 0 {
		b.Segments[last] = newSegment("unseen", "refused", rest)
		last++
	}
	b.Segments = append(b.Segments[:last], newSegment("untried", "untried", n))
}

// Percent is part of whole in percent, rounded, as it is written: "48", or with one decimal
// where that would be 0 or 100 and is not, as in "99.7".
func Percent(part, whole int) string { return percents(part, whole-part)[0] }

// percents writes numbers as percentages of their sum, as Percent does; those in whole
// percent make 100 by the largest remainder.
func percents(ns ...int) []string {
	whole := 0
	for _, n := range ns {
		whole += n
	}
	out := make([]string, len(ns))
	rounded, tenths := portions(100, ns), portions(1000, ns)
	for i, n := range ns {
		out[i] = strconv.Itoa(rounded[i])
		if n > 0 && n*200 <= whole || n < whole && (whole-n)*200 <= whole {
			out[i] = strconv.Itoa(tenths[i]/10) + "." + strconv.Itoa(tenths[i]%10)
		}
	}
	return out
}

// portions divides parts among numbers as they divide their sum, by the largest remainder.
// More than none of the whole is at least 1, and less than all of it at most parts-1.
func portions(parts int, ns []int) []int {
	whole := 0
	for _, n := range ns {
		whole += n
	}
	out, order := make([]int, len(ns)), make([]int, len(ns))
	if whole == 0 {
		return out
	}
	left := parts
	for i, n := range ns {
		out[i] = n * parts / whole
		if n > 0 && out[i] == 0 {
			out[i] = 1
		}
		left -= out[i]
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Compare(ns[b]*parts%whole, ns[a]*parts%whole)
	})
	for at := 0; left > 0; at++ {
		if i := order[at%len(order)]; ns[i] > 0 {
			out[i]++
			left--
		}
	}
	for ; left < 0; left++ {
		out[slices.Index(out, slices.Max(out))]--
	}
	return out
}
