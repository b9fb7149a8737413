package web

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/klauspost/compress/gzip"
)

// finish adds the parsed block to the web.
func (p *parser) finish() error {
	b := p.block
	if b == nil {
		return nil
	}
	p.block = nil
	err := b.check()
	if err == nil {
		err = b.fill(p.files)
	}
	if err != nil {
		return &SyntaxError{b.line, err}
	}
	g := p.web.group(b)
	g.answers = append(g.answers, b.answer)
	return nil
}

// check returns an error for parts of a block that exclude one another.
func (b *block) check() error {
	a := b.answer
	switch {
	case a.fault == "" && a.status == 0:
		return errors.New("neither a status nor a fault")
	case a.fault != "" && (a.status != 0 || b.file != "" || b.gzip || len(a.header) > 0 || a.body != nil):
		return errors.New("a fault with an answer: it is one or the other")
	case b.file != "" && a.body != nil:
		return errors.New("a file and lines of a body")
	case b.gzip && b.file == "" && a.body == nil:
		return errors.New("gzip without a file or a body")
	}
	return nil
}

// fill reads and compresses the body, and sets its type.
func (b *block) fill(files fs.FS) error {
	a := b.answer
	if b.file != "" {
		if files == nil {
			return fmt.Errorf("file %s: there are no files", b.file)
		}
		body, err := fs.ReadFile(files, b.file)
		if err != nil {
			return err
		}
		a.body = append([]byte{}, body...) // an empty file is a body, too
	}
	a.kind = contentType(b.file)
	if !b.gzip {
		return nil
	}
	if !a.has("Content-Encoding") {
		a.kind = "application/gzip"
	}
	var err error
	a.body, err = pack(a.body)
	return err
}

// contentType returns the type for the name of a file. It does not use the tables of the machine,
// so that a web is the same everywhere.
func contentType(name string) string {
	switch path.Ext(name) {
	case ".xml":
		return "application/xml"
	case ".txt":
		return "text/plain; charset=utf-8"
	case ".gz":
		return "application/gzip"
	}
	return "text/html; charset=utf-8"
}

func pack(body []byte) ([]byte, error) {
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	if _, err := w.Write(body); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// group returns the group that b belongs to, a new one where b is the first.
func (w *Web) group(b *block) *group {
	o := w.origins[b.key]
	if o == nil {
		o = &origin{exact: map[string]*page{}}
		w.origins[b.key] = o
	}
	p := o.page(b.target, b.any)
	source := ""
	if b.when != nil {
		source = b.when.source
	}
	for _, g := range p.groups {
		if g.when == nil && source == "" || g.when != nil && g.when.source == source {
			return g
		}
	}
	g := &group{when: b.when}
	p.groups = append(p.groups, g)
	return g
}

// page returns the page of a target or prefix, a new one where there is none.
func (o *origin) page(target string, any bool) *page {
	if !any {
		if o.exact[target] == nil {
			o.exact[target] = &page{}
		}
		return o.exact[target]
	}
	for _, p := range o.prefixes {
		if p.target == target {
			return p.page
		}
	}
	p := prefix{target, &page{}}
	o.prefixes = append(o.prefixes, p)
	slices.SortFunc(o.prefixes, func(a, b prefix) int {
		if n := len(b.target) - len(a.target); n != 0 {
			return n
		}
		return strings.Compare(a.target, b.target)
	})
	return p.page
}
