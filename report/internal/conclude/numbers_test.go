package conclude_test

import (
	"regexp"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"sitemend/crawler/audit"
	"sitemend/report/internal/conclude"
	"sitemend/report/messages"
)

// anyAudit is an audit of any number of entries of each group, in one to seven sitemaps.
func anyAudit(t *rapid.T) *audit.Result {
	in := groups{}
	for _, x := range []struct {
		group   audit.Group
		verdict []audit.Verdict
	}{
		{audit.Fine, []audit.Verdict{audit.OK}}, {audit.OtherSpelling, []audit.Verdict{audit.SpellingBounce, audit.SpellingConflict}},
		{audit.Corrected, []audit.Verdict{audit.Moved, audit.Noncanonical}}, {audit.TakenOut, []audit.Verdict{audit.NotFound, audit.Noindex}},
		{audit.NeedsDecision, []audit.Verdict{audit.Temporary, audit.Loop, audit.Soft404}}, {audit.NotChecked, []audit.Verdict{audit.Unverified}},
		{audit.LeftOut, []audit.Verdict{audit.Skipped}},
	} {
		for _, v := range x.verdict {
			if n := rapid.OneOf(rapid.Just(0), rapid.IntRange(1, 12), rapid.IntRange(1, 3000)).Draw(t, string(v)); n > 0 {
				if in[x.group] == nil {
					in[x.group] = map[string]int{}
				}
				in[x.group][string(v)] = n
			}
		}
	}
	files := rapid.IntRange(1, 7).Draw(t, "sitemaps")
	return result(in, func(a *audit.Result) { spread(a, files) })
}

// spread deals the entries of an audit out to so many sitemaps.
func spread(a *audit.Result, files int) {
	whole := a.Files[0]
	a.Files = nil
	for i := range files {
		f := whole
		f.Counts = audit.Counts{Groups: groups{}, Verdicts: map[audit.Verdict]int{}, Actions: map[audit.Action]int{}}
		for g, parts := range whole.Counts.Groups {
			f.Counts.Groups[g] = map[string]int{}
			for v, n := range parts {
				share := n / files
				if i < n%files {
					share++
				}
				f.Counts.Groups[g][v], f.Counts.Entries = share, f.Counts.Entries+share
			}
		}
		f.Changed = f.Counts.Total(audit.Corrected)+f.Counts.Total(audit.TakenOut) > 0
		f.Sitemap.N, f.Sitemap.URL = i, strings.Replace(whole.Sitemap.URL, ".xml", strconv.Itoa(i)+".xml", 1)
		f.Relinked = i % 3
		a.Files = append(a.Files, f)
	}
}

var (
	inFigure = regexp.MustCompile(`^(?:([\d,]+) clean)?.*of (?:the )?([\d,]+) checked$`)
	inHead   = regexp.MustCompile(`^([\d.]+) %`)
	fixes    = regexp.MustCompile(`^Fixes (?:all )?([\d,]+) (?:of the ([\d,]+) )?entr`)
)

// Parts make their whole, and the same thing has the same number wherever it stands: in the
// headline, the bars, the actions and the lanes.
func TestNumbersAgree(t *testing.T) {
	en := messages.Of("en")
	rapid.Check(t, func(t *rapid.T) {
		a := anyAudit(t)
		c := conclude.Of(a, conclude.Options{})
		same := func(what string, got, want int) {
			t.Helper()
			if got != want {
				t.Errorf("%s: %d, want %d", what, got, want)
			}
		}
		now := conclude.SharesOf(a.Counts.Total)
		same("clean and not clean make what was checked", now.Clean+now.Faulty(), now.Checked())
		same("what was checked or not makes all", now.Checked()+now.Unseen+now.LeftOut, a.Counts.Entries)
		for _, b := range c.Bars {
			same(b.Name.In(en)+" is of all entries", b.Total(), a.Counts.Entries)
			figureOf(t, &b)
		}
		if m := inHead.FindStringSubmatch(c.Headline.In(en)); m != nil {
			parts(t, c.Headline.In(en), m[1], now.Percent())
		}
		for _, l := range c.Lanes {
			sum := 0
			for _, x := range l.Causes {
				sum += x.Count
			}
			same("the causes of "+string(l.Lane), sum, l.Count)
			same("the lane "+string(l.Lane), l.Count, map[audit.Lane]int{audit.Upload: now.Fix, audit.Decide: now.Decide, audit.Spelling: now.Spelt, audit.Unseen: now.Unseen}[l.Lane])
		}
		for _, x := range c.Actions {
			actionOf(t, &x, now, a.Counts.Removed(audit.Noindex))
		}
	})
}

// figureOf holds that a bar has a percentage exactly where most was checked, and of what.
func figureOf(t *rapid.T, b *conclude.Bar) {
	figure := b.Figure.In(messages.Of("en"))
	if s := b.Shares; (b.Percent == "") != s.MostlyUnseen() || strings.Contains(figure, "%") != (b.Percent != "") {
		t.Errorf("%+v: the figure is %q", s, figure)
	}
	if m := inFigure.FindStringSubmatch(figure); m != nil {
		counted := m[1] == messages.Number(b.Shares.Clean)
		if strings.Contains(figure, "%") == counted || m[2] != messages.Number(b.Shares.Checked()) {
			t.Errorf("%+v: the figure is %q", b.Shares, figure)
		}
	} else if strings.Contains(figure, "checked") || !b.Shares.AsGoodAsAll() && b.Shares.Checked() > 0 {
		t.Errorf("%+v: the figure %q does not say of what it is", b.Shares, figure)
	}
}

// parts holds that two percentages are of one whole: together 100.
func parts(t *rapid.T, headline, faulty, clean string) {
	f, _ := strconv.ParseFloat(faulty, 64)
	c, _ := strconv.ParseFloat(clean, 64)
	if sum := f + c; sum < 99.95 || sum > 100.05 {
		t.Errorf("%q, and %s %% are clean", headline, clean)
	}
}

// actionOf holds that an action counts what the bars count, and its lines what it counts; what the
// upload removes for its noindex is asked about, and not counted as fixed.
func actionOf(t *rapid.T, a *conclude.Action, now conclude.Shares, noindex int) {
	sum, text, title := 0, a.Text.In(messages.Of("en")), a.Title.In(messages.Of("en"))
	for _, e := range a.Evidence {
		sum += e.Count
	}
	switch a.Kind {
	case conclude.DoUpload:
		m := fixes.FindStringSubmatch(text)
		one, seen := strings.HasPrefix(text, "Fixes the one entry"), strings.Contains(text, "that this audit saw")
		fix := now.Fix - noindex
		if noindex > 0 != strings.Contains(text, " noindex: is that meant?") {
			t.Errorf("the upload removes %d for their noindex, and says %q", noindex, text)
		}
		if fix == 0 && strings.HasPrefix(text, "It replaces no address.") {
			break
		}
		if sum != now.Fix || one != (fix == 1 && now.Faulty() == 1 && !seen) || !one && (m == nil || m[1] != messages.Number(fix) || m[2] != "" && m[2] != messages.Number(now.Faulty())) {
			t.Errorf("the upload fixes %d of %d, and says %q over lines of %d", fix, now.Faulty(), text, sum)
		}
	case conclude.DoDecide:
		if sum != now.Decide || !strings.Contains(title, " "+messages.Number(now.Decide)+" entr") {
			t.Errorf("%d are to decide, and the action says %q over lines of %d", now.Decide, title, sum)
		}
	case conclude.DoLeave:
		if now.Decide+now.Fix > 0 && !strings.Contains(title, " "+messages.Number(now.Spelt)+" entr") {
			t.Errorf("%d are answered otherwise in another spelling, and the action says %q", now.Spelt, title)
		}
	}
}
