package prove_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"sitemend/cmd/internal/prove"
	"sitemend/crawler/rules/write"
)

// served answers from lines "TARGET STATUS [LOCATION]"; everything else is 404.
func served(text string) prove.Ask {
	answers := map[string]prove.Answer{}
	for line := range strings.Lines(text) {
		var target, location string
		var status int
		if n, _ := fmt.Sscan(line, &target, &status, &location); n >= 2 {
			answers[target] = prove.Answer{Status: status, Location: location}
		}
	}
	return func(_ context.Context, _, target string) (prove.Answer, error) {
		if a, ok := answers[target]; ok {
			return a, nil
		}
		return prove.Answer{Status: 404}, nil
	}
}

// What refutes a rule, and what does not.
func TestWhatRefutesARule(t *testing.T) {
	for _, c := range []struct {
		name, served string
		live         bool
		want         string // asked: what came; "" where the rule holds
	}{
		{"it holds", "/a%28 301 /b", false, ""},
		{"it names its host", "/a%28 301 https://www.example.com/b", false, ""},
		{"nobody answers", "", false, "/a%28: answers 404"},
		{"another target", "/a%28 301 /c", false, "/a%28: leads to /c"},
		{"the target in another spelling", "/a%28 301 /%62", false, "/a%28: leads to /%62"},
		{"another status", "/a%28 302 /b", false, "/a%28: answers 302, not 301"},
		{"the target is redirected", "/a%28 301 /b\n/b 301 /c", false, "/b: the target is redirected to /c"},
		{"another spelling does the same", "/a%28 301 /b\n/a( 301 /b", false, ""},
		{"another spelling leads to the source", "/a%28 301 /b\n/a( 301 /a%28", false, ""},
		{"another spelling is a page", "/a%28 301 /b\n/a( 200", false, ""},
		{"another spelling loops", "/a%28 301 /b\n/a( 301 /a(", false, "/a(: leads to itself"},
		{"another spelling leads elsewhere", "/a%28 301 /b\n/a( 301 /c", false, "/a(: leads to /c"},
		{"it does, by another rule of a live server", "/a%28 301 /b\n/a( 301 /c", true, ""},
		{"it loops there", "/a%28 301 /b\n/a( 301 /a(", true, "/a(: leads to itself"},
	} {
		p := write.ByName("haproxy").
			Plan([]write.Pair{{Source: "/a%28", Target: "/b"}}, write.Options{Host: "www.example.com", Status: 301})
		proof, err := prove.Rules(context.Background(), p, served(c.served), !c.live)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, f := range proof.Failures {
			got = f.Asked + ": " + f.What
		}
		if got != c.want || proof.Held+len(proof.Failures) != proof.Rules {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

// A rule is not proved where its source or its target gave no answer.
func TestWhatCannotBeSeenProvesNothing(t *testing.T) {
	for unseen, want := range map[string]string{"/a": "/a: it gave no answer", "/b": "/b: the target: it gave no answer"} {
		p := write.ByName("haproxy").
			Plan([]write.Pair{{Source: "/a", Target: "/b"}, {Source: "/x", Target: "/b"}}, write.Options{Host: "www.example.com", Status: 301})
		answers := served("/a 301 /b\n/x 301 /y\n/b 200")
		proof, err := prove.Rules(context.Background(), p, func(ctx context.Context, host, target string) (prove.Answer, error) {
			if target == unseen {
				return prove.Answer{Unseen: "it gave no answer"}, nil
			}
			return answers(ctx, host, target)
		}, false)
		if err != nil {
			t.Fatal(err)
		}
		if proof.Held != 0 || len(proof.Failures) != 2 || proof.Failures[0].Asked+": "+proof.Failures[0].What != want {
			t.Errorf("without an answer of %s: %+v, want %s", unseen, proof, want)
		}
	}
}

// Two sources that are spellings of one address have rules with two targets: another spelling of
// both may redirect to either, and nowhere else.
func TestSourcesThatAreSpellingsOfOneAddress(t *testing.T) {
	const rules = "/%C3%A9%28x 301 /b\n/%C3%A9(x 301 /c\n"
	for _, c := range []struct{ name, served, want string }{
		{"nobody answers", "", ""},
		{"of both, by either", "/%c3%a9(x 301 /c\n/%c3%a9%28x 301 /b", ""},
		{"of both, by neither", "/%c3%a9(x 301 /d", "/%c3%a9(x: leads to /d"},
	} {
		p := write.ByName("lighttpd").Plan([]write.Pair{{Source: "/%C3%A9%28x", Target: "/b"}, {Source: "/%C3%A9(x", Target: "/c"}},
			write.Options{Host: "www.example.com", Status: 301})
		proof, err := prove.Rules(context.Background(), p, served(rules+c.served), true)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, f := range proof.Failures {
			got = f.Asked + ": " + f.What
		}
		if got != c.want || proof.Rules != 2 {
			t.Errorf("%s: got %q of %d rules, want %q", c.name, got, proof.Rules, c.want)
		}
	}
}

// A model refutes rules that the host would read differently: it reads the written text, not the
// intention.
func TestModelsReadWhatWasWritten(t *testing.T) {
	for _, name := range write.Names() {
		if !prove.HasModel(name) {
			continue
		}
		p := write.ByName(name).
			Plan([]write.Pair{{Source: "/old", Target: "/new"}}, write.Options{Host: "www.example.com", Status: 301})
		ask, said, err := prove.Model(p)
		if err != nil || said == "" {
			t.Fatal(name, said, err)
		}
		if proof, err := prove.Rules(context.Background(), p, ask, true); err != nil ||
			proof.Held != 1 {
			t.Errorf("%s: %+v %v", name, proof, err)
		}
		p.Pairs = append(p.Pairs, write.Pair{Source: "/other", Target: "/new"}) // no rule was written for it
		if proof, err := prove.Rules(
			context.Background(),
			p,
			ask,
			true,
		); err != nil || proof.Held != 1 ||
			len(proof.Failures) != 1 {
			t.Errorf("%s proves a rule that was not written: %+v %v", name, proof, err)
		}
	}
}
