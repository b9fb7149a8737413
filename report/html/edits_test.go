package html

import (
	"fmt"
	"path"
	"strings"
	"testing"

	"sitemend/crawler/audit"
	"sitemend/report/internal/conclude"
	"sitemend/report/internal/fixture"
	"sitemend/report/messages"
)

// The lead counts what is replaced and what is removed, with its reason, and the links that
// follow; nothing that is not there.
func TestEditsLead(t *testing.T) {
	count := func(replaced, merged, dropped int) audit.Counts {
		return audit.Counts{Actions: map[audit.Action]int{audit.Replace: replaced, audit.Merge: merged, audit.Drop: dropped}}
	}
	gone := count(1141, 7, 8)
	gone.Groups = map[audit.Group]map[string]int{audit.TakenOut: {"not-found": 6}}
	for want, result := range map[string]*audit.Result{
		"1 URL replaced. Every other byte stays as it was.": {Counts: count(1, 0, 0)},
		"1,141 URLs replaced, 7 removed because they are listed already, 6 removed because they are gone, 2 removed. 340 other URLs (alternate) change, too. Every other byte stays as it was.": {
			Counts: gone, Files: []audit.File{{Relinked: 300}, {Relinked: 39, Unlinked: 1}}},
	} {
		if got := editsLead(result).In("en"); got != want {
			t.Errorf("the lead is %q, want %q", got, want)
		}
	}
}

// Of many files the first are shown, and the others counted; each edit once.
func TestEditsAreBounded(t *testing.T) {
	result := &audit.Result{Files: make([]audit.File, shownEditFiles+5)}
	e := newEdits(result, newEntryGroups(result, conclude.Of(result, conclude.Options{})))
	s := fixture.NewStudy(0)
	for f := range result.Files {
		for i := range 4 {
			row := s.Trail(fmt.Sprintf("%s/%d/%d", site, f, i), "301", fmt.Sprintf("%s/to/%d", site, i), "200")
			s.Finish(&row, audit.Moved)
			row.Fix.Action = audit.Replace
			e.add(f, &row)
		}
	}
	v := e.view()
	if len(v.Files) != shownEditFiles || v.More != 5 || v.Beyond != 20 {
		t.Errorf("%d files are shown, %d with %d edits are not", len(v.Files), v.More, v.Beyond)
	}
	for _, f := range v.Files {
		if f.Count != 4 || len(f.Causes) != 1 || len(f.Causes[0].First) != shownEdits || f.Causes[0].More() != 2 {
			t.Fatalf("a file is told as %+v", f)
		}
	}
}

// An audit that writes no file says so beside the edits.
func TestEditsThatWouldBeMade(t *testing.T) {
	s := fixture.NewStudy(50)
	for _, partial := range []bool{false, true} {
		s.Result.Info.Partial = partial
		section := between(pageOf(t, s.Result, Options{}), `id="edits"`, "</section>")
		if strings.Contains(section, "No file was written") != partial {
			t.Errorf("partial %v: the edits begin with %.300q", partial, textOf(parse(t, section)))
		}
	}
}

// The edits of a file in the table of files are the fold of that file, and only one.
func TestEditsOfAFileHaveAPlace(t *testing.T) {
	result := fixture.Shop()
	text := pageOf(t, result, Options{Written: writtenOf(result)})
	for f := range result.Files {
		if !result.Files[f].Changed {
			continue
		}
		id := fmt.Sprintf("edits-%d", f)
		name := path.Base(result.Files[f].Name)
		if fold := between(text, `id="`+id+`"`, "</summary>"); !strings.Contains(fold, name) || strings.Count(text, `id="`+id+`"`) != 1 {
			t.Errorf("the fold of %s begins %q", name, fold)
		}
		if row := between(text, `href="#`+id+`"`, "</a>"); !strings.Contains(row, name) {
			t.Errorf("the edits of %s are linked from %q", name, row)
		}
	}
}

// What is removed is counted by why: each verdict of which entries are removed has words for it.
func TestEditsSayWhyOfEachVerdict(t *testing.T) {
	for lang, texts := range messages.Page() {
		for _, v := range audit.Verdicts() {
			if v.Facts().Fix == audit.Drop && texts["edits-"+string(v)] == "" {
				t.Errorf("%s: no words for edits-%s", lang, v)
			}
		}
	}
}
