package main

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"sitemend/cmd/internal/web"
)

var fence = regexp.MustCompile("(?ms)^```(\\w+)\n(.*?)^```$")

// ciDoc returns the examples of docs/ci.md in a language.
func ciDoc(t *testing.T, lang string) (blocks []string) {
	t.Helper()
	doc, err := os.ReadFile(filepath.Join("..", "..", "docs", "ci.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range fence.FindAllStringSubmatch(string(doc), -1) {
		if m[1] == lang {
			blocks = append(blocks, m[2])
		}
	}
	if len(blocks) == 0 {
		t.Fatalf("docs/ci.md has no example in %s", lang)
	}
	return blocks
}

// ciFile is what the examples of docs/ci.md have: a workflow of GitHub, a pipeline of GitLab that
// extends our template, or a configuration of pre-commit.
type ciFile struct {
	Jobs map[string]struct {
		Steps []struct {
			Uses string
			With map[string]string
		}
	}
	Sitemap struct {
		Extends   string
		Variables map[string]string
	}
	Repos []struct{ Hooks []struct{ ID string } }
}

// ciCommands returns what an example runs, as shell commands: the action with its inputs, the
// script of the template with its variables, the hook.
func ciCommands(t *testing.T, block string) (commands []string) {
	t.Helper()
	var f ciFile
	if err := yaml.Unmarshal([]byte(block), &f); err != nil {
		t.Fatalf("%v in\n%s", err, block)
	}
	for _, job := range f.Jobs {
		for _, s := range job.Steps {
			if strings.HasPrefix(s.Uses, "OWNER/sitemend@") {
				commands = append(commands, ciAction(t, s.With))
			}
		}
	}
	if f.Sitemap.Extends != "" {
		var template map[string]struct {
			Variables map[string]string
			Script    []string
		}
		ciRead(t, "docs/examples/gitlab.yml", &template)
		base := template[f.Sitemap.Extends]
		maps.Copy(base.Variables, f.Sitemap.Variables)
		commands = append(commands, ciEnv(base.Variables)+strings.Join(base.Script, "\n"))
	}
	for range f.Repos {
		var hooks []struct{ Entry string }
		ciRead(t, ".pre-commit-hooks.yaml", &hooks)
		commands = append(commands, hooks[0].Entry+" public/sitemap.xml")
	}
	return commands
}

// ciAction is a command that audits and ends as action.yml does with some inputs.
func ciAction(t *testing.T, with map[string]string) string {
	var a struct {
		Inputs map[string]struct{ Default string }
	}
	ciRead(t, "action.yml", &a)
	for name := range with {
		if _, known := a.Inputs[name]; !known {
			t.Errorf("the action has no input %s", name)
		}
	}
	input := func(name string) string {
		if v, given := with[name]; given {
			return v
		}
		return a.Inputs[name].Default
	}
	action := "'" + filepath.Join(projectDir, ".ci", "action") + "' "
	return ciEnv(map[string]string{"TARGETS": input("targets"), "ARGS": input("args"), "FAIL_ON": input("fail-on"), "OUT": input("out"),
		"RUNNER_TEMP": ".runner", "GITHUB_OUTPUT": ".runner/output"}) +
		"mkdir -p .runner && : >.runner/output && " + action + "audit && STATUS=$(sed -n s/^status=//p .runner/output) " + action + "end"
}

// ciEnv is a line of shell that sets variables.
func ciEnv(vars map[string]string) string {
	line := "export"
	for _, name := range slices.Sorted(maps.Keys(vars)) {
		line += " " + name + "='" + vars[name] + "'"
	}
	return line + "; "
}

// ciRead reads a file of YAML of the project.
func ciRead(t *testing.T, name string, into any) {
	t.Helper()
	if err := yaml.Unmarshal([]byte(ofProject(t, name)), into); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}

// ciSite serves www.example.com with the pages of a script and returns a shell
// that runs commands there, as they stand in the docs: it returns what a command
// prints and its exit status.
func ciSite(t *testing.T, dir, pages string) func(command string) (string, int) {
	t.Helper()
	w, err := web.Parse(pages, nil)
	if err != nil {
		t.Fatal(err)
	}
	s, err := w.Start()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	bin, err := exec.LookPath("sitemend")
	if err != nil {
		t.Fatal(err)
	}
	// The pace is for others' servers; this one is ours.
	mustWrite(t, filepath.Join(dir, "bin", "sitemend"), fmt.Appendf(nil, "#!/bin/sh\n[ \"$1\" != audit ] || set -- \"$@\" --rate 0\nexec '%s' \"$@\"\n", bin))
	if err := os.Chmod(filepath.Join(dir, "bin", "sitemend"), 0o755); err != nil {
		t.Fatal(err)
	}
	mustWrite(t, filepath.Join(dir, "ca.pem"), s.CAPEM())
	mustWrite(t, filepath.Join(dir, "public", "sitemap.xml"), []byte(urlset([]string{"https://www.example.com/"})))
	mustWrite(t, filepath.Join(dir, "public", "index.html"), []byte("<title>Home</title><p>A page of some words."))
	return func(command string) (string, int) {
		cmd := exec.Command("sh", "-c", command)
		cmd.Dir = dir
		proxy := "http://" + s.Addr()
		cmd.Env = append(os.Environ(), "PATH="+filepath.Join(dir, "bin")+":"+os.Getenv("PATH"), "HTTP_PROXY="+proxy, "HTTPS_PROXY="+proxy,
			"SSL_CERT_FILE="+filepath.Join(dir, "ca.pem"), "GITHUB_STEP_SUMMARY="+filepath.Join(dir, "step"), "LC_ALL=C")
		out, err := cmd.CombinedOutput()
		if cmd.ProcessState == nil {
			t.Fatal(err)
		}
		return string(out), cmd.ProcessState.ExitCode()
	}
}

const (
	cleanSite = `https://www.example.com/robots.txt 404
https://www.example.com/sitemap.xml 200
  Content-Type: text/plain
  | https://www.example.com/
  | https://www.example.com/about
https://www.example.com/ 200
https://www.example.com/about 200
`
	brokenSite = `https://www.example.com/robots.txt 404
https://www.example.com/sitemap.xml 200
  Content-Type: text/plain
  | https://www.example.com/
  | https://www.example.com/about
https://www.example.com/ 200
https://www.example.com/about 302 /about
`
)

// The commands of docs/ci.md do what it says: they run against a small web as
// they stand there, and write what the steps after them read.
func TestCIDoc(t *testing.T) {
	if runtime.GOOS == "windows" {
		return // the examples are for a shell
	}
	for i, block := range ciDoc(t, "yaml") {
		dir := t.TempDir()
		run := ciSite(t, dir, cleanSite)
		ran := 0
		for _, command := range ciCommands(t, block) {
			if out, status := run(command); status != 0 {
				t.Errorf("example %d: %s: exit status %d\n%s", i, command, status, out)
			}
			ran++
		}
		if ran == 0 {
			t.Errorf("example %d has no command", i)
		}
		for _, name := range regexp.MustCompile(`sitemend-out/[a-z.]+`).FindAllString(block, -1) {
			if name == "sitemend-out/sitemaps" {
				continue // of a clean site there are none
			}
			if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
				t.Errorf("example %d names a file that is not written: %v", i, err)
			}
		}
		if strings.Contains(block, "OWNER/sitemend@") {
			if summary, err := os.ReadFile(filepath.Join(dir, "step")); err != nil || !bytes.HasPrefix(summary, []byte("## sitemend")) {
				t.Errorf("example %d: the job summary is %q, %v", i, summary, err)
			}
		}
	}
	run := ciSite(t, t.TempDir(), cleanSite)
	run("sitemend audit -q https://www.example.com")
	run("sitemend audit -q https://www.example.com")
	for _, command := range strings.Split(strings.TrimSpace(ciDoc(t, "sh")[0]), "\n") {
		if out, status := run(command); status != 0 {
			t.Errorf("%s: exit status %d\n%s", command, status, out)
		}
	}
}
