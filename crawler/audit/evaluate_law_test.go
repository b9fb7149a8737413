package audit_test

import (
	"cmp"
	"fmt"
	"path"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"sitemend/crawler/address"
	"sitemend/crawler/audit"
)

// Tell says of any audit what comes out when each entry is judged by itself and
// all rows lie in memory beside each other.
func TestEvaluateAsFromMemory(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s, info := drawSite(rt)
		var causes audit.Causes
		want, back := evaluateFromMemory(s, &info, causes.See)
		result, err := audit.Evaluate(t.Context(), s, info, func(url string) string { return url })
		if err != nil {
			rt.Fatal(err)
		}
		var all []audit.Row
		for i := range result.Files {
			rows := want[result.Files[i].Sitemap.N]
			all = append(all, rows...)
			agree(rt, "rows", saidOf(rt, result.Rows(t.Context(), i)), sayAll(rows))
			agree(rt, "kept rows", keptOf(rt, result.Rows(t.Context(), i)), sayAll(rows))
			agree(rt, "edits", saidOf(rt, result.Edits(t.Context(), i)), sayAll(rows))
			agree(rt, "counts", result.Files[i].Counts, countsOf(rows))
		}
		agree(rt, "all counts", result.Counts, countsOf(all))
		var spellings audit.Spellings
		for i := range all {
			causes.Add(&all[i])
			spellings.Add(&all[i])
		}
		agree(rt, "causes", sayCauses(result.Causes), sayCauses(causes.List()))
		agree(rt, "spellings", result.Spellings, spellings.List())
		left, direct, skipped := 0, 0, 0
		for i := range all {
			if a := all[i].Fix.Action; a == audit.Drop || a == audit.Merge {
				continue
			}
			left++
			if all[i].Group() == audit.LeftOut {
				skipped++
			}
			if g := all[i].Group(); g == audit.Fine || g == audit.Corrected || g == audit.OtherSpelling {
				direct++
			}
		}
		p := result.Proof
		agree(rt, "proof", []int{p.Entries, p.Entries}, []int{left, p.Direct + p.NeedDecision + p.Settled + p.NotChecked + p.LeftOut + p.Uncleans})
		agree(rt, "left out", p.LeftOut, skipped)
		if p.Asked == 0 {
			agree(rt, "proof", p.Direct, direct)
		}
		linksAgree(rt, s, result, all)
		backAgrees(rt, s, result, back)
	})
}

// backAgrees: what no sitemap lists and is fine again is told by itself, and is in no
// file.
func backAgrees(t *rapid.T, s *site, result *audit.Result, back []audit.Row) {
	var want []audit.CameBackAt
	for _, r := range back {
		want = append(want, audit.CameBackAt{Loc: r.Entry.Loc, Sitemap: s.files[r.Entry.Sitemap].URL, Line: r.Entry.Line})
	}
	agree(t, "back", result.Back, audit.CameBackList{Unlisted: len(want), Listed: result.Counts.Notes[audit.CameBack], Addresses: want})
	if slices.ContainsFunc(result.Files, func(f audit.File) bool { return f.Earlier() }) {
		t.Fatalf("a list of what was taken out is told as a file")
	}
}

// linksAgree: a link to an entry that is replaced or merged is rewritten to what a file with that
// loc says, one to an entry that is dropped as not found goes, any other stays; one to an entry
// that is dropped for its noindex says so. Where one entry of an address stays because its element
// has more than the one it would be merged into, or is not found and stays, links to it stay.
func linksAgree(t *rapid.T, s *site, result *audit.Result, all []audit.Row) {
	before := s.asked
	want := map[string]string{}
	links := slices.ContainsFunc(s.files, func(f audit.Sitemap) bool { return f.Links })
	if links {
		for i := range all {
			switch r := &all[i]; {
			case r.Fix.Action == audit.Replace || r.Fix.Action == audit.Merge:
				want[r.Address.String()] = "relink " + r.Fix.Loc
			case r.Fix.Action == audit.Drop && r.Verdict == audit.NotFound:
				want[r.Address.String()] = "unlink "
			case r.Fix.Action == audit.Drop && r.Verdict == audit.Noindex:
				want[r.Address.String()] = "keep noindex"
			}
		}
		for i := range all {
			if r := &all[i]; r.Fix.Action == audit.Keep && (r.Has(audit.MergeWouldLose) || r.Verdict == audit.NotFound) {
				want[r.Address.String()] = "keep "
			}
		}
	}
	judged := make([][]audit.Row, len(s.files))
	for _, e := range s.entries {
		judged[e.Sitemap] = append(judged[e.Sitemap], audit.Judge(s.web, e, &result.Info.Rules, audit.Want{Recheck: true}))
	}
	wavers := waversIn(s, judged, &result.Info.Rules)
	for n, rows := range judged { // what was taken out before is at fault as long as it says noindex, for sure
		for i := range rows {
			r := &rows[i]
			_, wavers := wavers[waverKind(r)]
			if s.files[n].Kind == audit.KindEarlier && r.Fix.Action == audit.Drop && r.Verdict == audit.Noindex && !wavers && want[r.Address.String()] == "" && links {
				want[r.Address.String()] = "keep noindex"
			}
		}
	}
	for i := range all {
		wire := all[i].Address.String()
		fixes, _, err := result.Links(t.Context(), nil, []audit.Link{{Href: wire, Lang: "x-default"}, {Href: "http://elsewhere.example/"}})
		if err != nil {
			t.Fatal(err)
		}
		got := string(fixes[0].Action) + " " + fixes[0].Loc
		if fixes[0].Action == audit.Keep {
			got += string(fixes[0].Verdict)
		}
		if got != cmp.Or(want[wire], "keep ") {
			t.Fatalf("link %s: %s, want %q", wire, got, want[wire])
		}
	}
	if asked := s.asked - before; asked > len(want) || result.EditsLinks() != (len(want) > 0) {
		t.Fatalf("%d entries are looked up for links to %d that are edited; links are edited: %v", asked, len(want), result.EditsLinks())
	}
}

func agree(t *rapid.T, what string, got, want any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Fatalf("%s: told\n%+v\nfrom memory\n%+v", what, got, want)
	}
}

func saidOf(t *rapid.T, rows func(func(*audit.Row, error) bool)) (out []string) {
	for r, err := range rows {
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, fmt.Sprint(r.Entry.N, " ", r.Address, " ", say(r), " ", r.Fix.Policy, " ", r.StoppedBy()))
	}
	return out
}

// keptOf keeps all rows, each in the room of a row before it, and says them when the walk is over.
func keptOf(t *rapid.T, rows func(func(*audit.Row, error) bool)) []string {
	var kept []audit.Row
	var trails []string
	for r, err := range rows {
		if err != nil {
			t.Fatal(err)
		}
		var row audit.Row
		if n := len(kept); n > 0 {
			row.Keep(&kept[n/2])
		}
		row.Keep(r)
		kept, trails = append(kept, row), append(trails, fmt.Sprint(r.Trail, r.Needs))
	}
	for i := range kept {
		if got := fmt.Sprint(kept[i].Trail, kept[i].Needs); got != trails[i] {
			t.Fatalf("row %d was kept with the trail %s, and has %s", i, trails[i], got)
		}
	}
	return sayAll(kept)
}

func sayAll(rows []audit.Row) (out []string) {
	for _, r := range rows {
		out = append(out, fmt.Sprint(r.Entry.N, " ", r.Address, " ", say(&r), " ", r.Fix.Policy, " ", r.StoppedBy()))
	}
	return out
}

func countsOf(rows []audit.Row) (c audit.Counts) {
	if len(rows) == 0 {
		return c
	}
	c = audit.Counts{Entries: len(rows), Verdicts: map[audit.Verdict]int{}, Reasons: map[address.Reason]int{}, Notes: map[audit.Note]int{}, Liftable: map[audit.Note]int{},
		Actions: map[audit.Action]int{}, Groups: map[audit.Group]map[string]int{}, Unseen: map[string]int{}}
	for i := range rows {
		r := &rows[i]
		c.Verdicts[r.Verdict]++
		c.Actions[r.Fix.Action]++
		for _, x := range r.Reasons {
			c.Reasons[x]++
		}
		for _, x := range r.Notes {
			c.Notes[x]++
			certain := func(n audit.Note) bool {
				known := slices.Contains(audit.OwnerKnows(), n) || n == audit.Gate && r.Fix.Why.Key == "gate-password"
				return audit.CanLift(n) && !known || n == audit.Braked
			}
			replaces := r.Verdict.Facts().Fix == audit.Replace || r.Fix.Policy == string(r.Verdict)+"=replace"
			if replaces && audit.CanLift(x) && r.Fix.Action == audit.Keep && r.Fix.Stop == "" && !slices.ContainsFunc(r.Notes, certain) {
				c.Liftable[x]++
			}
		}
		part := string(r.Verdict)
		if r.Fix.Action == audit.Merge {
			part = "merged"
		}
		if c.Groups[r.Group()] == nil {
			c.Groups[r.Group()] = map[string]int{}
		}
		c.Groups[r.Group()][part]++
		if r.Verdict == audit.Unverified {
			c.Unseen[r.UnseenBy()]++
		}
		if r.Verdict == audit.Skipped && (r.Status == 404 || r.Status == 410) {
			c.Again++
		}
		switch {
		case r.Verdict == audit.Invalid || r.Verdict == audit.Disallowed && len(r.Trail.Steps) == 1 || r.Verdict == audit.Error && r.Entry.TooLong:
			c.Unrequested++
		case r.Entry.Skip != audit.SkipNone:
			c.Filtered++
		}
	}
	return c
}

func sayCauses(list []audit.Cause) (out []string) {
	for _, c := range list {
		out = append(out, fmt.Sprint(c.Key, c.Count, c.Sitemaps, c.Rule, c.Of, c.Stop, c.Who, c.Reasons, c.Examples, c.Finals))
	}
	return out
}

// tellFromMemory returns the final rows of each file, and those that came back and are
// in none. see is given each row as
// it is judged.
func evaluateFromMemory(s *site, info *audit.Info, see func(*audit.Row)) (files [][]audit.Row, back []audit.Row) {
	rules := &info.Rules
	files = make([][]audit.Row, len(s.files))
	listed, ends := map[string]bool{}, map[string]int{}
	for _, e := range s.entries {
		r := audit.Judge(s.web, e, rules, audit.Want{Recheck: true})
		if s.files[e.Sitemap].Kind != audit.KindEarlier {
			see(&r)
		}
		if wire := r.Address.String(); wire != "" {
			if listed[wire] {
				noted(&r, audit.Duplicate)
			} else if end := endOf(&r); end != "" && s.files[e.Sitemap].Kind != audit.KindEarlier {
				ends[end]++
			}
			listed[wire] = true
		}
		files[e.Sitemap] = append(files[e.Sitemap], r)
	}
	plans := make([]filePlan, len(files))
	held, wavers := gatheredIn(s, files, rules), waversIn(s, files, rules)
	for _, rows := range files {
		for i := range rows {
			r := &rows[i]
			if r.Fix.Action == audit.Replace && ends[r.Fix.Loc] >= 10 {
				stopped(r, audit.Collapsed, rules)
			}
			unsteady, wavers := wavers[waverKind(r)]
			switch {
			case !wavers || r.Verdict == audit.Invalid || r.Fix.Action == audit.Keep && !(unsteady && r.Has(audit.Varies)):
			case unsteady:
				r.Fix = audit.Fix{Action: audit.Keep, Policy: r.Fix.Policy, Stop: audit.HeldUnsteady}
			case r.Fix.Action == audit.Drop:
				noted(r, audit.Varies)
				r.Fix = audit.Fix{Action: audit.Keep, Policy: r.Fix.Policy, Stop: audit.Varies}
			default:
				stopped(r, audit.Varies, rules)
			}
			if gathers(r) && held[r.Fix.Loc] {
				stopped(r, audit.Collapsed, rules)
			}
		}
	}
	most := mostOfAll(s, files, rules)
	for n, rows := range files {
		plans[n] = planFile(&s.files[n], rows, rules, most)
		plans[n].takes(s, n)
	}
	mergeFiles(s, files, plans, rules)
	for n, rows := range files {
		if s.files[n].Kind == audit.KindEarlier {
			back = append(back, slices.DeleteFunc(rows, func(r audit.Row) bool { return !r.Has(audit.CameBack) })...)
			files[n] = nil
		}
	}
	return files, back
}

// waverKind names edits of a verdict from one host to another.
func waverKind(r *audit.Row) string {
	return fmt.Sprint(r.Address.Origin(), " ", r.Final.Origin(), " ", r.Verdict)
}

// waversIn returns the kinds of edits of which two vary, and one in ten, and whether for some of them
// the robot itself got another answer.
func waversIn(s *site, files [][]audit.Row, rules *audit.Rules) map[string]bool {
	all, varied, unsteady, wavers := map[string]int{}, map[string]int{}, map[string]bool{}, map[string]bool{}
	for n, rows := range files {
		for i := range rows {
			r := &rows[i]
			kind := waverKind(r)
			switch {
			case s.files[n].Kind == audit.KindEarlier || r.Verdict == audit.Invalid:
				continue
			case r.Turned():
				gone := *r
				gone.Verdict = audit.NotFound
				kind = waverKind(&gone)
				varied[kind]++
			case r.Has(audit.Varies) || r.Fix.Stop == audit.HeldUnsteady:
				varied[kind]++
				unsteady[kind] = unsteady[kind] || r.Fix.Stop == audit.HeldUnsteady
			case r.Fix.Action == audit.Keep:
				continue
			}
			all[kind]++
		}
	}
	for kind, n := range varied {
		if n >= 2 && 10*n >= all[kind] && (unsteady[kind] || !rules.Lift[audit.Varies]) {
			wavers[kind] = unsteady[kind]
		}
	}
	return wavers
}

// gathers reports whether another path is to be written for a row that does not have its name, nor that
// and another word.
func gathers(r *audit.Row) bool {
	name := func(a address.Address) string { return path.Base(a.Path()) }
	to := name(address.Wire(r.Fix.Loc))
	return r.Fix.Action == audit.Replace && slices.Contains(r.Reasons, address.Path) &&
		name(r.Address) != to && !strings.HasPrefix(name(r.Address), to+"-")
}

// gatheredIn returns the addresses that are to be written for three or more entries, where those
// are too many of a file, or of all.
func gatheredIn(s *site, files [][]audit.Row, rules *audit.Rules) map[string]bool {
	ends, entries, all, held := map[string]int{}, 0, 0, map[string]bool{}
	ones := func(n int, see func(end string)) {
		for i := range files[n] {
			if r := &files[n][i]; s.files[n].Kind != audit.KindEarlier && gathers(r) && !r.Has(audit.Duplicate) {
				see(r.Fix.Loc)
			}
		}
	}
	in := make([]int, len(files))
	for n := range files {
		ones(n, func(end string) { ends[end]++ })
	}
	for n := range files {
		ones(n, func(end string) {
			if ends[end] >= 3 {
				in[n]++
				all++
			}
		})
		if s.files[n].Kind != audit.KindEarlier {
			entries += len(files[n])
		}
	}
	most := all > 10 && float64(all) > max(0.5, rules.MaxDrop)*float64(entries)
	for n := range files {
		ones(n, func(end string) {
			if ends[end] >= 3 && (most || in[n] > 10 && float64(in[n]) > rules.MaxDrop*float64(len(files[n]))) {
				held[end] = true
			}
		})
	}
	return held
}

// endOf is the page that a row ends on, or names as its canonical, with another
// path than its own.
func endOf(r *audit.Row) string {
	switch {
	case !slices.Contains(r.Reasons, address.Path):
		return ""
	case r.Verdict == audit.Noncanonical:
		return r.Trail.Steps[0].Hop.Page.CanonicalURL(r.Trail.Steps[0].Hop.URL)
	case len(r.Trail.Steps) > 1:
		return r.Final.String()
	}
	return ""
}

// filePlan is where a file belongs, and what stands there.
type filePlan struct {
	base  address.Address
	moved bool
	taken bool // by a sitemap, that of the audit or one that lists stood
	stood []audit.Entry
}

// takes looks what stands where a file belongs that moved as a whole.
func (p *filePlan) takes(s *site, file int) {
	f := &s.files[file]
	if !p.moved || f.AnsweredAt == "" {
		return
	}
	at := p.base.Origin() + address.Wire(f.AnsweredAt).Target()
	p.taken = slices.ContainsFunc(s.files, func(f audit.Sitemap) bool { return f.AnsweredAt == at && f.Kind != audit.KindEarlier })
	if p.taken || s.stands[at] == nil {
		return
	}
	wires := func(list []audit.Entry) (out []address.Address) {
		for _, e := range list {
			a, _ := address.Parse(e.Loc)
			out = append(out, a)
		}
		return out
	}
	if !slices.Equal(wires(s.stood[at]), wires(s.entries[f.First:f.First+f.Entries])) {
		p.taken, p.stood = true, s.stood[at]
	}
}

// mostOfAll reports whether more than 10 entries of all files, and more than half, would be dropped.
func mostOfAll(s *site, files [][]audit.Row, rules *audit.Rules) bool {
	drops, entries := 0, 0
	for n, rows := range files {
		if s.files[n].Kind == audit.KindEarlier {
			continue
		}
		entries += len(rows)
		for i := range rows {
			if rows[i].Fix.Action == audit.Drop && !s.files[n].Cut {
				drops++
			}
		}
	}
	return drops > 10 && float64(drops) > max(0.5, rules.MaxDrop)*float64(entries)
}

// planFile applies the rules of one file: the brake, whole moves. most is set where the drops of all
// files are braked.
func planFile(f *audit.Sitemap, rows []audit.Row, rules *audit.Rules, most bool) filePlan {
	base := address.Wire(f.AnsweredAt)
	if f.AnsweredAt == "" && len(rows) > 0 {
		base = rows[0].Address
		for i := range rows {
			if base.IsZero() {
				base = rows[i].Address
			}
		}
	}
	drops, there, leaves, targets, stay, held := 0, 0, false, map[string]bool{}, map[string]int{}, map[string]bool{}
	for i := range rows {
		r := &rows[i]
		direct := r.Trail.End == audit.EndAnswer && len(r.Trail.Steps) == 1 && slices.Contains([]int{200, 201, 203, 206}, r.Trail.Steps[0].Hop.Status)
		holds := direct || r.Verdict == audit.Skipped && !r.Address.IsZero()
		if strays(r, base) {
			stopped(r, audit.OtherHost, rules)
		}
		switch {
		case r.Fix.Action == audit.Replace:
			to := address.Wire(r.Fix.Loc)
			targets[to.Origin()] = true
			there++
			leaves = leaves || r.Address.SameTwin(base) && r.Address.Origin() != to.Origin() || !r.Address.SameTwin(to)
		case r.Fix.Action == audit.Drop:
			drops++
			held[r.Address.Origin()] = held[r.Address.Origin()] || holds
		case holds:
			stay[r.Address.Origin()]++
		case slices.Contains([]audit.Verdict{audit.Temporary, audit.Moved, audit.Respelled, audit.Noncanonical}, r.Verdict) && r.Final.Site() == base.Site():
			stay[r.Final.Origin()]++
		}
	}
	braked := f.Kind != audit.KindEarlier && drops > 0 && (most || drops == len(rows) || drops > 10 && float64(drops) > rules.MaxDrop*float64(len(rows)))
	to := ""
	for origin := range targets {
		to = origin
	}
	left := len(rows)
	if !braked {
		left -= drops
	}
	moved := leaves && 2*(there+stay[to]) > left && len(targets) == 1 && to != base.Origin() && address.Wire(to+"/").Site() == base.Site()
	for origin := range stay {
		moved = moved && origin == to
	}
	for origin, holds := range held {
		moved = moved && (!braked || !holds || origin == to)
	}
	for i := range rows {
		r := &rows[i]
		switch {
		case f.Cut && r.Fix.Action != audit.Keep:
			r.Fix = audit.Fix{Action: audit.Keep, Policy: r.Fix.Policy, Stop: audit.HeldCut}
		case r.Fix.Action == audit.Drop && braked:
			noted(r, audit.Braked)
			r.Fix.Action = audit.Keep
		case r.Fix.Action == audit.Replace && !base.SameTwin(address.Wire(r.Fix.Loc)) && !r.Address.SameTwin(address.Wire(r.Fix.Loc)) && (!moved || strays(r, base)):
			stopped(r, audit.OtherHost, rules)
		}
	}
	if moved {
		base = address.Wire(to + "/")
	}
	return filePlan{base: base, moved: moved}
}

// strays reports whether the canonical of a row of a file at base is to be written on a host of its own.
func strays(r *audit.Row, base address.Address) bool {
	to := address.Wire(r.Fix.Loc)
	return r.Fix.Action == audit.Replace && r.Verdict == audit.Noncanonical && !base.SameTwin(to) && !r.Address.SameTwin(to)
}

// listed is what tells a file from another.
func (s *site) listed(f *audit.Sitemap) (out []string) {
	for _, e := range s.entries[f.First : f.First+f.Entries] {
		out = append(out, fmt.Sprint(e.Loc, " ", e.Ext, " ", e.Langs))
	}
	return out
}

// likeOthers returns for each file the one like which it is corrected: the first that stays and lists the same on one host;
// itself where there is none.
func likeOthers(s *site, plans []filePlan) (like []int) {
	for n := range plans {
		like = append(like, n)
		for i := range plans {
			edited := func(n int) bool {
				return s.files[n].Kind != audit.KindEarlier && !s.files[n].Cut && s.files[n].Entries > 0
			}
			if edited(n) && edited(i) && !plans[i].moved && (plans[i].base == plans[n].base || plans[i].base.SameTwin(plans[n].base)) && slices.Equal(s.listed(&s.files[n]), s.listed(&s.files[i])) {
				like[n] = i
				break
			}
		}
	}
	return like
}

// mergeFiles takes out what is listed already in a file of the same origin or its
// twin, and leaves the files alone of which nothing would remain.
func mergeFiles(s *site, files [][]audit.Row, plans []filePlan, rules *audit.Rules) {
	type place struct {
		base    address.Address
		ext     uint64
		written bool // no entry lists it today
	}
	listed := map[string][]place{}
	upper := func(wire string) string { return address.SpellHex(address.Wire(wire), true).String() }
	find := func(n int, wire string) *place {
		for i := range listed[upper(wire)] {
			if at := &listed[upper(wire)][i]; at.base.SameTwin(plans[n].base) || at.base == plans[n].base {
				return at
			}
		}
		for _, e := range plans[n].stood {
			if e.Loc == wire {
				return &place{plans[n].base, e.Ext, false}
			}
		}
		return nil
	}
	// guest reports whether an address is of another host than that of file n.
	guest := func(n int, wire string) bool {
		return !plans[n].base.SameTwin(address.Wire(wire)) && plans[n].base.Origin() != address.Wire(wire).Origin()
	}
	atHome := func(wire string) *place {
		home := address.Wire(wire)
		for i := range listed[upper(wire)] {
			if at := &listed[upper(wire)][i]; at.base.SameTwin(home) || at.base.Origin() == home.Origin() {
				return at
			}
		}
		return nil
	}
	list := func(n int, wire string, ext uint64, written bool) {
		if at := find(n, wire); at == nil {
			listed[upper(wire)] = append(listed[upper(wire)], place{plans[n].base, ext, written})
		} else if at.ext == 0 {
			at.ext = ext
		}
	}
	like := likeOthers(s, plans)
	copies := func(n int) bool { return like[n] != n && !plans[n].moved }
	for n, rows := range files {
		for i := range rows {
			if copies(n) {
				break
			}
			wire := rows[i].Address.String()
			stands := upper(wire) == wire || slices.Contains([]audit.Verdict{audit.OK, audit.SpellingBounce, audit.SpellingConflict}, rows[i].Verdict)
			if s.files[n].Kind != audit.KindEarlier && rows[i].Fix.Action == audit.Keep && stands {
				list(n, rows[i].Address.String(), rows[i].Entry.Ext, false)
			}
		}
	}
	merged, written, policies := make([]bool, len(files)), make([]bool, len(files)), map[*audit.Row]string{}
	var order []int
	for n := range files {
		if like[n] == n {
			order = append(order, n)
		}
	}
	for n := range files {
		if like[n] != n && !copies(n) {
			order = append(order, n)
		}
	}
	for _, guests := range []bool{false, true} {
		for _, n := range order {
			rows := files[n]
			for i := range rows {
				r := &rows[i]
				if s.files[n].Kind == audit.KindEarlier || r.Fix.Action != audit.Replace || guest(n, r.Fix.Loc) != guests {
					continue
				}
				policies[r] = r.Fix.Policy
				at := find(n, r.Fix.Loc)
				if at == nil && guests {
					at = atHome(r.Fix.Loc)
				}
				switch {
				case at == nil:
					list(n, r.Fix.Loc, r.Entry.Ext, true)
				case r.Entry.Ext != 0 && uint32(r.Entry.Ext) != uint32(at.ext) && (r.Entry.Ext>>32 != at.ext>>32 || at.ext>>32 == 0) && stopped(r, audit.MergeWouldLose, rules):
				default:
					r.Fix.Action, r.Fix.Joined = audit.Merge, at.written
				}
				merged[n] = merged[n] || r.Fix.Action == audit.Merge
				written[n] = written[n] || r.Fix.Action == audit.Replace
			}
		}
	}
	for n, rows := range files {
		for i := range rows {
			if from := &files[like[n]][i]; copies(n) && rows[i].Fix.Action == audit.Replace {
				policies[&rows[i]] = rows[i].Fix.Policy
				if from.Fix.Action == audit.Keep {
					stopped(&rows[i], audit.MergeWouldLose, rules)
				}
				rows[i].Fix = from.Fix
				merged[n], written[n] = merged[like[n]], written[like[n]]
			}
		}
	}
	for n, rows := range files {
		left := 0
		for i := range rows {
			if r := &rows[i]; r.Fix.Action == audit.Keep || r.Fix.Action == audit.Replace {
				left++
			}
		}
		stays := plans[n].moved && !written[n] && (merged[n] || plans[n].taken)
		if !stays && (!merged[n] || left > 0) {
			continue
		}
		for i := range rows {
			policy, was := policies[&rows[i]]
			if !was {
				policy = rows[i].Fix.Policy
			}
			leaveAlone(&rows[i], stays, policy)
		}
	}
}

// leaveAlone keeps a row of a file of which nothing would remain.
func leaveAlone(r *audit.Row, moved bool, policy string) {
	stop := audit.HeldElsewhere
	if moved {
		stop = audit.HeldMoved
	}
	braked := moved && r.Fix.Action == audit.Keep && r.Has(audit.Braked) // no --max-drop takes it out
	switch {
	case braked || r.Fix.Action == audit.Drop:
		stop = audit.HeldAlone
		r.Notes = slices.DeleteFunc(slices.Clone(r.Notes), func(n audit.Note) bool { return n == audit.Braked })
	case r.Fix.Action == audit.Keep:
		return
	}
	r.Fix = audit.Fix{Action: audit.Keep, Policy: policy, Stop: stop}
}

func noted(r *audit.Row, n audit.Note) {
	r.Notes = append(slices.Clone(r.Notes), n)
	slices.Sort(r.Notes)
	r.Notes = slices.Compact(r.Notes)
}

// stopped keeps a row by a rule; where that is lifted, the policy names it.
func stopped(r *audit.Row, n audit.Note, rules *audit.Rules) bool {
	if rules.Lift[n] {
		r.Fix.Policy = string(n) + "=replace"
		return false
	}
	noted(r, n)
	r.Fix = audit.Fix{Action: audit.Keep, Policy: r.Fix.Policy}
	return true
}

// drawSite draws an audit: a small web in which many addresses meet, one to
// three files that list it, and rules.
func drawSite(t *rapid.T) (*site, audit.Info) {
	s := &site{web: web{}}
	origins := []string{"http://a.example", "http://a.example", "https://a.example", "https://www.a.example", "https://shop.a.example", "https://b.example"}
	paths := []string{"/", "/ja/", "/1", "/1/", "/1/hub", "/1/a", "/hub", "/%e3", "/%E3", "/(4)", "/%284%29", "/x?a=1", "/x?a=1&sid=2"}
	page := rapid.Map(rapid.IntRange(0, 23), func(n int) string { return fmt.Sprintf("http://a.example/p%d", n) })
	urls := rapid.Custom(func(t *rapid.T) string {
		if rapid.Bool().Draw(t, "page") {
			return page.Draw(t, "p")
		}
		return rapid.SampledFrom(origins).Draw(t, "origin") + rapid.SampledFrom(paths).Draw(t, "path")
	})
	hub := rapid.SampledFrom([]string{"http://a.example/hub", "https://www.a.example/hub"}).Draw(t, "hub")
	keep := func(h audit.Hop) { s.web[h.Request] = h }
	hubs := []string{hub, hub, "http://a.example/hub2"}
	for _, at := range hubs {
		keep(audit.Hop{Request: audit.Request{URL: at}, Status: 200})
	}
	for i := range 24 {
		r := audit.Request{URL: fmt.Sprintf("http://a.example/p%d", i)}
		switch rapid.IntRange(0, 4).Draw(t, "p") {
		case 0:
			keep(audit.Hop{Request: r, Status: 200})
		case 1, 2, 3:
			keep(audit.Hop{Request: r, Status: 301, Location: rapid.SampledFrom(hubs).Draw(t, "to")})
		}
	}
	for range rapid.IntRange(0, 60).Draw(t, "answers") {
		keep(drawHop(t, urls))
	}
	loc := rapid.OneOf(urls, urls, urls, urls, rapid.SampledFrom([]string{"nonsense", "http://a.example/1#x", "HTTP://a.example/p2"}))
	for n := range rapid.IntRange(1, 3).Draw(t, "files") {
		locs := make([]string, rapid.IntRange(0, 60).Draw(t, "locs"))
		for i := range locs {
			locs[i] = loc.Draw(t, "loc") + rapid.SampledFrom([]string{"", "", " +", " ++"}).Draw(t, "ext")
		}
		s.list(rapid.SampledFrom([]string{fmt.Sprintf("http://a.example/%d.xml", n), "local.xml"}).Draw(t, "url"), locs...)
		s.files[n].Cut = rapid.IntRange(0, 9).Draw(t, "cut") == 0
		s.files[n].Links = rapid.Bool().Draw(t, "links")
		if n > 0 && rapid.IntRange(0, 3).Draw(t, "earlier") == 0 {
			s.files[n].Kind = audit.KindEarlier
		}
	}
	drawMove(t, s)
	same := drawSame(t, s)
	for i := range s.entries {
		e := &s.entries[i]
		if e.Ext != 0 && rapid.Bool().Draw(t, "as it stands") {
			e.Ext |= uint64(rapid.IntRange(1, 2).Draw(t, "blocks")) << 32
		}
		e.Media = e.Ext != 0 && rapid.Bool().Draw(t, "media")
		e.Earlier = s.files[e.Sitemap].Kind == audit.KindEarlier
		e.Skip = rapid.SampledFrom([]audit.Skip{0, 0, 0, 0, 0, 0, audit.SkipFilter, audit.SkipFetch}).Draw(t, "skip")
	}
	same()
	return s, audit.Info{Rules: drawRules(t)}
}

// drawSame draws a second address of the first file. What is drawn of its entries until same is called is that of the
// first.
func drawSame(t *rapid.T, s *site) (same func()) {
	at := rapid.SampledFrom([]string{"", "", "http://a.example/0.xml?v=2", "https://www.a.example/0.xml", "https://a.example/0.xml"}).Draw(t, "same")
	first := s.files[0]
	if at == "" {
		return func() {}
	}
	s.list(at, make([]string, first.Entries)...)
	n := len(s.files) - 1
	return func() {
		for i := range first.Entries {
			e := s.entries[first.First+i]
			e.N, e.Sitemap = s.files[n].First+i, n
			s.entries[e.N] = e
		}
	}
}

// drawMove draws a file that may have moved as a whole, and what stands at its new place:
// nothing, a sitemap of the audit, or one that only what is remembered knows. Another of the
// audit may list what moved.
func drawMove(t *rapid.T, s *site) {
	if rapid.IntRange(0, 2).Draw(t, "move") > 0 {
		return
	}
	ext := rapid.SampledFrom([]string{"", "", " +", " ++"})
	var locs, there []string
	for i := range rapid.IntRange(1, 5).Draw(t, "moved") {
		from, to := fmt.Sprintf("http://old.a.example/m%d", i), fmt.Sprintf("http://new.a.example/m%d", i)
		for _, h := range []audit.Hop{{Request: audit.Request{URL: from}, Status: 301, Location: to}, {Request: audit.Request{URL: to}, Status: 200}} {
			s.web[h.Request] = h
		}
		locs = append(locs, from+ext.Draw(t, "ext"))
		if rapid.IntRange(0, 3).Draw(t, "listed there") > 0 {
			there = append(there, to+ext.Draw(t, "ext there"))
		}
	}
	s.list("http://old.a.example/s.xml", locs...)
	const at = "http://new.a.example/s.xml"
	switch rapid.IntRange(0, 5).Draw(t, "what stands there") {
	case 0:
	case 1:
		s.list(at, there...)
	case 2:
		s.list("http://new.a.example/other.xml", there...)
	case 3:
		there = locs
		fallthrough
	default:
		of := &site{}
		of.list(at, there...)
		st := &audit.Standing{Seen: true, Sitemap: true}
		for _, e := range of.entries {
			st.Add(address.Wire(e.Loc), e.Ext)
		}
		st.Encode() // as it is stored
		s.stands, s.stood = map[string]*audit.Standing{at: st}, map[string][]audit.Entry{at: of.entries}
	}
}

func drawHop(t *rapid.T, urls *rapid.Generator[string]) audit.Hop {
	h := audit.Hop{Request: audit.Request{URL: urls.Draw(t, "asked"), Purpose: rapid.SampledFrom([]audit.Purpose{0, 0, 0, 0, 0, audit.AsBrowser, audit.AsProof}).Draw(t, "as")}}
	h.Status = rapid.SampledFrom([]int{200, 200, 200, 206, 301, 301, 308, 302, 404, 410, 403, 500, 0}).Draw(t, "status")
	switch {
	case h.Status == 0:
		h.Fault = rapid.SampledFrom([]audit.Fault{audit.FaultTimeout, audit.FaultForbidden}).Draw(t, "fault")
	case audit.Redirects(h.Status):
		h.Location = rapid.OneOf(urls, rapid.SampledFrom([]string{"", "/hub", "mailto:x"})).Draw(t, "location")
	case h.Status == 200:
		h.Page.Robots = rapid.SampledFrom([]string{"", "", "", "noindex"}).Draw(t, "robots")
		h.Page.Title = rapid.SampledFrom([]string{"", "one", "two"}).Draw(t, "title")
		h.Page.Canonical = rapid.OneOf(rapid.Just(""), rapid.Just(h.URL), urls).Draw(t, "canonical")
		h.Page.ContentType = rapid.SampledFrom([]string{"", "text/html", "text/html", "image/png"}).Draw(t, "type")
		switch rapid.IntRange(0, 19).Draw(t, "seen") {
		case 0:
			h.Page.Script = true
		case 1:
			h.Page.Shell = true
		case 2:
			h.Page.Empty = true
		case 3:
			h.Page.Heading = "Page not found"
		case 4:
			h.Page.ScriptTo = urls.Draw(t, "scripted")
		case 5:
			h.Page.Password = true
		}
		if rapid.IntRange(0, 9).Draw(t, "refresh") == 0 {
			h.Page.Refresh, h.Page.RefreshDelay = urls.Draw(t, "refreshed"), float64(rapid.IntRange(0, 1).Draw(t, "delay"))
		}
	}
	h.Truncated = rapid.IntRange(0, 19).Draw(t, "truncated") == 0
	return h
}

func drawRules(t *rapid.T) audit.Rules {
	r := *rules()
	r.MaxDrop = rapid.SampledFrom([]float64{0, 0.1, 1}).Draw(t, "max-drop")
	r.MissingPath = rapid.SampledFrom([]string{"", "hub"}).Draw(t, "nowhere")
	if rapid.Bool().Draw(t, "sections") {
		r.Sections = map[string][]string{"http://a.example": {"1", "x", "x/1"}, "https://a.example": {"1"}}
	}
	r.KeepAll = rapid.IntRange(0, 9).Draw(t, "keep-all") == 0
	r.Lift = map[audit.Note]bool{}
	for _, n := range audit.LiftableNotes() {
		r.Lift[n] = rapid.IntRange(0, 5).Draw(t, string(n)) == 0
	}
	r.Fix = map[audit.Verdict]audit.Action{}
	for _, v := range []audit.Verdict{audit.OK, audit.Temporary, audit.Noindex, audit.Homepage} {
		if a := rapid.SampledFrom([]audit.Action{"", "", "", audit.Keep, audit.Drop, audit.Replace}).Draw(t, string(v)); a != "" {
			r.Fix[v] = a
		}
	}
	return r
}
