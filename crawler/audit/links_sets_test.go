package audit_test

import (
	"context"
	"errors"
	"io/fs"
	"iter"
	"testing"

	"sitemend/crawler/audit"
)

// sets are elements with links, and the error that ends them.
type sets struct {
	all []audit.LinkSet
	err error
}

func (s sets) Sets(context.Context, *audit.Sitemap) iter.Seq2[audit.LinkSet, error] {
	return func(yield func(audit.LinkSet, error) bool) {
		for _, set := range s.all {
			if !yield(set, nil) {
				return
			}
		}
		if s.err != nil {
			yield(audit.LinkSet{}, s.err)
		}
	}
}

// set is the element of a page, with links: a language and a path each.
func set(page string, links ...[2]string) audit.LinkSet {
	s := audit.LinkSet{Own: []string{"http://a.example" + page}}
	for _, l := range links {
		s.Links = append(s.Links, audit.Link{Lang: l[0], Href: "http://a.example" + l[1]})
	}
	return s
}

// What becomes of links that lead back to a page which its own element does not name.
func TestLinksBackToAPage(t *testing.T) {
	en, de, self := [2]string{"en", "/back"}, [2]string{"de", "/ok"}, [2]string{"en", "/self"}
	for _, x := range []struct {
		name string
		sets sets
		want string
	}{
		{"its own link", sets{all: []audit.LinkSet{set("/self", en, de), set("/ok", de, en)}}, "moved path | replace http://a.example/self"},
		{"called so by others", sets{all: []audit.LinkSet{set("/self", en, de), set("/ok", de, self)}}, "moved path | replace http://a.example/self"},
		{"called otherwise by others", sets{all: []audit.LinkSet{set("/self", en), set("/ok", de, [2]string{"fr", "/self"})}}, "moved path | keep"},
		{"from two addresses", sets{all: []audit.LinkSet{set("/self", en, [2]string{"fr", "/back2"})}}, "moved path | keep"},
		{"from two addresses, but called so by others", sets{all: []audit.LinkSet{set("/self", en, [2]string{"fr", "/back2"}), set("/ok", self)}}, "moved path | replace http://a.example/self"},
		{"others lead there otherwise", sets{all: []audit.LinkSet{set("/self", en), set("/ok", [2]string{"fr", "/back2"})}}, "moved path | keep"},
		{"for everybody else", sets{all: []audit.LinkSet{set("/self", en, [2]string{"x-default", "/back2"})}}, "moved path | replace http://a.example/self"},
		{"the sitemap is not kept any more", sets{err: fs.ErrNotExist}, "moved path | replace http://a.example/self"},
	} {
		told, err := linksBack(t, x.sets)
		if err != nil {
			t.Fatal(x.name, err)
		}
		if got := alsoRowsOf(t, told)[0]; got != x.want {
			t.Errorf("%s: %s, want %s", x.name, got, x.want)
		}
	}
	failed := errors.New("the disk is full")
	if _, err := linksBack(t, sets{err: failed}); !errors.Is(err, failed) {
		t.Errorf("error %v, want %v", err, failed)
	}
}

// linksBack is the audit of a site with these sets: /back and /back2 redirect to /self.
func linksBack(t *testing.T, all sets) (*audit.Result, error) {
	t.Helper()
	s := &site{web: parseWeb(t, alsoWeb+"\n\thttp://a.example/back2 301 /self")}
	s.list(map1, "http://a.example/self", "http://a.example/ok")
	s.files[0].Links, s.files[0].Spool = true, "x"
	for i := range s.entries {
		s.entries[i].Ext = 1
	}
	en := func(x *audit.Also) { x.Langs = "en" }
	fr := func(x *audit.Also) { x.Langs = "fr" }
	s.also(audit.AlsoAlternates, namedBy(audit.AlsoAlternates, "http://a.example/back", en), namedBy(audit.AlsoAlternates, "http://a.example/back2", fr))
	r := rules()
	r.Sets = all
	return audit.Evaluate(t.Context(), s, audit.Info{Rules: *r}, func(url string) string { return url })
}
