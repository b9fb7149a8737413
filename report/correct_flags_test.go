package report

import (
	"encoding/csv"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"sitemend/crawler/audit"
	"sitemend/crawler/sitemap"
	"sitemend/report/internal/fixture"
)

// A drawnSite is a sitemap of which some entries and links are edited, with what its corrected copy
// is to list, and how often changes.csv is to name each action.
type drawnSite struct {
	text, edits string
	want        []string       // "address lastmod" of the entries that stay
	actions     map[string]int // of the entries and links
}

// drawSite draws one; dated is whether lastmods are written.
func drawSite(t *rapid.T, dated bool) drawnSite {
	d := drawnSite{actions: map[string]int{}}
	var b, edits strings.Builder
	b.WriteString("<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\" xmlns:xhtml=\"http://www.w3.org/1999/xhtml\">\n")
	edits.WriteString("http://a.example/moved-link replace http://a.example/link\n")
	lastmods := []string{"", "2020-01-01", " 2020-01-01T00:00:00+09:00 "}
	for i := range rapid.IntRange(3, 9).Draw(t, "entries") {
		loc, lastmod := fmt.Sprintf("http://a.example/%d", i), rapid.SampledFrom(lastmods).Draw(t, "lastmod")
		is, has := loc, strings.TrimSpace(lastmod)
		action := rapid.SampledFrom([]string{"keep", "replace", "drop"}).Draw(t, "action")
		linked := rapid.Bool().Draw(t, "linked")
		switch {
		case action == "replace":
			is = loc + "/new"
			fmt.Fprintln(&edits, loc, action, is)
			if dated {
				has = fixture.Began.Format("2006-01-02")
				d.actions["lastmod"]++
			}
			d.actions[action]++
		case action == "drop" && i > 0:
			is = ""
			fmt.Fprintln(&edits, loc, action)
			d.actions[action]++
		}
		b.WriteString("<url><loc>" + loc + "</loc>")
		if lastmod != "" {
			b.WriteString("\n<lastmod>" + lastmod + "</lastmod>")
		}
		if linked {
			b.WriteString("\n<xhtml:link rel=\"alternate\" hreflang=\"de\" href=\"http://a.example/moved-link\"/>")
		}
		b.WriteString("</url>\n")
		if is == "" {
			continue
		}
		if linked {
			d.actions["relink"]++
		}
		d.want = append(d.want, is+" "+has)
	}
	d.text, d.edits = b.String()+"</urlset>\n", edits.String()
	return d
}

// Whatever is edited and however it is written: the copies list what was decided, in its order and
// each with its lastmod, and changes.csv has one line for each edit.
func TestEveryFormOfCorrectedCopies(t *testing.T) {
	t.Cleanup(func() { most = sitemap.Most() })
	most = sitemap.Share{Entries: 2, Bytes: 1 << 20}
	rapid.Check(t, func(rt *rapid.T) {
		lastmod, split := rapid.Bool().Draw(rt, "--lastmod"), rapid.Bool().Draw(rt, "--split")
		site := drawSite(rt, lastmod)
		in, indexed := map[string]string{"a.example/s.xml": site.text}, rapid.Bool().Draw(rt, "in an index")
		if indexed {
			in["b.example/index.xml"] = "<sitemapindex>\n <sitemap><loc>http://a.example/s.xml</loc></sitemap>\n</sitemapindex>\n"
		}
		result := auditOf(in, site.edits)
		result.Info.Rules.Split, result.Info.Rules.Lastmod = split, lastmod
		for i := range result.Files {
			f := &result.Files[i]
			f.BelongsAt, f.Sitemap.AnsweredAt, f.Sitemap.Kind, f.Sitemap.Parent = f.Sitemap.URL, f.Sitemap.URL, []string{"urlset", "index"}[i], -1
		}
		file := &result.Files[0].Sitemap
		file.Faults = []audit.SitemapFault{{Name: "Too many URLs", Key: "too-many-urls"}}
		if indexed {
			file.Parent, file.Line = 1, 2
		}
		dir := t.TempDir()
		after, err := mendInto(t.Context(), result, opener(result, in), dir)
		if err != nil {
			rt.Fatalf("%v\n%s", err, site.text)
		}
		files := tree(t, dir)
		if got, edited := listedIn(rt, &after.Files[0], files), after.Files[0].Changed; edited && !slices.Equal(got, site.want) {
			rt.Fatalf("the copies list\n%q, want\n%q\n%s", got, site.want, site.text)
		}
		if parts := len(after.Files[0].Parts); split && len(site.want) > 2 && parts != (len(site.want)+1)/2 {
			rt.Fatalf("%d entries in %d parts of two", len(site.want), parts)
		}
		actions := map[string]int{}
		rows, err := csv.NewReader(strings.NewReader(files["changes.csv"])).ReadAll()
		for _, row := range rows[1:] {
			if row[0] == "http://a.example/s.xml" {
				actions[row[2]]++
			}
		}
		if err != nil || !maps.Equal(actions, site.actions) {
			rt.Fatalf("changes.csv has %v, want %v: %v\n%s", actions, site.actions, err, files["changes.csv"])
		}
	})
}

// listedIn returns "address lastmod" of all entries of a corrected copy, or of its parts.
func listedIn(t *rapid.T, f *audit.File, files map[string]string) (all []string) {
	copies := f.Parts
	if copies == nil {
		copies = []audit.File{*f}
	}
	for _, c := range copies {
		text := files["sitemaps/"+c.Name]
		_, err := sitemap.Read(strings.NewReader(text), sitemap.Options{}, func(e sitemap.Entry) error {
			_, date, _ := strings.Cut(text[e.Element.Start:e.Element.End], "<lastmod>")
			date, _, _ = strings.Cut(date, "</lastmod>")
			all = append(all, e.Loc+" "+strings.TrimSpace(date))
			return nil
		})
		if err != nil && f.Changed {
			t.Fatalf("%s: %v", c.Name, err)
		}
	}
	return all
}
