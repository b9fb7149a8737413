package audit_test

import (
	"strings"
	"testing"

	"sitemend/crawler/address"
	"sitemend/crawler/audit"
)

// closedTo is a robots.txt that forbids the addresses with the beginnings to the crawlers.
type closedTo map[audit.Purpose]string

func (c closedTo) Forbidden(as audit.Purpose, at address.Address) (string, int, error) {
	if path, ok := c[as]; ok && strings.HasPrefix(at.Path(), path) {
		return "Disallow: " + path, 7, nil
	}
	return "", 0, nil
}

// An address that is an alternate and an image is judged as either, from one answer: to the crawler
// of pages, and where robots.txt keeps that out, to the one of images.
func TestAnAddressOfTwoLists(t *testing.T) {
	for _, c := range []struct {
		name, web   string
		permits     closedTo
		page, image string
	}{
		{"moved", "http://a.example/f 301 /new\nhttp://a.example/new 200", nil,
			"moved path | replace http://a.example/new", "moved path | replace http://a.example/new"},
		{"moved as an image", "http://a.example/f 301 /new\nhttp://a.example/new 200 type=image/png", nil,
			"moved path | keep | target-not-page", "moved path | replace http://a.example/new"},
		{"to a page", "http://a.example/f 200 type=text/html robots=noindex", nil, "noindex | keep", "soft-404 | keep"},
		{"a file on which a page says noindex", "http://a.example/f 200 type=image/png robots=noindex", nil, "noindex | keep", "ok | keep"},
		{"images are forbidden there", "http://a.example/f 301 /new\nhttp://a.example/new 200",
			closedTo{audit.AsImage: "/new"}, "moved path | replace http://a.example/new", "disallowed | keep"},
		{"pages are forbidden", "http://a.example/f fault=robots-forbids\nimage http://a.example/f 200 type=image/png", nil,
			"disallowed | keep", "ok | keep"},
		{"pages are forbidden there", "http://a.example/f 301 /new\nhttp://a.example/new fault=robots-forbids\nimage http://a.example/new 200 type=image/png", nil,
			"disallowed | keep", "moved path | replace http://a.example/new"},
	} {
		s := &site{web: parseWeb(t, "http://a.example/self 200\n"+c.web)}
		s.list(map1, "http://a.example/self")
		s.also(audit.AlsoAlternates, named(audit.AlsoAlternates, "http://a.example/f"))
		s.also(audit.AlsoImages, namedBy(audit.AlsoImages, "http://a.example/f", func(x *audit.Also) {
			x.Before = []audit.AlsoList{audit.AlsoAlternates}
		}))
		r := rules()
		r.Robots, r.Permits = "obey", c.permits
		got := alsoRowsOf(t, s.evaluate(t, r))
		if got[0] != c.page || got[1] != c.image {
			t.Errorf("%s: %v, want %s and %s", c.name, got, c.page, c.image)
		}
	}
	e := namedBy(audit.AlsoImages, "http://a.example/f", func(x *audit.Also) { x.Before = []audit.AlsoList{audit.AlsoAlternates} })
	if row := audit.Judge(web{}, e, rules(), audit.Want{}); len(row.Needs) != 1 || row.Needs[0].Purpose != audit.AsRobot {
		t.Errorf("it needs %v, want what the alternate needs", row.Needs)
	}
}

// Two images of an element that moved to one address are not both written there, nor is one where
// the element has that address; the same image twice is, for it was so.
func TestImagesThatMovedToOneAddress(t *testing.T) {
	s := &site{web: parseWeb(t, `http://a.example/self 200
		image http://a.example/old 301 /new
		image http://a.example/older 301 /new
		image http://a.example/new 200 type=image/png`)}
	s.list(map1, "http://a.example/self")
	s.also(audit.AlsoImages, named(audit.AlsoImages, "http://a.example/old"), named(audit.AlsoImages, "http://a.example/older"))
	result := s.evaluate(t, rules())
	for _, c := range []struct{ has, want string }{
		{"old older", "new older"},
		{"older old", "new old"},
		{"new old", "new old"},
		{"old new", "old new"},
		{"old old", "new new"},
	} {
		var assets []audit.Asset
		for _, name := range strings.Fields(c.has) {
			assets = append(assets, audit.Asset{Href: "http://a.example/" + name, As: audit.AsImage})
		}
		fixes, err := result.Assets(t.Context(), nil, assets)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for i, f := range fixes {
			at := assets[i].Href
			if f.Action == audit.Relink {
				at = f.Loc
			}
			got = append(got, strings.TrimPrefix(at, "http://a.example/"))
			if stays := at == assets[i].Href && !strings.HasSuffix(at, "/new"); stays != (f.Held == audit.HeldTwice) {
				t.Errorf("%s: %+v", c.has, f)
			}
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s became %v, want %s", c.has, got, c.want)
		}
	}
}

// Videos are told apart by their files and players: those of two are not written where they would
// be one, nor one that is the page of its own entry. They may have one thumbnail, and one video may
// have one address for both. Each name stands for an address of the element's videos, "1t" for the
// thumbnail of the first, "2c" for the file of the second, and so on.
func TestVideosThatMovedToOneAddress(t *testing.T) {
	s := &site{web: parseWeb(t, `http://a.example/self 200
		video http://a.example/old 301 /new
		video http://a.example/older 301 /new
		video http://a.example/new 200 type=video/mp4
		video http://a.example/gone 301 /self
		video http://a.example/self 200`)}
	s.list(map1, "http://a.example/self")
	player := func(x *audit.Also) { x.Page = true }
	s.also(audit.AlsoVideos, named(audit.AlsoVideos, "http://a.example/old"),
		named(audit.AlsoVideos, "http://a.example/older"),
		namedBy(audit.AlsoVideos, "http://a.example/gone", player))
	result := s.evaluate(t, rules())
	for _, c := range []struct {
		has, want string
		held      audit.LinkHeld
	}{
		{"1t:old 2t:older", "new new", ""},
		{"1t:old 2t:new", "new new", ""},
		{"1t:new 2c:old", "new new", ""},
		{"1c:old 2t:older", "new new", ""},
		{"1c:old 2c:older", "new older", audit.HeldVideo},
		{"1c:old 2p:older", "new older", audit.HeldVideo},
		{"1p:old 2p:new", "old new", audit.HeldVideo},
		{"1p:new 2c:old", "new old", audit.HeldVideo},
		{"1c:old 1p:older", "new new", ""},
		{"1c:old 1p:new", "new new", ""},
		{"1c:old 2c:old", "new new", ""},
		{"1t:old 1c:old 2t:older 2c:older", "new new new older", audit.HeldVideo},
		{"1p:gone", "gone", audit.HeldPage},
		{"1c:gone", "gone", audit.HeldPage},
		{"1t:gone", "self", ""},
	} {
		var assets []audit.Asset
		for _, word := range strings.Fields(c.has) {
			assets = append(assets, audit.Asset{Href: "http://a.example/" + word[3:],
				As: audit.AsVideo, Of: int(word[0] - '0'), Thumbnail: word[1] == 't'})
		}
		fixes, err := result.Assets(t.Context(), []audit.Own{{Loc: "http://a.example/self"}}, assets)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		var held audit.LinkHeld
		for i, f := range fixes {
			at := assets[i].Href
			if f.Action == audit.Relink {
				at = f.Loc
			}
			got = append(got, strings.TrimPrefix(at, "http://a.example/"))
			held += f.Held
		}
		if strings.Join(got, " ") != c.want || held != c.held {
			t.Errorf("%s became %v, held %q; want %s, %q", c.has, got, held, c.want, c.held)
		}
	}
}
