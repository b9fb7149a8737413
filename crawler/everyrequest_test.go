package crawler

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"sitemend/crawler/answers"
	"sitemend/crawler/discover"
	"sitemend/crawler/sitemap"
)

// moody is a server whose pages give different answers to different requests. It counts its
// requests itself.
type moody struct {
	pages map[string][]string // by path: the answer to each request; the last one from then on

	mu    sync.Mutex
	asked map[string]int
	all   int
	seen  func(n int) // called with the n-th request
}

// moods are the answers of a moody server: a status with its header, "silence", or "noise", which
// is not HTTP.
var moods = []string{"200 OK", "200 OK", "200 OK", "404 Not Found", "403 Forbidden", "500 Oh", "503 Busy", "503 Busy", "429 Slow",
	"503 Busy\r\nRetry-After: 3", "429 Slow\r\nRetry-After: 0", "503 Away\r\nRetry-After: 7200", "301 Moved\r\nLocation: /p0", "silence", "noise"}

// bodies are moods of files: what comes with status 200.
var bodies = map[string]string{
	"names":   "Sitemap: http://a.example/c1.xml\nSitemap: http://a.example/c2.xml\n",
	"sitemap": "<urlset><url><loc>http://a.example/p0</loc></url><url><loc>http://a.example/p1</loc></url></urlset>",
	"index": "<sitemapindex><sitemap><loc>http://a.example/c1.xml</loc></sitemap>" +
		"<sitemap><loc>http://a.example/c2.xml</loc></sitemap><sitemap><loc>http://a.example/c1.xml</loc></sitemap></sitemapindex>",
}

// answer returns the bytes to send.
func (m *moody) answer(path string) string {
	m.mu.Lock()
	m.all++
	n, all, replies := m.asked[path], m.all, m.pages[path]
	m.asked[path]++
	m.mu.Unlock()
	if m.seen != nil {
		m.seen(all)
	}
	if len(replies) == 0 {
		return respond(404)
	}
	switch reply := replies[min(n, len(replies)-1)]; reply {
	case "silence":
		return ""
	case "noise":
		return "noise\r\n\r\n"
	default:
		body := bodies[reply]
		if body != "" {
			reply = "200 OK"
		}
		return fmt.Sprintf("HTTP/1.1 %s\r\nContent-Length: %d\r\n\r\n%s", reply, len(body), body)
	}
}

// last returns the mood in which a page answered last.
func (m *moody) last(path string) string {
	replies := m.pages[path]
	return replies[min(m.asked[path], len(replies))-1]
}

// drawMoody draws a server with n pages, and a robots.txt.
func drawMoody(t *rapid.T, n int) *moody {
	m := &moody{pages: map[string][]string{}, asked: map[string]int{}}
	of := rapid.SliceOfN(rapid.SampledFrom(moods), 1, 3)
	if rapid.Bool().Draw(t, "all alike") {
		alike := of.Draw(t, "replies")
		of = rapid.Just(alike)
	}
	for i := range n {
		m.pages[fmt.Sprint("/p", i)] = of.Draw(t, fmt.Sprint("p", i))
	}
	m.pages["/robots.txt"] = rapid.SampledFrom([][]string{{"404 No"}, {"503 Busy", "404 No"}, {"503 Busy"}}).Draw(t, "robots.txt")
	return m
}

// crawl runs an audit of m's pages over store until it ends, or the n-th request is on its way;
// answers then have grace to arrive.
func (m *moody) crawl(t *testing.T, store *memoryStore, stopAt int, grace time.Duration) (*Crawler, error) {
	c := m.crawler(t, store, grace)
	defer c.Close()
	return c, c.Run(m.until(t, stopAt))
}

// crawler returns a Crawler of m over store; answers have so long to arrive once it is stopped.
func (m *moody) crawler(t *testing.T, store Store, grace time.Duration) *Crawler {
	return inMemory(t, store, m.answer, func(o *Options) { o.Parallel, o.Grace = 3, grace })
}

// until returns a context that ends when the n-th request is on its way.
func (m *moody) until(t *testing.T, n int) context.Context {
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	m.seen = func(all int) {
		if all == n {
			cancel()
		}
	}
	return ctx
}

// Whatever a server answers, and wherever an audit is stopped or continued, or abandons the host:
// the server and the audit count the same requests, each page that was requested is stored with its
// last answer, and none is requested more often than its attempts.
func TestEveryRequestCounts(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		m := drawMoody(rt, rapid.IntRange(1, 40).Draw(rt, "pages"))
		stopAt := rapid.IntRange(0, 60).Draw(rt, "stop at")
		grace := rapid.SampledFrom([]time.Duration{time.Minute, time.Millisecond}).Draw(rt, "grace")
		var wrong []string
		synctest.Test(t, func(t *testing.T) { wrong = m.stopAndGoOn(t, stopAt, grace) })
		if len(wrong) > 0 {
			rt.Fatal(strings.Join(wrong, "\n"))
		}
	})
}

// stopAndGoOn crawls twice, and returns what is wrong.
func (m *moody) stopAndGoOn(t *testing.T, stopAt int, grace time.Duration) (wrong []string) {
	store := newMemoryStore(numbered("http://a.example/p", len(m.pages)-1)...)
	c, err := m.crawl(t, store, stopAt, grace)
	if err != nil && !errors.Is(err, context.Canceled) {
		return []string{err.Error()}
	}
	whole := grace == time.Minute // every answer arrived
	wrong = m.compare("stopped", store, c, whole)
	if c, err = m.crawl(t, store, 0, grace); err != nil {
		return append(wrong, err.Error())
	}
	wrong = append(wrong, m.compare("continued", store, c, whole)...)
	for r, h := range store.hops {
		if h.Pending {
			wrong = append(wrong, r.URL+" is still to be tried again")
		}
	}
	return wrong
}

// compare returns where the counts of a server and an audit differ. Afterwards the process uses all its cores again.
func (m *moody) compare(when string, store *memoryStore, c *Crawler, whole bool) (wrong []string) {
	say := func(format string, args ...any) { wrong = append(wrong, when+": "+fmt.Sprintf(format, args...)) }
	if got := noted(c).Requests; got != m.all {
		say("%d requests are counted, the server has %d", got, m.all)
	}
	if n := runtime.GOMAXPROCS(0); n != cores {
		say("the process uses %d of its %d cores", n, cores)
	}
	for path, n := range m.asked {
		hop, known := store.hops[answers.Request{URL: "http://a.example" + path}]
		second, looked := store.hops[answers.Request{URL: "http://a.example" + path, Purpose: answers.AsBrowser}]
		switch {
		case path == "/robots.txt" || !whole:
		case !known:
			say("%s was requested %d times, and is not remembered", path, n)
		default:
			most := 3
			if looked {
				most = 6
			}
			if second.Tries > 0 {
				hop = second
			}
			if status := fmt.Sprint(hop.Status); hop.Fault == "" && !strings.HasPrefix(m.last(path), status) || hop.Fault == answers.FaultAbandoned {
				say("%s answered %q last, and is remembered as %s %s", path, m.last(path), status, hop.Fault)
			}
			if n > most {
				say("%s was requested %d times", path, n)
			}
		}
	}
	return wrong
}

// drawFiles draws a server with files in the usual places of sitemaps, most of which are none.
func drawFiles(t *rapid.T) *moody {
	m := &moody{pages: map[string][]string{}, asked: map[string]int{}}
	files := append([]string{"sitemap", "index", "sitemap", "index", "301 Moved\r\nLocation: /c2.xml"}, moods...)
	draw := func(path string, from ...string) {
		m.pages[path] = rapid.SliceOfN(rapid.SampledFrom(from), 1, 3).Draw(t, path)
	}
	draw("/robots.txt", "404 No", "503 Busy", "503 Away\r\nRetry-After: 7200", "200 OK", "names", "silence")
	for _, path := range sitemap.Candidates {
		if rapid.IntRange(0, 3).Draw(t, path+" is there") == 0 {
			draw(path, files...)
		}
	}
	draw("/c1.xml", files...)
	draw("/c2.xml", files...)
	draw("/p0", moods...)
	return m
}

// audit looks for the sitemaps of m and crawls what they list, until it ends or the n-th request is
// on its way. It returns how many requests are counted.
func (m *moody) audit(t *testing.T, store *sitemapMemory, stopAt int, grace time.Duration) (int, error) {
	c := m.crawler(t, store, grace)
	defer c.Close()
	ctx := m.until(t, stopAt)
	target, err := discover.SiteTarget("http://a.example")
	must(t, err)
	err = c.Discover(ctx, store, toDiscover(target))
	if err == nil {
		err = c.Run(ctx)
	}
	return noted(c).Requests, err
}

// Wherever sitemaps are looked for, and whether any is found: what the server counts is what the
// audit counts, stopped anywhere and continued, and it finds the same then.
func TestEveryRequestForSitemapsCounts(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		m := drawFiles(rt)
		stopAt := rapid.IntRange(0, 20).Draw(rt, "stop at")
		grace := rapid.SampledFrom([]time.Duration{time.Minute, time.Millisecond}).Draw(rt, "grace")
		var wrong []string
		synctest.Test(t, func(t *testing.T) {
			store := newSitemapMemory()
			for _, at := range []int{stopAt, 0} {
				got, err := m.audit(t, store, at, grace)
				if none := (*discover.Error)(nil); err != nil && at == 0 && !errors.As(err, &none) {
					t.Fatal(err)
				}
				if got != m.all {
					wrong = append(wrong, fmt.Sprintf("stopped at %d: %d requests are counted, the server has %d: %v (%v)", at, got, m.all, m.asked, err))
				}
			}
		})
		if len(wrong) > 0 {
			rt.Fatal(strings.Join(wrong, "\n"))
		}
	})
}
