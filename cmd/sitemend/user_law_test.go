package main

import (
	"bytes"
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// takesAddress are values of flags that name an address: URLs, origins, hosts.
var takesAddress = regexp.MustCompile(`URL|ORIGIN|HOST|ADDR|FROM=TO`)

// filesOrURLs are flags of files that somebody may give an address.
var filesOrURLs = []string{"search-console", "expect", "access-log", "bot-ranges"}

// No flag of any command repeats or keeps the password of an address that is given to it.
func TestNoFlagRepeatsAPassword(t *testing.T) {
	t.Chdir(t.TempDir())
	const password = "PassSeenHere"
	if err := os.WriteFile("list.txt", []byte("http://127.0.0.1:1/a\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("map.csv", []byte("http://u:"+password+"@127.0.0.1:1/a,http://u:"+password+"@127.0.0.1:1/b\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	try := func(args ...string) {
		var out, errOut bytes.Buffer
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		code := run(ctx, args, strings.NewReader(""), &out, &errOut)
		if said := out.String() + errOut.String(); strings.Contains(said, password) {
			t.Errorf("%q says %s", args, said)
		}
		if code == exitOK {
			t.Errorf("%q is taken", args)
		}
		kept(t, password, args)
	}
	base := map[string][]string{
		"audit": {"audit", "-q", "--rate", "0", "list.txt"}, "rules": {"rules", "--for", "nginx"}, "probe": {"probe", "http://127.0.0.1:1/"},
		"logs": {"logs", "list.txt"}, "submit": {"submit", "--dry-run"},
	}
	for _, c := range newRoot(stdio{}).Commands() {
		args, ok := base[c.Name()]
		if !ok {
			continue
		}
		for _, name := range addressFlags(c) {
			values := []string{"http://u:" + password + "@127.0.0.1:1/a"}
			if !slices.Contains(filesOrURLs, name) {
				values = append(values, "u:"+password+"@127.0.0.1=b.example", "u:"+password+"@127.0.0.1:80:127.0.0.1")
			}
			for _, value := range values {
				try(append(args[:len(args):len(args)], "--"+name+"="+value)...)
			}
		}
	}
	for _, args := range [][]string{{"logs", "http://u:" + password + "@127.0.0.1:1/a.log"}, {"audit", "--expect", "map.csv"}, {"audit", "--expect", "map.csv", "http://127.0.0.1:1"}, {"rules", "map.csv", "--for", "nginx"},
		{"audit", "http://u:" + password + "@127.0.0.1:1"}} {
		try(args...)
	}
}

// addressFlags are the flags of a command that take an address.
func addressFlags(c *cobra.Command) (names []string) {
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if value, _ := pflag.UnquoteUsage(f); takesAddress.MatchString(value) || slices.Contains(filesOrURLs, f.Name) {
			names = append(names, f.Name)
		}
	})
	return names
}

// kept fails where a file holds text, the map apart, or has it in its name.
func kept(t *testing.T, text string, args []string) {
	t.Helper()
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || path == "map.csv" {
			return err
		}
		data, err := os.ReadFile(path)
		if bytes.Contains(data, []byte(text)) || strings.Contains(path, text) {
			t.Errorf("%q: %s holds it", args, path)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}
