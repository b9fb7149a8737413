package report_test

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/mattn/go-runewidth"

	"sitemend/crawler/audit"
	"sitemend/report"
	"sitemend/report/internal/conclude"
	"sitemend/report/internal/fixture"
	"sitemend/report/messages"
)

// widths are those of the terminals that a summary is drawn for; 0 is none.
var widths = []int{0, 40, 60, 80, 120}

// However narrow a terminal is, no sentence is cut: what to do next and what not to do stand there
// whole, in each state and language. Only what counts, and the rows of causes, are in fewer words.
func TestNoWidthCutsASentence(t *testing.T) {
	for _, s := range fixture.States() {
		for _, lang := range messages.Langs() {
			t.Run(s.Name+"/"+lang, func(t *testing.T) {
				want := sentences(drawn(t, s.Result, lang, 0), messages.Of(lang))
				if len(want) == 0 {
					t.Fatal("the summary has no sentence")
				}
				want = append(want, actions(s.Result, messages.Of(lang))...)
				for _, width := range widths {
					got := squashed(drawn(t, s.Result, lang, width))
					for _, sentence := range want {
						if !strings.Contains(got, squashed(withoutPlace(sentence))) && !(removals.MatchString(sentence) && hasEach(got, counts.FindAllString(sentence, -1))) {
							t.Errorf("%d cells: no %q in\n%s", width, sentence, drawn(t, s.Result, lang, width))
						}
					}
				}
			})
		}
	}
}

// No cause is wider than a narrow terminal.
func TestNoCauseIsWiderThanTheTerminal(t *testing.T) {
	ruler, row := &runewidth.Condition{StrictEmojiNeutral: true}, regexp.MustCompile(`^[^ ]* +[\d,]+  `)
	for _, s := range fixture.States() {
		for _, lang := range messages.Langs() {
			for _, width := range []int{32, 40, 60} {
				for line := range strings.Lines(drawn(t, s.Result, lang, width)) {
					if line = strings.TrimSuffix(line, "\n"); row.MatchString(line) && ruler.StringWidth(line) > width {
						t.Errorf("%s, %s, %d cells: %q", s.Name, lang, width, line)
					}
				}
			}
		}
	}
}

// removals is how the line begins that says what is removed, by kind: a narrow terminal has each kind
// with its number (counts), and says once for all that they are removed.
var removals, counts = regexp.MustCompile(`^(?:[\d,]+ (?:would be )?removed, |除外(?:の対象)?\d)`), regexp.MustCompile(`\d[\d,]*`)

func hasEach(text string, parts []string) bool {
	return !slices.ContainsFunc(parts, func(p string) bool { return !strings.Contains(text, p) })
}

// withoutPlace is a sentence without where the sitemaps are submitted: that needs no room where the
// rest would wrap for it.
func withoutPlace(sentence string) string {
	if _, after, ok := strings.Cut(sentence, "し、Search Consoleで "); ok {
		return after
	}
	return strings.TrimSuffix(sentence, " in Search Console")
}

// A corrected copy of a file that was read only in part lacks what was not read. Wherever one is
// written, the first action that is no question says that it is not to be uploaded.
func TestACopyThatLacksEntriesIsNeverLeftToBeUploaded(t *testing.T) {
	seen := 0
	for _, s := range fixture.States() {
		partial := s.Result.Info.Partial || s.Result.Info.NoFetch
		written := slices.ContainsFunc(s.Result.Files, func(f audit.File) bool { return f.Changed && f.Sitemap.InPart() })
		c := conclude.Of(s.Result, conclude.Options{})
		at := slices.IndexFunc(c.Actions, func(a conclude.Action) bool { return a.Kind != conclude.DoDecide })
		switch warns := at >= 0 && c.Actions[at].Warns; {
		case warns != (written && !partial):
			t.Errorf("%s: the first action warns: %v, though a copy that lacks entries is written: %v", s.Name, warns, written)
		case warns:
			seen++
		}
	}
	if seen == 0 {
		t.Error("no state has such a copy")
	}
}

// actions are the sentences of the actions that the terminal says beside its rows: the first one,
// where no row says the same, and each that warns.
func actions(result *audit.Result, words *messages.Catalogue) (out []string) {
	elsewhere := []conclude.ActionKind{conclude.DoDecide, conclude.DoUpload, conclude.DoLeave}
	for i, a := range conclude.Of(result, conclude.Options{}).Actions {
		if a.Warns || i == 0 && !slices.Contains(elsewhere, a.Kind) {
			out = append(out, a.Title.Plain(words), a.Text.Plain(words))
		}
	}
	return out
}

// sentences are the lines of a summary, without their labels, but those that say less where there
// is less room: the first one, those of figures, those of causes with their patterns, and what stands
// above them.
func sentences(summary string, words *messages.Catalogue) (out []string) {
	row, above := regexp.MustCompile(`^ +[\d,]+  |^ .* (->|→) `), regexp.MustCompile(`[::]$`)
	figures := []string{words.Text("label-clean"), words.Text("label-faults")}
	lines := strings.Split(strings.TrimSpace(summary), "\n")
	for _, line := range lines[1:] {
		label, text, found := strings.Cut(line, "  ")
		if line == "" || row.MatchString(line) || slices.Contains(figures, label) || above.MatchString(line) {
			continue
		}
		if !found {
			text = label
		}
		out = append(out, strings.TrimSpace(cmp.Or(text, line)))
	}
	return out
}

func drawn(t *testing.T, result *audit.Result, lang string, width int) string {
	t.Helper()
	var b strings.Builder
	if err := report.WriteSummary(&b, result, report.Summary{Lang: lang, Width: width}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// squashed is a text without its spaces, wherever its lines end.
func squashed(s string) string { return strings.Join(strings.Fields(s), "") }
