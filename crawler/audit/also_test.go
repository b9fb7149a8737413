package audit_test

import (
	"maps"
	"strings"
	"testing"

	"sitemend/crawler/answers"
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

func alsoRowsOf(t *testing.T, result *audit.Result) (out []string) {
	t.Helper()
	for n := range result.Also {
		for r, err := range result.Also[n].Rows(t.Context()) {
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
	http://a.example/en/other 200
	http://a.example/de/other 301 /en/other
	http://a.example/hidden 200 robots=noindex
	http://a.example/m 200 canonical=http://a.example/self`

// What is done with an alternate that no sitemap lists: links to it are never removed.
func TestAlternatesThatNoSitemapLists(t *testing.T) {
	s := &site{web: parseWeb(t, alsoWeb)}
	s.list(map1, "http://a.example/self", "http://a.example/en/other")
	s.files[0].Links = true
	alternate := audit.AlsoAlternates
	phone := named(alternate, "http://a.example/m")
	phone.Also.Device = true
	s.also(alternate, named(alternate, "http://a.example/ok"), named(alternate, "http://a.example/old"), named(alternate, "http://a.example/gone"), named(alternate, "http://a.example/hidden"),
		named(alternate, "http://a.example/m"), phone, named(alternate, "http://a.example/de/other"))
	result := s.evaluate(t, rules())
	equal(t, alsoRowsOf(t, result), []string{
		"ok | keep",
		"moved path | replace http://a.example/ok",
		"not-found | keep",
		"noindex | keep",
		"noncanonical path | replace http://a.example/self",
		"ok | keep", // of a page for a device
		"moved path | keep | locale",
	})
	if c := result.Counts; c.Entries != 2 || c.Groups[audit.Fine]["ok"] != 2 || len(result.Files) != 1 || len(result.Causes) != 0 {
		t.Errorf("they count with the entries: %+v", c)
	}
	if sum := result.Also[0]; sum.List != alternate || sum.Counts.Entries != 7 || sum.Counts.Total(audit.Fine) != 2 {
		t.Errorf("counted %+v", sum)
	}
}

// Of images and videos the head of the answer decides, asked as Google's crawlers of them. They are
// not edited; where one moved, it is said what to write.
func TestImagesAndVideos(t *testing.T) {
	files := map[string]string{
		"200 type=image/png":       "ok | keep",
		"200":                      "ok | keep", // says nothing of its type
		"301 /new":                 "moved path | keep http://a.example/new",
		"302 /new":                 "temporary path | keep",
		"301 http://b.example/new": "offsite host path | keep",
		"301 /f?utm_source=x":      "moved query | keep | session",
		"404":                      "not-found | keep",
		"403":                      "unverified | keep",
	}
	judged := func(list audit.AlsoList, answer string) string {
		as := map[audit.AlsoList]answers.Purpose{audit.AlsoImages: answers.AsImage, audit.AlsoVideos: answers.AsVideo}[list]
		s := &site{web: web{}}
		for r, hop := range parseWeb(t, "http://a.example/f "+answer+"\nhttp://a.example/new 200 type=image/webp\nhttp://b.example/new 200 type=image/webp\n"+
			"http://a.example/f?utm_source=x 200 type=image/webp\nhttp://a.example/page 200 type=text/html") {
			r.Purpose, hop.Purpose = as, as
			s.web[r] = hop
		}
		maps.Copy(s.web, parseWeb(t, "http://a.example/self 200\nbrowser http://a.example/f 404"))
		s.list(map1, "http://a.example/self")
		s.also(list, named(list, "http://a.example/f"))
		return alsoRowsOf(t, s.evaluate(t, rules()))[0]
	}
	for answer, want := range files {
		for _, list := range []audit.AlsoList{audit.AlsoImages, audit.AlsoVideos} {
			if got := judged(list, answer); got != want {
				t.Errorf("%s that answers %s: %v, want %s", list, answer, got, want)
			}
		}
	}
	for answer, want := range map[string]string{"200 type=text/html;charset=utf-8": "soft-404", "301 /page": "soft-404", "200 type=image/png robots=noindex": "noindex | keep"} { // a page is no image; a player is a video, whatever it says of itself
		if image, video := judged(audit.AlsoImages, answer), judged(audit.AlsoVideos, answer); !strings.HasPrefix(image, want) || strings.HasPrefix(video, want) {
			t.Errorf("%s: an image is %s, a video %s", answer, image, video)
		}
	}
}
