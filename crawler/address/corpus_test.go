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

// TestCorpus compares parsing and resolving with the cases of the web-platform-tests and of RFC 3986:
// exactly the rows of notMet are not met.
func TestCorpus(t *testing.T) {
	reasons, seen, rows := map[string]string{}, map[string]bool{}, map[string]bool{}
	for reason, names := range notMet {
		for _, name := range names {
			reasons[name] = reason
		}
	}
	row := func(name, got, want string) {
		rows[name] = true
		switch reason, listed := reasons[name]; {
		case listed && got == want:
			t.Errorf("%q is met now, take it from the list", name)
		case !listed && got != want:
			t.Errorf("%q gives %q, want %q", name, got, want)
		case listed:
			seen[name] = true
			t.Logf("not met: %q gives %q, not %q: %s", name, got, want, reason)
		}
	}
	// Those that give an http(s) URL, and those that fail and might have.
	for _, r := range corpusRows[struct {
		Input, Href string
		Base        *string
		Failure     bool
	}](t, "wpt/urltestdata.json") {
		var base address.Address
		if r.Base != nil && isHTTP(*r.Base) {
			base = mustParse(t, *r.Base)
		}
		if !isHTTP(r.Href) && !(r.Failure && (isHTTP(r.Input) || !base.IsZero())) || r.Base != nil && base.IsZero() && !isHTTP(r.Input) {
			continue
		}
		got, _ := address.Resolve(base, r.Input)
		row(r.Input, got.String(), wireOf(r.Href))
		if r.Base == nil && strings.Trim(r.Input, " \n") == r.Input && !strings.ContainsAny(r.Input, "\t\r\n") {
			got, _ = address.Parse(r.Input)
			row(r.Input, got.String(), wireOf(r.Href))
		}
	}
	for _, r := range corpusRows[struct{ Input, Output string }](t, "wpt/toascii.json") {
		a, _ := address.Parse("https://" + r.Input + "/x")
		row(r.Input, a.Host(), r.Output)
	}
	for _, r := range corpusRows[encodingRow](t, "wpt/percent-encoding.json") {
		q, _ := mustParse(t, "http://h/?"+r.Input).Query()
		row("percent "+r.Input, q, r.Output["utf-8"])
	}
	var rfc rfcCases // 5.4 and 6.2
	readCorpus(t, "rfc3986/rfc3986_cases.json", &rfc)
	for _, part := range []rfcResolve{rfc.Normal, rfc.Abnormal} {
		for _, c := range part.Cases {
			got, _ := address.Resolve(mustParse(t, part.Base), c.Ref)
			if c.Ref == "http:g" {
				c.Target = "http://a/b/c/g" // 5.4.2 allows it "for backward compatibility", and browsers do it
			}
			if rest, ok := strings.CutPrefix(c.Target, "http://"); ok && !strings.Contains(rest, "/") {
				c.Target += "/"
			}
			row(c.Ref, got.String(), wireOf(c.Target))
		}
	}
	for _, c := range rfc.Equivalences {
		a, b := address.RFC3986.Spell(onHTTP(t, c.A)), address.RFC3986.Spell(onHTTP(t, c.B))
		if c.Equivalent == true {
			row(c.A, a.String(), b.String())
		} else { // 6.2.4: only the server knows
			row(c.A, join(address.Compare(a, b)), "slash")
		}
	}
	for _, c := range rfc.Dots.Cases {
		if strings.HasPrefix(c.In, "/") {
			row(c.In, mustParse(t, "http://h"+c.In).Path(), c.Out)
		}
	}
	for name := range reasons {
		if !seen[name] {
			t.Errorf("the corpus has no row %q", name)
		}
	}
	t.Logf("%d of %d rows not met on purpose", len(seen), len(rows))
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

// onHTTP converts an example of the RFC, which may be a bare path or have another scheme, to an
// http URL.
func onHTTP(t *testing.T, s string) address.Address {
	if _, rest, ok := strings.Cut(s, "://"); ok {
		return mustParse(t, "http://"+rest)
	}
	return mustParse(t, "http://h/"+s)
}

type encodingRow struct {
	Input  string
	Output map[string]string
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
// (%26%238224%3B), which no server understands; EncodeText refuses.
func TestCorpusCharsets(t *testing.T) {
	// The tables of golang.org/x/text are those of the encodings, without the additions of the
	// WHATWG for browsers.
	tables := map[string]bool{"\x0eA iso-2022-jp": true, "\u203e\\ iso-2022-jp": true, "\ue5e5 gb18030": true, "\u2212 shift_jis": true}
	for _, r := range corpusRows[encodingRow](t, "wpt/percent-encoding.json") {
		for charset, want := range r.Output {
			octets, ok := address.EncodeText(r.Input, charset)
			lacks := strings.Contains(want, "%26%23")
			if !tables[r.Input+" "+charset] && (ok == lacks || ok && octets != address.DecodeValue(want)) {
				t.Errorf("%q in %s: %q (%v), want the bytes of %s", r.Input, charset, address.EncodeValue(octets), ok, want)
			}
		}
	}
}
