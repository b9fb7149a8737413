package report

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"iter"
	"strings"
	"testing"
	"unicode/utf8"

	"sitemend/crawler/audit"
)

func TestQuoted(t *testing.T) {
	for in, want := range map[string]string{
		`plain`:         `"plain"`,
		`"\/`:           `"\"\\/"`,
		"<a href=&>":    `"<a href=&>"`,
		"\n\t\x00\x7f":  `"\u000a\u0009\u0000\u007f"`,
		"\u009b\u202e":  `"\u009b\u202e"`,
		"\u2028\u2029":  `"\u2028\u2029"`,
		"店\U0001F600":   "\"店\U0001F600\"",
		"\xe3\x81":      "\"\uFFFD\uFFFD\"",
		"is \uFFFD too": "\"is \uFFFD too\"",
		"mixed\xff\"":   "\"mixed\uFFFD\\\"\"",
	} {
		if got := string(appendQuoted(nil, in)); got != want {
			t.Errorf("%q is written %s, want %s", in, got, want)
		}
	}
}

// What is written of any bytes is JSON that gives them back, save those that
// are not UTF-8.
func FuzzQuoted(f *testing.F) {
	for _, s := range []string{"", "\"", "\\", "\x00", "\xff", "\u2028", "\xed\xa0\x80", "a\xffb\xfe", "\U0010FFFF"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		b := appendQuoted(nil, s)
		var back string
		if err := json.Unmarshal(b, &back); err != nil {
			t.Fatalf("%q is written %q: %v", s, b, err)
		}
		want, _ := json.Marshal(s)
		var std string
		if err := json.Unmarshal(want, &std); err != nil || back != std {
			t.Errorf("%q reads back as %q, want %q", s, back, std)
		}
	})
}

// A row whose every text is hostile is one valid line of JSON, with the bytes
// that are not UTF-8 kept in base64.
func FuzzJSONLine(f *testing.F) {
	f.Add("http://a.example/\xff", "/\xe9\n", "title\u2028", "timeout")
	f.Add("", "", "", "")
	f.Fuzz(func(t *testing.T, loc, location, title, fault string) {
		r := entry(1, loc, audit.Moved, replaced(location), walk(audit.EndAnswer, "http://a.example/ 301 /x", "http://a.example/x 200"))
		r.Trail.Steps[0].Hop.Location = location
		r.Trail.Steps[1].Hop.Fault = audit.Fault(fault)
		r.Trail.Steps[1].Hop.Page = audit.Page{Title: title, Canonical: location, Robots: title, ContentType: fault}
		r.Notes = []audit.Note{audit.Note(title)}
		line := jsonLine(nil, &audit.File{Sitemap: audit.Sitemap{URL: loc}}, &r)
		var back struct {
			LocRaw string `json:"loc_raw"`
			Trail  []struct {
				Raw string `json:"location_raw"`
			}
		}
		if err := json.Unmarshal(line, &back); err != nil || bytes.Count(line, []byte("\n")) != 1 || !utf8.Valid(line) {
			t.Fatalf("%q: %v", line, err)
		}
		wantRaw(t, back.LocRaw, loc)
		wantRaw(t, back.Trail[0].Raw, location)
	})
}

func wantRaw(t *testing.T, raw, s string) {
	t.Helper()
	got, err := base64.StdEncoding.DecodeString(raw)
	if want := s; err != nil || !utf8.ValidString(s) && string(got) != want || utf8.ValidString(s) && raw != "" {
		t.Errorf("%q has the raw bytes %q, %v", s, got, err)
	}
}

func TestJSONLine(t *testing.T) {
	bare := func(v audit.Verdict, end audit.End, lines ...string) audit.Row {
		return entry(1, "http://a.example/", v, kept("w"), walk(end, lines...))
	}
	latin := bare(audit.Moved, audit.EndAnswer, "http://a.example/ 301 /caf", "http://a.example/caf%E9 200")
	latin.Trail.Steps[0].Hop.Location = "/caf\xe9"
	refresh := bare(audit.Temporary, audit.EndAnswer, "http://a.example/ 200 /x", "http://a.example/x 200")
	refresh.Trail.Steps[0].Kind, refresh.Trail.Steps[0].Hop.Location = audit.ByMetaRefresh, ""
	secret := bare(audit.Disallowed, audit.EndForbidden, "http://a.example/ 301 /secret", "http://a.example/secret robots-forbids")
	secret.Trail.Steps[1].Hop.MS = 0
	based := bare(audit.Noncanonical, audit.EndAnswer, "http://a.example/ 200")
	based.Trail.Steps[0].Hop.Page = audit.Page{Canonical: "b", CanonicalBase: "/dir/"}
	odd := bare(audit.OK, audit.EndAnswer, "http://a.example/ 200")
	odd.Trail.Steps[0].Hop.Page = audit.Page{Canonical: "mailto:x@a.example"}
	broken := bare(audit.NotFound, audit.EndAnswer, "http://a.example/ 404")
	broken.Trail.Steps[0].Hop.Page = audit.Page{Title: "not here"}

	for name, c := range map[string]struct {
		row  audit.Row
		want string
	}{
		"a Location that is not UTF-8": {latin, `"location":"/caf%E9","location_raw":"L2NhZuk=","kind":"http"`},
		"a meta refresh":               {refresh, `{"url":"http://a.example/","status":200,"kind":"meta-refresh","permanent":false,"ms":9}`},
		"a forbidden hop ends it":      {secret, `{"url":"http://a.example/secret"}],"fix"`},
		"no answer":                    {bare(audit.Unverified, audit.EndUnseen, "http://a.example/ timeout"), `{"url":"http://a.example/","ms":9,"fault":"timeout"}`},
		"a canonical below its base":   {based, `"page":{"canonical":"http://a.example/dir/b"}`},
		"a canonical that is no page":  {odd, `"page":{"canonical":"mailto:x@a.example"}`},
		"no page without a 200":        {broken, `"status":404,"fix"`},
		"an empty page is absent":      {bare(audit.OK, audit.EndAnswer, "http://a.example/ 200"), `"status":200,"fix":{"action":"keep","policy":"default","why":"w"},"notes":[]`},
		"too many have no final":       {bare(audit.TooManyRedirects, audit.EndTooMany, "http://a.example/ 301 /b"), `],"status":301,"fix"`},
	} {
		line := string(jsonLine(nil, &audit.File{}, &c.row))
		if !strings.Contains(line, c.want) {
			t.Errorf("%s: %s does not hold %s", name, line, c.want)
		}
		if !json.Valid([]byte(line)) {
			t.Errorf("%s: %s is no JSON", name, line)
		}
	}
}

// Keys stand in the order of the contract.
func TestJSONKeyOrder(t *testing.T) {
	var b bytes.Buffer
	if err := Write(t.Context(), &b, "jsonl", shop(), Options{}); err != nil {
		t.Fatal(err)
	}
	order := []string{"loc", "loc_raw", "sitemap", "line", "verdict", "reasons", "trail", "other_spelling", "final", "status", "page", "fix", "notes", "search_console", "checked_at"}
	for _, line := range strings.Split(strings.TrimSpace(b.String()), "\n") {
		d := json.NewDecoder(strings.NewReader(line))
		d.Token()
		at := 0
		for d.More() {
			key, _ := d.Token()
			for at < len(order) && order[at] != key {
				at++
			}
			if at == len(order) {
				t.Fatalf("key %v is out of order in %s", key, line)
			}
			var skip json.RawMessage
			if err := d.Decode(&skip); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func TestRowErrorsEndTheOutput(t *testing.T) {
	bad := errors.New("store: page 7 is damaged")
	failing := audit.MakeResult(audit.Result{Files: make([]audit.File, 1)}, func(int) iter.Seq2[audit.Row, error] {
		return func(yield func(audit.Row, error) bool) { yield(audit.Row{}, bad) }
	}, nil)
	var b bytes.Buffer
	for name, err := range map[string]error{"csv": Write(t.Context(), &b, "csv", failing, Options{Lang: "en"}), "jsonl": Write(t.Context(), &b, "jsonl", failing, Options{})} {
		if !errors.Is(err, bad) {
			t.Errorf("%s: got %v, want %v", name, err, bad)
		}
	}
}
