package pattern

import (
	"slices"
	"strings"

	"sitemend/crawler/address"
)

// maxDescribed is how many bytes an address may have to be described by a rule. The work grows with
// the square of the length: for the longest addresses that are requested it took a twentieth of a
// second each, an hour for a file of them. Sitemaps allow 2,048.
const maxDescribed = 2048

// describe returns the rule that turns from into to and describes all differences, piece by piece,
// as specifically as the two addresses allow. ok is false where the rule would not produce to.
func describe(from, to address.Address, reasons []address.Reason) (Rule, bool) {
	var w Rule
	if max(len(from.String()), len(to.String())) > maxDescribed {
		return w, false
	}
	if from.Scheme() != to.Scheme() {
		w.scheme = [2]string{from.Scheme(), to.Scheme()}
	}
	if from.Host() != to.Host() {
		w.host = [2]string{from.Host(), to.Host()}
	}
	if from.Port() != to.Port() {
		w.port = [2]string{from.Port(), to.Port()}
	}
	w.text = formOf(from, to, reasons)
	at, ok := w.text.apply(from)
	if !ok {
		return w, false
	}
	path := at.Path()
	q, has := at.Query()
	if w.lift = queryValueInPath(at, to); w.lift != "" {
		path, q, has, _ = lifted(path, q, w.lift)
	}
	if path != to.Path() {
		w.describePath(path, to.Path())
	}
	t, keeps := to.Query()
	w.describeQuery(q, has, t, keeps)
	return w, w.leads(from, to)
}

// formOf returns the change of the text of from as a whole.
func formOf(from, to address.Address, reasons []address.Reason) textForm {
	switch {
	case slices.Contains(reasons, address.Charset):
		if _, name := address.InUTF8(from); name != "" {
			return textForm("<" + name)
		}
		if _, name := address.InUTF8(to); name != "" {
			return textForm(">" + name)
		}
	case slices.Contains(reasons, address.Unicode):
		if address.InForm(to, true) == to {
			return composed
		}
		return decomposed
	}
	return ""
}

func (w *Rule) describePath(from, to string) {
	if w.path.between(from, to, false) {
		return
	}
	var fbuf, tbuf [maxSegments]string
	fs, slash := segments(fbuf[:0], from)
	ts, toSlash := segments(tbuf[:0], to)
	w.describeIndex(&fs, &slash, ts)
	if slash != toSlash && len(ts) > 0 {
		w.slash = -1
		if toSlash {
			w.slash = 1
		}
	}
	w.describeExtension(fs, ts)
	pre := 0
	for pre < len(fs) && pre < len(ts) && w.path.between(fs[pre], ts[pre], false) {
		pre++
	}
	for post := 1; post <= min(len(fs), len(ts))-pre; post++ {
		seg := fs[len(fs)-post]
		if post == 1 && w.ext != [2]string{} {
			seg = strings.TrimSuffix(seg, w.ext[0]) + w.ext[1]
		}
		if !w.path.between(seg, ts[len(ts)-post], false) {
			break
		}
	}
	w.describeEdit(fs, ts)
}

// describeIndex recognizes an index page that is removed.
func (w *Rule) describeIndex(fs *[]string, slash *bool, ts []string) {
	last := len(*fs) - 1
	if last < 0 || *slash || !isIndex((*fs)[last]) || len(ts) > 0 && ts[len(ts)-1] == (*fs)[last] {
		return
	}
	if len(ts) > 0 && isIndex(ts[len(ts)-1]) {
		return // index.php to index.html
	}
	w.index = (*fs)[last]
	*fs, *slash = (*fs)[:last], true
}

func isIndex(seg string) bool {
	name, ext, ok := strings.Cut(seg, ".")
	return ok && (strings.EqualFold(name, "index") || strings.EqualFold(name, "default")) &&
		extension("x."+ext) != ""
}

// describeExtension recognizes an extension of the last segment that is removed, added or changed.
func (w *Rule) describeExtension(fs, ts []string) {
	if len(fs) == 0 || len(ts) == 0 {
		return
	}
	f, t := fs[len(fs)-1], ts[len(ts)-1]
	x, y := extension(f), extension(t)
	if x == y || strings.EqualFold(x, y) {
		return
	}
	spelt := w.path
	if spelt.between(strings.TrimSuffix(f, x), strings.TrimSuffix(t, y), false) {
		w.ext = [2]string{x, y}
	}
}

// describeEdit describes the difference that is left between two paths once they have the same
// spelling.
func (w *Rule) describeEdit(fs, ts []string) {
	segs := fs
	if !w.path.none() || w.ext != [2]string{} {
		segs = make([]string, len(fs))
		for i, s := range fs {
			segs[i] = w.path.apply(s, false)
		}
	}
	if last := len(segs) - 1; last >= 0 && w.ext != [2]string{} {
		w.ext[0] = w.path.apply(w.ext[0], false)
		segs[last] = strings.TrimSuffix(segs[last], w.ext[0]) + w.ext[1]
	}
	pre, post := common(segs, ts)
	x, y := segs[pre:len(segs)-post], ts[pre:len(ts)-post]
	if len(x) == 0 && len(y) == 0 {
		return
	}
	w.edit = edit{kind: editSegs, at: pre, n: len(x), x: strings.Join(x, "/"),
		y: strings.Join(y, "/"), pre: pre > 0, post: post > 0}
	if post == 0 && pre > 0 {
		w.edit.at = atEnd
	}
}

// common returns how many texts two lists have in common at their start and at their end.
func common(a, b []string) (pre, post int) {
	for pre < len(a) && pre < len(b) && a[pre] == b[pre] {
		pre++
	}
	for post < min(len(a), len(b))-pre && a[len(a)-1-post] == b[len(b)-1-post] {
		post++
	}
	return pre, post
}

// queryValueInPath returns the parameter of from whose value is a segment of to and not of from; ""
// for none.
func queryValueInPath(from, to address.Address) string {
	q, has := from.Query()
	if !has || from.Path() == to.Path() {
		return ""
	}
	target := to.Path() + "/"
	for field := range strings.SplitSeq(q, "&") {
		name, value, _ := strings.Cut(field, "=")
		if value == "" || strings.Contains(value, "/") ||
			!strings.Contains(target, "/"+value+"/") ||
			strings.Contains(from.Path()+"/", "/"+value+"/") {
			continue
		}
		if t, keeps := to.Query(); !keeps || !strings.Contains("&"+t, "&"+name+"=") {
			return name
		}
	}
	return ""
}

func (w *Rule) describeQuery(q string, has bool, t string, keeps bool) {
	if q == t && has == keeps || has && keeps && w.query.between(q, t, true) {
		return
	}
	var left []string
	if keeps {
		left = strings.Split(t, "&")
	}
	var gone []string
	if has {
		for field := range strings.SplitSeq(q, "&") {
			if len(left) > 0 && w.query.between(field, left[0], true) {
				left = left[1:]
				continue
			}
			gone = append(gone, paramName(field))
		}
	}
	slices.Sort(gone)
	w.params = params{drop: strings.Join(slices.Compact(gone), "&"), all: has && !keeps,
		add: strings.Join(left, "&")}
}

// inWords returns w with the edit of one segment described by its words: the removed part lies
// between words that stay ("item-12" to "12").
func (w *Rule) inWords() (Rule, bool) {
	e := w.edit
	if e.n != 1 || e.y == "" || strings.Contains(e.y, "/") {
		return Rule{}, false
	}
	a, b := wordsOf(e.x), wordsOf(e.y)
	pre, post := common(a, b)
	if pre+post == 0 {
		return Rule{}, false
	}
	o := *w
	o.edit = edit{kind: editWords, at: e.at, n: 1, pre: pre > 0, post: post > 0, rest: e.post,
		x: strings.Join(a[pre:len(a)-post], ""), y: strings.Join(b[pre:len(b)-post], "")}
	return o, o.edit.x != "" || !(o.edit.pre && o.edit.post)
}

// wordsOf splits a segment into words and the characters between them.
func wordsOf(seg string) (words []string) {
	start := 0
	for i := 0; i < len(seg); i++ {
		if strings.IndexByte("-_.~,+", seg[i]) >= 0 {
			if start < i {
				words = append(words, seg[start:i])
			}
			words = append(words, seg[i:i+1])
			start = i + 1
		}
	}
	if start < len(seg) {
		words = append(words, seg[start:])
	}
	return words
}

// anyNumber returns w, which is a result of inWords, for any number in the removed part.
func (w *Rule) anyNumber() (Rule, bool) {
	var b strings.Builder
	x := w.edit.x
	for i := 0; i < len(x); {
		if !isDigit(x[i]) {
			b.WriteByte(x[i])
			i++
			continue
		}
		b.WriteString(digits)
		for i < len(x) && isDigit(x[i]) {
			i++
		}
	}
	o := *w
	o.edit.x, o.wide = b.String(), true
	return o, o.edit.x != x
}

// anySegments returns w for any segments in the place of those that it replaces.
func (w *Rule) anySegments() (Rule, bool) {
	o := *w
	o.edit.kind, o.edit.x, o.wide = editAny, "", true
	return o, w.edit.n > 0 && (w.edit.pre || w.edit.post)
}

// family returns the rule for all that change bytes or parameters as w does, whichever they are.
func (w *Rule) family() (Rule, bool) {
	o := *w
	o.wide = true
	return o, !w.path.decode.empty() || !w.path.encode.empty() || !w.query.decode.empty() ||
		!w.query.encode.empty() || w.params.drop != ""
}
