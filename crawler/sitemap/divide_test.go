package sitemap

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// divided returns the parts of a file.
func divided(file []byte, most Share) ([]string, *Division, error) {
	d, err := Divide(func(fn func(io.Reader) error) error { return fn(bytes.NewReader(file)) }, most)
	if err != nil {
		return nil, nil, err
	}
	parts := make([]bytes.Buffer, len(d.Parts))
	err = d.Write(bytes.NewReader(file), func(n int) (io.Writer, error) { return &parts[n], nil })
	var texts []string
	for i := range parts {
		texts = append(texts, parts[i].String())
	}
	return texts, d, err
}

func TestDivide(t *testing.T) {
	for name, c := range map[string]struct {
		in   string
		want []string
	}{
		"lines": {"<urlset>\n <url><loc>http://a/1</loc></url>\n <!-- two --><url><loc>http://a/2</loc></url>\n <url><loc>http://a/3</loc></url>\n</urlset>\n<!-- end -->\n", []string{
			"<urlset>\n <url><loc>http://a/1</loc></url>\n <!-- two --><url><loc>http://a/2</loc></url>\n</urlset>\n<!-- end -->\n",
			"<urlset>\n <url><loc>http://a/3</loc></url>\n</urlset>\n<!-- end -->\n"}},
		"one line": {"<urlset><url><loc>http://a/1</loc></url><url><loc>http://a/2</loc></url><url><loc>http://a/3</loc></url></urlset>", []string{
			"<urlset><url><loc>http://a/1</loc></url><url><loc>http://a/2</loc></url></urlset>", "<urlset><url><loc>http://a/3</loc></url></urlset>"}},
		"an element stays whole": {"<urlset><url><loc>http://a/1</loc></url><url><loc>http://a/2</loc><loc>http://a/3</loc></url></urlset>", []string{
			"<urlset><url><loc>http://a/1</loc></url></urlset>", "<urlset><url><loc>http://a/2</loc><loc>http://a/3</loc></url></urlset>"}},
		"a text":              {"http://a/1\r\nhttp://a/2\r\n\r\nhttp://a/3\r\nhttp://a/4\r\n", []string{"http://a/1\r\nhttp://a/2\r\n", "\r\nhttp://a/3\r\nhttp://a/4\r\n"}},
		"not too much":        {"http://a/1\nhttp://a/2", []string{"http://a/1\nhttp://a/2"}},
		"a mark of the order": {"\uFEFFhttp://a/1\nhttp://a/2\nhttp://a/3", []string{"\uFEFFhttp://a/1\nhttp://a/2", "\uFEFFhttp://a/3"}},
	} {
		got, _, err := divided([]byte(c.in), Share{2, 1 << 20})
		if err != nil || strings.Join(got, "|") != strings.Join(c.want, "|") {
			t.Errorf("%s: %v\n %q, want\n %q", name, err, got, c.want)
		}
	}
}

// A file whose entries cannot be separated reliably stays one file.
func TestDivideRefuses(t *testing.T) {
	for name, in := range map[string]string{
		"cut off":        "<urlset><url><loc>http://a/1</loc></url><url><loc>http://a/2</loc></url>",
		"no end tag":     "<urlset><url><loc>http://a/1</loc><url><loc>http://a/2</loc></url></urlset>",
		"an index":       "<sitemapindex><sitemap><loc>http://a/1.xml</loc></sitemap></sitemapindex>",
		"RSS":            "<rss><channel><item><link>http://a/1</link></item></channel></rss>",
		"UTF-16":         string(toWide("<urlset><url><loc>http://a/1</loc></url></urlset>")),
		"nothing":        "<urlset></urlset>",
		"a long preface": "<urlset><!--" + strings.Repeat("x", maxFrame) + "--><url><loc>http://a/1</loc></url></urlset>",
		"a long end":     "<urlset><url><loc>http://a/1</loc></url></urlset><!--" + strings.Repeat("x", maxFrame) + "-->",
	} {
		if got, _, err := divided([]byte(in), Share{1, 1 << 20}); !errors.Is(err, ErrDivide) {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}

// The parts together list what the file lists, each entry with its blocks and its lastmod, and none
// exceeds a limit.
func TestDivideLaw(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		d := draw(rt)
		file := []byte(d.in.String())
		if rapid.Bool().Draw(rt, "packed") {
			file = packed(string(file))
		}
		list := func(texts ...string) (all []string) {
			for _, text := range texts {
				_, err := Read(strings.NewReader(text), Options{}, func(e Entry) error {
					all = append(all, fmt.Sprint(e.Loc, e.Ext))
					return nil
				})
				must(rt, err)
			}
			return all
		}
		most := Share{rapid.IntRange(1, 40).Draw(rt, "entries"), 2*maxFrame + int64(rapid.IntRange(500, 50_000).Draw(rt, "bytes"))}
		parts, _, err := divided(file, most)
		if errors.Is(err, ErrDivide) {
			return
		}
		must(rt, err)
		if got, want := list(parts...), list(string(file)); strings.Join(got, "\n") != strings.Join(want, "\n") {
			rt.Fatalf("the parts list %q, want %q", got, want)
		}
		for n, part := range parts {
			if len(list(part)) > most.Entries || !strings.HasPrefix(part, "\x1f") && int64(len(part)) > most.Bytes {
				rt.Fatalf("part %d has %d entries and %d bytes, for %v", n, len(list(part)), len(part), most)
			}
		}
	})
}
