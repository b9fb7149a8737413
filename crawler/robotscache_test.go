package crawler

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"sitemend/crawler/audit"
)

// However many hosts a site leads to, their robots.txt files do not fill the
// memory; one that was let go is read again from the store, without a request.
func TestRobotsFilesAreLetGo(t *testing.T) {
	store := newMemoryStore()
	const hosts = 100
	body := "User-agent: *\nDisallow: /no\n#" + strings.Repeat("x", 499_000)
	for i := range hosts {
		store.records[fmt.Sprintf("robots/http://h%d.example", i)] = robotsState{Status: 200, Body: []byte(body)}.encode()
	}
	c := New(store, Options{Rules: audit.Rules{Robots: "obey"}})
	defer c.Close()
	for range 2 {
		for i := range hosts {
			f := c.robots.of(context.Background(), fmt.Sprintf("http://h%d.example", i))
			if f.err != nil || f.file == nil {
				t.Fatalf("host %d: %v", i, f.err)
			}
			if allowed, _, _ := f.file.Check("Googlebot", fmt.Sprintf("http://h%d.example/no", i)); allowed {
				t.Fatalf("host %d: its rules are gone", i)
			}
		}
	}
	if kept := len(c.robots.origins); c.robots.size > maxRobots || kept > maxRobots/len(body) || kept == 0 {
		t.Errorf("%d files of %d bytes are at hand", kept, c.robots.size)
	}
	if sent := c.Progress.Requests.Load(); sent != 0 {
		t.Errorf("%d requests were sent for what is remembered", sent)
	}
}
