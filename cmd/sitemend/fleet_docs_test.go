package main

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// fleetVaries is what differs from one fleet to the next in what is said of it.
var fleetVaries = []struct{ is, as string }{
	{`nats://[\d.:]+`, "URL"}, {`\d{8}T\d{6}Z-[0-9a-f]{8}`, "AUDIT"}, {`(?m)^  [a-z2-7]{16}  since [\d-]+ [\d:]+`, "  WORKER"},
	{`(?m)(sites? or hosts? +)\S+$`, "${1}MACHINE"}, {`\d+ results?`, "RESULTS"}, {`stopped; (at least )?\d+`, "stopped; N"},
}

// alike returns what is the same of every fleet: either worker may have the site.
func alike(said string) string {
	for _, v := range fleetVaries {
		said = regexp.MustCompile(v.is).ReplaceAllString(said, v.as)
	}
	return strings.Join(slices.Sorted(strings.Lines(said)), "")
}

// saysAll reports whether all lines of a text, or such alike, were said.
func saysAll(said, text string) bool {
	lines := slices.Collect(strings.Lines(alike(said)))
	for line := range strings.Lines(alike(text)) {
		if !slices.Contains(lines, line) {
			return false
		}
	}
	return true
}

// fleetSessions are the sessions of docs/fleet.md: commands, and what they print.
func fleetSessions(t *testing.T) (listing string, commands []string, canceled string) {
	t.Helper()
	text, err := os.ReadFile("../../docs/fleet.md")
	must(t, err)
	blocks := regexp.MustCompile("(?s)```console\n(.*?)```").FindAllStringSubmatch(string(text), -1)
	if len(blocks) != 2 {
		t.Fatalf("docs/fleet.md has %d sessions", len(blocks))
	}
	for line := range strings.Lines(blocks[0][1]) {
		if command, is := strings.CutPrefix(line, "$ sitemend "); is {
			commands = append(commands, strings.TrimSpace(command))
		} else {
			listing += line
		}
	}
	return listing, commands, blocks[1][1]
}

// The sessions of docs/fleet.md are what the program says.
func TestSessionsOfTheFleetPage(t *testing.T) {
	t.Setenv("LC_ALL", "C")
	listing, commands, canceled := fleetSessions(t)
	var sitemap strings.Builder
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/sitemap.txt" {
			fmt.Fprint(w, sitemap.String())
		}
	}))
	defer s.Close()
	for i := range 300 {
		fmt.Fprintf(&sitemap, "%s/p%d\n", s.URL, i)
	}
	url := natsServer(t)
	workers(t, url, 2)
	type end struct {
		status int
		errOut string
	}
	ended := make(chan end, 1)
	go func() {
		status, _, errOut := sitemend(context.Background(), "audit", "--out", t.TempDir(), "--via", url, s.URL+"/sitemap.txt")
		ended <- end{status, errOut}
	}()
	said := ""
	for patient := time.Now().Add(time.Minute); alike(said) != alike(listing); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(patient) {
			t.Fatalf("the listing is\n%s, not\n%s", said, listing)
		}
		_, said, _ = sitemend(t.Context(), "fleet", "--via", url)
	}
	id := regexp.MustCompile(fleetVaries[1].is).FindString(said)
	if len(commands) != 4 {
		t.Fatalf("there are %d commands", len(commands))
	}
	for _, command := range commands[1:] {
		args := strings.Fields(command)
		args[2], args[4] = id, url
		if status, out, errOut := sitemend(t.Context(), args...); status != exitOK || out+errOut != "" {
			t.Errorf("sitemend %s: %d, %s%s", command, status, out, errOut)
		}
	}
	of := <-ended
	if of.status != 3 || !saysAll(of.errOut, canceled) {
		t.Errorf("the audit ends with %d and\n%s, not\n%s", of.status, of.errOut, canceled)
	}
}
