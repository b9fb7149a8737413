package main

import (
	"archive/zip"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	natsd "github.com/nats-io/nats-server/v2/server"
	"github.com/rogpeppe/go-internal/testscript"

	"sitemend/cmd/internal/web"
	"sitemend/crawler/google/googletest"
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

// TestScripts runs testdata/*.txtar: each proves promises of the program through the wire, against a
// little web that it brings along. Commands besides testscript's own:
//
//	web FILE         serve the web that FILE describes (package web); all requests
//	                 of sitemend go there as to a proxy, and ca.pem is its CA; $WEB is
//	                 its URL, $ADDR its address
//	refused RE ARG...  sitemend ends with 2, an error with RE, and a hint
//	asked N URL      the web was asked N times for exactly URL
//	await URL [N]    wait until the web was asked for URL, N times
//	lines N URL FILE write a list of N addresses, URL with 0, 1, ... at its end
//	pack ZIP FILE... pack files into a ZIP, without their folders; or a file with gzip (NAME.gz)
//	rows FILE        print entries.jsonl in short: a line an entry
//	columns FILE NAME...     print columns of a CSV file
//	google FILE      a Google for Search Console, with what FILE says of it; its files of
//	                 credentials are desktop.json, service.json and user.json
//	api FILE         a Bing Webmaster and an IndexNow, with what FILE says they answer, and keys for both
//	called N TEXT... Google, Bing or IndexNow were called N times with all texts
//	nats             a NATS server with JetStream; $NATS is its URL
//	secretless       nothing that was printed or written holds a secret
//	documented FILE COMMAND  the session of COMMAND in FILE is what was printed last
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata", RequireExplicitExec: true, RequireUniqueNames: true, UpdateScripts: *updateDocs,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"web": webCommand, "refused": refusedCommand, "asked": askedCommand, "await": awaitCommand, "lines": linesCommand, "pack": packCommand, "rows": rowsCommand, "columns": columnsCommand,
			"google": googleCommand, "api": apiCommand, "called": calledCommand, "nats": natsCommand, "secretless": secretlessCommand,
			"documented": func(ts *testscript.TestScript, _ bool, args []string) {
				ts.Check(sameSession(args[0], strings.Join(args[1:], " "), ts.ReadFile("stdout")))
			},
		},
		Setup: func(env *testscript.Env) error {
			env.Setenv("LANG", "C.UTF-8")
			env.Setenv("HOME", env.WorkDir)
			env.Setenv("HELP", filepath.Join(projectDir, "cmd", "sitemend"))
			env.Values[stageKey{}] = &stage{}
			return nil
		},
	})
}

// A stage has the servers of a script.
type stage struct {
	web    *web.Server
	google *googletest.Server
	mu     sync.Mutex
	calls  []string // of Bing and IndexNow
}

type stageKey struct{}

func on(ts *testscript.TestScript) *stage { return ts.Value(stageKey{}).(*stage) }

func webCommand(ts *testscript.TestScript, _ bool, args []string) {
	w, err := web.Parse(ts.ReadFile(args[0]), os.DirFS(ts.MkAbs(".")))
	ts.Check(err)
	s, err := w.Start()
	ts.Check(err)
	ts.Defer(s.Close)
	on(ts).web = s
	for name, value := range map[string]string{"HTTP_PROXY": "http://" + s.Addr(), "HTTPS_PROXY": "http://" + s.Addr(), "WEB": "http://" + s.Addr(), "ADDR": s.Addr()} {
		ts.Setenv(name, value)
	}
	ts.Check(os.WriteFile(ts.MkAbs("ca.pem"), s.CAPEM(), 0o666))
}

func refusedCommand(ts *testscript.TestScript, _ bool, args []string) {
	err := ts.Exec("sitemend", args[1:]...)
	var exit *exec.ExitError
	if said := ts.ReadFile("stderr"); !errors.As(err, &exit) || exit.ExitCode() != exitError || !regexp.MustCompile(args[0]).MatchString(said) || !strings.Contains("\n"+said, "\nsitemend: ") || !strings.Contains(said, "\nhint: ") {
		ts.Fatalf("%v; it says\n%s", err, said)
	}
}

// count counts the requests for a URL.
func count(ts *testscript.TestScript, url string) (n int, all string) {
	for _, r := range on(ts).web.Requests() {
		all += r.URL() + "\n"
		if r.URL() == url {
			n++
		}
	}
	return n, all
}

func askedCommand(ts *testscript.TestScript, _ bool, args []string) {
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	if got, all := count(ts, args[1]); got != want {
		ts.Fatalf("%s was asked %d times; all requests:\n%s", args[1], got, all)
	}
}

func awaitCommand(ts *testscript.TestScript, _ bool, args []string) {
	want, err := strconv.Atoi(append(args, "1")[1])
	ts.Check(err)
	deadline := time.After(time.Minute)
	for n, _ := count(ts, args[0]); n < want; n, _ = count(ts, args[0]) {
		select {
		case <-time.After(10 * time.Millisecond):
		case <-deadline:
			ts.Fatalf("nobody asked for %s", args[0])
		}
	}
}

func linesCommand(ts *testscript.TestScript, _ bool, args []string) {
	n, err := strconv.Atoi(args[0])
	ts.Check(err)
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%s%d\n", args[1], i)
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[2]), []byte(b.String()), 0o666))
}

func packCommand(ts *testscript.TestScript, _ bool, args []string) {
	if strings.HasSuffix(args[0], ".gz") {
		ts.Check(os.WriteFile(ts.MkAbs(args[0]), gzipped([]byte(ts.ReadFile(args[1]))), 0o666))
		return
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

// rowsCommand prints rows as "loc: verdict reasons | statuses | action written | notes".
func rowsCommand(ts *testscript.TestScript, _ bool, args []string) {
	for line := range strings.Lines(ts.ReadFile(args[0])) {
		var r struct {
			Loc, Verdict   string
			Reasons, Notes []string
			Trail          []struct{ Status int }
			Fix            struct{ Action, Loc string }
		}
		ts.Check(json.Unmarshal([]byte(line), &r))
		cells := []string{strings.TrimSpace(r.Loc + ": " + r.Verdict + " " + strings.Join(r.Reasons, " ")), "", strings.TrimSpace(r.Fix.Action + " " + r.Fix.Loc), strings.Join(r.Notes, " ")}
		for _, s := range r.Trail {
			cells[1] = strings.TrimSpace(cells[1] + " " + strconv.Itoa(s.Status))
		}
		fmt.Fprintln(ts.Stdout(), strings.TrimSuffix(strings.Join(cells, " | "), " | "))
	}
}

func columnsCommand(ts *testscript.TestScript, _ bool, args []string) {
	all, err := csv.NewReader(strings.NewReader(strings.TrimPrefix(ts.ReadFile(args[0]), "\uFEFF"))).ReadAll()
	ts.Check(err)
	at := map[string]int{}
	for i, name := range all[0] {
		at[name] = i
	}
	for _, line := range all[1:] {
		var cells []string
		for _, name := range args[1:] {
			i, known := at[name]
			if !known {
				ts.Fatalf("%s has no column %q", args[0], name)
			}
			cells = append(cells, line[i])
		}
		fmt.Fprintln(ts.Stdout(), strings.TrimSpace(strings.Join(cells, " | ")))
	}
}

// natsCommand starts a NATS server; $NATS is its URL.
func natsCommand(ts *testscript.TestScript, _ bool, _ []string) {
	s, err := startNATS(ts.MkAbs("nats"))
	ts.Check(err)
	ts.Defer(func() { s.Shutdown(); s.WaitForShutdown() })
	ts.Setenv("NATS", s.ClientURL())
}

func startNATS(dir string) (*natsd.Server, error) {
	s, err := natsd.NewServer(&natsd.Options{Host: "127.0.0.1", Port: natsd.RANDOM_PORT, NoLog: true, NoSigs: true, JetStream: true, StoreDir: dir})
	if err != nil {
		return nil, err
	}
	s.Start()
	if !s.ReadyForConnections(time.Minute) {
		return nil, errors.New("the NATS server is not ready")
	}
	return s, nil
}

// googleCommand starts a Google. FILE is {"sites": {PROPERTY: PERMISSION}, "inspections": {URL: RESULT}}.
func googleCommand(ts *testscript.TestScript, _ bool, args []string) {
	s := googletest.Start()
	var said struct {
		Sites       map[string]string
		Inspections map[string]json.RawMessage
	}
	ts.Check(json.Unmarshal([]byte(ts.ReadFile(args[0])), &said))
	s.Sites = said.Sites
	for url, result := range said.Inspections {
		s.Inspections[url] = string(result)
	}
	on(ts).google = s
	ts.Defer(func() {
		s.Close()
		for _, f := range s.Faults() {
			ts.Fatalf("Google would not take this: %s", f)
		}
	})
	ts.Setenv("SITEMEND_GOOGLE_API", s.URL())
	ts.Check(s.Desktop(ts.MkAbs("desktop.json")))
	ts.Check(s.ServiceAccount(ts.MkAbs("service.json")))
	ts.Check(s.AuthorizedUser(ts.MkAbs("user.json"), "billing", "https://www.googleapis.com/auth/webmasters.readonly"))
}

// The keys of the scripts.
const (
	bingKey     = "bing-key-secret"
	indexNowKey = "indexnow-key-secret"
)

// apiCommand starts a Bing Webmaster and an IndexNow. FILE has lines "METHOD STATUS BODY"; what it does
// not have is answered 200 with {}.
func apiCommand(ts *testscript.TestScript, _ bool, args []string) {
	answers, here := ts.ReadFile(args[0]), on(ts)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		method := r.URL.Path[strings.LastIndex(r.URL.Path, "/")+1:]
		here.mu.Lock()
		here.calls = append(here.calls, method+" "+r.URL.Query().Get("siteUrl")+" "+string(body))
		here.mu.Unlock()
		for line := range strings.Lines(answers) {
			if words := strings.SplitN(strings.TrimSpace(line), " ", 3); words[0] == method {
				status, _ := strconv.Atoi(words[1])
				w.WriteHeader(status)
				fmt.Fprint(w, words[2])
				return
			}
		}
		fmt.Fprint(w, "{}")
	}))
	ts.Defer(s.Close)
	for name, value := range map[string]string{"SITEMEND_BING_API": s.URL, "SITEMEND_INDEXNOW_API": s.URL, "SITEMEND_BING_KEY": bingKey, "SITEMEND_INDEXNOW_KEY": indexNowKey} {
		ts.Setenv(name, value)
	}
}

func calledCommand(ts *testscript.TestScript, _ bool, args []string) {
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	here := on(ts)
	here.mu.Lock()
	calls := here.calls
	here.mu.Unlock()
	for _, c := range here.google.Calls() {
		calls = append(calls, fmt.Sprint(c.Method, c.Values, c.Body, c.Scopes, " project:", c.Project))
	}
	n := 0
	for _, call := range calls {
		all := true
		for _, text := range args[1:] {
			all = all && strings.Contains(call, text)
		}
		if all {
			n++
		}
	}
	if n != want {
		ts.Fatalf("%d calls; all:\n%s", n, strings.Join(calls, "\n"))
	}
}

// secretlessCommand proves that no secret was printed or written, but to the files of credentials
// and the token of the login.
func secretlessCommand(ts *testscript.TestScript, _ bool, _ []string) {
	secrets := []string{bingKey, indexNowKey, "s3cr3t"}
	if g := on(ts).google; g != nil {
		secrets = append(secrets, g.Secrets()...)
	}
	look := func(where string, data []byte) {
		for _, secret := range secrets {
			if bytes.Contains(data, []byte(secret)) {
				ts.Fatalf("%s holds a secret: %s", where, secret)
			}
		}
	}
	look("standard output", []byte(ts.ReadFile("stdout")))
	look("standard error", []byte(ts.ReadFile("stderr")))
	work := ts.Getenv("WORK")
	ts.Check(filepath.Walk(work, func(name string, info os.FileInfo, err error) error {
		switch {
		case err != nil:
			return err
		case info.IsDir() && (info.Name() == ".config" || info.Name() == ".tmp"):
			return filepath.SkipDir
		case info.Mode().IsRegular() && filepath.Dir(name) != work:
			look(name, read(name))
		}
		return nil
	}))
}

// agree is the browser of the scripts: a person who agrees to whatever is asked.
func agree() {
	answer, err := http.Get(os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	defer answer.Body.Close()
	io.Copy(io.Discard, answer.Body)
}
