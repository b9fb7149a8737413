package audit_test

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"sitemend/crawler/audit"
)

// What would be edited and is answered otherwise to another reader is kept.
func TestVaries(t *testing.T) {
	const moved = "http://a.example/x 301 /y\nhttp://a.example/y 200\n"
	const hidden = "http://a.example/x 200 robots=noindex\n"
	const gone = "http://a.example/x 404\nbrowser http://a.example/x 404\n"
	for name, c := range map[string]struct{ web, want string }{
		"the same for all":                 {moved + "browser http://a.example/y 200\nforeign http://a.example/y 200", "replace http://a.example/y"},
		"a browser is redirected":          {moved + "browser http://a.example/y 302 /en/y", "keep | varies"},
		"another language is redirected":   {moved + "foreign http://a.example/y 302 /fr/y", "keep | varies"},
		"a browser gets noindex":           {moved + "browser http://a.example/y 200 robots=noindex", "keep | varies"},
		"a browser gets nothing":           {moved + "browser http://a.example/y 404", "keep | varies"},
		"a browser is refused":             {moved + "browser http://a.example/y 403", "replace http://a.example/y"},
		"no answer":                        {moved + "foreign http://a.example/y fault=timeout", "replace http://a.example/y"},
		"a browser is led likewise":        {moved + "browser http://a.example/x 302 /y", "replace http://a.example/y"},
		"a browser is led elsewhere":       {moved + "browser http://a.example/x 301 /z", "keep | varies"},
		"the old page is there for others": {moved + "browser http://a.example/x 200", "keep | varies"},
		"led elsewhere on the way":         {"http://a.example/x 301 /w\nhttp://a.example/w 301 /y\nhttp://a.example/y 200\nforeign http://a.example/w 200", "keep | hops-2 varies"},
		"it is gone in another language":   {moved + "foreign http://a.example/x 404", "keep | varies"},
		"the old page refuses a browser":   {moved + "browser http://a.example/x 403", "replace http://a.example/y"},
		"the same canonical for all":       {"http://a.example/x 200 canonical=/y\nhttp://a.example/y 200\nbrowser http://a.example/x 200 canonical=/y", "replace http://a.example/y"},
		"a canonical for robots alone":     {"http://a.example/x 200 canonical=/y\nhttp://a.example/y 200\nbrowser http://a.example/x 200", "keep | varies"},
		"noindex for all":                  {hidden + "browser http://a.example/x 200 robots=noindex", "drop"},
		"noindex for robots alone":         {hidden + "browser http://a.example/x 200", "keep | varies"},
		"noindex in one language":          {hidden + "foreign http://a.example/x 200", "keep | varies"},
		"not found for all":                {gone + "foreign http://a.example/x 404", "drop"},
		"found in another language":        {gone + "foreign http://a.example/x 200", "keep | varies"},
		"redirected in another language":   {gone + "foreign http://a.example/x 302 /fr", "drop"},
		"what a canonical names is mixed":  {"http://a.example/x 200 canonical=/y\nhttp://a.example/y 200\nforeign http://a.example/y 302 /fr", "keep | varies"},
		"it redirects no more":             {moved + "browser http://a.example/x 200\nproof http://a.example/x 200", "keep"},
		"it redirects still":               {moved + "browser http://a.example/x 200\nproof http://a.example/x 301 /y", "keep | varies"},
		"it is back":                       {gone + "foreign http://a.example/x 200\nproof http://a.example/x 200", "keep"},
		"it says noindex no more":          {hidden + "browser http://a.example/x 200\nproof http://a.example/x 200", "keep"},
		"it names no canonical any more":   {"http://a.example/x 200 canonical=/y\nhttp://a.example/y 200\nbrowser http://a.example/x 200\nproof http://a.example/x 200", "keep"},
		"what is kept anyway is not asked": {"http://a.example/x 302 /y\nhttp://a.example/y 200\nforeign http://a.example/y 404", "keep"},
	} {
		row := audit.Judge(parseWeb(t, c.web), audit.Entry{Loc: "http://a.example/x"}, rules(), audit.Want{Recheck: true})
		if _, got, _ := strings.Cut(say(&row), " | "); strings.TrimSuffix(got, " | unsteady") != c.want {
			t.Errorf("%s: %s, want %s", name, say(&row), c.want)
		}
	}
}

// Ten edits of a kind are asked for other readers, the first three and others from anywhere, and all
// of the hosts where one of them varies, or where a server says that it answers by language.
func TestReadersAreSampled(t *testing.T) {
	s := &site{web: web{}}
	var locs []string
	for i := range 16 {
		l := fmt.Sprintf("http://a.example/o%d", i)
		maps.Copy(s.web, parseWeb(t, fmt.Sprintf("%s 301 /n%d\nhttp://a.example/n%d 200\nproof http://a.example/n%d 200", l, i, i, i)))
		locs = append(locs, l)
	}
	gone := "http://a.example/gone"
	maps.Copy(s.web, parseWeb(t, gone+" 404\nbrowser "+gone+" 404"))
	s.list(map1, append(locs, gone)...)
	requests := func(result *audit.Result) []audit.Request {
		if err := result.Prove(t.Context()); err != nil {
			t.Fatal(err)
		}
		rs, err := result.ProofRequests()
		if err != nil {
			t.Fatal(err)
		}
		return rs
	}
	result := s.evaluate(t, rules())
	rs := requests(result)
	if len(rs) != 41 || rs[0].URL != "http://a.example/o0" || rs[1].URL != "http://a.example/n0" || rs[40] != (audit.Request{URL: gone, Purpose: audit.AsForeign}) {
		t.Fatalf("%d requests: %v, want those of both addresses of 10 edits for 2 readers, and one of what is gone", len(rs), rs)
	}
	asked := map[string]bool{}
	for i, r := range rs[:40] {
		as := map[audit.Purpose]string{audit.AsBrowser: "browser", audit.AsForeign: "foreign"}[r.Purpose]
		answer := " 200"
		switch {
		case i == 39: // what is written for the last of them
			answer = " 302 /en"
		case i%2 == 0:
			asked[r.URL] = true
			answer = " 301 /n" + strings.TrimPrefix(r.URL, "http://a.example/o")
		}
		maps.Copy(s.web, parseWeb(t, as+" "+r.URL+answer))
	}
	maps.Copy(s.web, parseWeb(t, "foreign "+gone+" 404"))
	if rs = requests(result); len(rs) != 24 || !result.Failed() {
		t.Errorf("then %d more are asked, want those of the 6 others; it failed: %v", len(rs), result.Failed())
	}
	result = s.evaluate(t, rules())
	if rs = requests(result); len(rs) != 25 || result.Failed() {
		t.Errorf("told again %d are asked, want 24, and once more what varied", len(rs))
	}
	varies := 0
	for _, row := range rowsOf(t, result, 0) {
		if row == "moved path | keep | varies" {
			varies++
		}
	}
	if varies != 1 || len(asked) != 10 || !asked[locs[0]] || !asked[locs[2]] {
		t.Errorf("%d vary, want 1; asked were %v", varies, asked)
	}
}

// What a server answers by language, as it says, is asked for other readers whatever the sample.
func TestAnswersByLanguageAreAllAsked(t *testing.T) {
	s := &site{web: web{}}
	var locs []string
	for i := range 30 {
		l := fmt.Sprintf("http://a.example/o%d", i)
		maps.Copy(s.web, parseWeb(t, fmt.Sprintf("%s 301 /n%d\nhttp://a.example/n%d 200\nproof http://a.example/n%d 200", l, i, i, i)))
		if i >= 20 {
			at := audit.Request{URL: l}
			hop := s.web[at]
			hop.ByLanguage = true
			s.web[at] = hop
		}
		locs = append(locs, l)
	}
	s.list(map1, locs...)
	result := s.evaluate(t, rules())
	rs, err := result.ProofRequests()
	if err != nil {
		t.Fatal(err)
	}
	asked := map[string]bool{}
	for _, r := range rs {
		asked[r.URL] = true
	}
	for _, l := range locs[20:] {
		if !asked[l] {
			t.Errorf("%s is not asked", l)
		}
	}
}

// Of what is written on a host 20 addresses are requested once more: the first ten, and ten from
// anywhere among the others.
func TestProofIsSampled(t *testing.T) {
	s := &site{web: web{}}
	var locs []string
	for i := range 400 {
		l := fmt.Sprintf("http://a.example/o%d", i)
		maps.Copy(s.web, parseWeb(t, fmt.Sprintf("%s 301 /n%d\nhttp://a.example/n%d 200", l, i, i)))
		locs = append(locs, l)
	}
	s.list(map1, locs...)
	rs, err := s.evaluate(t, rules()).ProofRequests()
	if err != nil {
		t.Fatal(err)
	}
	proofs, first, behind := 0, 0, 0
	for _, r := range rs {
		if r.Purpose != audit.AsProof {
			continue
		}
		proofs++
		var n int
		if _, err := fmt.Sscanf(r.URL, "http://a.example/n%d", &n); err != nil {
			t.Fatal(err)
		}
		switch {
		case n < 10:
			first++
		case n >= 100:
			behind++
		}
	}
	if proofs != 20 || first != 10 || behind < 3 {
		t.Errorf("%d are requested once more, %d of the first 10, %d of the last 300; want 20, 10 and some", proofs, first, behind)
	}
}

// An entry that is taken out because the address that it redirects to is listed too is asked for
// other readers as well: ten of them, and whatever is written of the same hosts beside.
func TestMergesAreAskedForOtherReaders(t *testing.T) {
	s := &site{web: web{}}
	var locs []string
	for i := range 30 {
		from, to := fmt.Sprintf("http://a.example/alt-%d", i), fmt.Sprintf("http://a.example/new-%d", i)
		maps.Copy(s.web, parseWeb(t, fmt.Sprintf("%s 301 %s\n%s 200", from, to, to)))
		locs = append(locs, from, to)
		moved := fmt.Sprintf("http://a.example/o%d", i)
		maps.Copy(s.web, parseWeb(t, fmt.Sprintf("%s 301 /n%d\nhttp://a.example/n%d 200", moved, i, i)))
		locs = append(locs, moved)
	}
	s.list(map1, locs...)
	rs, err := s.evaluate(t, rules()).ProofRequests()
	if err != nil {
		t.Fatal(err)
	}
	asked := map[string]bool{}
	for _, r := range rs {
		if strings.HasPrefix(r.URL, "http://a.example/alt-") && r.Purpose == audit.AsForeign {
			asked[r.URL] = true
		}
	}
	if len(asked) != 10 {
		t.Errorf("%d entries that are merged are asked for in another language, want 10", len(asked))
	}
}
