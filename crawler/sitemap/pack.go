package sitemap

import (
	"io"

	"github.com/klauspost/compress/gzip"
)

// packing packs what is written to it in the same way as the source was packed.
type packing struct {
	io.Writer
	utf16   *toUTF16
	from    *fromUTF16
	writers []*gzip.Writer // outermost first
}

func pack(s *source, w io.Writer) *packing {
	p := &packing{Writer: w, from: s.utf16}
	for _, u := range s.layers {
		z := gzip.NewWriter(p.Writer)
		z.Header = u.header
		p.writers = append(p.writers, z)
		p.Writer = z
	}
	if s.utf16 != nil {
		p.utf16 = &toUTF16{w: p.Writer, order: s.utf16.order}
		p.Writer = p.utf16
	}
	return p
}

// close writes the rest and ends the packing.
func (p *packing) close() error {
	if p.utf16 != nil {
		if _, err := p.utf16.w.Write(p.from.odd); err != nil {
			return err
		}
	}
	for i := len(p.writers) - 1; i >= 0; i-- {
		if err := p.writers[i].Close(); err != nil {
			return err
		}
	}
	return nil
}
