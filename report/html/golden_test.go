package html

import (
	"flag"
	"os"
	"slices"
	"strings"
	"testing"

	xhtml "golang.org/x/net/html"

	"sitemend/report/internal/fixture"
	"sitemend/report/messages"
)

var update = flag.Bool("update", false, "write testdata/page.golden again")

// What pages say is quoted in one file alone: the text of the parts that this package words, of each
// state that has one of its own, and of one in every language.
func TestPagesSay(t *testing.T) {
	var b strings.Builder
	for _, s := range fixture.States() {
		langs := []string{"en"}
		switch {
		case s.Name == "shop" || s.Name == "expected":
			langs = messages.Langs()
		case s.Name == "study":
			continue // it is the longest, and has what others have
		}
		for _, lang := range langs {
			b.WriteString("\n== " + s.Name + " in " + lang + "\n")
			for n := range parse(t, pageOf(t, s.Result, lang)).Descendants() {
				id := attr(n, "id")
				known := id == "entries" || id == "causes" || s.Name != "shop" && id == "edits" || s.Name != "wiki" && id == "summary"
				if n.Data == "section" && !known || n.Data == "footer" {
					b.WriteString("-- " + id + "\n" + textIn(n, lang))
				}
			}
		}
	}
	const file = "testdata/page.golden"
	if *update {
		if err := os.WriteFile(file, []byte(b.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	got, wanted := strings.Split(b.String(), "\n"), strings.Split(string(want), "\n")
	for i, line := range got {
		if i >= len(wanted) || line != wanted[i] {
			t.Fatalf("line %d of %s is now\n%s\nand was\n%s\n(-update writes it again)", i+1, file, line, wanted[min(i, len(wanted)-1)])
		}
	}
	if len(got) != len(wanted) {
		t.Errorf("%s has %d lines more", file, len(wanted)-len(got))
	}
}

// textIn is the text of an element in a language, a line for each block, cells side by side.
func textIn(n *xhtml.Node, lang string) string {
	var b strings.Builder
	var walk func(*xhtml.Node)
	walk = func(n *xhtml.Node) {
		block := slices.Contains([]string{"p", "li", "h1", "h2", "h3", "tr", "summary", "pre", "figcaption", "div"}, n.Data)
		switch {
		case n.Type == xhtml.TextNode:
			b.WriteString(n.Data)
			return
		case attr(n, "lang") != "" && attr(n, "lang") != lang, n.Data == "script", n.Data == "svg", n.Data == "caption", attr(n, "id") == "verdicts", attr(n, "class") == "list":
			return
		case block:
			b.WriteString("\n")
		case n.Data == "td" || n.Data == "th":
			b.WriteString(" | ")
		case strings.Contains(attr(n, "class"), "sm"):
			b.WriteString(" / ")
		}
		for c := range n.ChildNodes() {
			walk(c)
		}
		if block {
			b.WriteString("\n")
		}
	}
	walk(n)
	var out strings.Builder
	for line := range strings.SplitSeq(b.String(), "\n") {
		if line = strings.Join(strings.Fields(line), " "); line != "" {
			out.WriteString(line + "\n")
		}
	}
	return out.String()
}
