package links_test

import (
	"strings"
	"testing"

	"golang.org/x/net/html"
	"pgregory.net/rapid"

	"sitemend/crawler/links"
)

// What breaks a page into drawings, formulas and what they hold.
var drawn = []string{"<svg>", "<svg/>", "</svg>", "<g>", "</g>", "<path/>", "<math>", "</math>", "<mi>", "</mi>", "<mrow>", "</mrow>", "<foreignObject>", "</foreignObject>",
	"<desc>", "</desc>", "<p>", "<div>", "<span>", "<FONT>", "<font size=1>", "<br>", "</p>", "</br>", "<img>", "x", "<annotation-xml encoding='text/html'>", "</annotation-xml>",
	"<annotation-xml>", "<mglyph>", "<base href=/%/>", "<base href=/%/>"}

// Whether a base element in a drawing is one of the page is what a parser of pages makes of it.
func TestBaseOfAnyDrawing(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		page := strings.Builder{}
		page.WriteString(rapid.SampledFrom([]string{"<svg>", "<math>", "<svg><g>", "<svg><desc>", "<div>"}).Draw(rt, "first"))
		for range rapid.IntRange(1, 14).Draw(rt, "tags") {
			page.WriteString(strings.ReplaceAll(rapid.SampledFrom(drawn).Draw(rt, "tag"), "%", itoa(page.Len())))
		}
		page.WriteString("<a href=1>")
		want := "/shoes/1 body"
		base, odd := baseOf(rt, page.String())
		if odd {
			return
		}
		if base != "" {
			want = base + "1 body"
		}
		if got := strings.Join(found(t, read(t, new(links.Reader), "https://shop.example/shoes/", page.String()), at), ", "); got != want {
			rt.Errorf("%s: %s, want %s", &page, got, want)
		}
	})
}

// baseOf returns the href of the first base element of HTML, as a parser finds it, and whether
// elements of drawings stand outside of them: which of these an end tag closes is not followed.
func baseOf(t *rapid.T, page string) (base string, odd bool) {
	root, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	for n := range root.Descendants() {
		switch {
		case n.Type != html.ElementNode || n.Namespace != "":
		case n.Data == "base" && base == "":
			base = n.Attr[0].Val
		case strings.Contains(" g path mi mrow foreignobject desc annotation-xml mglyph ", " "+n.Data+" "):
			foreign := false
			for up := range n.Ancestors() {
				foreign = foreign || up.Namespace != ""
			}
			odd = odd || !foreign
		}
	}
	return base, odd
}
