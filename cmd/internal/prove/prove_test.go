package prove_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"sitemend/cmd/internal/prove"
	"sitemend/crawler/rules/write"
)

// served answers from lines "TARGET STATUS [LOCATION]", with -1 for no answer; everything else is 404.
func served(text string) prove.Ask {
	answers := map[string]prove.Answer{}
	for line := range strings.Lines(text) {
		var target, location string
		var status int
		if n, _ := fmt.Sscan(line, &target, &status, &location); n >= 2 {
			answers[target] = prove.Answer{Status: max(0, status), Location: location, Unseen: map[bool]string{true: "it gave no answer"}[status < 0]}
		}
	}
	return func(_ context.Context, _, target string) (prove.Answer, error) {
		if a, ok := answers[target]; ok {
			return a, nil
		}
		return prove.Answer{Status: 404}, nil
	}
}

// spelled are two sources that are spellings of one address: another spelling of both may redirect to
// either, and nowhere else.
const spelled = "/%C3%A9%28x 301 /b\n/%C3%A9(x 301 /c\n"

// What refutes a rule, and what does not; where its source or its target gave no answer it is not proved.
func TestWhatRefutesARule(t *testing.T) {
	one := []write.Pair{{Source: "/a%28", Target: "/b"}}
	two := []write.Pair{{Source: "/%C3%A9%28x", Target: "/b"}, {Source: "/%C3%A9(x", Target: "/c"}}
	for _, c := range []struct {
		name   string
		pairs  []write.Pair
		served string
		live   bool
		want   string // asked: what came; "" where the rules hold
	}{
		{"it holds", one, "/a%28 301 /b", false, ""},
		{"it names its host", one, "/a%28 301 https://www.example.com/b", false, ""},
		{"nobody answers", one, "", false, "/a%28: answers 404"},
		{"another target", one, "/a%28 301 /c", false, "/a%28: leads to /c"},
		{"the target in another spelling", one, "/a%28 301 /%62", false, "/a%28: leads to /%62"},
		{"another status", one, "/a%28 302 /b", false, "/a%28: answers 302, not 301"},
		{"the target is redirected", one, "/a%28 301 /b\n/b 301 /c", false, "/b: the target is redirected to /c"},
		{"another spelling does the same", one, "/a%28 301 /b\n/a( 301 /b", false, ""},
		{"another spelling leads to the source", one, "/a%28 301 /b\n/a( 301 /a%28", false, ""},
		{"another spelling is a page", one, "/a%28 301 /b\n/a( 200", false, ""},
		{"another spelling loops", one, "/a%28 301 /b\n/a( 301 /a(", false, "/a(: leads to itself"},
		{"another spelling leads elsewhere", one, "/a%28 301 /b\n/a( 301 /c", false, "/a(: leads to /c"},
		{"it does, by another rule of a live server", one, "/a%28 301 /b\n/a( 301 /c", true, ""},
		{"it loops there", one, "/a%28 301 /b\n/a( 301 /a(", true, "/a(: leads to itself"},
		{"its source is not seen", one, "/a%28 -1", true, "/a%28: it gave no answer"},
		{"its target is not seen", one, "/a%28 301 /b\n/b -1", true, "/b: the target: it gave no answer"},
		{"two sources, and nobody answers others", two, spelled, false, ""},
		{"two sources, others by either", two, spelled + "/%c3%a9(x 301 /c\n/%c3%a9%28x 301 /b", false, ""},
		{"two sources, others by neither", two, spelled + "/%c3%a9(x 301 /d", false, "/%c3%a9(x: leads to /d"},
	} {
		p := write.ByName("lighttpd").Plan(c.pairs, write.Options{Host: "www.example.com", Status: 301})
		proof, err := prove.Rules(context.Background(), p, served(c.served), !c.live)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, f := range proof.Failures {
			got = f.Asked + ": " + f.What
		}
		if got != c.want || proof.Rules != len(c.pairs) || (proof.Held < proof.Rules) != (c.want != "") {
			t.Errorf("%s: got %q of %+v, want %q", c.name, got, proof, c.want)
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
		p := write.ByName(name).Plan([]write.Pair{{Source: "/old", Target: "/new"}}, write.Options{Host: "www.example.com", Status: 301})
		ask, said, err := prove.Model(p)
		if err != nil || said == "" {
			t.Fatal(name, said, err)
		}
		for failures := range 2 { // then with one for which no rule was written
			if proof, err := prove.Rules(context.Background(), p, ask, true); err != nil || proof.Held != 1 || len(proof.Failures) != failures {
				t.Errorf("%s, %d more: %+v %v", name, failures, proof, err)
			}
			p.Pairs = append(p.Pairs, write.Pair{Source: "/other", Target: "/new"})
		}
	}
}
