package conclude_test

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"sitemend/crawler/audit"
	"sitemend/report/internal/conclude"
	"sitemend/report/internal/fixture"
	"sitemend/report/messages"
)

const golden = "testdata/states.golden"

var update = flag.Bool("update", false, "write "+golden+" again")

// What the first screen says of each state, in English: one file that a person reads.
func TestStates(t *testing.T) {
	var b strings.Builder
	en, ja := messages.Of("en"), messages.Of("ja")
	for _, s := range fixture.States() {
		c := conclude.Of(s.Result, "")
		line := func(indent string, x messages.Sentence) {
			if x == nil {
				return
			}
			fmt.Fprintf(&b, "%s%s\n", indent, x.In(en))
			if x.In(ja) == "" || strings.Contains(x.In(en)+x.In(ja), "{") {
				t.Errorf("%s: %q is %q in Japanese", s.Name, x.In(en), x.In(ja))
			}
		}
		fmt.Fprintf(&b, "== %s\n", s.Name)
		line("", c.Headline)
		for _, x := range c.Proof {
			line("  ", x)
		}
		for _, x := range c.Bar {
			line("  | ", x.Label)
		}
		for i, a := range c.Actions {
			fmt.Fprintf(&b, "  %d ", i+1)
			line("", a.Title)
			line("    ", a.Text)
			line("    ", a.Note)
			for _, e := range a.Evidence {
				fmt.Fprintf(&b, "    - %d ", e.Count)
				line("", e.Text)
			}
			fmt.Fprintf(&b, "    > %s %s\n", cmp.Or(a.Target, strings.TrimSuffix("copy:"+a.Copy, "copy:")), a.Command)
		}
		for _, l := range c.Lanes {
			fmt.Fprintf(&b, "  # %s %d, %d of %d open\n", l.Title.In(en), l.Count, l.Open, len(l.Causes))
			for i := range l.Causes[:min(len(l.Causes), 12)] {
				x := &l.Causes[i]
				fmt.Fprintf(&b, "    %d ", x.Count)
				line("", x.Title)
				line("      ? ", x.Ask)
				line("      ", x.Do)
			}
		}
	}
	if *update {
		if err := os.WriteFile(golden, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if got := b.String(); got != string(want) {
		t.Errorf("%s is not what the states say: -update writes it again", golden)
	}
}

// What the safety limit holds is asked about in words, or not at all.
func TestHeldIsAsked(t *testing.T) {
	for _, v := range audit.Verdicts() {
		r := &audit.Result{Causes: []audit.Cause{{Verdict: v, Stop: audit.Braked, Group: audit.NeedsDecision, Count: 11}}}
		for _, l := range conclude.Of(r, "").Lanes {
			if ask := l.Causes[0].Ask; ask != nil && !strings.HasSuffix(ask.In(messages.Of("en")), "?") {
				t.Errorf("of %s is asked %q", v, ask.In(messages.Of("en")))
			}
		}
	}
}
