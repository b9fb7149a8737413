package audit_test

import (
	"fmt"
	"iter"
	"reflect"
	"strings"
	"testing"

	"sitemend/crawler/audit"
)

func entriesOf(locs ...string) iter.Seq2[audit.Entry, error] {
	return func(yield func(audit.Entry, error) bool) {
		for n, loc := range locs {
			if !yield(audit.Entry{N: n, Loc: loc}, nil) {
				return
			}
		}
	}
}

// The sections of an origin are the first path segments that five entries share, the
// eight with most.
func TestSections(t *testing.T) {
	var locs []string
	list := func(n int, form string) {
		for i := range n {
			locs = append(locs, fmt.Sprintf(form, i))
		}
	}
	list(5, "http://a.example/five/%d")
	list(4, "http://a.example/four/%d")
	list(9, "http://a.example/leaf%d")
	list(5, "http://a.example/%%E3/?p=%d")
	list(6, "https://a.example/five/%d")
	list(5, "http://a.example:8080/x/y/%d")
	list(5, "http://b.example//%d")
	list(5, "nonsense/%d")
	for s := range 10 {
		list(5+s, fmt.Sprintf("http://many.example/s%d/%%d", s))
	}
	got, plain, err := audit.Sections(entriesOf(locs...), true, nil)
	want := map[string][]string{"http://a.example": {"%E3", "five"}, "https://a.example": {"five"}, "http://a.example:8080": {"x"},
		"http://many.example": {"s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9"}}
	if err != nil || len(plain) > 0 || !reflect.DeepEqual(got, want) {
		t.Errorf("got  %v, %v\nwant %v", got, err, want)
	}
}

// What the last audit asked is asked again where an entry is left there.
func TestSectionsOfTheLastAudit(t *testing.T) {
	last := &audit.Rules{Sections: map[string][]string{"http://a.example": {"gone", "gone/deep", "left", "left/deep"}}}
	own, _, err := audit.Sections(entriesOf("http://a.example/left/deep/1", "http://a.example/other/deep/1"), false, last)
	if want := map[string][]string{"http://a.example": {"left", "left/deep"}}; err != nil || !reflect.DeepEqual(own, want) {
		t.Errorf("%v, %v, want %v", own, err, want)
	}
}

// What is edited is asked about in its own section and folder and in the section of the address in
// its place, a hundred of each origin; what is left out is counted.
func TestEditedSections(t *testing.T) {
	web := parseWeb(t, `
		http://a.example/moved/x 301 /new/x
		http://a.example/new/x 200
		http://a.example/noindex/x 200 robots=noindex
		http://a.example/fine/x 200
		http://a.example/gone/x 404
		browser http://a.example/gone/x 404
		http://a.example/secure/x 301 https://a.example/secure/x
		https://a.example/secure/x 200
		http://a.example/en/product/x/ 301 /en/shop/x
		http://a.example/en/shop/x 200
		http://a.example/nowhere 404
		https://a.example/nowhere 404`)
	r := rules()
	r.MissingPath = "nowhere"
	var n audit.EditedSections
	for _, path := range []string{"moved", "noindex", "fine", "gone", "secure", "en/product"} {
		loc := "http://a.example/" + path + "/x"
		if path == "en/product" {
			loc += "/" // the page lies beside those without a slash
		}
		row := audit.Judge(web, audit.Entry{Loc: loc}, r, audit.Want{Recheck: true})
		n.See(&row, r)
	}
	missing := n.Add(r)
	want := map[string][]string{"http://a.example": {"en", "en/product", "en/shop", "moved", "new", "noindex"}, "https://a.example": {"secure"}}
	if !reflect.DeepEqual(r.Sections, want) || r.UnaskedSections != nil {
		t.Errorf("%v, %v", r.Sections, r.UnaskedSections)
	}
	needs := func(answers string) (urls []string) {
		for _, need := range missing.Needs(parseWeb(t, answers)) {
			urls = append(urls, need.URL)
		}
		return urls
	}
	const rest = "http://a.example/en/nowhere 404\nhttp://a.example/en/product/nowhere 404\nhttp://a.example/en/shop/nowhere 404\nhttp://a.example/moved/nowhere 404\nhttp://a.example/noindex/nowhere 404\nhttps://a.example/secure/nowhere 404\n"
	if got := needs(rest); !reflect.DeepEqual(got, []string{"http://a.example/new/nowhere"}) {
		t.Errorf("needs %v", got)
	}
	if got := needs(rest + "http://a.example/new/nowhere 301 /lost"); !reflect.DeepEqual(got, []string{"http://a.example/lost"}) {
		t.Errorf("needs %v", got)
	}
	if got := needs(rest + "http://a.example/new/nowhere 404"); got != nil {
		t.Errorf("needs %v", got)
	}

	var many audit.EditedSections
	for i := range 120 {
		from, to := fmt.Sprintf("http://a.example/p%d", i), fmt.Sprintf("/s%d/x", i)
		row := audit.Judge(parseWeb(t, from+" 301 "+to+"\nhttp://a.example"+to+" 200\nhttp://a.example/nowhere 404"), audit.Entry{Loc: from}, r, audit.Want{})
		many.See(&row, r)
	}
	many.Add(r)
	if len(r.Sections["http://a.example"]) != 106 || r.UnaskedSections["http://a.example"] != 20 {
		t.Errorf("%d sections, unasked %v", len(r.Sections["http://a.example"]), r.UnaskedSections)
	}
}

// What strangers list makes no section of what the user's own hosts list, and counts
// in none of theirs; without secrets all make one.
func TestSectionsOfStrangers(t *testing.T) {
	var entries []audit.Entry
	list := func(n int, plain bool, form string) {
		for i := range n {
			entries = append(entries, audit.Entry{Loc: fmt.Sprintf(form, i), WithoutSecrets: plain})
		}
	}
	list(5, true, "http://a.example/logout/%d")
	list(4, false, "http://a.example/blog/%d")
	list(4, true, "http://a.example/blog/%d")
	list(5, false, "http://a.example/shop/%d")
	all := func(yield func(audit.Entry, error) bool) {
		for _, e := range entries {
			if !yield(e, nil) {
				return
			}
		}
	}
	for _, apart := range []bool{true, false} {
		want := [2][]string{{"blog", "logout", "shop"}, nil}
		if apart {
			want = [2][]string{{"shop"}, {"logout"}}
		}
		own, plain, err := audit.Sections(all, apart, nil)
		if got := [2][]string{own["http://a.example"], plain["http://a.example"]}; err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("apart %v: %v, %v, want %v", apart, got, err, want)
		}
	}
}

// What a host says to an address that cannot exist is asked where the listed one is:
// in its section, too.
func TestSoftNotFoundInASection(t *testing.T) {
	const shop = `
		http://a.example/nowhere 404
		http://a.example/policies/nowhere 200 title=Policies
		http://a.example/policies/old 200 title=Policies
		http://a.example/policies/real 200 title=Returns
		http://a.example/policies/ 200 title=Policies
		http://a.example/policies 200 title=Policies
		http://a.example/blog/old 200 title=Policies
		http://a.example/ja/nowhere 302 /ja/
		http://a.example/ja/ 200 title=J
		http://a.example/ja/x 200 title=J
		http://a.example/lost/nowhere 302 /lost/all
		http://a.example/lost/all 200 title=All
		http://a.example/was 301 /policies/old`
	r := rules()
	r.MissingPath, r.Sections = "nowhere", map[string][]string{"http://a.example": {"ja", "lost", "policies"}}
	for path, want := range map[string]string{
		"/policies/old":  "soft-404 | keep",
		"/policies/real": "ok | keep",
		"/policies/":     "ok | keep",
		"/policies":      "ok | keep",
		"/blog/old":      "ok | keep",
		"/ja/":           "ok | keep",
		"/ja/x":          "soft-404 | keep",
		"/lost/all":      "soft-404 | keep",
		"/was":           "moved path | keep | target-soft-404",
	} {
		for _, mem := range []audit.Answers{parseWeb(t, shop), audit.NewAnswerCache(parseWeb(t, shop), 8)} {
			row := audit.Judge(mem, audit.Entry{Loc: "http://a.example" + path}, r, audit.Want{})
			if got := say(&row); got != want {
				t.Errorf("%s: got %s, want %s", path, got, want)
			}
		}
	}
	// Both places are needed before the verdict.
	row := audit.Judge(parseWeb(t, "http://a.example/policies/old 200 title=X"), audit.Entry{Loc: "http://a.example/policies/old"}, r, audit.Want{})
	var needs strings.Builder
	for _, n := range row.Needs {
		needs.WriteString(" " + strings.TrimPrefix(n.URL, "http://a.example"))
	}
	if row.Verdict != audit.Skipped || needs.String() != " /nowhere /policies/nowhere" {
		t.Errorf("%s, needs%s", say(&row), needs.String())
	}
}

// A redirect is in place of nothing where an address that cannot exist beside the listed
// one leads to the same page: it is a rule that catches all.
func TestCatchAll(t *testing.T) {
	const shop = `
		http://a.example/nowhere 404
		http://a.example/product/nowhere 301 /products
		http://a.example/product/old 301 /products
		http://a.example/product/old?id=1 301 /products
		http://a.example/product/ 301 /products
		http://a.example/product/index.php 301 /product/
		http://a.example/products 200 title=Products
		http://a.example/en/nowhere 404
		http://a.example/en/product/nowhere 301 /en/products
		http://a.example/en/product/old 301 /en/products
		http://a.example/en/product/old/ 301 /en/products
		http://a.example/en/product/ 301 /en/products
		http://a.example/en/product/a/b 301 /en/products
		http://a.example/en/about 301 /en/products
		http://a.example/en/products 200 title=Products
		http://a.example/shop/nowhere 301 /shop/
		http://a.example/shop/old 301 /shop/
		http://a.example/shop/ 200 title=Shop
		http://a.example/shop/index.html 301 /shop/
		http://a.example/app/nowhere 301 /application
		http://a.example/app/old 301 /application
		http://a.example/application 200 shell title=App
		http://a.example/c/nowhere 200 title=C canonical=/call
		http://a.example/c/old 200 title=C0 canonical=/call
		http://a.example/call 200 title=All
		http://a.example/from/nowhere 301 /list?from=nowhere
		http://a.example/from/old 301 /list?from=old
		http://a.example/list?from=nowhere 200 title=List
		http://a.example/list?from=old 200 title=List
		http://a.example/good/nowhere 301 /better/nowhere
		http://a.example/good/old 301 /better/old
		http://a.example/better/nowhere 404
		http://a.example/better/old 200 title=Old
		http://old.example/product/old 301 http://www.old.example/all
		http://old.example/nowhere 301 http://www.old.example/all
		http://www.old.example/all 200 title=All
		http://www.old.example/nowhere 404`
	r := rules()
	r.MissingPath, r.Sections = "nowhere", map[string][]string{"http://a.example": {"app", "better", "c", "en", "en/product", "from", "good", "product", "shop"}}
	for loc, want := range map[string]string{
		"http://a.example/product/old":      "moved path | keep | target-soft-404",
		"http://a.example/product/old?id=1": "moved path query | keep | target-soft-404",
		"http://a.example/product/":         "moved path | replace http://a.example/products", // the page of the place itself
		"http://a.example/en/product/old":   "moved path | keep | target-soft-404",
		"http://a.example/en/product/old/":  "moved path | keep | target-soft-404",
		"http://a.example/en/product/":      "moved path | replace http://a.example/en/products",
		"http://a.example/en/product/a/b":   "moved path | replace http://a.example/en/products", // its own folder is en/product/a
		"http://a.example/en/about":         "moved path | replace http://a.example/en/products",
		"http://a.example/shop/old":         "moved path | keep | target-soft-404",
		"http://a.example/shop/index.html":  "moved index | replace http://a.example/shop/",
		"http://a.example/app/old":          "moved path | keep | needs-javascript target-soft-404",
		"http://a.example/c/old":            "noncanonical path | keep | target-soft-404",
		"http://a.example/from/old":         "moved path query | keep | target-soft-404",
		"http://a.example/good/old":         "moved path | replace http://a.example/better/old",
		"http://old.example/product/old":    "moved path www | keep | target-soft-404",
	} {
		for _, mem := range []audit.Answers{parseWeb(t, shop), audit.NewAnswerCache(parseWeb(t, shop), 8)} {
			row := audit.Judge(mem, audit.Entry{Loc: loc}, r, audit.Want{})
			if got := say(&row); got != want {
				t.Errorf("%s: got %s, want %s", loc, got, want)
			}
		}
	}
}

// A soft 404 says which of its signs it has.
func TestWhySoftNotFound(t *testing.T) {
	r := rules()
	r.MissingPath = "nowhere"
	for page, want := range map[string]string{
		"empty":     "empty",
		"title=404": "says-gone",
		"title=X":   "keep-soft-404",
	} {
		web := "http://a.example/a 200 " + page + "\nhttp://a.example/nowhere 200 title=X"
		row := audit.Judge(parseWeb(t, web), audit.Entry{Loc: "http://a.example/a"}, r, audit.Want{})
		if row.Verdict != audit.Soft404 || row.Fix.Why.Key != want {
			t.Errorf("%s: %s, %q", page, row.Verdict, row.Fix.Why)
		}
	}
}

// What is gone can be told wherever what cannot exist gets another answer than a page: an
// error, a redirect to one page for all, a page that says so. Only where it can, an
// audit is clean.
func TestNeverGone(t *testing.T) {
	for answer, never := range map[string]bool{
		"404":                   false,
		"200 title=Page":        true,
		"200 shell":             true,
		"200 title=404":         false,
		"200 empty":             false,
		"200 shell title=404":   false, // what is gone has the note needs-javascript
		"302 /":                 false,
		"301 /":                 false,
		"301 /sorry":            false,
		"302 /nowhere/":         false, // what is gone is temporary
		"301 /nowhere/":         true,  // a slash is added to all that is asked
		"301 /?from=/nowhere":   false, // a home page in other clothes
		"503":                   false,
		"301 /nowhere.html":     false, // 404
		"301 http://b.example/": false,
	} {
		s := &site{web: parseWeb(t, "http://a.example/a 200 title=A\nhttp://a.example/ 200 title=H\nhttp://a.example/?from=/nowhere 200 title=H\n"+
			"http://a.example/nowhere/ 200 title=N\nhttp://a.example/nowhere.html 404\nhttp://a.example/sorry 200 title=S\nhttp://b.example/ 200\n"+
			"http://a.example/nowhere "+answer)}
		s.list(map1, "http://a.example/a")
		r := rules()
		r.MissingPath = "nowhere"
		result := s.evaluate(t, r)
		if got := len(result.NeverGone()) > 0; got != never {
			t.Errorf("%s: %v", answer, result.NeverGone())
		}
		if result.Clean() == never || !result.AllFine() {
			t.Errorf("%s: clean %v, all fine %v", answer, result.Clean(), result.AllFine())
		}
	}
}
