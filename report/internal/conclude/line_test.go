package conclude_test

import (
	"strings"
	"testing"

	"sitemend/crawler/address"
	"sitemend/crawler/audit"
	"sitemend/crawler/pattern"
	"sitemend/report/internal/conclude"
	"sitemend/report/messages"
)

func causeOf(x audit.Cause) conclude.Cause {
	a := &audit.Result{Causes: []audit.Cause{x}, Counts: audit.Counts{Entries: 9, Verdicts: map[audit.Verdict]int{x.Verdict: 9},
		Groups: map[audit.Group]map[string]int{x.Group: {string(x.Verdict): 9}}}}
	return conclude.Of(a, conclude.Options{}).Lanes[0].Causes[0]
}

// What has nothing in common is shown by two paths, or by one long one, and the origin only where it changed.
func TestPatternOfFewIsShort(t *testing.T) {
	x := audit.Cause{Group: audit.Corrected, Verdict: audit.Moved, Count: 9,
		Examples: []string{"https://www.shop.example/plates/" + strings.Repeat("x", 90), "http://blog.shop.example/bowls/"}}
	for _, loc := range x.Examples {
		x.From.See(address.Wire(loc))
	}
	for _, loc := range []string{"https://www.shop.example/products/a", "https://www.shop.example/products/b"} {
		x.To.See(address.Wire(loc))
	}
	c := causeOf(x)
	if got, want := c.Pattern.Text(), "/plates/"+strings.Repeat("x", 21)+"…"+strings.Repeat("x", 30)+", … -> /products/*"; got != want {
		t.Errorf("the pattern is %q, want %q", got, want)
	}
}

// A page of another host is never shown as one of this host, wherever its own host stands.
func TestPatternsNameOtherHosts(t *testing.T) {
	for _, c := range []struct {
		from, to [2]string
		want     string
	}{
		{[2]string{"https://a.example/one", "https://a.example/two"}, [2]string{"https://b.test/", "https://c.test/x"}, "https://a.example/* -> https://b.test/, https://c.test/x"},
		{[2]string{"https://a.example/one", "https://b.a.example/two"}, [2]string{"https://b.a.example/x", "https://a.example/y"},
			"https://a.example/one, https://b.a.example/two -> https://b.a.example/x, https://a.example/y"},
		{[2]string{"https://a.example/n/1", "https://b.a.example/n/2"}, [2]string{"https://b.a.example/o/1", "https://a.example/o/2"}, "https://*/n/* -> https://*/o/*"},
		{[2]string{"https://a.example/one", "https://b.a.example/two"}, [2]string{"https://a.example/x", "https://a.example/x"}, "https://a.example/one, https://b.a.example/two -> https://a.example/x"},
	} {
		x := audit.Cause{Group: audit.NeedsDecision, Verdict: audit.Offsite, Count: 2, Targets: 2, Reasons: []address.Reason{address.Host}, Examples: c.from[:], Finals: c.to[:]}
		if c.to[0] == c.to[1] {
			x.Targets = 1
		}
		for i := range c.from {
			x.From.See(address.Wire(c.from[i]))
			x.To.See(address.Wire(c.to[i]))
		}
		if got := causeOf(x).Pattern.Text(); got != c.want {
			t.Errorf("the pattern is %q, want %q", got, c.want)
		}
	}
}

// A part of a title within it begins with no capital in English, and as it is in Japanese.
func TestPartsOfATitle(t *testing.T) {
	c := causeOf(audit.Cause{Group: audit.Corrected, Verdict: audit.Moved, Count: 9, Rule: "x",
		Terms: []pattern.Term{{Name: "scheme", From: "http://", To: "https://"}, {Name: "lower-case"}}})
	for lang, want := range map[string]string{"en": "http instead of https, capital letters in the address", "ja": "httpsではなくhttp、URLに大文字"} {
		if got := c.Title.In(messages.Of(lang)); got != want {
			t.Errorf("%s: the title is %q, want %q", lang, got, want)
		}
	}
}

// A line is cut in its pattern, as far as it has to be, and no further than it can be read;
// where that does not do it is said in fewer words, without its pattern, or without its end.
func TestLineWithin(t *testing.T) {
	gone := audit.Cause{Group: audit.NeedsDecision, Verdict: audit.NotFound, Count: 9, Answers: map[int]int{404: 9},
		Examples: []string{"https://a.example/one/" + strings.Repeat("y", 90)}}
	gone.From.See(address.Wire(gone.Examples[0]))
	gate := audit.Cause{Group: audit.NeedsDecision, Verdict: audit.Temporary, Stop: audit.Gate, Count: 9}
	gate.From.See(address.Wire("https://a.example/account/orders"))
	gate.To.See(address.Wire("https://a.example/login"))
	few := audit.Cause{Group: audit.NeedsDecision, Verdict: audit.NotFound, Count: 9, Answers: map[int]int{404: 9}, Examples: []string{"https://a.example/r301", "https://a.example/r302"}}
	for _, loc := range few.Examples {
		few.From.See(address.Wire(loc))
	}
	for _, c := range []struct {
		cause audit.Cause
		most  int
		want  string // the second line behind a "|"
	}{
		{gone, 200, "404: /one/" + strings.Repeat("y", 90)},
		{gone, 40, "404: /one/" + strings.Repeat("y", 10) + "…" + strings.Repeat("y", 16)},
		{gone, 20, "404: /one/…" + strings.Repeat("y", 6)},
		{gone, 15, "Not found (404)|/one/…" + strings.Repeat("y", 6)},
		{gone, 14, "Not found (40…|/one/…" + strings.Repeat("y", 6)},
		{gone, 5, "Not …|/on…yyyy"}, // in so few nobody could read it
		{few, 23, "404: /r301, /r302, …"},
		{few, 16, "404: /r301, …"}, // no address that does not exist
		{gate, 200, "Redirect to a page before the real one (login, consent, age): /account/orders -> /login"},
		{gate, 60, "Login or consent page: /account/orders -> /login"},
		{gate, 40, "Redirect to a page before the real one …|/account/orders -> /login"},
	} {
		fits := func(text string) bool { return len([]rune(text)) <= c.most }
		cause := causeOf(c.cause)
		got, below := cause.LineWithin(messages.Of("en"), fits, fits)
		if below != "" {
			got += "|" + below
		}
		if got != c.want {
			t.Errorf("in %d: %q, want %q", c.most, got, c.want)
		}
	}
}

// Entries that redirect to pages that are not there are named with where they lead, and the
// target is to be corrected.
func TestRedirectsToMissingPages(t *testing.T) {
	x := audit.Cause{Group: audit.TakenOut, Verdict: audit.NotFound, Trait: audit.ToMissing, Count: 9, Targets: 9, Answers: map[int]int{404: 9}}
	for _, n := range []string{"1", "2"} {
		x.From.See(address.Wire("https://a.example/old/" + n + "/"))
		x.To.See(address.Wire("https://a.example/lost/" + n + "/"))
	}
	c, en := causeOf(x), messages.Of("en")
	if got, want := c.Line().In(en), "Redirects to a page that does not exist, removed: /old/*/ -> /lost/*/"; got != want {
		t.Errorf("the line is %q, want %q", got, want)
	}
	if got, want := c.Do[0].In(en), "Correct the target of the redirect, or stop listing these pages."; len(c.Do) != 1 || got != want {
		t.Errorf("to do is %q, want %q", got, want)
	}
}

// What has no pattern names two, and says where there are more.
func TestExamplesOfMore(t *testing.T) {
	for count, want := range map[int]string{2: "a, b", 40: "a, b, …"} {
		c := causeOf(audit.Cause{Group: audit.Corrected, Verdict: audit.Invalid, Count: count, Examples: []string{"a", "b", "c"}[:min(3, count)]})
		if got := c.Pattern.Text(); got != want {
			t.Errorf("%d: %q, want %q", count, got, want)
		}
	}
}
