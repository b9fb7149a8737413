package audit_test

import (
	"maps"
	"strings"
	"testing"

	"sitemend/crawler/audit"
)

// also adds the list of what is named beside the entries.
func (s *site) also(list audit.AlsoList, named ...audit.Entry) {
	s.files = append(s.files, audit.Sitemap{N: len(s.files), URL: string(list), Parent: -1, Kind: string(list), First: len(s.entries), Entries: len(named)})
	for _, e := range named {
		e.N, e.Sitemap = len(s.entries), len(s.files)-1
		s.entries = append(s.entries, e)
	}
}

// named is an address of a list that the entry of the same page names.
func named(list audit.AlsoList, loc string) audit.Entry {
	return audit.Entry{Loc: loc, Also: &audit.Also{List: list, Of: 1, By: []audit.Naming{{Line: 1, Loc: "http://a.example/self"}}}}
}

// namedBy is named with what is special of it.
func namedBy(list audit.AlsoList, loc string, with func(*audit.Also)) audit.Entry {
	e := named(list, loc)
	with(e.Also)
	return e
}

func alsoRowsOf(t *testing.T, result *audit.Result) (out []string) {
	t.Helper()
	for n := range result.Also {
		for r, err := range result.AlsoRows(t.Context(), n) {
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, say(&r))
		}
	}
	return out
}

const alsoWeb = `
	http://a.example/self 200
	http://a.example/ok 200
	http://a.example/old 301 /ok
	http://a.example/back 301 /self
	http://a.example/gone 404
	browser http://a.example/gone 404
	http://a.example/other 200
	http://a.example/to-other 301 /other
	http://a.example/hidden 200 robots=noindex
	http://a.example/m 200 canonical=http://a.example/self`

// What is done with an alternate that no sitemap lists.
func TestAlternatesThatNoSitemapLists(t *testing.T) {
	device := func(x *audit.Also) { x.Device = true }
	two := func(x *audit.Also) { x.Of = 2; x.By = append(x.By, audit.Naming{Loc: "http://a.example/other"}) }
	s := &site{web: parseWeb(t, alsoWeb)}
	s.list(map1, "http://a.example/self", "http://a.example/other")
	s.files[0].Links = true
	alternate := audit.AlsoAlternates
	s.also(alternate, named(alternate, "http://a.example/ok"), named(alternate, "http://a.example/old"), named(alternate, "http://a.example/back"),
		namedBy(alternate, "http://a.example/back", two), namedBy(alternate, "http://a.example/back", device), named(alternate, "http://a.example/gone"), named(alternate, "http://a.example/hidden"),
		named(alternate, "http://a.example/m"), namedBy(alternate, "http://a.example/m", device),
		namedBy(alternate, "http://a.example/old", device), namedBy(alternate, "http://a.example/to-other", device), named(alternate, "http://a.example/to-other"))
	result := s.evaluate(t, rules())
	equal(t, alsoRowsOf(t, result), []string{
		"ok | keep",
		"moved path | replace http://a.example/ok",
		"moved path | replace http://a.example/self", // so the page names itself
		"moved path | replace http://a.example/self",
		"moved path | keep", // for a device: it leads back to the page that names it
		"not-found | drop",
		"noindex | keep",                                    // a link to it does no harm
		"noncanonical path | replace http://a.example/self", // so the page names itself
		"ok | keep", // of a page for a device
		"moved path | replace http://a.example/ok",
		"moved path | keep", // for a device: it leads to another entry
		"moved path | replace http://a.example/other",
	})
	if c := result.Counts; c.Entries != 2 || c.Groups[audit.Fine]["ok"] != 2 || result.Proof.Entries != 2 || len(result.Files) != 1 || len(result.Causes) != 0 {
		t.Errorf("they count with the entries: %+v, %+v", c, result.Proof)
	}
	if sum := result.Also[0]; sum.List != alternate || sum.Counts.Entries != 12 || sum.Counts.Total(audit.Fine) != 2 {
		t.Errorf("counted %+v", sum)
	}
}

// A page for a kind of device names the page for all as its canonical, also where it moved: links
// for that device follow it there, those for a language do not.
func TestPageForADeviceThatMoved(t *testing.T) {
	by := func(pages ...string) (all []audit.Naming) {
		for _, page := range pages {
			all = append(all, audit.Naming{Line: 1, Loc: "http://a.example" + page})
		}
		return all
	}
	for _, c := range []struct {
		name   string
		device bool
		by     []audit.Naming
		row    string
	}{
		{"of the page that names it", true, by("/self"), "moved path | replace http://a.example/m"},
		{"of one of the pages that name it", true, by("/other", "/self"), "moved path | replace http://a.example/m"},
		{"of another page", true, by("/other"), "moved path | keep | target-noncanonical"},
		{"for a language", false, by("/self"), "moved path | keep | target-noncanonical"},
	} {
		s := &site{web: parseWeb(t, alsoWeb+"\n\thttp://a.example/old-m 301 /m")}
		s.list(map1, "http://a.example/self", "http://a.example/other")
		s.files[0].Links = true
		s.also(audit.AlsoAlternates, namedBy(audit.AlsoAlternates, "http://a.example/old-m", func(x *audit.Also) {
			x.Device, x.By, x.Of = c.device, c.by, len(c.by)
		}))
		result := s.evaluate(t, rules())
		if got := alsoRowsOf(t, result)[0]; got != c.row {
			t.Errorf("%s: %s, want %s", c.name, got, c.row)
		}
		links := []audit.Link{{Href: "http://a.example/old-m"}, {Href: "http://a.example/old-m", Lang: "en"}}
		fixes, _, err := result.Links(t.Context(), []audit.Own{{Loc: "http://a.example/self"}}, links)
		if err != nil {
			t.Fatal(err)
		}
		follows := strings.Contains(c.row, "replace")
		if (fixes[0].Loc == "http://a.example/m") != follows || fixes[1].Action != audit.Keep || (fixes[1].Held == audit.HeldDevice) != follows {
			t.Errorf("%s: the links: %+v", c.name, fixes)
		}
	}
}

// Of images and videos the head of the answer decides, asked as Google's crawlers of them.
func TestImagesAndVideos(t *testing.T) {
	files := map[string]string{
		"200 type=image/png":                "ok | keep",
		"200":                               "ok | keep", // says nothing of its type
		"200 type=image/png robots=noindex": "ok | keep",
		"200 type=text/html;charset=utf-8":  "soft-404 | keep",
		"301 /new":                          "moved path | replace http://a.example/new",
		"302 /new":                          "temporary path | keep",
		"301 /page":                         "soft-404 path | keep",
		"301 http://b.example/new":          "offsite host path | keep",
		"301 /new?utm_source=x":             "moved path query | keep | session",
		"404":                               "not-found | keep",
		"500":                               "error | keep",
		"403":                               "unverified | keep",
	}
	for _, list := range []audit.AlsoList{audit.AlsoImages, audit.AlsoVideos} {
		as := map[audit.AlsoList]audit.Purpose{audit.AlsoImages: audit.AsImage, audit.AlsoVideos: audit.AsVideo}[list]
		for answer, want := range files {
			s := &site{web: web{}}
			for r, hop := range parseWeb(t, "http://a.example/f "+answer+"\nhttp://a.example/new 200 type=image/webp\nhttp://b.example/new 200 type=image/webp\n"+
				"http://a.example/new?utm_source=x 200 type=image/webp\nhttp://a.example/page 200 type=text/html") {
				r.Purpose, hop.Purpose = as, as
				s.web[r] = hop
			}
			maps.Copy(s.web, parseWeb(t, "http://a.example/self 200\nbrowser http://a.example/f 404"))
			s.list(map1, "http://a.example/self")
			s.also(list, named(list, "http://a.example/f"))
			if got := alsoRowsOf(t, s.evaluate(t, rules())); len(got) != 1 || got[0] != want {
				t.Errorf("%s that answers %s: %v, want %s", list, answer, got, want)
			}
		}
	}
	s := &site{web: parseWeb(t, "http://a.example/self 200")}
	player := audit.Request{URL: "http://a.example/player", Purpose: audit.AsVideo}
	s.web[player] = audit.Hop{Request: player, Status: 200, Page: audit.Page{ContentType: "text/html"}}
	s.list(map1, "http://a.example/self")
	s.also(audit.AlsoVideos, namedBy(audit.AlsoVideos, player.URL, func(x *audit.Also) { x.Page = true }))
	equal(t, alsoRowsOf(t, s.evaluate(t, rules())), []string{"ok | keep"})
}

// Ten that end on one page are kept, whatever entries end there; so are all links where too many
// would go.
func TestManyAlternates(t *testing.T) {
	for _, c := range []struct {
		n    int
		end  string
		want string
	}{
		{9, "301 /all", "moved path | replace http://a.example/all"},
		{10, "301 /all", "moved path | keep | collapsed"},
		{10, "404", "not-found | drop"},
		{11, "404", "not-found | keep | braked"},
	} {
		s := &site{web: parseWeb(t, "http://a.example/all 200")}
		s.list(map1, "http://a.example/all", "http://a.example/e")
		maps.Copy(s.web, parseWeb(t, "http://a.example/e 301 /all"))
		var list []audit.Entry
		for _, loc := range many(c.n, "http://a.example/p%d") {
			maps.Copy(s.web, parseWeb(t, loc+" "+c.end+"\nbrowser "+loc+" "+c.end))
			list = append(list, named(audit.AlsoAlternates, loc))
		}
		s.also(audit.AlsoAlternates, list...)
		result := s.evaluate(t, rules())
		if got := alsoRowsOf(t, result)[0]; got != c.want {
			t.Errorf("%d that answer %s: %s, want %s", c.n, c.end, got, c.want)
		}
		if got := rowsOf(t, result, 0)[1]; got != "moved path | merge http://a.example/all" {
			t.Errorf("they decide about an entry: %s", got)
		}
	}
}

// What is decided on the links of an element costs what its links and entries do, not each for
// each: of the sitemap of a stranger both may be many.
func TestLinksOfALargeElement(t *testing.T) {
	s := &site{web: parseWeb(t, alsoWeb)}
	s.list(map1, "http://a.example/self")
	s.files[0].Links = true
	s.also(audit.AlsoAlternates, named(audit.AlsoAlternates, "http://a.example/old"))
	result := s.evaluate(t, rules())
	cost := func(n int) float64 {
		own, links := make([]audit.Own, n), make([]audit.Link, n)
		for i, loc := range many(n, "http://a.example/own%d") {
			own[i].Loc = loc
		}
		for i := range links {
			links[i] = audit.Link{Href: "http://a.example/old"}
		}
		return testing.AllocsPerRun(1, func() {
			fixes, _, err := result.Links(t.Context(), own, links)
			if err != nil || fixes[n-1].Loc != "http://a.example/ok" {
				t.Fatalf("%+v, %v", fixes[n-1], err)
			}
		})
	}
	if one, four := cost(100), cost(400); four > 6*one {
		t.Errorf("%.0f allocations for 100 links, %.0f for 400", one, four)
	}
}
