package report

import (
	"bufio"
	"context"
	"io"
	"strconv"

	"sitemend/crawler/audit"
)

// WriteDiffJSON writes what changed between two audits as one JSON object, each
// of its changes on a line:
//
//	old, new       the audits: id, start, end (absent: stopped), targets, as,
//	               user_agent, tool
//	differ         in what they were asked differently: as, robots, spelling,
//	               max-hops, soft-404, targets, part; or reversed: new is the earlier
//	               audit
//	addresses, both  how many addresses either lists, and both list
//	effects        addresses by what changed for them: worse, better, changed,
//	               applied (what a correction removed or replaced), written (what
//	               stands in its place), same, not-compared; they add up to
//	               addresses
//	applied        what became of what the older audit had to say, in addresses:
//	               corrected (a problem then, none now
//	               or not listed), corrections (that the sitemaps have now), waiting (that they do
//	               not), new_problems, open_decisions, settled_decisions, corrections_beside
//	               (of the lists), sitemaps_unnamed (that were not there, and that nothing names now)
//	parts          by effect, addresses by the most telling kind of change
//	kinds          addresses by kind; one may have several
//	causes         that explain another number of the compared addresses than
//	               before, in the order of the report (lane by lane, those of the
//	               most addresses now first, those that are gone last): verdict, rule (absent where no
//	               rule explains them), change (new, gone, grown, shrunk; changed where not all of its
//	               addresses were compared), old and new (addresses as the two reports have
//	               them), not_compared (how many of these were not; absent where all were)
//	files          by sitemap: url, and old and new (null where no sitemap or target named
//	               it) with entries, ok, problems, skipped, unverified, dirt (the
//	               error rate: the share of problems, 0 to 1) and in_part (true where it
//	               was read only in part, else absent); unread alone (true) where it
//	               could not be read
//	lists          of the addresses that sitemaps name beside their entries: list
//	               (alternates, images, videos), compared (false where an audit did not
//	               crawl them: in_old and in_new say which did), and where it is true addresses,
//	               both, effects, parts and kinds as of the entries
//	faults         of sitemaps, by name: name, severity, old and new (places), mended,
//	               added, remain, not_compared (places that one audit has, of which the
//	               other could not see all), at_least (true where mended and added are the least
//	               that there are, for not all places are listed), and new_places, the first of
//	               those added: sitemap, line (absent where it is not known) and count
//	links          of pages, null where neither audit read them: in_old and in_new (which
//	               did), and where both did old_pages and new_pages (that were read), and
//	               for each of old (addresses that redirect or are gone), unlisted (addresses
//	               that no sitemap lists) and unlinked (entries that no page links to) compared
//	               (false where one audit alone crawled what no sitemap lists), old and
//	               new (targets), old_links and new_links, gone, added, remain and not_compared
//	               (targets that one audit has, which the other did not crawl, or whose pages it
//	               did not read); of unlinked written, too (entries that a correction put in place
//	               of others, and to which no page linked then either)
//	changes        every address that is not as before, in order of address, the entries
//	               before the lists: list (absent of an entry), url
//	               (wire form; as listed where invalid), effect, kinds, sitemap
//	               and line of the first place (of now, else of then), old and new
//	               (absent where not listed) with verdict, status, target (where
//	               it ends, or the canonical, where that is another address),
//	               redirects, temporary (where it redirects), fix (replace, merge or drop,
//	               where that audit corrects it) and written (by what)
//
// It returns the first error of w or of the sights.
func WriteDiffJSON(ctx context.Context, w io.Writer, d *audit.Diff) error {
	bw := bufio.NewWriterSize(w, 64<<10)
	o := object{'{'}
	for _, x := range []struct {
		name string
		info *audit.Info
	}{{"old", &d.Old}, {"new", &d.New}} {
		o.key(x.name)
		o = append(o, jsonAudit(x.info)...)
	}
	list(&o, "differ", d.Differ.Names())
	o.number("addresses", d.Addresses)
	o.number("both", d.Both)
	jsonSince(&o, &d.Since)
	jsonEffects(&o, d)
	jsonCauses(&o, d.Causes)
	jsonFiles(&o, d.Files)
	jsonLists(&o, d)
	jsonFaults(&o, d.Faults)
	jsonLinked(&o, d.Linked)
	o.key("changes")
	o = append(o, '[')
	bw.Write(o)
	between := "\n"
	line := object{}
	for x, err := range eachChange(ctx, d) {
		if err != nil {
			return err
		}
		line = append(line[:0], between...)
		line = jsonChange(line, &x)
		if _, err := bw.Write(line); err != nil {
			return err
		}
		between = ",\n"
	}
	bw.WriteString("]}\n")
	return bw.Flush()
}

func jsonAudit(i *audit.Info) object {
	o := object{'{'}
	o.text("id", i.ID)
	o.text("start", when(i.Started))
	o.textIf("end", when(i.Ended))
	list(&o, "targets", i.Targets)
	o.text("as", i.Identity)
	o.text("user_agent", i.Agent)
	o.text("tool", i.Tool)
	return append(o, '}')
}

func jsonSince(o *object, s *audit.Since) {
	x := object{'{'}
	x.number("corrected", s.Corrected)
	x.number("corrections", s.Applied)
	x.number("waiting", s.Waiting)
	x.number("new_problems", s.New)
	x.number("open_decisions", s.Open)
	x.number("settled_decisions", s.Settled)
	x.number("corrections_beside", s.Beside)
	x.number("sitemaps_unnamed", s.Unnamed)
	o.key("applied")
	*o = append(append(*o, x...), '}')
}

func jsonEffects(o *object, d *audit.Diff) {
	effects, parts, kinds := object{'{'}, object{'{'}, object{'{'}
	for _, e := range audit.Effects() {
		effects.number(string(e), d.Effects[e])
		if e == audit.Same {
			continue
		}
		part := object{'{'}
		for _, k := range audit.ChangeKinds() {
			if n := d.Parts[e][k]; n > 0 {
				part.number(string(k), n)
			}
		}
		parts.key(string(e))
		parts = append(append(parts, part...), '}')
	}
	for _, k := range audit.ChangeKinds() {
		kinds.number(string(k), d.Kinds[k])
	}
	for _, x := range []struct {
		name string
		o    object
	}{{"effects", effects}, {"parts", parts}, {"kinds", kinds}} {
		o.key(x.name)
		*o = append(append(*o, x.o...), '}')
	}
}

func jsonCauses(o *object, causes []audit.CauseChange) {
	o.key("causes")
	*o = append(*o, '[')
	for i, c := range causes {
		if i > 0 {
			*o = append(*o, ',')
		}
		x := object{'{'}
		x.text("verdict", string(c.Verdict))
		x.textIf("rule", c.Rule)
		x.text("change", c.Turn())
		was, is := c.Named()
		x.number("old", was)
		x.number("new", is)
		if n := c.Open(); n > 0 {
			x.number("not_compared", n)
		}
		*o = append(append(*o, x...), '}')
	}
	*o = append(*o, ']')
}

func jsonFiles(o *object, files []audit.FileChange) {
	o.key("files")
	*o = append(*o, '[')
	for i, f := range files {
		if i > 0 {
			*o = append(*o, ',')
		}
		x := object{'{'}
		x.text("url", f.URL)
		for _, side := range []struct {
			name  string
			tally *audit.Tally
		}{{"old", f.Old}, {"new", f.New}} {
			x.key(side.name)
			x = append(x, jsonTally(side.tally)...)
		}
		*o = append(append(*o, x...), '}')
	}
	*o = append(*o, ']')
}

func jsonTally(t *audit.Tally) object {
	if t == nil {
		return object("null")
	}
	if t.Unread {
		return object(`{"unread":true}`)
	}
	o := object{'{'}
	o.number("entries", t.Entries)
	o.number("ok", t.OK)
	o.number("problems", t.Problems)
	o.number("skipped", t.Skipped)
	o.number("unverified", t.Unverified)
	o.key("dirt")
	o = strconv.AppendFloat(o, t.ErrorRate(), 'g', -1, 64)
	if t.Sitemap.InPart() {
		o.truth("in_part", true)
	}
	return append(o, '}')
}

func jsonChange(b object, c *listChange) object {
	sitemap, line := c.d.Place(&c.Change)
	o := append(b, '{')
	o.textIf("list", string(c.list))
	o.text("url", c.Address)
	o.text("effect", string(c.Effect))
	list(&o, "kinds", c.Kinds)
	o.text("sitemap", sitemap)
	o.number("line", line)
	for _, side := range []struct {
		name string
		s    *audit.Observation
	}{{"old", c.Old}, {"new", c.New}} {
		if side.s == nil {
			continue
		}
		o.key(side.name)
		x := object{'{'}
		x.text("verdict", string(side.s.Verdict))
		if side.s.Status != 0 {
			x.number("status", side.s.Status)
		}
		x.textIf("target", side.s.Target)
		if side.s.Hops > 0 {
			x.number("redirects", side.s.Hops)
			x.truth("temporary", side.s.Temporary)
		}
		x.textIf("fix", string(side.s.Fix))
		x.textIf("written", side.s.Written)
		o = append(append(o, x...), '}')
	}
	return append(o, '}')
}

// jsonLists adds what changed of the addresses that sitemaps name beside their entries.
func jsonLists(o *object, d *audit.Diff) {
	o.key("lists")
	*o = append(*o, '[')
	between := ""
	for i := range d.Also {
		x := &d.Also[i]
		if !x.Any() {
			continue
		}
		*o = append(append(*o, between...), '{')
		between = ","
		o.text("list", string(x.List))
		o.truth("compared", x.Diff != nil)
		o.truth("in_old", x.InOld)
		o.truth("in_new", x.InNew)
		if x.Diff != nil {
			o.number("addresses", x.Diff.Addresses)
			o.number("both", x.Diff.Both)
			jsonEffects(o, x.Diff)
		}
		*o = append(*o, '}')
	}
	*o = append(*o, ']')
}

func jsonFaults(o *object, faults []audit.FaultChange) {
	o.key("faults")
	*o = append(*o, '[')
	for i := range faults {
		if i > 0 {
			*o = append(*o, ',')
		}
		f, x := &faults[i], object{'{'}
		x.text("name", f.Name)
		x.text("severity", f.Severity)
		x.number("old", f.Then)
		x.number("new", f.Now)
		x.number("mended", f.Mended)
		x.number("added", f.New)
		x.number("remain", f.Remain)
		x.number("not_compared", f.NotCompared)
		x.truth("at_least", f.Unlisted)
		x.key("new_places")
		x = jsonNewFaults(x, f.Places)
		*o = append(append(*o, x...), '}')
	}
	*o = append(*o, ']')
}

func jsonNewFaults(o object, places []audit.NewFault) object {
	o = append(o, '[')
	for i, f := range places {
		if i > 0 {
			o = append(o, ',')
		}
		x := object{'{'}
		x.text("sitemap", f.Sitemap)
		if f.Line > 0 {
			x.number("line", f.Line)
		}
		x.number("count", f.N)
		o = append(append(o, x...), '}')
	}
	return append(o, ']')
}

// linkKeys are the names of the kinds in the order of audit.LinkKinds.
var linkKeys = []string{"old", "unlisted", "unlinked"}

func jsonLinked(o *object, l *audit.LinkedDiff) {
	o.key("links")
	if l == nil {
		*o = append(*o, "null"...)
		return
	}
	x := object{'{'}
	x.truth("in_old", l.InOld)
	x.truth("in_new", l.InNew)
	if l.InOld && l.InNew {
		x.number("old_pages", l.OldPages)
		x.number("new_pages", l.NewPages)
		for i, k := range audit.LinkKinds() {
			c, y := &l.Kinds[k], object{'{'}
			y.truth("compared", l.Compared(k))
			y.number("old", c.Then.Targets)
			y.number("new", c.Now.Targets)
			y.number("old_links", c.Then.Links)
			y.number("new_links", c.Now.Links)
			y.number("gone", c.Gone)
			y.number("added", c.New)
			y.number("remain", c.Both)
			y.number("not_compared", c.NotCompared)
			if k == audit.Unlinked {
				y.number("written", c.Written)
			}
			x.key(linkKeys[i])
			x = append(append(x, y...), '}')
		}
	}
	*o = append(append(*o, x...), '}')
}
