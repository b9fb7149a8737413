package address_test

import (
	"cmp"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sitemend/crawler/address"
)

// Reasons why a row of the corpus is deliberately not met. The wire form is what a server receives,
// so it keeps what browsers rewrite.
const (
	keepsDots    = "%2e is no dot segment: nothing escaped is decoded in what is sent (whatwg spelling does it)"
	keepsNumbers = "numbers that stand for IPv4 addresses stay as written and are checked when dialled"
	keepsQuote   = "' stays in a query (whatwg spelling encodes it)"
	encodesMore  = "` { } | and the backslash are encoded in a query, where browsers leave them"
)

// notMet lists every row of the corpus that is not met, by its reason.
var notMet = map[string][]string{
	keepsDots: {
		"http://example.com/foo/%2e",
		"http://example.com/foo/%2e./%2e%2e/.%2e/%2e.bar",
		"http://www/foo/%2E/html",
		"https://example.com/aaa/bbb/%2e%2e?query",
	},
	keepsNumbers: {
		"http://192.0x00A80001", "http://%30%78%63%30%2e%30%32%35%30.01", "http://%30%78%63%30%2e%30%32%35%30.01%2e",
		"http://０Ｘｃ０．０２５０．０１", "http://1.2.3.4./", "http://192.168.257", "http://192.168.257.", "http://256",
		"http://999999999", "http://999999999.", "http://4294967295", "http://0xffffffff", "https://0x.0x.0",
		"https://0x.0x.0x.0x", "https://00.00.00.00", "https://0000000000000000000000000000000000000000177.0.0.1",
	},
	keepsQuote: {
		"http://host/?'",
		"https://www.example.com/path{\x7fpath.html?query'\x7f=query#fragment<\x7ffragment",
	},
	encodesMore: {"http://`{}:`{}@h/`{}?`{}", "percent ‾\\", "percent á|"},
}

// A tally counts rows, each input once, and checks that exactly the rows of notMet are not met.
type tally struct {
	t       *testing.T
	reasons map[string]string // row -> reason
	seen    map[string]bool
	rows    map[string]bool
}

func (y *tally) row(name, got, want string) {
	y.t.Helper()
	y.rows[name] = true
	reason, listed := y.reasons[name]
	switch {
	case listed && got == want:
		y.t.Errorf("%q is met now, take it from the list", name)
	case !listed && got != want:
		y.t.Errorf("%q gives %q, want %q", name, got, want)
	case listed:
		y.seen[name] = true
		y.t.Logf("not met: %q gives %q, not %q: %s", name, got, want, reason)
	}
}

// TestCorpus compares parsing and resolving with the cases of the web-platform-tests and of RFC
// 3986.
func TestCorpus(t *testing.T) {
	y := &tally{t: t, reasons: map[string]string{}, seen: map[string]bool{}, rows: map[string]bool{}}
	for reason, rows := range notMet {
		for _, row := range rows {
			y.reasons[row] = reason
		}
	}
	y.urls()
	y.hosts()
	y.escapes()
	y.rfc()
	y.dots()
	for row := range y.reasons {
		if !y.seen[row] {
			t.Errorf("the corpus has no row %q", row)
		}
	}
	t.Logf("%d of %d rows not met on purpose, for %d reasons", len(y.seen), len(y.rows), len(notMet))
	if len(y.seen)*20 > len(y.rows) || len(notMet) > 8 {
		t.Errorf("more than 5 %% of the rows or more than 8 reasons")
	}
}

type urlRow struct {
	Input   string
	Base    *string
	Href    string
	Failure bool
}

// urls reads urltestdata.json: the rows that give an http(s) URL, and those that fail and might
// have. A row without a base is parsed as well.
func (y *tally) urls() {
	for _, r := range corpusRows[urlRow](y.t, "wpt/urltestdata.json") {
		var base address.Address
		if r.Base != nil && isHTTP(*r.Base) {
			base = mustParse(y.t, *r.Base)
		}
		want := wireOf(r.Href)
		if !isHTTP(r.Href) && !(r.Failure && (isHTTP(r.Input) || !base.IsZero())) {
			continue
		}
		if r.Base != nil && base.IsZero() && !isHTTP(r.Input) {
			continue // a base that is no Address
		}
		got, _ := address.Resolve(base, r.Input)
		y.row(r.Input, got.String(), want)
		if r.Base == nil && strings.Trim(r.Input, " \n") == r.Input && !strings.ContainsAny(r.Input, "\t\r\n") {
			got, _ = address.Parse(r.Input)
			y.row(r.Input, got.String(), want)
		}
	}
}

func isHTTP(s string) bool {
	s = strings.ToLower(strings.TrimLeft(s, " \t\n"))
	return strings.HasPrefix(s, "http:") || strings.HasPrefix(s, "https:")
}

// wireOf removes user, password and fragment from a browser's href.
func wireOf(href string) string {
	href, _, _ = strings.Cut(href, "#")
	scheme, rest, ok := strings.Cut(href, "://")
	if !ok || !isHTTP(href) {
		return ""
	}
	auth, rest, _ := strings.Cut(rest, "/")
	return scheme + "://" + auth[strings.LastIndexByte(auth, '@')+1:] + "/" + rest
}

// hosts reads toascii.json.
func (y *tally) hosts() {
	type row struct {
		Input  string
		Output *string
	}
	for _, r := range corpusRows[row](y.t, "wpt/toascii.json") {
		want := ""
		if r.Output != nil {
			want = *r.Output
		}
		a, _ := address.Parse("https://" + r.Input + "/x")
		y.row(r.Input, a.Host(), want)
	}
}

// escapes reads the utf-8 column of percent-encoding.json: queries.
func (y *tally) escapes() {
	type row struct {
		Input  string
		Output map[string]string
	}
	for _, r := range corpusRows[row](y.t, "wpt/percent-encoding.json") {
		q, _ := mustParse(y.t, "http://h/?"+r.Input).Query()
		y.row("percent "+r.Input, q, r.Output["utf-8"])
	}
}

type rfcCases struct {
	Normal       rfcResolve `json:"rfc3986_5_4_1_normal"`
	Abnormal     rfcResolve `json:"rfc3986_5_4_2_abnormal"`
	Equivalences []struct {
		A, B       string
		Equivalent any
	} `json:"rfc3986_6_equivalences"`
	Dots struct {
		Cases []struct{ In, Out string }
	} `json:"python_hyper_rfc3986_remove_dot_segments"`
}

type rfcResolve struct {
	Base  string
	Cases []struct{ Ref, Target string }
}

// rfc reads the examples of RFC 3986, 5.4 and 6.2.
func (y *tally) rfc() {
	var all rfcCases
	readCorpus(y.t, "rfc3986/rfc3986_cases.json", &all)
	for _, part := range []rfcResolve{all.Normal, all.Abnormal} {
		base := mustParse(y.t, part.Base)
		for _, c := range part.Cases {
			got, _ := address.Resolve(base, c.Ref)
			if c.Ref == "http:g" {
				c.Target = "http://a/b/c/g" // 5.4.2 allows it "for backward compatibility", and browsers do it
			}
			y.row(c.Ref, got.String(), wireOf(browserHref(c.Target)))
		}
	}
	for _, c := range all.Equivalences {
		a, b := address.RFC3986.Spell(onHTTP(y.t, c.A)), address.RFC3986.Spell(onHTTP(y.t, c.B))
		if c.Equivalent == true {
			y.row(c.A, a.String(), b.String())
		} else { // 6.2.4: only the server knows
			y.row(c.A, join(address.Compare(a, b)), "slash")
		}
	}
}

// dots reads cases of resolved dot segments, those with an absolute path.
func (y *tally) dots() {
	var all rfcCases
	readCorpus(y.t, "rfc3986/rfc3986_cases.json", &all)
	for _, c := range all.Dots.Cases {
		if strings.HasPrefix(c.In, "/") {
			y.row(c.In, mustParse(y.t, "http://h"+c.In).Path(), c.Out)
		}
	}
}

// browserHref adds the path that the RFC's "http://g" lacks.
func browserHref(target string) string {
	if rest, ok := strings.CutPrefix(target, "http://"); ok && !strings.Contains(rest, "/") {
		return target + "/"
	}
	return target
}

// onHTTP converts an example of the RFC, which may be a bare path or have another scheme, to an
// http URL.
func onHTTP(t *testing.T, s string) address.Address {
	if _, rest, ok := strings.Cut(s, "://"); ok {
		return mustParse(t, "http://"+rest)
	}
	return mustParse(t, "http://h/"+s)
}

// corpusRows reads a JSON list whose strings are comments.
func corpusRows[T any](t *testing.T, name string) (rows []T) {
	t.Helper()
	var raw []json.RawMessage
	readCorpus(t, name, &raw)
	for _, r := range raw {
		if r[0] == '"' {
			continue
		}
		var row T
		if err := json.Unmarshal(r, &row); err != nil {
			t.Fatalf("%s: %v in %s", name, err, r)
		}
		rows = append(rows, row)
	}
	return rows
}

// readCorpus reads a file of SITEMEND_CORPUS, else of ../shared/corpus beside the project: without it
// the test is skipped, or fails where SITEMEND_NO_SKIP is set.
func readCorpus(t *testing.T, name string, into any) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(cmp.Or(os.Getenv("SITEMEND_CORPUS"), "../../../shared/corpus"), name))
	switch {
	case err == nil:
		err = json.Unmarshal(b, into)
	case os.Getenv("SITEMEND_NO_SKIP") == "":
		t.Skipf("set SITEMEND_CORPUS: %v", err)
	}
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}

// Percent-encoding by charset (wpt/percent-encoding.json): the bytes of a value are those that
// browsers send. Where a charset lacks a character browsers send a numeric reference
// (%26%238224%3B); EncodeText returns an error that names the character, so that no sitemap lists
// an address that no server understands.
func TestCorpusCharsets(t *testing.T) {
	type row struct {
		Input  string
		Output map[string]string
	}
	// The tables of golang.org/x/text are those of the encodings, without the additions of the
	// WHATWG for browsers.
	tables := map[string]bool{"\x0eA iso-2022-jp": true, "\u203e\\ iso-2022-jp": true, "\ue5e5 gb18030": true, "\u2212 shift_jis": true}
	met, refused := 0, 0
	for _, r := range corpusRows[row](t, "wpt/percent-encoding.json") {
		for charset, want := range r.Output {
			if tables[r.Input+" "+charset] {
				continue
			}
			octets, ok := address.EncodeText(r.Input, charset)
			if strings.Contains(want, "%26%23") {
				if refused++; ok {
					t.Errorf("%q in %s: %q, and the charset lacks a character", r.Input, charset, octets)
				}
				continue
			}
			if met++; !ok || address.DecodeValue(address.EncodeValue(octets)) != address.DecodeValue(want) {
				t.Errorf("%q in %s: %q (%v), want the bytes of %s", r.Input, charset, address.EncodeValue(octets), ok, want)
			}
		}
	}
	if met == 0 {
		t.Error("no row was tried")
	}
	t.Logf("%d rows met, %d refused with the character named, %d not met for the tables", met, refused, len(tables))
}
