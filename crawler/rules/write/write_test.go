package write_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"pgregory.net/rapid"

	"sitemend/crawler/rules"
	"sitemend/crawler/rules/write"
)

var update = flag.Bool("update", false, "write what is wanted anew")

// pairs parses lines of a source and a target.
func pairs(text string) []write.Pair {
	var list []write.Pair
	for line := range strings.Lines(text) {
		if f := strings.Fields(line); len(f) == 2 {
			list = append(list, write.Pair{Source: f[0], Target: f[1], N: len(list)})
		}
	}
	return list
}

const host = "www.example.com"

// plan makes rules of pairs in a format, for host.
func plan(f *write.Format, list []write.Pair, keep []string) *write.Plan {
	return f.Plan(slices.Clone(list), write.Options{Host: host, Status: 301, Keep: slices.Values(keep)})
}

// TestWriters writes the pairs of testdata in the formats that it lists and compares the result with
// the file: the rules, then the pairs that are left out, with notes; the file has every format. -update writes it again;
// cmd/internal/engine verifies the same pairs with real servers.
func TestWriters(t *testing.T) {
	const name = "testdata/pairs.txtar"
	a, err := txtar.ParseFile(name)
	if err != nil {
		t.Fatal(err)
	}
	docs, err := os.ReadFile("../../../docs/rules.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, format := range write.Names() {
		if has := func(f txtar.File) bool { return f.Name == format }; format != "csv" && !slices.ContainsFunc(a.Files, has) {
			a.Files = append(a.Files, txtar.File{Name: format})
		}
		if !regexp.MustCompile("(?m)^\\| [^|]*`" + format + "`").Match(docs) {
			t.Errorf("docs/rules.md has no row for %s", format)
		}
	}
	var list []write.Pair
	var keep []string
	for i := range a.Files {
		f, b := &a.Files[i], bytes.Buffer{}
		switch format, leaves := strings.CutSuffix(f.Name, " leaves out"); {
		case format == "pairs":
			list = pairs(string(f.Data))
			continue
		case format == "keep":
			keep = strings.Fields(string(f.Data))
			continue
		case leaves:
			b.WriteString(left(plan(write.ByName(format), list, keep)))
		case format == "html":
			for _, x := range plan(write.ByName(format), list, keep).Pairs {
				name, text := write.Page(x)
				fmt.Fprintf(&b, "%s: %s\n", name, strings.ReplaceAll(text, "\n", " "))
			}
		default:
			if err := plan(write.ByName(format), list, keep).Write(&b); err != nil {
				t.Fatal(err)
			}
		}
		if !bytes.Equal(f.Data, b.Bytes()) && !*update {
			t.Errorf("%s\n got\n%s\nwant\n%s", f.Name, b.Bytes(), f.Data)
		}
		f.Data = b.Bytes()
	}
	if *update {
		if err := os.WriteFile(name, txtar.Format(a), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// left lists the pairs that a plan leaves out.
func left(p *write.Plan) string {
	var b strings.Builder
	for _, l := range p.Left {
		fmt.Fprintf(&b, "%s %s %s\n", l.Note, l.Source, strings.TrimSpace(l.Target+" "+l.Other))
	}
	return b.String()
}

// answers returns the effects of the rules of a plan when the host's own reader reads them again.
func answers(t interface{ Fatalf(string, ...any) }, p *write.Plan) func(target string) (string, bool) {
	var b bytes.Buffer
	if err := p.Write(&b); err != nil {
		t.Fatalf("%v", err)
	}
	set := rules.New(p.Format.Reads)
	if err := set.Read(p.Format.Reads, "written", b.String()); err != nil {
		t.Fatalf("%s: %v", p.Format.Name, err)
	}
	if len(set.Faults) > 0 || len(set.Rules) != len(p.Pairs) {
		t.Fatalf("%s: %d rules of %d are read again; faults: %+v\n%s", p.Format.Name, len(set.Rules), len(p.Pairs), set.Faults, b.String())
	}
	m := set.Matcher()
	return func(target string) (string, bool) {
		found, ok := m.Match(rules.Request{Scheme: "https", Host: host, Target: target})
		if ok && found.Status != p.Status {
			t.Fatalf("%s: %s answers %d", p.Format.Name, target, found.Status)
		}
		return found.Location, ok
	}
}

// holds checks the law of every plan that can be read again: each source leads to its target, no
// target is redirected, and nothing that is kept is.
func holds(t interface{ Fatalf(string, ...any) }, p *write.Plan, keep []string) {
	ask := answers(t, p)
	for _, x := range p.Pairs {
		want := x.Target
		if p.Format.PerHost && strings.HasPrefix(want, "/") {
			want = "https://" + host + want
		}
		if got, _ := ask(x.Source); got != want {
			t.Fatalf("%s: %s leads to %q, want %q", p.Format.Name, x.Source, got, want)
		}
		own, isOwn := strings.CutPrefix(x.Target, "https://"+host)
		own, _, _ = strings.Cut(own, "#")
		if got, ok := ask(own); ok && (isOwn || strings.HasPrefix(own, "/")) {
			t.Fatalf("%s: the target %s of %s is redirected to %s", p.Format.Name, own, x.Source, got)
		}
	}
	for _, target := range keep {
		if got, ok := ask(target); ok {
			t.Fatalf("%s: %s is kept, and redirected to %s", p.Format.Name, target, got)
		}
	}
}

// TestWrittenIsRead draws pairs that resemble one another, and checks the law for every format that
// can be read again.
func TestWrittenIsRead(t *testing.T) {
	for _, name := range write.Names() {
		f := write.ByName(name)
		if f.Reads == "" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				list, keep := drawn(t)
				p := plan(f, list, keep)
				holds(t, p, keep)
				if len(p.Pairs)+len(p.Left) > len(list) {
					t.Fatalf("%d pairs became %d rules and %d left out", len(list), len(p.Pairs), len(p.Left))
				}
			})
		})
	}
}

// What would be answered otherwise than it is meant is left out: because the format would confuse it
// with an address to keep, or with a source that is left out itself; because it takes %2F for a
// slash; because a server would change it, or ignore its whole file.
func TestLeftOut(t *testing.T) {
	for _, c := range []struct{ format, pairs, keep, left string }{
		{"haproxy", "/a /b\n/b /a\n/to /a\n/self /self\n/c /d", "", "loops /a /b\nloops /b /a\nloops /self /self\nloops /to /a\n"},
		{"gitlab-pages", "/%c3%a9 /new\n/other /new", "/%2F%c3%a9?", "spelling /%c3%a9 /new /%2F%c3%a9?\n"},
		{"gitlab-pages", "/%c3%a9 /new\n/other /new", "//%C3%89//", "spelling /%c3%a9 /new //%C3%89//\n"},
		{"gitlab-pages", "/me%C5%BF /new\n/other /new", "/MES", "spelling /me%C5%BF /new /MES\n"},
		{"apache-alias", "/~t /end/1\n/%7Et /end/x%22y", "", "target-literal /%7Et /end/x%22y\nspelling /~t /end/1 /%7Et\n"},
		{"apache-alias", "/h?a=1 /end/13\n/h /end/14", "", "source-query /h /end/14 /h?a=1\nsource-query /h?a=1 /end/13\n"},
		{"apache-alias", "/h?a=1 /end\n/h /end", "", "source-query /h?a=1 /end\n"},
		{"nginx", "/h%00 /end/13\n/h /end/14", "", "source-literal /h%00 /end/13\n"},
		{"netlify", "/sl%2Fash /n\n/x%2f /e", "", "spelling /sl%2Fash /n\nspelling /x%2f /e\n"},
		{"lighttpd", "/sl%2Fash /n\n/x%2f /e", "", "spelling /sl%2Fash /n\nspelling /x%2f /e\n"},
		{"nginx", "/sl%2Fash /n\n/x%2f /e", "", ""},
		{"gitlab-pages", "/%E8%B5%A4%E3%80%80%E9%9D%92 /n", "", "source-literal"}, // an ideographic space
		{"gitlab-pages", "/a%E2%80%A8b /n", "", "source-literal"},
		{"gitlab-pages", "/old /100%", "", "target-literal"},
		{"cloudflare-pages", "/old /new?a='b'", "", "target-literal"},
		{"apache-alias", "//evil.example/x /n", "", "source-literal"},
		{"apache", "/a /a?", "", "target-literal"},
		{"apache", "/c?x=1 /c?x=1&", "", "target-literal"},
		{"apache", "/c /d?x&#top", "", "target-literal"},
		{"apache", "/c /d?x&y", "", ""},
		{"htaccess", "/a /b?x=?", "", "target-literal"},
		{"htaccess", "/a /b?x=?1", "", ""},
		{"lighttpd", "/x//y /z", "", "source-literal"},
		{"nginx", "/..%2fae /z", "", "source-literal"},       // 400, as the real server answers
		{"lighttpd", "/x/%2e%2E/y /z", "", "source-literal"}, // would be the rule of /y
		{"lighttpd", "/x/%2e%2ey /z", "", ""},
		{"html", "/404 /home", "", "shadowed"},
		{"html", "/ja/404.html /home", "", "shadowed"},
		{"html", "/" + strings.Repeat("%E3%81%82", 90) + " /home", "", "limit"},
		{"cloudflare-pages", "/" + strings.Repeat("x", 1990) + " /home", "", "limit"},
		{"html", "/4040 /home", "", ""},
		{"html", "/old.htm /home", "", ""},
		{"html", "/old.php /home", "", "source-literal"},
	} {
		p := plan(write.ByName(c.format), pairs(c.pairs), strings.Fields(c.keep))
		if c.left != "" && !strings.Contains(c.left, " ") {
			c.left += " " + c.pairs + "\n"
		}
		if left(p) != c.left {
			t.Errorf("%s of %q leaves out %q, want %q", c.format, c.pairs, left(p), c.left)
		}
		if p.Format.Reads != "" {
			holds(t, p, strings.Fields(c.keep))
		}
	}
}

// Beyond 2,000 rules a key for nginx is a string, which ignores case, unless it would then match
// another source, what is left out or kept; the size of the hash is set before the first map.
func TestNginxStringsBesideWhatIsLeftOut(t *testing.T) {
	list := pairs("/sole /end/1\n/Kept /end/2\n/two /x\n/two /y\n/TWO /end/3\n/both /end\n/Both /end")
	for i := range 2000 {
		list = append(list, write.Pair{Source: fmt.Sprintf("/%d", i), Target: "/new", N: len(list)})
	}
	p := plan(write.ByName("nginx"), list, []string{"/kept"})
	var b strings.Builder
	if err := p.Write(&b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"/sole" "/end/1"`, `"~^/Kept$" "/end/2"`, `"~^/TWO$" "/end/3"`, `"~^/both$" "/end"`, `"~^/Both$" "/end"`} {
		if !strings.Contains(b.String(), "\n"+want+";\n") {
			t.Errorf("there is no %s", want)
		}
	}
	if got := p.Setup("moved.map"); len(got) != 3 || got[0].Text != "map_hash_bucket_size 64; map_hash_max_size 8192;" {
		t.Errorf("set up is %+v", got)
	}
}

// drawn draws some pairs, and targets that must not be redirected.
func drawn(t *rapid.T) (list []write.Pair, keep []string) {
	for i := range rapid.IntRange(1, 8).Draw(t, "pairs") {
		to := target.Draw(t, "target")
		if rapid.IntRange(0, 5).Draw(t, "absolute") == 0 {
			to = "https://" + rapid.SampledFrom([]string{host, "other.example"}).Draw(t, "host") + to
		}
		list = append(list, write.Pair{Source: target.Draw(t, "source"), Target: to, N: i})
	}
	for _, k := range rapid.SliceOfN(target, 0, 4).Draw(t, "keep") {
		if !slices.ContainsFunc(list, func(x write.Pair) bool { return x.Source == k }) {
			keep = append(keep, k)
		}
	}
	return list, keep
}

var (
	text    = rapid.StringOfN(rapid.SampledFrom([]rune("aA1-.:*~()%+$,;'!@&=[]_")), 0, 6, -1)
	escapes = rapid.SampledFrom(
		[]string{"", "%28", "(", "%c3%a9", "%C3%A9", "%20", "+", "%2F", "%2f", "/",
			"%7E", "~", "%25", ":x", ":splat", "*", "%2A", "%3A",
			"%C3%89", "%C5%BF", "s", "S", "%C4%B0", "%69"},
	)
	target = rapid.Custom(func(t *rapid.T) string {
		s := "/" + escapes.Draw(t, "escape") + strings.ReplaceAll(text.Draw(t, "text"), "%", "") + escapes.Draw(t, "escape")
		if rapid.IntRange(0, 4).Draw(t, "query") == 0 {
			s += "?" + rapid.SampledFrom([]string{"", "a=1", "b=%28&a=1", "x"}).Draw(t, "query")
		}
		return s
	})
)
