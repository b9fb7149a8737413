package messages_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"sitemend/crawler/audit"
	"sitemend/crawler/pattern"
	"sitemend/report/messages"
)

// contradicting are what advice must not say beside a decision, by language: nothing to
// list or upload where the entry is kept, nothing to take out where it is replaced,
// nothing to list where it is taken out.
var contradicting = map[string]map[audit.Action]*regexp.Regexp{
	"en": {
		audit.Keep:    regexp.MustCompile(`(?i)\bUpload the corrected|\blist the (new|canonical) URL|\blist the spelling`),
		audit.Replace: regexp.MustCompile(`(?i)take (it|them|the URL|these URLs) out|leave it out|then the next audit corrects`),
		audit.Drop:    regexp.MustCompile(`(?i)\blist the|Upload the corrected|then the next audit corrects`),
		audit.Merge:   regexp.MustCompile(`(?i)\blist the|take (it|the URL) out|then the next audit corrects`),
	},
	"ja": {
		audit.Keep:    regexp.MustCompile(`修正版をアップロード|新しい URL を載せ|canonical の URL を載せ|表記を載せて`),
		audit.Replace: regexp.MustCompile(`外してください|次の監査でサイトマップが修正`),
		audit.Drop:    regexp.MustCompile(`新しい URL を載せ|canonical の URL を載せ|修正版をアップロード|次の監査でサイトマップが修正`),
		audit.Merge:   regexp.MustCompile(`載せてください|外してください|次の監査でサイトマップが修正`),
	},
}

// Whatever was decided of whatever was seen, advice never says otherwise.
func TestAdviceAgreesWithTheDecision(t *testing.T) {
	stops := append([]audit.Note{""}, audit.Stops()...)
	for _, lang := range messages.Langs() {
		c := messages.Of(lang)
		for _, v := range audit.Verdicts() {
			for action, never := range contradicting[lang] {
				for _, stop := range stops {
					if stop != "" && action != audit.Keep {
						continue // a rule that was lifted, or of another entry
					}
					d := messages.Decision{Verdict: v, Action: action, Stop: stop}
					text := c.Do(d)
					if text == "" || never.MatchString(text) {
						t.Errorf("%s: %+v is told to %q", lang, d, text)
					}
					if stop != "" && text != c.Remark(stop).Do {
						t.Errorf("%s: %+v is told to %q, not what settles the rule", lang, d, text)
					}
				}
			}
		}
	}
}

// What a cause says to do is what its rows say, wherever a rule or --fix decided.
func TestRemediesAgreeWithTheDecision(t *testing.T) {
	groups := map[audit.Group]audit.Action{audit.NeedsDecision: audit.Keep, audit.Corrected: audit.Replace, audit.TakenOut: audit.Drop}
	for _, lang := range messages.Langs() {
		if contradicting[lang] == nil {
			t.Errorf("%s: this test does not know what advice must not say", lang)
			continue
		}
		for _, v := range audit.Verdicts() {
			for group, action := range groups {
				x := audit.Cause{Verdict: v, Group: group}
				if text := messages.Of(lang).Remedy(&x); text == "" || contradicting[lang][action].MatchString(text) {
					t.Errorf("%s: %s of %s is told to %q", lang, group, v, text)
				}
			}
		}
	}
}

// Only rules of which somebody may know better are told how to lift, each with the
// command.
func TestLifting(t *testing.T) {
	for _, n := range audit.LiftableNotes() {
		for _, lang := range messages.Langs() {
			does := regexp.MustCompile("`sitemend report --fix " + string(n) + "=replace`").MatchString(messages.Of(lang).Remark(n).Do)
			if does != slices.Contains(audit.OwnerKnows(), n) {
				t.Errorf("%s: %s: lifting is told: %v", lang, n, does)
			}
		}
		if slices.Contains(audit.OwnerKnows(), n) && slices.Contains([]audit.Note{audit.ToHTTP, audit.Gate, audit.NotPage}, n) {
			t.Errorf("nobody knows better than %s", n)
		}
	}
}

// What --max-drop kept is taken out by the command of the audit.
func TestAdviceOfWhatWasHeldBack(t *testing.T) {
	const again = "sitemend report --out here"
	for _, lang := range messages.Langs() {
		d := messages.Decision{Verdict: audit.NotFound, Action: audit.Keep, Stop: audit.Braked}
		if text := messages.Of(lang).With(again).Do(d); !strings.Contains(text, again+" --max-drop 100%") {
			t.Errorf("%s: %+v says %q", lang, d, text)
		}
	}
}

// Each remedy can be reached: nothing is said for nothing.
func TestRemediesAreReached(t *testing.T) {
	causes := []audit.Cause{{Group: audit.Corrected, By: audit.RuleAt{File: "_redirects", Line: 1}}, {Group: audit.TakenOut, Verdict: audit.Temporary}, {Group: audit.Corrected, Merged: true}}
	for _, name := range pattern.TermNames() {
		causes = append(causes, audit.Cause{Group: audit.Corrected, Verdict: audit.Moved, Terms: []pattern.Term{{Name: name}}})
	}
	for _, why := range []string{"401", "Cloudflare", "407", "429", "dns", "refused", "robots-unreachable", "unsteady"} {
		causes = append(causes, audit.Cause{Group: audit.NotChecked, Verdict: audit.Unverified, Terms: []pattern.Term{{Name: "unseen", From: why}}})
	}
	for _, lang := range messages.Langs() {
		said := map[string]bool{}
		for i := range causes {
			said[messages.Of(lang).Remedy(&causes[i])] = true
		}
		for path, text := range textsOf(t, lang) {
			if strings.HasPrefix(path, "remedies/") && !said[text] {
				t.Errorf("%s: %s is never told", lang, path)
			}
		}
	}
}
