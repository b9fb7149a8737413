package pattern

import (
	"slices"
	"strings"

	"sitemend/crawler/address"
)

// A Rule makes one address from another, as a server's redirect does. Each part is zero where it
// changes nothing; they are applied in the order of the fields. A Rule with to leads every address
// to that one.
type Rule struct {
	to     string
	scheme [2]string
	host   [2]string
	port   [2]string
	text   textForm
	// lift names the parameter whose value becomes the last segment of the path: "/item.php?id=7"
	// becomes "/item.php/7" for the parts that follow.
	lift   string
	path   respelling
	index  string    // this index page is removed: "index.html"
	ext    [2]string // extension of the last segment: ".html" to ""
	edit   edit
	slash  int8 // at the end of the path: 1 added, -1 removed
	query  respelling
	params params
	// wide is set on a rule for a family: it has the bytes or names of all members, and its key
	// does not contain them.
	wide bool
}

// A textForm is the change of the text of path and query.
type textForm string

// The forms without the name of a charset. "<EUC-JP" is a change from that charset to UTF-8,
// ">EUC-JP" the reverse.
const (
	composed   textForm = "NFC"
	decomposed textForm = "NFD"
)

func (f textForm) apply(a address.Address) (address.Address, bool) {
	switch {
	case f == "":
		return a, true
	case f == composed || f == decomposed:
		return address.InForm(a, f == composed), true
	case f[0] == '<':
		u, name := address.InUTF8(a)
		return u, name == string(f[1:])
	}
	return inCharset(a, string(f[1:]))
}

// inCharset returns a with the escaped UTF-8 text of path and query converted to a charset.
func inCharset(a address.Address, label string) (address.Address, bool) {
	s := a.Target()
	b := []byte(a.Origin())
	for i := 0; i < len(s); {
		end := i
		var run []byte
		for end < len(s) {
			c, n := speltAt(s, end, false)
			if !c.encoded || c.value < 0x80 {
				break
			}
			run, end = append(run, c.value), end+n
		}
		if end == i {
			b, i = append(b, s[i]), i+1
			continue
		}
		text, err := address.EncodeText(string(run), label)
		if err != nil {
			return a, false
		}
		b, i = append(b, text...), end
	}
	out, err := address.Parse(string(b))
	return out, err == nil
}

// params are the parameters of a query that are removed and added.
type params struct {
	drop string // names, sorted, with & between them
	all  bool   // all of them, including the "?"
	add  string // as it stands at the end
}

func (p *params) none() bool { return *p == params{} }

func (p *params) apply(q string, has bool, r *respelling) (string, bool) {
	if p.all {
		return "", false
	}
	if !has && p.add == "" {
		return "", false
	}
	if p.drop == "" && p.add == "" {
		return r.apply(q, true), true
	}
	var kept []string
	for field := range strings.SplitSeq(q, "&") {
		if name := paramName(field); has && !holdsName(p.drop, name) {
			kept = append(kept, r.apply(field, true))
		}
	}
	if p.add != "" {
		kept = append(kept, p.add)
	}
	return strings.Join(kept, "&"), len(kept) > 0
}

func paramName(field string) string {
	name, _, _ := strings.Cut(field, "=")
	return name
}

func holdsName(list, name string) bool {
	for n := range strings.SplitSeq(list, "&") {
		if n == name && list != "" {
			return true
		}
	}
	return false
}

// Apply returns where the rule leads a; "" where it does not apply.
func (w *Rule) Apply(a address.Address) string {
	if w.to != "" {
		return w.to
	}
	var buf [512]byte
	b, ok := w.appendTo(buf[:0], a)
	if !ok {
		return ""
	}
	return string(b)
}

// leads reports whether the rule leads a to to.
func (w *Rule) leads(a, to address.Address) bool {
	if w.to != "" {
		return w.to == to.String()
	}
	var buf [512]byte
	b, ok := w.appendTo(buf[:0], a)
	return ok && string(b) == to.String()
}

// appendTo appends where a rule without to leads a; false where it does not apply.
func (w *Rule) appendTo(b []byte, a address.Address) ([]byte, bool) {
	b, ok := w.origin(b, a)
	if !ok {
		return b, false
	}
	if a, ok = w.text.apply(a); !ok {
		return b, false
	}
	path := a.Path()
	q, has := a.Query()
	if w.lift != "" {
		if path, q, has, ok = lifted(path, q, w.lift); !ok {
			return b, false
		}
	}
	if b, ok = w.appendPath(b, path); !ok {
		return b, false
	}
	if q, has = w.params.apply(q, has, &w.query); has {
		b = append(append(b, '?'), q...)
	}
	return b, true
}

// lifted returns a path with the value of a parameter as its last segment, and the query without
// it; ok is false where no value can be a segment.
func lifted(path, q, name string) (_, rest string, has, ok bool) {
	var kept []string
	value := ""
	for field := range strings.SplitSeq(q, "&") {
		n, v, _ := strings.Cut(field, "=")
		if n != name || value != "" {
			kept = append(kept, field)
			continue
		}
		value = v
	}
	if value == "" || strings.Contains(value, "/") {
		return "", "", false, false
	}
	return strings.TrimSuffix(path, "/") + "/" + value, strings.Join(kept, "&"), len(kept) > 0, true
}

func (w *Rule) origin(b []byte, a address.Address) ([]byte, bool) {
	parts := [3]string{a.Scheme(), a.Host(), a.Port()}
	for i, change := range [3][2]string{w.scheme, w.host, w.port} {
		if change == [2]string{} {
			continue
		}
		if parts[i] != change[0] {
			return b, false
		}
		parts[i] = change[1]
	}
	b = append(append(append(b, parts[0]...), "://"...), parts[1]...)
	if parts[2] != "" {
		b = append(append(b, ':'), parts[2]...)
	}
	return b, true
}

// appendPath appends the path that the rule makes of path.
func (w *Rule) appendPath(b []byte, path string) ([]byte, bool) {
	path = w.path.apply(path, false)
	start := len(b)
	if w.index == "" && w.ext == [2]string{} && w.edit.none() {
		return endSlash(append(b, path...), start, w.slash), true
	}
	var buf, out [maxSegments]string
	segs, slash := segments(buf[:0], path)
	if w.index != "" {
		if slash || len(segs) == 0 || segs[len(segs)-1] != w.index {
			return b, false
		}
		segs, slash = segs[:len(segs)-1], true
	}
	if w.ext != [2]string{} {
		last := len(segs) - 1
		if last < 0 || !strings.HasSuffix(segs[last], w.ext[0]) ||
			w.ext[0] == "" && extension(segs[last]) != "" {
			return b, false
		}
		segs[last] = strings.TrimSuffix(segs[last], w.ext[0]) + w.ext[1]
	}
	segs, ok := w.edit.apply(out[:0], segs)
	for _, seg := range segs {
		b = append(append(b, '/'), seg...)
	}
	if slash || len(segs) == 0 {
		b = append(b, '/')
	}
	return endSlash(b, start, w.slash), ok
}

// maxSegments is how many segments of a path need no allocation.
const maxSegments = 16

// segments appends the segments of a path without the slash at its end to dst, and
// reports whether there was one.
func segments(dst []string, path string) ([]string, bool) {
	path = strings.TrimPrefix(path, "/")
	if path == "" {
		return dst, true
	}
	bare, slash := strings.CutSuffix(path, "/")
	for {
		seg, rest, more := strings.Cut(bare, "/")
		dst = append(dst, seg)
		if !more {
			return dst, slash
		}
		bare = rest
	}
}

// endSlash sets the end of the path that begins at start: with a slash, without, or unchanged.
func endSlash(b []byte, start int, slash int8) []byte {
	end := len(b) > start && b[len(b)-1] == '/'
	switch {
	case slash > 0 && !end:
		return append(b, '/')
	case slash < 0 && end && len(b)-start > 1:
		return b[:len(b)-1]
	}
	return b
}

// extension returns the extension of a segment, ".html"; "" for none.
func extension(seg string) string {
	at := strings.LastIndexByte(seg, '.')
	if at < 1 || len(seg)-at > 6 || len(seg)-at < 3 {
		return ""
	}
	letter := false
	for _, c := range []byte(seg[at+1:]) {
		if c|0x20 < 'a' || c|0x20 > 'z' {
			if c < '0' || c > '9' {
				return ""
			}
			continue
		}
		letter = true
	}
	if !letter {
		return ""
	}
	return seg[at:]
}

// ToOne reports whether the rule leads every address to a single one.
func (w *Rule) ToOne() bool { return w.to != "" }

// Key returns a text that is the same for equal rules only, in every run; for the rule of a family,
// for the same family.
func (w *Rule) Key() string { return strings.TrimSpace(string(w.key(nil))) }

// key appends a text that is the same for equal rules only; for a wide rule, for the same family.
func (w *Rule) key(b []byte) []byte {
	if w.to != "" {
		return append(append(b, "to "...), w.to...)
	}
	for i, change := range [4][2]string{w.scheme, w.host, w.port, w.ext} {
		if change != [2]string{} {
			b = append(append(append(append(append(b, "shpx"[i], ' '), change[0]...), '>'),
				change[1]...), ' ')
		}
	}
	if w.lift != "" {
		b = append(append(append(b, "l "...), w.lift...), ' ')
	}
	if w.text != "" {
		b = append(append(append(b, "text "...), w.text...), ' ')
	}
	for i, r := range []*respelling{&w.path, &w.query} {
		if !r.none() {
			b = append(r.key(append(b, "PQ"[i], ' '), !w.wide), ' ')
		}
	}
	if w.index != "" {
		b = append(append(append(b, "i "...), w.index...), ' ')
	}
	if w.slash != 0 {
		b = append(b, "slash"...)
		b = append(b, signs(w.slash, "+-"), ' ')
	}
	if !w.edit.none() {
		b = append(w.edit.key(b), ' ')
	}
	if w.params.none() {
		return b
	}
	b = append(b, "? "...)
	switch {
	case w.params.all && w.wide:
		b = append(b, '*')
	case w.wide:
		b = append(b, '-')
	default:
		b = append(append(b, '-'), w.params.drop...)
		if w.params.all {
			b = append(b, '*')
		}
	}
	return append(append(b, '+'), w.params.add...)
}

// widen adds to a wide rule the bytes and names of another member of its family.
func (w *Rule) widen(o *Rule) {
	for i, r := range []*respelling{&w.path, &w.query} {
		from := []*respelling{&o.path, &o.query}[i]
		r.decode.union(from.decode)
		r.encode.union(from.encode)
	}
	if w.params.all || w.params.drop == o.params.drop ||
		strings.Count(w.params.drop, "&") >= maxNames {
		return
	}
	names := append(strings.Split(w.params.drop, "&"), strings.Split(o.params.drop, "&")...)
	slices.Sort(names)
	w.params.drop = strings.Trim(strings.Join(slices.Compact(names), "&"), "&")
}

// maxNames limits the names of parameters in a rule.
const maxNames = 16
