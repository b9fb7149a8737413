package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"iter"
	"strings"
	"testing"

	"sitemend/crawler/audit"
)

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
		line := string(entryAs(&audit.File{}, &c.row).append(nil))
		if !strings.Contains(line, c.want) {
			t.Errorf("%s: %s does not hold %s", name, line, c.want)
		}
		if !json.Valid([]byte(line)) {
			t.Errorf("%s: %s is no JSON", name, line)
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
