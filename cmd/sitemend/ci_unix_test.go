//go:build unix

package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// github is a GitHub with a release, whose program is the one under test, and a pull request.
type github struct {
	*httptest.Server
	archive  []byte
	sums     string
	comments []comment
	wrote    []string // "POST", "PATCH"
}

type comment struct {
	ID   int    `json:"id"`
	Body string `json:"body"`
}

// token is what the action is given; no output may hold it.
const token = "ghs_onlyForTheAction"

var archiveName = "sitemend_" + release + "_linux_" + runtime.GOARCH + ".tar.gz"

// needs skips a test where programs are missing.
func needs(t *testing.T, names ...string) {
	for _, name := range names {
		if _, err := exec.LookPath(name); err != nil && os.Getenv("SITEMEND_NO_SKIP") == "" {
			t.Skip(err)
		}
	}
}

// newGitHub starts one. spoil follows its archive.
func newGitHub(t *testing.T, spoil ...byte) *github {
	needs(t, "bash", "curl", "jq", "tar", "sha256sum", "mktemp")
	self, err := exec.LookPath("sitemend")
	must(t, err)
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	w := tar.NewWriter(z)
	script := "#!/bin/sh\nexec '" + self + "' \"$@\"\n"
	must(t, w.WriteHeader(&tar.Header{Name: "sitemend", Mode: 0o755, Size: int64(len(script))}))
	_, err = w.Write([]byte(script))
	must(t, err)
	must(t, w.Close())
	must(t, z.Close())
	g := &github{archive: append(bytes.Clone(b.Bytes()), spoil...), sums: fmt.Sprintf("%x  %s\n%x  other.zip\n", sha256.Sum256(b.Bytes()), archiveName, sha256.Sum256(nil))}
	for i := range 150 { // of others, more than a page
		g.comments = append(g.comments, comment{i, "I saw <!-- sitemend sitemap --> somewhere"})
	}
	g.Server = httptest.NewServer(http.HandlerFunc(g.serve))
	t.Cleanup(g.Close)
	return g
}

func (g *github) serve(w http.ResponseWriter, r *http.Request) {
	path, downloads := strings.CutPrefix(r.URL.Path, "/releases/download/v"+release+"/")
	switch {
	case path == archiveName, path == "/asset/1":
		w.Write(g.archive)
	case path == "checksums.txt", path == "/asset/2":
		fmt.Fprint(w, g.sums)
	case downloads || r.Header.Get("Authorization") != "Bearer "+token:
		http.NotFound(w, r)
	case path == "/repos/acme/sitemend/releases/tags/v"+release:
		fmt.Fprintf(w, `{"tag_name":"v%s","assets":[{"name":%q,"url":"%[3]s/asset/1"},{"name":"checksums.txt","url":"%[3]s/asset/2"}]}`, release, archiveName, g.URL)
	case !strings.HasPrefix(path, "/repos/acme/shop/issues/"):
		http.NotFound(w, r)
	case r.Method == http.MethodGet:
		from := map[bool]int{true: 100}[r.FormValue("page") == "2"]
		json.NewEncoder(w).Encode(g.comments[from:min(from+100, len(g.comments))])
	default:
		c := comment{ID: len(g.comments)}
		json.NewDecoder(r.Body).Decode(&c)
		if g.wrote = append(g.wrote, r.Method); r.Method == http.MethodPost {
			g.comments = append(g.comments, c)
		} else if strings.HasSuffix(path, fmt.Sprint("/comments/", g.comments[len(g.comments)-1].ID)) {
			g.comments[len(g.comments)-1].Body = c.Body
		}
	}
}

// runAction runs the steps of action.yml, each with what those before left in the files of GitHub,
// in dir. It returns the exit status of the step that failed, and what all printed.
func (g *github) runAction(t *testing.T, dir, gh string, inputs map[string]string) (status int, said string) {
	var a struct {
		Inputs map[string]struct{ Default string }
		Runs   struct {
			Steps []struct {
				If, Run string
				Env     map[string]string
			}
		}
	}
	must(t, yaml.Unmarshal([]byte(ofProject(t, "action.yml")), &a))
	file := func(name string) string { return filepath.Join(dir, ".runner", name) }
	mustWrite(t, file("bin/gh"), []byte("#!/bin/sh\necho \"gh $*\"\n"+gh+"\n"))
	must(t, os.Chmod(file("bin/gh"), 0o755))
	mustWrite(t, file("event.json"), []byte(`{"pull_request":{"number":7}}`))
	mustWrite(t, filepath.Join(dir, "sitemap.xml"), []byte("<urlset "+xmlns+">\n"+fineURL+"\n<url><loc>/contact</loc></url>\n</urlset>\n"))
	value := func(expression string) string {
		name := regexp.MustCompile(`[\w.-]+`).FindString(expression)
		kind, of, _ := strings.Cut(name, ".")
		v, given := inputs[of]
		switch {
		case name == "github.token":
			return token
		case name == "github.action_repository":
			return "acme/sitemend"
		case kind == "steps":
			m := regexp.MustCompile(`(?m)^` + of[strings.LastIndex(of, ".")+1:] + `=(.*)$`).FindStringSubmatch(string(read(file("output"))))
			return append(m, "", "")[1]
		case kind != "inputs" || a.Inputs[of] == struct{ Default string }{} && of != "targets" && of != "args":
			t.Fatalf("action.yml uses %s", expression)
		case given:
			return v
		}
		return a.Inputs[of].Default
	}
	expression := regexp.MustCompile(`\$\{\{.*?\}\}`)
	for _, s := range a.Runs.Steps {
		if s.If != "" {
			continue // the only one is an action of GitHub
		}
		cmd := exec.Command("bash", "-e", "-o", "pipefail", "-c", s.Run)
		cmd.Dir = dir
		cmd.Env = []string{
			"PATH=" + file("sitemend/bin") + ":" + file("bin") + ":" + os.Getenv("PATH"), "HOME=" + dir, "LANG=C.UTF-8", "RUNNER_TEMP=" + file(""),
			"RUNNER_OS=Linux", "RUNNER_ARCH=" + map[string]string{"amd64": "X64", "arm64": "ARM64"}[runtime.GOARCH],
			"GITHUB_ACTION_PATH=" + projectDir, "GITHUB_API_URL=" + g.URL, "GITHUB_REPOSITORY=acme/shop",
			"GITHUB_EVENT_PATH=" + file("event.json"), "GITHUB_OUTPUT=" + file("output"), "GITHUB_PATH=" + file("path"), "GITHUB_STEP_SUMMARY=" + file("summary"),
		}
		for name, v := range s.Env {
			v = expression.ReplaceAllStringFunc(v, value)
			cmd.Env = append(cmd.Env, name+"="+expression.ReplaceAllStringFunc(v, value)) // defaults have expressions, too
		}
		out, _ := cmd.CombinedOutput()
		said += string(out)
		if status = cmd.ProcessState.ExitCode(); status != 0 {
			break
		}
	}
	return status, said
}

// A pull request gets one comment, which each run writes anew; the job fails as the audit does, but
// only after all was said. What is not the release that its repository made is not run.
func TestAction(t *testing.T) {
	t.Parallel()
	inputs := map[string]string{"targets": "sitemap.xml", "args": "--no-fetch\n"}
	g := newGitHub(t)
	for range 2 {
		dir := t.TempDir()
		status, said := g.runAction(t, dir, "true", inputs)
		summary := string(read(filepath.Join(dir, ".runner", "summary")))
		if status != exitFound || !strings.Contains(said, "gh attestation verify ") || !strings.Contains(summary, "/contact") || strings.Contains(said+summary, token) {
			t.Errorf("ended with %d:\n%s\n%s", status, said, summary)
		}
	}
	if last := g.comments[len(g.comments)-1].Body; !slices.Equal(g.wrote, []string{"POST", "PATCH"}) || !strings.Contains(last, "/contact") || strings.Contains(last, token) {
		t.Errorf("wrote %q, at last %s", g.wrote, last)
	}
	for name, c := range map[string]struct {
		spoil  func(*github)
		gh     string
		inputs map[string]string
	}{
		"another archive": {func(g *github) { g.archive = append(g.archive, 0) }, "true", nil},
		"no checksum":     {func(g *github) { g.sums = "00  other.zip\n" }, "true", nil},
		"not attested":    {func(*github) {}, "false", nil},
		"no such version": {func(*github) {}, "true", map[string]string{"version": "9.9.9"}},
		"a wrong word":    {func(*github) {}, "true", map[string]string{"attestation": "maybe"}},
	} {
		g, dir := newGitHub(t), t.TempDir()
		c.spoil(g)
		status, said := g.runAction(t, dir, c.gh, c.inputs)
		if status != exitError || !strings.Contains(said, "::error title=sitemend::") || !strings.Contains(said, "\nhint: ") {
			t.Errorf("%s: ended with %d:\n%s", name, status, said)
		}
		if _, err := os.Stat(filepath.Join(dir, ".runner", "sitemend", "bin", "sitemend")); err == nil {
			t.Errorf("%s: the program was unpacked", name)
		}
	}
}

// shell runs a command of an example in dir, with the variables of its job, and returns its exit status.
func shell(dir, command string, vars map[string]string) (status int, said string) {
	cmd := exec.Command("sh", "-e", "-c", command)
	cmd.Dir, cmd.Env = dir, []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "TMPDIR=" + dir, "LANG=C.UTF-8", "OWNER=" + vars["OWNER"]}
	for name, v := range vars {
		cmd.Env = append(cmd.Env, name+"="+v)
	}
	out, _ := cmd.CombinedOutput()
	return cmd.ProcessState.ExitCode(), string(out)
}

// The template for GitLab gets a release, verifies it and audits; what is not the release is not run.
func TestGitLabTemplate(t *testing.T) {
	t.Parallel()
	var file struct {
		Job struct {
			Variables    map[string]string
			BeforeScript []string `yaml:"before_script"`
			Script       []string
		} `yaml:".sitemend"`
	}
	must(t, yaml.Unmarshal([]byte(ofProject(t, "docs/examples/gitlab.yml")), &file))
	script, vars := strings.Join(append(file.Job.BeforeScript, file.Job.Script...), "\n"), file.Job.Variables
	vars["SITEMEND_TARGETS"], vars["SITEMEND_FLAGS"] = "sitemap.xml", "--no-fetch --fail-on problem"
	for _, c := range []struct {
		releases bool
		spoil    []byte
		written  bool
	}{{true, nil, true}, {false, nil, false}, {true, []byte{0}, false}} {
		g, dir := newGitHub(t, c.spoil...), t.TempDir()
		mustWrite(t, filepath.Join(dir, "sitemap.xml"), []byte("<urlset "+xmlns+"><url><loc>/contact</loc></url></urlset>"))
		vars["SITEMEND_RELEASES"] = map[bool]string{true: g.URL + "/releases/download"}[c.releases]
		status, said := shell(dir, script, vars)
		if written := read(filepath.Join(dir, "sitemend-out", "junit.xml")) != nil; status == exitOK || written != c.written {
			t.Errorf("%v: ended with %d:\n%s", c, status, said)
		}
	}
}

// The hook for pre-commit checks the files that it is given, and leaves none behind.
func TestPreCommitHook(t *testing.T) {
	var hooks []struct{ Entry, Files string }
	must(t, yaml.Unmarshal([]byte(ofProject(t, ".pre-commit-hooks.yaml")), &hooks))
	for name, want := range map[string]bool{"sitemap.xml": true, "public/sitemap-2.xml.gz": true, "sitemap.md": false, "my-sitemap.xml": false, "sitemaps.go": false} {
		if got := regexp.MustCompile(hooks[0].Files).MatchString(name); got != want {
			t.Errorf("%s is checked: %v, want %v", name, got, want)
		}
	}
	for loc, want := range map[string]int{"https://www.shop.example/": exitOK, "/contact": exitFound} {
		dir := t.TempDir()
		mustWrite(t, filepath.Join(dir, "sitemap 1.xml"), []byte("<urlset "+xmlns+"><url><loc>"+loc+"</loc></url></urlset>"))
		status, said := shell(dir, hooks[0].Entry+` "sitemap 1.xml"`, nil)
		if left, err := os.ReadDir(dir); status != want || err != nil || len(left) != 1 {
			t.Errorf("%s: exit status %d, left %v:\n%s", loc, status, left, said)
		}
	}
}

// A release is made under the name of an account, or not at all.
func TestAReleaseNamesItsOwner(t *testing.T) {
	needs(t, "bash")
	for owner, want := range map[string]int{"": exitError, "someone": exitOK} {
		status, said := shell(t.TempDir(), "'"+filepath.Join(projectDir, ".ci", "packages")+"' owner", map[string]string{"OWNER": owner})
		if (status == exitOK) != (want == exitOK) || want == exitError && !strings.Contains(said, "\nhint: ") {
			t.Errorf("OWNER=%s: %d\n%s", owner, status, said)
		}
	}
	if text := ofProject(t, ".goreleaser.yaml"); strings.Contains(text, "github.com/OWNER") || !strings.Contains(text, ".ci/packages owner") || !strings.Contains(text, "-X main.stamp={{ .Version }}") {
		t.Error(".goreleaser.yaml names no account or no version")
	}
}
