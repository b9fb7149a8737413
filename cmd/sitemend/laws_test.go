package main

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"go.etcd.io/bbolt"

	"sitemend/cmd/internal/web"
	"sitemend/storage"
)

// The laws of the whole program, over sites that are drawn.

// A drawnSite has pages that answer in all ways, and sitemaps that list them, some twice.
type drawnSite struct {
	origins []string // the first is that of its sitemaps
	web     strings.Builder
	files   map[string][]byte // sitemaps by URL
	named   []string          // those that robots.txt names
}

// The origins of drawn sites: most have hosts and schemes in between, workers and those that are
// cut off know plain ones.
var (
	mixedOrigins = []string{"https://www.shop.example", "http://www.shop.example", "https://shop.example", "http://blog.shop.example"}
	plainOrigins = []string{"http://www.shop.example", "http://shop.example", "http://old.shop.example", "http://blog.shop.example"}
)

func drawSite(seed uint64, origins []string) *drawnSite {
	r := rand.New(rand.NewPCG(seed, 1))
	s := &drawnSite{origins: origins, files: map[string][]byte{}}
	var pages []string
	for i := range 25 + r.IntN(30) {
		path := []string{"/p/%d", "/blog/%d", "/en/%d", "/p/%d.html", "/%%e3%%81%d", "/q?id=%d", "/soft/%d", "/all/%d", "/(%d)"}[r.IntN(9)]
		pages = append(pages, origins[max(0, r.IntN(6)-2)]+fmt.Sprintf(path, i+10))
	}
	for _, page := range pages {
		s.web.WriteString(page + drawAnswer(r, page, pages, origins))
	}
	for _, o := range origins {
		s.web.WriteString(o + "/ 200\n" + o + "/us/ 200\n" + o + "/uploads/* 200\n  Content-Type: image/jpeg\n  | jpeg\n" + o + "/login* 200\n" + o + "/hub 200\n" + o + "/moved* 200\n")
	}
	s.web.WriteString("https://else.example/* 200\nhttp://else.example/* 200\n")
	for _, o := range origins[2:] { // what answers 200 to anything, and what sends all to one page
		s.web.WriteString(o + "/soft/* 200\n  | <title>Policies</title><p>text\n" + o + "/all/* 301 /product\n" + o + "/product 200\n")
	}
	index := "<sitemapindex " + xmlns + ">\n"
	for n := range 1 + r.IntN(4) {
		url := fmt.Sprintf("%s/sitemap-%d.xml", origins[0], n)
		index += strings.Repeat("<sitemap><loc>"+url+"</loc></sitemap>\n", 1+n%2)
		s.files[url] = drawFile(r, pages, origins[0])
	}
	s.files[origins[0]+"/index.xml"] = []byte(index + "</sitemapindex>\n")
	s.named = []string{origins[0] + "/index.xml"}
	if o := origins[1+r.IntN(3)]; r.IntN(4) > 0 {
		s.files[o+"/sitemap.xml"] = drawFile(r, slices.DeleteFunc(slices.Clone(pages), func(p string) bool { return !strings.HasPrefix(p, o+"/") }), origins[0])
		s.named = append(s.named, o+"/sitemap.xml")
	}
	return s
}

// drawAnswer draws what a page answers. The last origin moved as a whole, or nearly.
func drawAnswer(r *rand.Rand, page string, pages, origins []string) string {
	origin := page[:strings.Index(page[8:], "/")+8]
	other := pages[r.IntN(len(pages))]
	if origin == origins[3] && r.IntN(5) > 0 {
		return " 301 " + origins[0] + "/moved" + page[len(origin):] + "\n"
	}
	answers := []string{
		"404", "410", "302 " + other, "301 " + page, "301 " + other, "301 " + other, "301 " + other, "301 " + other, "301 " + other,
		"301 " + strings.Replace(strings.Replace(page, origins[1], origins[0], 1), "%e3", "%E3", 1), "301 " + origins[0][:strings.Index(origins[0], ":")] + "://else.example/x",
		"301 " + origin + []string{"/", "/us/", "/hub", "/hub"}[r.IntN(4)], fmt.Sprintf("301 %s/uploads/%d.jpg", origin, r.IntN(9)), "301 " + origin + "/login?next=" + page,
		"200\n  X-Robots-Tag: noindex", "200\n  | <link rel=canonical href=\"" + other + "\">", "200\n  | <link rel=canonical href=\"" + other + "\">",
		"403", "418", fmt.Sprintf("301 %s/soft/%d", origin, r.IntN(9)), "301 " + origin + "/product",
	}
	if n := r.IntN(len(answers) + 6); n < len(answers) {
		return " " + answers[n] + "\n"
	}
	return " 200\n"
}

func drawFile(r *rand.Rand, pages []string, home string) []byte {
	pages = append(slices.Clone(pages), home+"/hub", "no URL")
	list := make([]string, 1+r.IntN(30))
	for i := range list {
		list[i] = pages[r.IntN(len(pages))]
	}
	if r.IntN(4) == 0 {
		return []byte(strings.Join(list, "\n") + "\n")
	}
	body := "<urlset " + xmlns + " xmlns:xhtml=\"http://www.w3.org/1999/xhtml\" xmlns:image=\"http://www.google.com/schemas/sitemap-image/1.1\">\n"
	for _, loc := range list {
		blocks := ""
		switch r.IntN(8) {
		case 0:
			blocks = fmt.Sprintf("<image:image><image:loc>%s/uploads/%d.jpg</image:loc></image:image>", home, r.IntN(3))
		case 1:
			blocks = "<xhtml:link rel=\"alternate\" hreflang=\"en\" href=\"" + loc + "\"/><xhtml:link rel=\"alternate\" hreflang=\"ja\" href=\"" + pages[r.IntN(len(pages)-1)] + "\"/>"
		}
		body += "<url><loc>" + loc + "</loc>" + blocks + "</url>\n"
	}
	return []byte(body + "</urlset>\n")
}

// serve serves the site until the test ends, and returns the flags of an audit that lead there.
func (s *drawnSite) serve(t *testing.T) (*web.Server, []string) {
	t.Helper()
	files := fstest.MapFS{}
	text := s.web.String() + s.origins[0] + "/robots.txt 200\n  Content-Type: text/plain\n"
	for _, url := range s.named {
		text += "  | Sitemap: " + url + "\n"
	}
	for n, url := range slices.Sorted(maps.Keys(s.files)) {
		text += fmt.Sprintf("%s 200 file=%d\n", url, n)
		files[fmt.Sprint(n)] = &fstest.MapFile{Data: s.files[url]}
	}
	server := serveWeb(t, text, files)
	ca := filepath.Join(t.TempDir(), "ca.pem")
	mustWrite(t, ca, server.CAPEM())
	flags := []string{"--rate", "0", "--ca", ca, "--lang", "en", "--fail-on", "none"}
	for _, o := range append(slices.Clone(s.origins), "http://else.example", "https://else.example") {
		port := map[bool]string{true: ":443:", false: ":80:"}[strings.HasPrefix(o, "https:")]
		flags = append(flags, "--resolve", o[strings.Index(o, "//")+2:]+port+server.Addr())
	}
	return server, flags
}

// serveWeb serves a web until the test ends.
func serveWeb(t testing.TB, text string, files fs.FS) *web.Server {
	t.Helper()
	w, err := web.Parse(text, files)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	s, err := w.Start()
	must(t, err)
	t.Cleanup(s.Close)
	return s
}

// lawSummary is summary.json, as far as the laws need it.
type lawSummary struct {
	Entries           struct{ All, Replaced, Removed int }
	Verdicts, Actions map[string]int
	Files             []struct {
		URL                       string
		AnsweredAt                string `json:"answered_at"`
		BelongsAt                 string `json:"belongs_at"`
		Written                   string
		Edits, Relinked, Unlinked int
		Faults                    []struct {
			Name  string
			Count int
		}
	}
}

func (s *drawnSite) audit(t *testing.T, dir string) (sum lawSummary) {
	t.Helper()
	_, flags := s.serve(t)
	status, _, said := sitemend(t.Context(), append(append([]string{"audit", "--fresh", "--max-drop", "100%", "--format", "jsonl,csv", "--out", dir}, flags...), s.origins[0])...)
	if status != exitOK && !strings.Contains(said, "could not be checked") {
		t.Fatalf("exit status %d: %s\n%s", status, said, s.web.String())
	}
	must(t, json.Unmarshal(read(filepath.Join(dir, "summary.json")), &sum))
	return sum
}

// Corrected sitemaps need no correction: put in place and audited again, none is edited, none has a
// fault that the original did not have, and none lists an address more often. What an audit counts
// is what its rows add up to.
func TestLawCorrectedOnceIsCorrected(t *testing.T) {
	t.Parallel()
	seen := map[string]int{}
	for seed := range uint64(12) {
		s, dir := drawSite(seed, mixedOrigins), t.TempDir()
		first := s.audit(t, filepath.Join(dir, "first"))
		addsUp(t, filepath.Join(dir, "first"), &first, seen)
		listed, faults := s.listed(), map[string]int{}
		var moved []string
		for _, f := range first.Files {
			for _, x := range f.Faults {
				faults[f.AnsweredAt+" "+x.Name] += max(1, x.Count)
				faults[f.BelongsAt+" "+x.Name] = faults[f.AnsweredAt+" "+x.Name]
			}
			if f.Written == "" {
				continue
			}
			if f.BelongsAt != f.AnsweredAt { // the old one is left where it is, for six months
				countListed(listed, f.BelongsAt, s.files[f.AnsweredAt])
				moved = append(moved, f.AnsweredAt)
				s.named = append(s.named, f.BelongsAt)
			}
			s.files[f.BelongsAt] = read(filepath.Join(dir, "first", filepath.FromSlash(f.Written)))
		}
		// In the same folder, or as one that knows nothing of the first.
		second := s.audit(t, filepath.Join(dir, []string{"first", "second"}[seed%2]))
		for _, f := range second.Files {
			if slices.Contains(moved, f.AnsweredAt) { // that one was not corrected
				continue
			}
			if f.Edits+f.Relinked+f.Unlinked > 0 {
				t.Errorf("seed %d: %s is corrected again", seed, f.URL)
			}
			for _, x := range f.Faults {
				if n := max(1, x.Count); n > faults[f.AnsweredAt+" "+x.Name] && !slices.Contains(ofOthers, x.Name) {
					t.Errorf("seed %d: %s has %d x %s", seed, f.URL, n, x.Name)
				}
			}
		}
		for loc, n := range s.listed(moved...) {
			if n > max(1, listed[loc]) {
				t.Errorf("seed %d: on that host %s was listed %d times and is %d times", seed, loc, listed[loc], n)
			}
		}
		if t.Failed() {
			t.Fatalf("%s\n%s\n%s", s.web.String(), read(filepath.Join(dir, "first", "changes.csv")), read(filepath.Join(dir, []string{"first", "second"}[seed%2], "changes.csv")))
		}
	}
	for _, what := range []string{"replace", "merge", "drop", "not-page", "collapsed", "gate", "merge-would-lose", "target-noindex"} {
		if seen[what] == 0 {
			t.Errorf("no audit had %s: %v", what, seen)
		}
	}
}

// ofOthers are faults that other sitemaps, the page's other languages, or a move to https or www
// (contract, Moves) may make.
var ofOthers = []string{"URL not allowed", "Path mismatch: Includes www", "Path mismatch: Missing www", "Duplicate URL", "No return tags", "Alternates without the page itself", "Alternates disagree"}

// listed counts the addresses of the sitemaps of each host, but some sitemaps. What two hosts list
// is in two properties of Search Console.
func (s *drawnSite) listed(but ...string) map[string]int {
	n := map[string]int{}
	for url, b := range s.files {
		if !slices.Contains(but, url) {
			countListed(n, url, b)
		}
	}
	return n
}

func countListed(n map[string]int, url string, b []byte) {
	host, _, _ := strings.Cut(strings.TrimPrefix(url[strings.Index(url, "//")+2:], "www."), "/")
	for line := range strings.Lines(string(b)) {
		_, loc, xml := strings.Cut(line, "<url><loc>")
		loc, _, _ = strings.Cut(loc, "</loc>")
		if !xml && !strings.Contains(line, "<") {
			loc = strings.TrimSpace(line)
		}
		if loc != "" {
			n[host+" "+loc]++
		}
	}
}

// addsUp compares what an audit counts with its rows, and counts their actions and notes in seen.
func addsUp(t *testing.T, dir string, said *lawSummary, seen map[string]int) {
	t.Helper()
	verdicts, actions, edits, n := map[string]int{}, map[string]int{}, map[string][]string{}, 0
	for line := range bytes.Lines(read(filepath.Join(dir, "entries.jsonl"))) {
		var r struct {
			Loc, Sitemap, Verdict string
			Line                  int
			Notes                 []string
			Fix                   struct{ Action string }
		}
		must(t, json.Unmarshal(line, &r))
		n++
		verdicts[r.Verdict]++
		actions[r.Fix.Action]++
		if r.Fix.Action != "keep" {
			edits[r.Sitemap] = append(edits[r.Sitemap], fmt.Sprint(r.Line, " ", r.Fix.Action, " ", r.Loc))
		}
		for _, what := range append(r.Notes, r.Fix.Action) {
			seen[what]++
		}
	}
	for _, m := range []map[string]int{said.Verdicts, said.Actions} {
		maps.DeleteFunc(m, func(_ string, n int) bool { return n == 0 })
	}
	if !reflect.DeepEqual(said.Verdicts, verdicts) || !reflect.DeepEqual(said.Actions, actions) {
		t.Errorf("summary.json has %v and %v, the rows %v and %v", said.Verdicts, said.Actions, verdicts, actions)
	}
	if got, want := said.Entries, [3]int{n, actions["replace"], actions["merge"] + actions["drop"]}; [3]int{got.All, got.Replaced, got.Removed} != want {
		t.Errorf("summary.json has %v, the rows %v", got, want)
	}
	changes := map[string][]string{}
	rows, err := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(read(filepath.Join(dir, "changes.csv")), []byte("\ufeff")))).ReadAll()
	must(t, err)
	for _, row := range rows[1:] {
		if slices.Contains([]string{"replace", "merge", "drop"}, row[2]) {
			changes[row[0]] = append(changes[row[0]], strings.Join(row[1:4], " "))
		}
	}
	for _, f := range said.Files {
		if strings.HasSuffix(f.URL, "/index.xml") {
			continue // its entries are sitemaps
		}
		if f.Edits != len(edits[f.URL]) || !slices.Equal(changes[f.URL], edits[f.URL]) {
			t.Errorf("%s has %d edits, changes.csv %q, the rows %q", f.URL, f.Edits, changes[f.URL], edits[f.URL])
		}
	}
}

// Whoever sends the requests, what is written and said is the same, byte for byte but for times.
func TestLawWorkersWriteTheSame(t *testing.T) {
	t.Parallel()
	s, err := startNATS(t.TempDir())
	must(t, err)
	t.Cleanup(func() { s.Shutdown(); s.WaitForShutdown() })
	ctx, cancel := context.WithCancel(context.Background())
	var ends sync.WaitGroup
	for range 2 {
		ends.Go(func() {
			if status, _, errOut := sitemend(ctx, "worker", "--via", s.ClientURL()); status != exitOK {
				t.Errorf("a worker ends with %d: %s", status, errOut)
			}
		})
	}
	t.Cleanup(func() { cancel(); ends.Wait() })
	for seed := range uint64(3) {
		site := drawSite(seed, plainOrigins)
		_, flags := site.serve(t)
		audit := func(more ...string) map[string]string {
			dir := t.TempDir()
			args := append([]string{"audit", "--out", dir, "--allow-private", "--format", "csv,jsonl,md,junit,sarif"}, flags...)
			status, out, errOut := sitemend(t.Context(), append(append(args, more...), site.origins[0])...)
			if status > exitFound && !strings.Contains(errOut, "could not be checked") {
				t.Fatalf("exit status %d: %s", status, errOut)
			}
			files := outputs(t, dir)
			files["the summary"] = alike(out, dir)
			return files
		}
		sameOutputs(t, audit(), audit("--via", s.ClientURL()))
	}
}

// What differs between two audits that saw the same.
var (
	timed = regexp.MustCompile(`\d{4}-\d\d-\d\d[ T]\d\d:\d\d(:\d\d(\.\d+)?)?Z?|\d{8}T\d{6}Z|\d{4}-\d\d-\d\d|"(?:duration|seconds)": ?[\d.]+|\b\d+ ?s\b| time="[\d.]+"|,"ms":\d+|\b[\d,]+ ms\b`)
	// What a continued audit says besides, and who sends how many requests.
	counted = regexp.MustCompile(`(?m)^Continued on .*\n|(?:at least )?\b[\d,]+ requests| --via=\S+`)
)

func alike(text, dir string) string {
	return counted.ReplaceAllString(strings.ReplaceAll(timed.ReplaceAllString(text, "TIME"), dir, "DIR"), "")
}

// outputs returns what an audit wrote, but its store and summary.json, without times.
func outputs(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	for name, data := range readAll(t, dir) {
		if !strings.HasPrefix(name, "audits.db") && name != "summary.json" {
			files[name] = alike(string(data), dir)
		}
	}
	return files
}

// readAll reads the files of a folder.
func readAll(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	must(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			name, _ := filepath.Rel(dir, path)
			files[name] = read(path)
		}
		return err
	}))
	return files
}

func read(path string) []byte {
	data, _ := os.ReadFile(path)
	return data
}

func sameOutputs(t *testing.T, want, got map[string]string) {
	t.Helper()
	for _, name := range slices.Sorted(maps.Keys(want)) {
		a, b := strings.Split(want[name], "\n"), strings.Split(got[name], "\n")
		for i := range max(len(a), len(b)) {
			if i >= min(len(a), len(b)) || a[i] != b[i] {
				t.Errorf("%s differs in line %d of %d and %d\n- %s\n+ %s", name, i+1, len(a), len(b), a[min(i, len(a)-1)], b[min(i, len(b)-1)])
				break
			}
		}
	}
	if len(want) != len(got) || len(want) < 5 {
		t.Errorf("%d and %d files", len(want), len(got))
	}
}

// Wherever an audit is cut off, the same command continues it: the outputs are those of an audit that
// ran through, and what was answered long before is not asked again.
func TestLawKilledAnywhere(t *testing.T) {
	t.Parallel()
	site := drawSite(5, plainOrigins)
	server, flags := site.serve(t)
	audit := func(dir string) string {
		t.Helper()
		status, _, said := sitemend(t.Context(), append(append([]string{"audit", "--allow-private", "--parallel", "1", "--format", "csv,jsonl", "--out", dir}, flags...), site.origins[0])...)
		if status != exitOK {
			t.Fatalf("exit status %d: %s", status, said)
		}
		return said
	}
	whole, cuts := filepath.Join(t.TempDir(), "whole"), []map[string][]byte{}
	asked := 0
	server.Watch(func(web.Request) {
		if asked++; asked%12 == 0 {
			if asked%24 == 0 { // until what is known is written
				<-time.After(storeDelay)
			}
			cuts = append(cuts, cutOff(t, whole))
		}
	})
	audit(whole)
	server.Watch(nil)
	want := outputs(t, whole)
	if len(cuts) < 6 {
		t.Fatalf("only %d requests: the site is too small for this test", asked)
	}
	for i, files := range cuts {
		dir, first := filepath.Join(t.TempDir(), "out"), len(server.Requests())
		for name, data := range files {
			mustWrite(t, filepath.Join(dir, name), data)
		}
		if said := audit(dir); hasAudit(t, dir) && !strings.Contains(said, "continuing the audit") {
			t.Errorf("cut %d: it began anew: %s", i, said)
		}
		sameOutputs(t, want, outputs(t, dir))
		// The sitemaps that are corrected are looked at once more.
		if n, most := len(server.Requests())-first, asked-24*((i+1)/2)+len(site.files)+2; n > most {
			t.Errorf("cut %d: %d requests, want %d at most", i, n, most)
		}
	}
}

// storeDelay is longer than answers wait to be written, on a busy machine, too.
const storeDelay = 3 * time.Second

// cutOff copies the files of an audit that runs as a crash would leave them: bbolt writes the number
// of its last commit last.
func cutOff(t *testing.T, dir string) map[string][]byte {
	last := func() []byte {
		return slices.Clone(read(filepath.Join(dir, "audits.db"))[:min(8192, len(read(filepath.Join(dir, "audits.db"))))])
	}
	for {
		before, files := last(), readAll(t, dir)
		if bytes.Equal(before, last()) {
			return files
		}
	}
}

func hasAudit(t *testing.T, dir string) bool {
	s, err := storage.Open(filepath.Join(dir, "audits.db"))
	must(t, err)
	defer s.Close()
	infos, err := s.Audits()
	must(t, err)
	return len(infos) > 0
}

// Where anything of a store cannot be read no output that is there is touched, or shown half: it is
// said that the store is damaged, or without its schema none, and what to do.
func TestLawDamageCostsNoOutput(t *testing.T) {
	t.Parallel()
	site, dir := drawSite(4, plainOrigins), filepath.Join(t.TempDir(), "out")
	site.audit(t, dir)
	report := []string{"report", "--out", dir, "--format", "csv,jsonl", "--lang", "en"}
	sitemend(t.Context(), report...)
	whole, met := readAll(t, dir), 0
	try := func(what string, harm func()) {
		for name, data := range whole {
			mustWrite(t, filepath.Join(dir, name), data)
		}
		harm()
		status, _, said := sitemend(t.Context(), report...)
		if status == exitError {
			met++
			if !strings.Contains(said, "\nhint: ") || !slices.ContainsFunc([]string{"damaged", "is gone", "is not a store of audits"}, func(s string) bool { return strings.Contains(said, s) }) {
				t.Errorf("%s: it says %s", what, said)
			}
		}
		now := readAll(t, dir)
		for name, data := range whole {
			if !strings.HasPrefix(name, "audits.db") && !bytes.Equal(now[name], data) {
				t.Errorf("%s: exit status %d, and %s is not what it was", what, status, name)
			}
		}
	}
	for name := range whole {
		if strings.HasPrefix(name, "audits.db.spool") {
			try(name+" flipped", func() { flip(t, filepath.Join(dir, name)) })
			try(name+" gone", func() { must(t, os.Remove(filepath.Join(dir, name))) })
		}
	}
	for n := range 40 {
		try(fmt.Sprint("record ", n), func() { spoil(t, filepath.Join(dir, "audits.db"), n) })
	}
	if met < 20 {
		t.Errorf("damage was met %d times", met)
	}
}

func flip(t *testing.T, path string) {
	data := read(path)
	data[len(data)/2] ^= 0x20
	mustWrite(t, path, data)
}

// spoil makes garbage of a record of a store, half of it, or nothing: the nth of forty over it all.
func spoil(t *testing.T, path string, nth int) {
	t.Helper()
	db, err := bbolt.Open(path, 0o644, nil)
	must(t, err)
	must(t, db.Update(func(tx *bbolt.Tx) error {
		var records []func() error
		var walk func(b *bbolt.Bucket) error
		walk = func(b *bbolt.Bucket) error {
			return b.ForEach(func(k, v []byte) error {
				if v == nil {
					return walk(b.Bucket(k))
				}
				k, v = bytes.Clone(k), bytes.Clone(v)
				records = append(records, func() error {
					switch nth % 3 {
					case 0:
						return b.Put(k, bytes.Repeat([]byte{0xff}, len(v)))
					case 1:
						return b.Put(k, v[:len(v)/2])
					}
					return b.Delete(k)
				})
				return nil
			})
		}
		if err := tx.ForEach(func(_ []byte, b *bbolt.Bucket) error { return walk(b) }); err != nil {
			return err
		}
		return records[nth*len(records)/40]()
	}))
	must(t, db.Close())
}

// sitemend runs the program in this process.
func sitemend(ctx context.Context, args ...string) (status int, out, errOut string) {
	var o, e bytes.Buffer
	status = run(ctx, args, strings.NewReader(""), &o, &e)
	return status, o.String(), e.String()
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// mustWrite writes a file, with the folders above it.
func mustWrite(t testing.TB, name string, b []byte) {
	t.Helper()
	must(t, os.MkdirAll(filepath.Dir(name), 0o777))
	must(t, os.WriteFile(name, b, 0o666))
}
