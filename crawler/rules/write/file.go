package write

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"math/bits"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Write writes the rules, with instructions where the format has comments.
func (p *Plan) Write(w io.Writer) error {
	f, fill := p.Format, p.filler(p.Format.file)
	out := bufio.NewWriterSize(w, 64<<10)
	head := fill.Replace(f.head)
	if f.Comments && !strings.HasPrefix(head, "<!--") {
		head = p.comment() + head
	}
	line := 1 + strings.Count(head, "\n")
	p.lines = make([]int32, len(p.Pairs))
	p.seen = map[string]int{}
	_, _ = out.WriteString(head) // Flush returns the error
	for i := range p.Pairs {
		row, end := p.row(i), "\n"
		if i < len(p.Pairs)-1 {
			end = cmp.Or(f.sep, end)
		}
		p.lines[i] = int32(line)
		line += strings.Count(row+end, "\n")
		_, _ = out.WriteString(row + end)
	}
	_, _ = out.WriteString(fill.Replace(f.foot))
	return out.Flush()
}

// row returns the rule of Pairs[i].
func (p *Plan) row(i int) string {
	f, from, to := p.Format, p.Pairs[i].Source, p.Pairs[i].Target
	if f.from != nil {
		from = f.from(p, i)
	}
	if f.to != nil {
		to = f.to(p, i)
	}
	return fmt.Sprintf(f.row, from, to, p.Status)
}

// Line returns the line of the written file on which the rule of Pairs[i] begins, from 1;
// 0 before Write.
func (p *Plan) Line(i int) int {
	if i >= len(p.lines) {
		return 0
	}
	return int(p.lines[i])
}

// A Setup is what a server needs besides the rules: where, and the text.
type Setup struct{ Where, Text string }

// Setup returns what the server or host needs to use the rules, which are at file. What turns out
// empty is not needed.
func (p *Plan) Setup(file string) (list []Setup) {
	fill := p.filler(file)
	for _, s := range p.Format.setup {
		if text := fill.Replace(s.Text); text != "" || s.Text == "" {
			list = append(list, Setup{Where: s.Where, Text: text})
		}
	}
	return list
}

// filler replaces the names in texts of a format.
func (p *Plan) filler(file string) *strings.Replacer {
	return strings.NewReplacer("{file}", file, "{status}", strconv.Itoa(p.Status), "{dollar}", p.dollar(), "{hash}", p.hash(), "{slashes}", p.slashes(),
		"{head}", strings.ReplaceAll(p.title(), "--", ""))
}

// comment returns comments on what the file is and how it is used.
func (p *Plan) comment() string {
	text := p.title() + "\n"
	for _, s := range p.Setup(p.Format.file) {
		if text += s.Where; s.Text != "" {
			text += ":\n  " + strings.ReplaceAll(s.Text, "\n", "\n  ")
		}
		text += "\n"
	}
	return "# " + strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", "\n# ") + "\n"
}

// title returns the first line of every file with comments.
func (p *Plan) title() string {
	host := " of paths, for the host that uses them (--host NAME names it)"
	if p.Host != "" {
		host = " for " + p.Host
	}
	what := "redirects"
	if len(p.Pairs) == 1 {
		what = "redirect"
	}
	return fmt.Sprintf("%d %s%s, written by sitemend rules --for %s", len(p.Pairs), what, host, p.Format.Name)
}

// nginxExact is up to how many rules every key for nginx is a regular expression: only these
// compare exactly, but nginx tries them one by one.
const nginxExact = 2000

// nginxKey returns the key of a source for nginx.
func nginxKey(p *Plan, i int) string {
	if p.isString(i) {
		return p.Pairs[i].Source
	}
	return "~^" + regexp.QuoteMeta(p.Pairs[i].Source) + "$"
}

// isString reports whether the key of a source is a string for nginx, which ignores case.
func (p *Plan) isString(i int) bool {
	_, confused := p.exact[i]
	return p.exact != nil && !confused
}

// hash returns the directives that nginx needs for keys that are strings; "" for none. nginx does
// not start where an element of the hash is longer than its bucket.
func (p *Plan) hash() string {
	longest, keys := 0, 0
	for i := range p.Pairs {
		if p.isString(i) {
			longest = max(longest, len(p.Pairs[i].Source))
			keys++
		}
	}
	if keys == 0 {
		return ""
	}
	bucket, size := max(64, 1<<bits.Len(uint(longest+31))), max(2048, 1<<bits.Len(uint(4*keys-1)))
	return fmt.Sprintf("map_hash_bucket_size %d; map_hash_max_size %d;", bucket, size)
}

// slashes returns the directive that Apache needs for sources with an encoded slash; "" for none.
func (p *Plan) slashes() string {
	if slices.ContainsFunc(p.Pairs, func(x Pair) bool { return encodedSlash.MatchString(octetPath(x.Source)) }) {
		return "AllowEncodedSlashes NoDecode"
	}
	return ""
}

// dollar returns the directive that nginx needs for targets with a $; "" for none.
func (p *Plan) dollar() string {
	if slices.ContainsFunc(p.Pairs, func(x Pair) bool { return strings.Contains(x.Target, "$") }) {
		return "geo $sitemend_dollar { default \"$\"; }\n"
	}
	return ""
}
