package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/klauspost/compress/gzip"
	"go.uber.org/goleak"

	"sitemend/cmd/internal/web"
	"sitemend/storage"
)

// killWeb has a verdict of nearly every kind on three hosts: redirects that
// share hops and targets, second spellings, what is looked at twice, and enough
// to write and to prove. Its index is found by guessing; that of another site is
// named by a robots.txt, so that what an index in it lists may list the whole host.
const killWeb = `
http://shop.example/sitemap_index.xml 200 file=index.xml
http://shop.example/a.xml 301 /b.xml
http://shop.example/b.xml 200 file=b.xml gzip
http://shop.example/c.txt 200 file=c.txt
http://shop.example/ 200
http://shop.example/ok/* 200
http://shop.example/old/* 301 /new
http://shop.example/new 200
http://shop.example/chain 301 /chain2
http://shop.example/chain2 308 http://www.shop.example/end
http://www.shop.example/end 200
http://www.shop.example/p/* 200
http://www.shop.example/%E3%81%82 200
http://www.shop.example/%e3%81%82 301 /%E3%81%82
http://shop.example/wiki(4) 301 /wiki%284%29
http://shop.example/wiki%284%29 200
http://shop.example/temp 302 /new
http://shop.example/loop 301 /loop2
http://shop.example/loop2 301 /loop
http://shop.example/home 301 /
http://shop.example/gone 410
http://shop.example/shy 404 if User-Agent~Googlebot
http://shop.example/shy 200
http://shop.example/refused 403
http://shop.example/noindex 200
  X-Robots-Tag: noindex
http://shop.example/copy 200
  Link: </ok/1>; rel="canonical"
http://shop.example/away 301 http://blog.example/hello
http://blog.example/robots.txt 200
  | User-agent: *
  | Disallow: /private
  | Sitemap: http://blog.example/maps/index.xml
http://blog.example/maps/index.xml 200 file=blog.xml
http://blog.example/maps/inner.xml 200 file=inner.xml
http://blog.example/maps/list.xml 200 file=list.xml
http://blog.example/hello 200
http://shop.example/shut 301 http://blog.example/private/1
`

var killFiles = fstest.MapFS{
	"index.xml": {Data: []byte(`<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
<sitemap><loc>http://shop.example/a.xml</loc></sitemap>
<sitemap><loc>http://shop.example/c.txt</loc></sitemap>
</sitemapindex>`)},
	"b.xml": {Data: killXML("/ok/1", "/ok/2(3)", "/old/1", "/chain", "/wiki%284%29", "/temp", "/loop", "/home", "/gone", "/missing",
		"/shy", "/refused", "/noindex", "/copy", "/away", "/shut", "/old/1",
		"/ok/4", "/ok/5", "/ok/6(6)", "/ok/7", "/old/2?a=(b)", "/ok/8", "/missing/2", "/ok/9'9", "/ok/10", "/ok/11,5", "/ok/12")},
	"blog.xml": {Data: []byte(`<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
<sitemap><loc>http://blog.example/maps/inner.xml</loc></sitemap>
</sitemapindex>`)},
	"inner.xml": {Data: []byte(`<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
<sitemap><loc>http://blog.example/maps/list.xml</loc></sitemap>
</sitemapindex>`)},
	"list.xml": {Data: []byte("<urlset " + xmlns + ">\n<url><loc>http://blog.example/hello</loc></url>\n</urlset>\n")},
	"c.txt": {Data: []byte("http://www.shop.example/%e3%81%82\nhttp://www.shop.example/p/1\nhttp://shop.example/chain2\n" +
		"http://www.shop.example/p/2(2)\nhttp://shop.example/ok/3\nhttp://www.shop.example/p/gone%41\nnonsense\n")},
}

func killXML(paths ...string) []byte {
	var b bytes.Buffer
	b.WriteString("<urlset " + xmlns + ">\n")
	for _, p := range paths {
		fmt.Fprintf(&b, "<url><loc>http://shop.example%s</loc></url>\n", p)
	}
	b.WriteString("</urlset>\n")
	return b.Bytes()
}

// killArgs is the command that is cut off and started again.
func killArgs(addr, out string) []string {
	args := []string{"audit", "--rate", "0", "--parallel", "1", "--max-drop", "100%", "--format", "html,csv,jsonl", "--lang", "en", "--out", out}
	for _, host := range []string{"shop.example", "www.shop.example", "blog.example"} {
		args = append(args, "--resolve", host+":80:"+addr)
	}
	return append(args, "http://shop.example/", "http://blog.example/")
}

// A cut is what lies on the disk at one moment of an audit.
type cut struct {
	at       int // requests that had come
	boundary int // requests that had come at the last commit that was waited for
	store    []byte
	spool    map[string][]byte
	what     string
}

// killEvery is how many cuts there are for each from which the audit is continued: prime to the
// kinds of cuts that take turns.
const killEvery = 5

// Wherever an audit is cut off, the same command continues it: the outputs are
// those of an audit that ran through, but for times, and no request is repeated
// whose answer was written.
func TestKilledAnywhere(t *testing.T) {
	before := goleak.IgnoreCurrent()
	t.Cleanup(func() { goleak.VerifyNone(t, before) })
	w, err := web.Parse(killWeb, killFiles)
	must(t, err)
	s, err := w.Start()
	must(t, err)
	defer s.Close()
	whole := filepath.Join(t.TempDir(), "whole")
	cuts, calm := recordCuts(t, s, whole)
	asked := s.Requests()
	want := outputs(t, whole, calm)
	cuts = append(cuts, tornCuts(cuts)...)
	for i, c := range cuts {
		if i%killEvery != 0 && i < len(cuts)-1 { // the last one is of its own kind
			continue
		}
		t.Run(fmt.Sprintf("%03d %s", c.at, c.what), func(t *testing.T) {
			continueCut(t, s, c, asked, want)
		})
	}
}

// A recorder copies the files of an audit that runs.
type recorder struct {
	mu             sync.Mutex
	path           string // of the store
	cuts           []cut
	n, boundary    int
	tx, boundaryTx uint64
}

// recordCuts runs the audit through, and copies its files each time a request
// comes, while nobody answers it, and after each commit. At every thirtieth request
// it waits until what is known is written.
func recordCuts(t *testing.T, s *web.Server, out string) (cuts []cut, said string) {
	r := &recorder{path: filepath.Join(out, "audits.db")}
	s.Watch(func(web.Request) { r.request() })
	done := make(chan struct{})
	var watching sync.WaitGroup
	watching.Go(func() {
		for tick := time.NewTicker(time.Millisecond); ; {
			select {
			case <-tick.C:
				r.commit()
			case <-done:
				tick.Stop()
				return
			}
		}
	})
	said = runCommand(t, killArgs(s.Addr(), out), 1)
	close(done)
	watching.Wait()
	s.Watch(nil)
	if r.n < 50 {
		t.Fatalf("only %d requests: the web is too small for this test", r.n)
	}
	return r.cuts, said
}

func (r *recorder) request() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.n%30 == 29 {
		before := txOf(read(r.path))
		for end := time.Now().Add(3 * time.Second); txOf(read(r.path)) == before && time.Now().Before(end); {
			<-time.After(5 * time.Millisecond)
		}
	}
	if tx := txOf(read(r.path)); r.n%30 == 29 && tx != r.boundaryTx {
		r.boundary, r.boundaryTx = r.n, tx
	}
	if r.n%2 == 0 || r.n%30 == 29 {
		r.copy("at a request")
	}
	r.n++
}

func (r *recorder) commit() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if tx := txOf(read(r.path)); tx != r.tx {
		r.copy("after a commit")
	}
}

// copy copies the store as a crash would leave it: pages of a commit under way
// may be there, those of the last one are whole. That is so where no commit
// ended meanwhile (bbolt writes its header last).
func (r *recorder) copy(what string) {
	c := cut{at: r.n, boundary: r.boundary, what: what}
	for ok := false; !ok; {
		r.tx = txOf(read(r.path))
		c.store, c.spool = read(r.path), copySpool(r.path+".spool")
		ok = txOf(read(r.path)) == r.tx
	}
	r.cuts = append(r.cuts, c)
}

// runCommand runs the command in this process and returns its two outputs.
func runCommand(t *testing.T, args []string, status int) string {
	t.Helper()
	var out, errOut bytes.Buffer
	if got := run(context.Background(), args, strings.NewReader(""), &out, &errOut); got != status {
		t.Fatalf("exit status %d, want %d: %s%s", got, status, out.String(), errOut.String())
	}
	return errOut.String() + "--\n" + out.String()
}

func read(path string) []byte {
	data, _ := os.ReadFile(path)
	return data
}

func copySpool(root string) map[string][]byte {
	files := map[string][]byte{}
	_ = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			rel, _ := filepath.Rel(root, path)
			files[rel] = read(path)
		}
		return nil
	})
	return files
}

// Where bbolt's header pages have the number of their transaction.
const (
	pageSize = 4096
	txOffset = 16 + 48 // page header, then meta.txid
)

// txOf is the number of the last commit of a store, 0 where it has none yet.
func txOf(store []byte) uint64 {
	if len(store) < 2*pageSize {
		return 0
	}
	return max(binary.LittleEndian.Uint64(store[txOffset:]), binary.LittleEndian.Uint64(store[pageSize+txOffset:]))
}

// tornCuts makes what a crash, or a power loss, may leave of a commit: some of
// its sectors with the old header, or all of them with half of the new header.
func tornCuts(cuts []cut) (torn []cut) {
	r := rand.New(rand.NewPCG(7, 7))
	for i := 1; i < len(cuts)-1; i++ {
		a, b := cuts[i-1], cuts[i]
		if txOf(b.store) != txOf(a.store)+1 || txOf(a.store) < 4 || !bytes.Equal(b.store, cuts[i+1].store) {
			continue // there is more in it than one commit
		}
		some, half := a, a
		some.store, some.what = mix(a.store, b.store, func() bool { return r.IntN(2) == 0 }), "some sectors of a commit"
		half.store, half.what = mix(a.store, b.store, func() bool { return true }), "half a header"
		at := int(txOf(b.store)%2) * pageSize // headers take turns
		copy(half.store[at:at+txOffset+8], b.store[at:])
		torn = append(torn, some, half)
	}
	return torn
}

// mix is old with those sectors of new that take chooses, headers aside.
func mix(old, new []byte, take func() bool) []byte {
	const sector = 512
	out := make([]byte, max(len(old), len(new)))
	copy(out, old)
	for at := 2 * pageSize; at < len(new); at += sector {
		end := min(at+sector, len(new))
		if take() && (at >= len(old) || !bytes.Equal(new[at:end], old[at:min(end, len(old))])) {
			copy(out[at:], new[at:end])
		}
	}
	return out
}

func continueCut(t *testing.T, s *web.Server, c cut, asked []web.Request, want map[string]string) {
	out := filepath.Join(t.TempDir(), "out")
	path := filepath.Join(out, "audits.db")
	for name, data := range c.spool {
		at := filepath.Join(path+".spool", name)
		must(t, os.MkdirAll(filepath.Dir(at), 0o755))
		must(t, os.WriteFile(at, data, 0o644))
		must(t, os.WriteFile(filepath.Join(filepath.Dir(at), ".00002.part"), data[:len(data)/2], 0o644))
	}
	must(t, os.MkdirAll(out, 0o755))
	must(t, os.WriteFile(path, c.store, 0o644))
	begun, ended := hasAudit(t, path)
	if ended {
		return // it is whole
	}
	first := len(s.Requests())
	said := runCommand(t, killArgs(s.Addr(), out), 1)
	if begun && !strings.Contains(said, "continuing the audit") {
		t.Errorf("it began anew: %s", said)
	}
	repeated(t, c, begun, asked, s.Requests()[first:])
	got := outputs(t, out, said)
	for name, text := range want {
		text, is := counted.ReplaceAllString(text, ""), counted.ReplaceAllString(got[name], "")
		if is != text {
			t.Errorf("%s differs:\n%s", name, firstDifference(text, is))
		}
		delete(got, name)
	}
	for name := range got {
		t.Errorf("%s was not written by the audit that ran through", name)
	}
}

// hasAudit reports whether the audit was begun by the time of the cut, and whether
// it was finished.
func hasAudit(t *testing.T, path string) (begun, ended bool) {
	s, err := storage.Open(path)
	must(t, err)
	defer s.Close()
	infos, err := s.Audits()
	must(t, err)
	return len(infos) > 0, len(infos) > 0 && !infos[0].Ended.IsZero()
}

// lookedAtAgain are the sitemaps that are to be corrected, which a continued audit requests once more
// at its end, and the address that one of them redirects to.
var lookedAtAgain = map[string]int{"/sitemap_index.xml": 1, "/a.xml": 1, "/b.xml": 1, "/c.txt": 1}

// repeated checks what was asked again: nothing whose answer had come before the
// last commit. An answer is known to be kept when its host was asked for more.
func repeated(t *testing.T, c cut, begun bool, asked, again []web.Request) {
	t.Helper()
	sent, most := map[string]int{}, map[string]int{} // an address is asked twice where it is proved
	for _, r := range asked {
		most[key(r)]++
	}
	more, extra := map[string]bool{}, 0
	for _, r := range slices.Backward(asked[:c.boundary]) {
		if more[r.Host] {
			sent[key(r)]++
		}
		more[r.Host] = true
	}
	for _, r := range again {
		if lookedAtAgain[r.Target] > 0 && sent[key(r)] == most[key(r)] {
			extra++
			continue
		}
		if sent[key(r)]++; sent[key(r)] > most[key(r)] && (begun || !strings.Contains(r.Target, "/sitemend-")) { // a name of its own
			t.Errorf("asked again: %s", key(r))
		}
	}
	for _, n := range lookedAtAgain {
		extra -= n
	}
	if extra > 0 {
		t.Errorf("%d requests more than once for sitemaps that are looked at again", extra)
	}
	if len(again) > len(asked)+len(lookedAtAgain) {
		t.Errorf("%d requests, an audit that runs through takes %d", len(again), len(asked))
	}
}

// key is what makes a request another question.
func key(r web.Request) string {
	if strings.Contains(r.Header.Get("User-Agent"), "Googlebot") {
		return r.URL()
	}
	return r.URL() + " as a browser"
}

// What differs between two audits that saw the same. A time of 0 ms is left out.
var (
	millis = regexp.MustCompile(`,"ms?":\d+|(?:&lt;)?\b[\d,]+ ms\b`)
	// killed is what says that a run was: what it sent in its last moment is not known.
	killed = regexp.MustCompile(`at least ([\d,]+ requests)|(リクエスト[\d,]+回)以上|"requests_at_least": (?:true|false)`)
	// What a continued audit says besides, and the requests that it looks at sitemaps with.
	counted = regexp.MustCompile(`(?m)^Continued on .*\n|\b\d+ requests|リクエスト\d+回|  "requests": \d+,\n`)

	again = regexp.MustCompile(`--out[= ]('[^']*'|&#39;.*?&#39;|[^\s"'<&]+)`)
	timed = regexp.MustCompile(`\d{4}-\d\d-\d\d[ T]\d\d:\d\d(:\d\d(\.\d+)?)?Z?|\d{8}T\d{6}Z|\d{4}-\d\d-\d\d|"(?:duration|seconds)": ?[\d.]+|\b\d+ ?(s\b|秒)`)
)

// storeInCommand is the store in a command, quoted where its folder needs that.
var storeInCommand = regexp.MustCompile(`(?:&#39;|')?DIR/audits\.db(?:&#39;|')?`)

// outputs returns what an audit wrote and its summary, without times.
func outputs(t *testing.T, dir, said string) map[string]string {
	t.Helper()
	files := map[string]string{}
	must(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.Contains(path, "audits.db") {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		text := millis.ReplaceAllString(unpackRows(t, string(read(path))), "")
		text = strings.ReplaceAll(strings.ReplaceAll(text, "<wbr>", ""), dir, "DIR")
		text = storeInCommand.ReplaceAllString(text, "STORE")
		text = killed.ReplaceAllString(text, "$1$2")
		files[rel] = again.ReplaceAllString(timed.ReplaceAllString(text, "TIME"), "--out DIR")
		return err
	}))
	_, summary, _ := strings.Cut(said, "--\n")
	plain := strings.NewReplacer("'"+dir+"'", "DIR", dir, "DIR") // a shell wants some names in quotes
	files["the summary"] = plain.Replace(timed.ReplaceAllString(killed.ReplaceAllString(summary, "$1$2"), "TIME"))
	return files
}

// unpackRows replaces the packed rows of a report by themselves, without the
// column of milliseconds (report/html, columns.go: the last before the texts).
func unpackRows(t *testing.T, page string) string {
	const start = `data-rows="`
	before, rest, ok := strings.Cut(page, start)
	if !ok {
		return page
	}
	head, rest, _ := strings.Cut(rest, ">")
	text, after, _ := strings.Cut(rest, "<")
	packed, err := base64.StdEncoding.DecodeString(strings.TrimSpace(text))
	must(t, err)
	z, err := gzip.NewReader(bytes.NewReader(packed))
	must(t, err)
	rows, err := io.ReadAll(z)
	must(t, err)
	if n, err := strconv.Atoi(strings.Trim(head, `"`)); err == nil && strings.HasSuffix(before, `"rows" `) {
		clear(rows[len(rows)-4*n:])
	}
	return before + start + head + ">" + string(rows) + "<" + unpackRows(t, after)
}

func firstDifference(want, got string) string {
	a, b := strings.Split(want, "\n"), strings.Split(got, "\n")
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			same := 0 // of long lines, what is before the difference
			for same < min(len(a[i]), len(b[i])) && a[i][same] == b[i][same] {
				same++
			}
			same = max(0, same-60)
			return fmt.Sprintf("line %d, from byte %d\n- %.400s\n+ %.400s", i+1, same, a[i][same:], b[i][same:])
		}
	}
	return fmt.Sprintf("%d and %d lines", len(a), len(b))
}
