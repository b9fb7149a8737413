package sitemap

import (
	"strings"
	"testing"
)

const assetHead = `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:image="http://www.google.com/schemas/sitemap-image/1.1"` +
	` xmlns:video="http://www.google.com/schemas/sitemap-video/1.1" xmlns:i="http://www.google.com/schemas/sitemap-image/1.0"` +
	` xmlns:x="http://www.w3.org/1999/xhtml" xmlns:other="urn:other">` + "\n"

// TestAssets: each marked address is found, as «kind:text», and nothing else is.
func TestAssets(t *testing.T) {
	kinds := map[string]LinkKind{"a": Alternate, "i": Image, "t": Thumbnail, "c": Content, "p": Player}
	cases := map[string]string{
		"an image":             `<image:image><image:loc>«i:http://a/1.png»</image:loc></image:image>`,
		"another prefix":       `<i:image><i:loc> «i:http://a/1.png» </i:loc></i:image>`,
		"a comment in it":      `<image:image><image:loc>«i:http://a/»<!-- no -->1.png</image:loc></image:image>`,
		"a video":              `<video:video><video:title>t</video:title><video:thumbnail_loc>«t:http://a/t.jpg»</video:thumbnail_loc><video:content_loc>«c:http://a/v.mp4»</video:content_loc><video:player_loc autoplay="ap=1">«p:http://a/p»</video:player_loc></video:video>`,
		"no end tag":           `<image:image><image:loc>http://a/1.png</image:image>`,
		"a tag within":         `<image:image><image:loc>http://a/1.png<b/></image:loc></image:image>`,
		"too deep":             `<image:image><image:x><image:loc>http://a/1.png</image:loc></image:x></image:image>`,
		"outside of an image":  `<image:loc>http://a/1.png</image:loc>`,
		"a self-closing block": `<image:image/><image:loc>http://a/1.png</image:loc>`,
	}
	for name, marked := range cases {
		t.Run(name, func(t *testing.T) {
			text, want := unmarked(marked)
			file := assetHead + "<url><loc>http://a/</loc>" + text + "</url>\n</urlset>\n"
			var got []Link
			o := Options{Assets: true, Links: func(own []Entry, links []Link) error {
				if len(own) != 1 || own[0].Loc != "http://a/" {
					t.Errorf("its entries are %v", own)
				}
				got = append(got, links...)
				return nil
			}}
			mustRead(t, strings.NewReader(file), o)
			if len(got) != len(want) {
				t.Fatalf("got %v, want %v", got, want)
			}
			for n, w := range want {
				kind, _, _ := strings.Cut(w, ":")
				if got[n].Kind != kinds[kind] || got[n].Line != 2 {
					t.Errorf("link %d is %+v, want a %s", n, got[n], w)
				}
			}
		})
	}
}

// unmarked returns a text without its marks, and what is marked.
func unmarked(text string) (plain string, marks []string) {
	for {
		before, rest, ok := strings.Cut(text, "«")
		plain += before
		if !ok {
			return plain, marks
		}
		var mark string
		mark, text, _ = strings.Cut(rest, "»")
		marks = append(marks, mark)
		_, address, _ := strings.Cut(mark, ":")
		plain += address
	}
}
