package audit_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"sitemend/crawler/address"
	"sitemend/crawler/audit"
	"sitemend/crawler/pattern"
)

// saySpelling writes a rule in a line: "query ( encoded 1:0 together doubt
// probe=...".
func saySpelling(r *pattern.SpellingRule) string {
	s := map[bool]string{false: "path ", true: "query "}[r.Query]
	if r.Of == pattern.OfByte {
		s += string(rune(r.Byte))
	} else {
		s += string(r.Of)
	}
	s += fmt.Sprintf(" %s %d:%d", r.Wants, r.For, r.Against)
	if r.Charset != "" {
		s += " " + r.Charset
	}
	if r.Together {
		s += " together"
	}
	if r.Doubtful() {
		s += " doubt"
	}
	if r.Probe != "" {
		s += " probe=" + address.Wire(r.Probe).Target()
	}
	return s
}

const euc = "mod_cache%A4%C7Wiki%A4%F2%B9%E2%C2%AE%B2%BD"

func TestSpellings(t *testing.T) {
	cases := []struct {
		name, web string
		list      string
		want      []string
	}{
		{"nothing in two spellings", `
			http://a.example/a(1)?q=%E3 200`,
			"http://a.example/a(1)?q=%E3", nil},
		{"the seed: the second spelling is redirected back", `
			http://a.example/w?` + euc + `%284%29 200
			http://a.example/w?` + euc + `(4) 301 /w?` + euc + `%284%29`,
			"http://a.example/w?" + euc + "%284%29",
			[]string{"query ( encoded 1:0 together probe=/w?" + euc + "%284%29", "query ) encoded 1:0 together probe=/w?" + euc + "%284%29"}},
		{"by way of another address", `
			http://a.example/w?%28 200
			http://a.example/w?( 302 /x
			http://a.example/x 302 /w?%28`,
			"http://a.example/w?%28", []string{"query ( encoded 1:0"}},
		{"a permanent redirect to upper hex", `
			http://a.example/%e3%81 301 /%E3%81
			http://a.example/%E3%81 200`,
			"http://a.example/%e3%81", []string{"path hex upper 1:0"}},
		{"to lower hex, and a listed one that stays upper", `
			http://a.example/%E3%81 301 /%e3%81
			http://a.example/%e3%81 200
			http://a.example/%E4%81 200`,
			"http://a.example/%E3%81 http://a.example/%E4%81", []string{"path hex lower 1:1 doubt probe=/%e3%81"}},
		{"a temporary redirect says nothing", `
			http://a.example/a%28 302 /a(
			http://a.example/a( 200`,
			"http://a.example/a%28", nil},
		{"nor one that leads to another page", `
			http://a.example/a%28 301 /b(
			http://a.example/b( 200`,
			"http://a.example/a%28", nil},
		{"nor one to another host", `
			http://a.example/a%28 301 http://www.a.example/a(
			http://www.a.example/a( 200`,
			"http://a.example/a%28", nil},
		{"a 200 in both", `
			http://a.example/a%28 200
			http://a.example/a( 200`,
			"http://a.example/a%28", []string{"path ( either 1:0"}},
		{"the space of a query", `
			http://a.example/s?q=a%20b 301 /s?q=a+b
			http://a.example/s?q=a+b 200`,
			"http://a.example/s?q=a%20b", []string{"query space plus 1:0"}},
		{"a plus that is one", `
			http://a.example/s?q=c%2B%2B 301 /s?q=c++
			http://a.example/s?q=c++ 200`,
			"http://a.example/s?q=c%2B%2B", []string{"query + raw 1:0"}},
		{"a letter that needs no escape", `
			http://a.example/%7Eme 301 /~me
			http://a.example/~me 200`,
			"http://a.example/%7Eme", []string{"path ~ raw 1:0"}},
		{"a loop of hex cases contradicts itself", `
			http://a.example/%e3 301 /%E3
			http://a.example/%E3 301 /%e3`,
			"http://a.example/%e3", []string{"path hex mixed 1:1 doubt probe=/%E3"}},
		{"listed in two spellings, none leads to the other", `
			http://a.example/a(1) 200
			http://a.example/b%281) 200`,
			"http://a.example/a(1) http://a.example/b%281)", []string{"path ( not-seen 0:0 doubt probe=/a(1)"}},
		{"what is listed twice counts once", `
			http://a.example/a%28 301 /a(
			http://a.example/a( 200`,
			"http://a.example/a%28 http://a.example/a%28", []string{"path ( raw 1:0"}},
		{"most redirects win", `
			http://a.example/a%28 301 /a(
			http://a.example/a( 200
			http://a.example/b%28 301 /b(
			http://a.example/b( 200
			http://a.example/c( 301 /c%28
			http://a.example/c%28 200`,
			"http://a.example/a%28 http://a.example/b%28 http://a.example/c(", []string{"path ( raw 2:1 doubt probe=/a("}},
		{"what only went along is either", `
			http://a.example/a?x=%7E 200
			http://a.example/a?x=~ 200
			http://a.example/b?x=%7E%28 301 /b?x=~(
			http://a.example/b?x=~( 200
			http://a.example/c?x=%28 301 /c?x=(
			http://a.example/c?x=( 200`,
			"http://a.example/a?x=%7E http://a.example/b?x=%7E%28 http://a.example/c?x=%28",
			[]string{"query ( raw 2:0", "query ~ either 1:1 doubt probe=/a?x=%7E"}},
		{"text in another charset", `
			http://a.example/w?` + euc + ` 301 /w?mod_cache%E3%81%A7Wiki%E3%82%92%E9%AB%98%E9%80%9F%E5%8C%96
			http://a.example/w?mod_cache%E3%81%A7Wiki%E3%82%92%E9%AB%98%E9%80%9F%E5%8C%96 200`,
			"http://a.example/w?" + euc, []string{"query charset charset 1:0 utf-8"}},
		{"text in a legacy charset", `
			http://a.example/w?mod_cache%E3%81%A7Wiki%E3%82%92%E9%AB%98%E9%80%9F%E5%8C%96 301 /w?` + euc + `
			http://a.example/w?` + euc + ` 200`,
			"http://a.example/w?mod_cache%E3%81%A7Wiki%E3%82%92%E9%AB%98%E9%80%9F%E5%8C%96", []string{"query charset charset 1:0 euc-jp"}},
		{"path and query by themselves", `
			http://a.example/(?%28 301 /%28?(
			http://a.example/%28?( 200`,
			"http://a.example/(?%28", []string{"path ( encoded 1:0 together probe=/%28?(", "query ( raw 1:0 together probe=/%28?("}},
	}
	for _, c := range cases {
		s := &site{web: parseWeb(t, c.web)}
		s.list(map1, strings.Fields(c.list)...)
		result := s.evaluate(t, rules())
		var got []string
		for i := range result.Spellings {
			got = append(got, saySpelling(&result.Spellings[i]))
		}
		t.Run(c.name, func(t *testing.T) { equal(t, got, c.want) })
	}
}

func TestSpellingsNameARedirect(t *testing.T) {
	s := &site{web: parseWeb(t, `
		http://a.example/long%28 301 /long(
		http://a.example/long( 200
		http://a.example/a%28 301 /a(
		http://a.example/a( 200`)}
	s.list(map1, "http://a.example/long%28", "http://a.example/a%28")
	r := s.evaluate(t, rules()).Spellings[0]
	if r.Origin != "http://a.example" || r.From != "http://a.example/a%28" || r.To != "http://a.example/a(" || r.Redirects != 2 {
		t.Errorf("got %+v, want the shortest example", r)
	}
}

// The order of rows does not matter, not even where there are more servers than
// are told of.
func TestSpellingsInAnyOrder(t *testing.T) {
	var rows []audit.Row
	for i := range 600 {
		origin := fmt.Sprintf("http://h%d.example", i%300)
		web := parseWeb(t, strings.NewReplacer("O", origin, "N", fmt.Sprint(i)).Replace(`
			O/N?%28%e3 301 O/N?(%E3
			O/N?(%E3 200
			O/n/N?( 200
			O/n/N?%28 200`))
		for n, loc := range []string{"/N?%28%e3", "/n/N?(", "/n/N?%28"} {
			loc = origin + strings.ReplaceAll(loc, "N", fmt.Sprint(i))
			rows = append(rows, audit.Judge(web, audit.Entry{N: n, Loc: loc}, rules(), audit.Want{}))
		}
	}
	list := func() []pattern.SpellingRule {
		var s audit.Spellings
		for i := range rows {
			s.Add(&rows[i])
		}
		return s.List()
	}
	want := list()
	if len(want) < 2*256 {
		t.Fatalf("%d rules", len(want))
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range 20 {
		random.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
		if got := list(); !slices.Equal(got, want) {
			t.Fatal("another order of rows gives other rules")
		}
	}
}

// A redirect that decodes or encodes one byte tells of that byte, in path and
// query, and of nothing else.
func TestSpellingsOfEachByte(t *testing.T) {
	for _, at := range []string{"/", "/?v="} {
		for c := range 256 {
			value := string([]byte{byte(c)})
			encoded := "http://a.example" + at + "x" + fmt.Sprintf("%%%02X", c)
			literal := "http://a.example" + at + "x" + value
			from, err := address.Parse(encoded)
			if err != nil {
				t.Fatal(err)
			}
			to, err := address.Parse(literal)
			if err != nil || from == to || !address.OnlyEncoding(address.Compare(from, to)) {
				continue
			}
			for _, way := range [][2]address.Address{{from, to}, {to, from}} {
				mem := web{
					{URL: way[0].String()}: {Request: audit.Request{URL: way[0].String()}, Status: 301, Location: way[1].String()},
					{URL: way[1].String()}: {Request: audit.Request{URL: way[1].String()}, Status: 200},
				}
				row := audit.Judge(mem, audit.Entry{Loc: way[0].String()}, rules(), audit.Want{})
				var s audit.Spellings
				s.Add(&row)
				list := s.List()
				if len(list) != 1 || list[0].For != 1 || list[0].Doubtful() || list[0].Together || list[0].To != way[1].String() {
					t.Fatalf("%s to %s: %+v", way[0], way[1], list)
				}
				if r := list[0]; r.Of == pattern.OfByte && (int(r.Byte) != c || (r.Wants == pattern.SpeltRaw) != (way[1] == to)) {
					t.Errorf("%s to %s: %s", way[0], way[1], saySpelling(&r))
				}
			}
		}
	}
}

func BenchmarkSpellings(b *testing.B) {
	mem := parseWeb(b, "http://a.example/%E3%82%AB/(1)?q=a+b&c=%E3%82%AB 200")
	row := audit.Judge(mem, audit.Entry{Loc: "http://a.example/%E3%82%AB/(1)?q=a+b&c=%E3%82%AB"}, rules(), audit.Want{})
	var s audit.Spellings
	b.ReportAllocs()
	for b.Loop() {
		s.Add(&row)
	}
}
