package pattern

import (
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"

	"sitemend/crawler/address"
)

// A rule says in what two addresses differ, so that it holds for other pairs too: as a server's
// redirect would be written. Each part is zero where nothing differs. A rule with to leads every
// address to that one. Rules that differ only in the bytes that are written otherwise, or in the
// names of the parameters that are removed, are the same: widen adds those of another pair.
type rule struct {
	to     string
	scheme [2]string
	host   [2]string
	port   [2]string
	// text is the change of the text as a whole: "nfc", "nfd", "<euc-jp" from that charset to UTF-8,
	// ">euc-jp" the reverse.
	text string
	// lift names the parameter whose value becomes the last segment of the path: "/item.php?id=7" is
	// read as "/item.php/7" for the parts that follow.
	lift     string
	index    string    // this index page is removed: "index.html"
	ext      [2]string // extension of the last segment: ".html" to ""
	edit     edit
	slash    int8 // at the end of the path: 1 added, -1 removed
	spelling spelling
	params   params
}

// params are the parameters of a query that are removed and added.
type params struct {
	drop string // names, sorted, with & between them
	all  bool   // all of them, including the "?"
	add  string // as it stands at the end
}

// maxDescribed is how many bytes an address may have to be described by a rule: the work grows with
// the square of the length. Sitemaps allow 2,048.
const maxDescribed = 2048

// describe returns the rule that turns from into to and describes all differences, piece by piece,
// as specifically as the two addresses allow; ok is false where it describes none.
func describe(from, to address.Address, reasons []address.Reason) (r rule, ok bool) {
	if from == to || to.IsZero() || max(len(from.String()), len(to.String())) > maxDescribed {
		return r, false
	}
	r.scheme, r.host, r.port = change(from.Scheme(), to.Scheme()), change(from.Host(), to.Host()), change(from.Port(), to.Port())
	from, to = r.describeText(from, to, reasons)
	lift, path, query, has := lifted(from, to)
	r.lift = lift
	var inPath, inQuery spelling
	r.describePath(path, to.Path(), &inPath)
	toQuery, keeps := to.Query()
	r.describeQuery(query, has, toQuery, keeps, &inQuery)
	ok = inPath.holds(to.Path(), false) && inQuery.holds(toQuery, true)
	r.spelling = inPath
	r.spelling.union(&inQuery)
	return r, ok
}

// change is what becomes something else; zero where it stays.
func change(from, to string) (c [2]string) {
	if from != to {
		c = [2]string{from, to}
	}
	return c
}

// specific reports whether the rule is more than that one path becomes another.
func (r *rule) specific() bool { return r.edit.none() || r.edit.pre || r.edit.post }

// describeText describes the change of the text as a whole, and returns the addresses without it.
func (r *rule) describeText(from, to address.Address, reasons []address.Reason) (_, _ address.Address) {
	switch {
	case slices.Contains(reasons, address.Charset):
		if text, name := address.InUTF8(from); name != "" {
			r.text = "<" + name
			return text, to
		}
		if text, name := address.InUTF8(to); name != "" {
			r.text = ">" + name
			return from, text
		}
	case slices.Contains(reasons, address.Unicode):
		composed := address.InForm(to, norm.NFC)
		if r.text = "nfd"; composed == to {
			r.text = "nfc"
		}
		return address.InForm(from, norm.NFC), composed
	}
	return from, to
}

// lifted returns the path and query of from; where the value of a parameter is a segment of to and not of
// from, with its name and as if that were its last segment: "" for none.
func lifted(from, to address.Address) (name, path, query string, has bool) {
	path = from.Path()
	query, has = from.Query()
	if !has || path == to.Path() {
		return "", path, query, has
	}
	target, source := to.Path()+"/", path+"/"
	t, _ := to.Query()
	fields := strings.Split(query, "&")
	for i, field := range fields {
		name, value, _ := strings.Cut(field, "=")
		if value == "" || strings.Contains(value, "/") {
			continue
		}
		segment := "/" + value + "/"
		if strings.Contains(target, segment) && !strings.Contains(source, segment) && !strings.Contains("&"+t, "&"+name+"=") {
			return name, strings.TrimSuffix(path, "/") + "/" + value, strings.Join(slices.Delete(fields, i, i+1), "&"), len(fields) > 1
		}
	}
	return "", path, query, has
}

func (r *rule) describePath(from, to string, s *spelling) {
	if s.between(from, to, false) {
		return
	}
	var fromRoom, toRoom [maxSegments]string
	fs, slash := segments(fromRoom[:0], from)
	ts, toSlash := segments(toRoom[:0], to)
	last := len(fs) - 1
	if last >= 0 && !slash && isIndex(fs[last]) && (len(ts) == 0 || !isIndex(ts[len(ts)-1])) {
		r.index = fs[last]
		fs, slash = fs[:last], true
	}
	switch {
	case slash == toSlash || len(ts) == 0:
	case toSlash:
		r.slash = 1
	default:
		r.slash = -1
	}
	r.describeExtension(fs, ts, s)
	pre, post := 0, 0
	for pre < min(len(fs), len(ts)) && s.between(fs[pre], ts[pre], false) {
		pre++
	}
	for post < min(len(fs), len(ts))-pre && s.between(fs[len(fs)-1-post], ts[len(ts)-1-post], false) {
		post++
	}
	if x, y := fs[pre:len(fs)-post], ts[pre:len(ts)-post]; len(x)+len(y) > 0 {
		r.edit = editOf(x, y, pre, post)
		if s.fold {
			r.edit.x = strings.ToLower(r.edit.x)
		}
	}
}

// describeExtension recognizes an extension of the last segment that is removed, added or changed,
// and leaves it out of both.
func (r *rule) describeExtension(fs, ts []string, s *spelling) {
	if len(fs) == 0 || len(ts) == 0 {
		return
	}
	f, t := &fs[len(fs)-1], &ts[len(ts)-1]
	x, y := extension(*f), extension(*t)
	if strings.EqualFold(x, y) {
		return
	}
	name, toName := strings.TrimSuffix(*f, x), strings.TrimSuffix(*t, y)
	if trial := *s; trial.between(name, toName, false) {
		r.ext = [2]string{x, y}
		*f, *t = name, toName
	}
}

func (r *rule) describeQuery(q string, has bool, t string, keeps bool, s *spelling) {
	if has == keeps && s.between(q, t, true) {
		return
	}
	var left, gone []string
	if keeps {
		left = strings.Split(t, "&")
	}
	if has {
		for field := range strings.SplitSeq(q, "&") {
			if len(left) > 0 && s.between(field, left[0], true) {
				left = left[1:]
				continue
			}
			gone = append(gone, paramName(field))
		}
	}
	slices.Sort(gone)
	r.params = params{
		drop: strings.Join(slices.Compact(gone), "&"),
		all:  has && !keeps,
		add:  strings.Join(left, "&"),
	}
}

func paramName(field string) string {
	name, _, _ := strings.Cut(field, "=")
	return name
}

// maxSegments is how many segments of a path need no allocation.
const maxSegments = 16

// segments appends the segments of a path without the slash at its end to dst, and reports whether
// there was one.
func segments(dst []string, path string) ([]string, bool) {
	path = strings.TrimPrefix(path, "/")
	if path == "" {
		return dst, true
	}
	bare, slash := strings.CutSuffix(path, "/")
	for {
		segment, rest, more := strings.Cut(bare, "/")
		dst = append(dst, segment)
		if !more {
			return dst, slash
		}
		bare = rest
	}
}

func isIndex(segment string) bool {
	name, ext, ok := strings.Cut(segment, ".")
	return ok && (strings.EqualFold(name, "index") || strings.EqualFold(name, "default")) &&
		extension("x."+ext) != ""
}

// extension returns the extension of a segment, ".html"; "" for none.
func extension(segment string) string {
	at := strings.LastIndexByte(segment, '.')
	if at < 1 || len(segment)-at > 6 || len(segment)-at < 3 {
		return ""
	}
	letter := false
	for _, c := range []byte(segment[at+1:]) {
		switch {
		case c|0x20 >= 'a' && c|0x20 <= 'z':
			letter = true
		case !isDigit(c):
			return ""
		}
	}
	if !letter {
		return ""
	}
	return segment[at:]
}

// widen adds the bytes and the names of another pair that follows the same rule.
func (r *rule) widen(o *rule) {
	r.spelling.decode.union(o.spelling.decode)
	r.spelling.encode.union(o.spelling.encode)
	const maxNames = 16
	if r.params.drop == o.params.drop || strings.Count(r.params.drop, "&") >= maxNames {
		return
	}
	names := append(strings.Split(r.params.drop, "&"), strings.Split(o.params.drop, "&")...)
	slices.Sort(names)
	r.params.drop = strings.Join(slices.Compact(names), "&")
}

// varies reports whether widen may change the rule.
func (r *rule) varies() bool {
	return !r.spelling.decode.empty() || !r.spelling.encode.empty() || r.params.drop != ""
}

// key appends a text that is the same for the same rule only, in every run.
func (r *rule) key(b []byte) []byte {
	if r.to != "" {
		return append(append(b, "to "...), r.to...)
	}
	for i, change := range [4]*[2]string{&r.scheme, &r.host, &r.port, &r.ext} {
		if *change != [2]string{} {
			b = append(b, "shpx"[i], ' ')
			b = append(append(append(b, change[0]...), '>'), change[1]...)
			b = append(b, ' ')
		}
	}
	for i, name := range [3]string{r.text, r.lift, r.index} {
		if name != "" {
			b = append(b, "tli"[i], ' ')
			b = append(append(b, name...), ' ')
		}
	}
	if r.slash != 0 {
		b = append(append(b, "slash"...), sign(r.slash), ' ')
	}
	b = r.spelling.key(b)
	b = r.edit.key(b)
	if r.params == (params{}) {
		return b
	}
	b = append(b, "? "...)
	switch {
	case r.params.all:
		b = append(b, '*')
	case r.params.drop != "":
		b = append(b, '-')
	}
	return append(append(b, '+'), r.params.add...)
}
