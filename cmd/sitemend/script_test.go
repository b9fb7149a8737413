package main

import (
	"archive/zip"
	"bufio"
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"sitemend/cmd/internal/web"
)

func TestMain(m *testing.M) {
	// Scripts wait (for tries, limits of time, processes), and seldom work.
	if err := flag.Set("test.parallel", "8"); err != nil {
		panic(err)
	}
	testscript.Main(m, programs)
}

// programs are what scripts can execute.
var programs = map[string]func(){"sitemend": main, "xdg-open": agree}

// TestScripts runs testdata/*.txtar: each proves one promise of the program
// through the wire, against a little web that it brings along. Commands besides
// testscript's own:
//
//	web FILE         serve the web that FILE describes (package web); all requests
//	                 of sitemend go there as to a proxy, and ca.pem is its CA; $WEB is
//	                 its URL, $ADDR its address and $TLSADDR that where it speaks TLS
//	asked N URL      the web was asked N times for exactly URL
//	await URL [N]    wait until the web was asked for URL, N times
//	lines N URL FILE write a list of N addresses, URL with 0, 1, ... at its end
//	pack ZIP FILE... pack files into a ZIP, without their folders
//	rows FILE        print entries.jsonl in short: a line an entry
//	faults FILE      print the faults in summary.json: a line each
//	google FILE      a Google for Search Console (google_test.go), with [google] where there can be one
//	called N METHOD [TEXT]  it was called N times for what METHOD ends
//	scoped NAME...   these scopes were asked for, and no other
//	receivers FILE   a Bing Webmaster and an IndexNow (receivers_test.go), and keys for both
//	received N TEXT...  they were sent N calls with all texts; received shows all
//	nats             a NATS server with JetStream; $NATS is its URL
//	secretless       nothing that was printed or written holds a secret
//	documented FILE COMMAND  the same of FILE, durations and the line of the proxy aside
func TestScripts(t *testing.T) {
	testscript.Run(t, scriptParams("testdata"))
}

// scriptParams are for the scripts in dir. The caller owns Cmds.
func scriptParams(dir string) testscript.Params {
	return testscript.Params{
		Dir:                 dir,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"web": webCommand, "asked": askedCommand, "await": awaitCommand, "rows": rowsCommand, "columns": columnsCommand, "faults": faultsCommand, "lines": linesCommand, "pack": packCommand,
			"documented": documentedCommand, "google": googleCommand, "called": calledCommand, "scoped": scopedCommand, "secretless": secretlessCommand, "receivers": receiversCommand, "received": receivedCommand, "nats": natsCommand, "crew": crewCommand,
		},
		Setup: func(env *testscript.Env) error {
			env.Setenv("LANG", "C.UTF-8")
			env.Setenv("HOME", env.WorkDir)
			env.Setenv("HELP", filepath.Join(projectDir, "cmd", "sitemend"))
			return nil
		},
	}
}

func documentedCommand(ts *testscript.TestScript, neg bool, args []string) {
	text, err := os.ReadFile(filepath.Join(projectDir, filepath.FromSlash(args[0])))
	ts.Check(err)
	command := strings.Join(args[1:], " ")
	_, session, found := strings.Cut(string(text), "\n$ "+command+"\n")
	session, _, ended := strings.Cut(session, "```")
	session, _, _ = strings.Cut(session, "\n$ ")
	if neg || !found || !ended {
		ts.Fatalf("%s has no session of %s", args[0], command)
	}
	plain := func(s string) string {
		s = strings.TrimPrefix(s, "\uFEFF") // which nobody sees
		return strings.TrimSpace(changing.ReplaceAllString(regexp.MustCompile(`(?m)^Proxy .*\n`).ReplaceAllString(s, ""), "checked in some time"))
	}
	if got, want := plain(ts.ReadFile("stdout")), plain(session); got != want {
		ts.Fatalf("%s shows something else:\n%s\n%s:\n%s", args[0], got, args[0], want)
	}
}

// projectDir is the root of the project; scripts run elsewhere.
var projectDir = func() string {
	dir, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		panic(err)
	}
	return dir
}()

// servers are the webs of the scripts, by the script's folder.
var servers sync.Map

func server(ts *testscript.TestScript) *web.Server {
	s, ok := servers.Load(ts.Getenv("WORK"))
	if !ok {
		ts.Fatalf("there is no web yet")
	}
	return s.(*web.Server)
}

func webCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: web FILE")
	}
	w, err := web.Parse(ts.ReadFile(args[0]), os.DirFS(ts.MkAbs(".")))
	ts.Check(err)
	s, err := w.Start()
	ts.Check(err)
	ts.Defer(s.Close)
	servers.Store(ts.Getenv("WORK"), s)
	for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY"} {
		ts.Setenv(name, "http://"+s.Addr())
	}
	ts.Setenv("WEB", "http://"+s.Addr())
	ts.Setenv("ADDR", s.Addr())
	ts.Setenv("TLSADDR", s.Addr())
	ts.Check(os.WriteFile(ts.MkAbs("ca.pem"), s.CAPEM(), 0o666))
}

// count counts the requests for a URL; with a * at its end, for all that begin so.
func count(ts *testscript.TestScript, url string) int {
	begin, all := strings.CutSuffix(url, "*")
	n := 0
	for _, r := range server(ts).Requests() {
		if r.URL() == url || all && strings.HasPrefix(r.URL(), begin) {
			n++
		}
	}
	return n
}

func askedCommand(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: asked N URL")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	if got := count(ts, args[1]); (got == want) == neg {
		var all []string
		for _, r := range server(ts).Requests() {
			all = append(all, r.URL())
		}
		ts.Fatalf("%s was asked %d times; all requests:\n%s", args[1], got, strings.Join(all, "\n"))
	}
}

func awaitCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 || len(args) > 2 {
		ts.Fatalf("usage: await URL [N]")
	}
	n := 1
	if len(args) == 2 {
		var err error
		n, err = strconv.Atoi(args[1])
		ts.Check(err)
	}
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	deadline := time.After(20 * time.Second)
	for count(ts, args[0]) < n {
		select {
		case <-tick.C:
		case <-deadline:
			ts.Fatalf("nobody asked for %s", args[0])
		}
	}
}

func linesCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: lines N URL FILE")
	}
	n, err := strconv.Atoi(args[0])
	ts.Check(err)
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%s%d\n", args[1], i)
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[2]), []byte(b.String()), 0o666))
}

func packCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: pack ZIP FILE...")
	}
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, name := range args[1:] {
		w, err := z.Create(filepath.Base(name))
		ts.Check(err)
		_, err = w.Write([]byte(ts.ReadFile(name)))
		ts.Check(err)
	}
	ts.Check(z.Close())
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), b.Bytes(), 0o666))
}

// rowsCommand prints rows as "loc: verdict reasons | statuses | action written | notes", those of a
// list that is no file after its name and how many entries name the address: "alternates 2 | ...".
func rowsCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: rows FILE")
	}
	name := args[0]
	if name != "stdout" {
		name = filepath.Clean(name)
	}
	lines := bufio.NewScanner(strings.NewReader(ts.ReadFile(name)))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		text, err := shortRow(lines.Bytes())
		ts.Check(err)
		fmt.Fprintln(ts.Stdout(), text)
	}
	ts.Check(lines.Err())
}

func shortRow(line []byte) (string, error) {
	var r struct {
		Loc, Verdict string
		Reasons      []string
		Trail        []struct{ Status int }
		Fix          struct{ Action, Loc string }
		Notes        []string
		List         string
		Of           struct{ Entries int }
	}
	if err := json.NewDecoder(bytes.NewReader(line)).Decode(&r); err != nil {
		return "", fmt.Errorf("%s: %w", line, err)
	}
	var statuses []string
	for _, s := range r.Trail {
		statuses = append(statuses, strconv.Itoa(s.Status))
	}
	cells := []string{
		strings.TrimSpace(r.Loc + ": " + r.Verdict + " " + strings.Join(r.Reasons, " ")),
		strings.Join(statuses, " "),
		strings.TrimSpace(r.Fix.Action + " " + r.Fix.Loc),
	}
	if len(r.Notes) > 0 {
		cells = append(cells, strings.Join(r.Notes, " "))
	}
	if r.List != "" {
		cells = append([]string{r.List + " " + strconv.Itoa(r.Of.Entries)}, cells...)
	}
	return strings.Join(cells, " | "), nil
}
