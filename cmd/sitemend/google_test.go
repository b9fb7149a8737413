package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"github.com/rogpeppe/go-internal/testscript"

	"sitemend/crawler/google/googletest"
)

// googles are the Googles of the scripts, by the script's folder.
var googles sync.Map

// googleCommand starts a Google with what a file says of it:
//
//	{"sites": {PROPERTY: PERMISSION}, "inspections": {URL: RESULT},
//	 "answers": [{"method": ID, "of": TEXT, "status": N, "reason": R, "message": M, "times": N}]}
//
// An answer takes the place of the usual one for a call of that method, where TEXT stands in its
// path or body, that many times (0: always). The files of credentials are desktop.json,
// service.json and user.json; SITEMEND_GOOGLE_API leads there.
func googleCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: google FILE")
	}
	s := googletest.Start()
	ts.Check(configureGoogle(s, []byte(ts.ReadFile(args[0]))))
	googles.Store(ts.Getenv("WORK"), s)
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

func configureGoogle(s *googletest.Server, text []byte) error {
	var said struct {
		Sites       map[string]string
		Inspections map[string]json.RawMessage
		Answers     []*googleAnswer
	}
	if err := json.Unmarshal(text, &said); err != nil {
		return err
	}
	s.Sites = said.Sites
	for url, result := range said.Inspections {
		s.Inspections[url] = string(result)
	}
	var mu sync.Mutex
	s.Answer = func(c googletest.Call) googletest.Answer {
		mu.Lock()
		defer mu.Unlock()
		for _, a := range said.Answers {
			if a.Method == c.Method && strings.Contains(fmt.Sprint(c.Values, c.Body), a.Of) && !a.over {
				a.Times--
				a.over = a.Times == 0
				return googletest.Refusal(a.Status, a.Reason, a.Message)
			}
		}
		return googletest.Answer{}
	}
	return nil
}

type googleAnswer struct {
	Method, Of, Reason, Message string
	Status, Times               int
	over                        bool
}

func googleOf(ts *testscript.TestScript) *googletest.Server {
	s, ok := googles.Load(ts.Getenv("WORK"))
	if !ok {
		ts.Fatalf("there is no Google yet")
	}
	return s.(*googletest.Server)
}

// calledCommand says how often Google was called, by the end of a method's id and a text in path
// or body.
func calledCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 || len(args) > 3 {
		ts.Fatalf("usage: called N METHOD [TEXT]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	n, all := 0, ""
	for _, c := range googleOf(ts).Calls() {
		text := fmt.Sprint(c.Values, c.Body)
		all += fmt.Sprintln(c.Method, text, c.Status)
		if strings.HasSuffix(c.Method, args[1]) && (len(args) < 3 || strings.Contains(text, args[2])) {
			n++
		}
	}
	if n != want {
		ts.Fatalf("Google was called %d times; all calls:\n%s", n, all)
	}
}

// scopedCommand says which scopes were asked for, in all, by their last words.
func scopedCommand(ts *testscript.TestScript, neg bool, args []string) {
	seen := map[string]bool{}
	for _, s := range googleOf(ts).Asked() {
		seen[s[strings.LastIndex(s, "/")+1:]] = true
	}
	for _, want := range args {
		if seen[want] == neg {
			ts.Fatalf("asked for %v", seen)
		}
		delete(seen, want)
	}
	if !neg && len(seen) > 0 {
		ts.Fatalf("asked for %v as well", seen)
	}
}

// secretlessCommand proves that no secret was printed or written, but to the files of credentials
// and the token of the login.
func secretlessCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) > 0 {
		ts.Fatalf("usage: secretless")
	}
	secrets := []string{"bing-key-secret", "indexnow-key-secret"}
	if s, ok := googles.Load(ts.Getenv("WORK")); ok {
		secrets = append(secrets, s.(*googletest.Server).Secrets()...)
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
	ts.Check(filepath.WalkDir(work, func(name string, d fs.DirEntry, err error) error {
		switch base := filepath.Base(name); {
		case err != nil:
			return err
		case d.IsDir() && base == ".config", d.IsDir() && base == ".tmp":
			return filepath.SkipDir
		case d.IsDir(), !d.Type().IsRegular(), filepath.Dir(name) == work && (strings.HasSuffix(base, ".json") || strings.HasSuffix(base, ".web")):
			return nil
		}
		data, err := os.ReadFile(name)
		look(name, data)
		return err
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
