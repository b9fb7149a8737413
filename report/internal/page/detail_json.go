package page

import (
	"encoding/json"
	"strconv"
)

// AppendJSON writes d as encoding/json does, by the tags of Detail and Step and a
// Piece as one string, mark first; in a fifth of the time.
func (d *Detail) AppendJSON(b []byte) []byte {
	o := members(append(b, '{'))
	if len(d.Steps) > 0 {
		o.steps("t", d.Steps)
	}
	o.text("e", d.End)
	if len(d.Other) > 0 {
		o.steps("o", d.Other)
	}
	o.text("oe", d.OtherEnd)
	o.pieces("f", d.Fix)
	o.text("w", d.Why)
	o.text("w1", d.Why1)
	o.text("w2", d.Why2)
	o.text("p", d.Policy)
	o.text("x", d.Syntax)
	o.text("h", d.Title)
	o.pieces("c", d.Canon)
	o.text("r", d.Robots)
	o.text("a", d.At)
	o.texts("g", d.Advice)
	o.text("gc", d.LastCrawled)
	o.evidence(&d.Evidence)
	return append(o, '}')
}

// members is a JSON object while it is written. What is empty is left out.
type members []byte

func (o *members) name(name string) {
	if (*o)[len(*o)-1] != '{' {
		*o = append(*o, ',')
	}
	*o = append(append(append(*o, '"'), name...), '"', ':')
}

func (o *members) text(name, s string) {
	if s != "" {
		o.name(name)
		*o = append(*o, '"')
		*o = append(inQuotes(*o, s), '"')
	}
}

func (o *members) texts(name string, list []string) {
	if len(list) == 0 {
		return
	}
	o.name(name)
	for i, s := range list {
		*o = append(*o, "[,"[min(i, 1)], '"')
		*o = append(inQuotes(*o, s), '"')
	}
	*o = append(*o, ']')
}

func (o *members) number(name string, n int) {
	if n != 0 {
		o.name(name)
		*o = strconv.AppendInt(*o, int64(n), 10)
	}
}

func (o *members) truth(name string, is bool) {
	if is {
		o.name(name)
		*o = append(*o, "true"...)
	}
}

func (o *members) pieces(name string, list []Piece) {
	if len(list) == 0 {
		return
	}
	o.name(name)
	for i, p := range list {
		*o = append(*o, "[,"[min(i, 1)], '"', p.Mark)
		*o = append(inQuotes(*o, p.Text), '"')
	}
	*o = append(*o, ']')
}

func (o *members) steps(name string, list []Step) {
	o.name(name)
	for i := range list {
		*o = append(*o, "[,"[min(i, 1)], '{')
		o.step(&list[i])
		*o = append(*o, '}')
	}
	*o = append(*o, ']')
}

func (o *members) step(s *Step) {
	o.pieces("u", s.URL)
	o.text("r", s.Readable)
	o.number("s", s.Status)
	o.text("f", s.Fault)
	o.text("d", s.Detail)
	o.text("k", s.Kind)
	o.truth("t", s.Temporary)
	o.text("l", s.Location)
	o.text("b", s.Robots)
	o.number("n", s.Line)
	o.text("c", s.Challenge)
	o.number("m", s.MS)
}

func (o *members) evidence(e *Evidence) {
	if len(e.Crawled) > 0 {
		o.name("cr")
		for i := range e.Crawled {
			*o = append(*o, "[,"[min(i, 1)], '{')
			o.crawl(&e.Crawled[i])
			*o = append(*o, '}')
		}
		*o = append(*o, ']')
	}
	o.truth("cn", e.Never)
	o.truth("cd", e.Day)
	if e.Google != (Kept{}) {
		o.name("gi")
		*o = append(*o, '{')
		o.kept(&e.Google)
		*o = append(*o, '}')
	}
}

func (o *members) crawl(c *Crawl) {
	o.text("r", c.Robot)
	o.text("u", c.Other)
	o.truth("x", c.Unspelt)
	o.number("n", c.Requests)
	o.text("f", c.First)
	o.text("l", c.Last)
	o.text("s", c.Answers)
	o.number("z", c.Latest)
	o.truth("e", c.Edge)
}

func (o *members) kept(k *Kept) {
	o.text("s", k.State)
	o.text("v", k.Verdict)
	o.text("c", k.Canonical)
	o.text("u", k.Declared)
	o.text("l", k.Crawled)
	o.text("a", k.Agrees)
	o.text("f", k.Failure)
	o.text("k", k.Known)
	o.text("d", k.Asked)
}

// itself are the bytes that encoding/json leaves as they are.
var itself = func() (t [256]bool) {
	for c := 0x20; c < 0x7F; c++ {
		t[c] = c != '"' && c != '\\' && c != '<' && c != '>' && c != '&'
	}
	return t
}()

// inQuotes appends s as it stands in a JSON string.
func inQuotes(b []byte, s string) []byte {
	for i := 0; i < len(s); i++ {
		if !itself[s[i]] {
			text, _ := json.Marshal(s) // of a string there is no error
			return append(b, text[1:len(text)-1]...)
		}
	}
	return append(b, s...)
}
