//go:build unix

package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"maps"
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

// github is a GitHub with one repository that has a release, and one pull request.
type github struct {
	*httptest.Server
	archive, checksums []byte
	comments           []comment
	readOnly           bool     // the token may not write
	wrote              []string // "POST", "PATCH"
	strangers          []string // requests without the token, or to what is not there
}

type comment struct {
	ID   int    `json:"id"`
	Body string `json:"body"`
}

// token is what the action is given; no output may hold it.
const token = "ghs_onlyForTheAction"

func newGitHub(t *testing.T) *github {
	g := &github{archive: releaseArchive(t)}
	g.checksums = fmt.Appendf(nil, "%x  %s\n%x  other.zip\n", sha256.Sum256(g.archive), archiveName, sha256.Sum256(nil))
	mux := http.NewServeMux()
	mux.HandleFunc("GET /repos/acme/sitemend/releases/tags/v"+release, func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, `{"tag_name":"v%s","assets":[{"name":%q,"url":"%[3]s/asset/1"},{"name":"checksums.txt","url":"%[3]s/asset/2"}]}`, release, archiveName, g.URL)
	})
	mux.HandleFunc("GET /asset/1", func(w http.ResponseWriter, _ *http.Request) { w.Write(g.archive) })
	mux.HandleFunc("GET /asset/2", func(w http.ResponseWriter, _ *http.Request) { w.Write(g.checksums) })
	mux.HandleFunc("GET /repos/acme/shop/issues/7/comments", func(w http.ResponseWriter, r *http.Request) {
		page := g.comments
		if r.FormValue("page") == "1" {
			page = page[:min(100, len(page))]
		} else {
			page = page[min(100, len(page)):]
		}
		json.NewEncoder(w).Encode(append([]comment{}, page...))
	})
	mux.HandleFunc("POST /repos/acme/shop/issues/7/comments", func(w http.ResponseWriter, r *http.Request) { g.write(w, r, -1) })
	mux.HandleFunc("PATCH /repos/acme/shop/issues/comments/{id}", func(w http.ResponseWriter, r *http.Request) {
		g.write(w, r, slices.IndexFunc(g.comments, func(c comment) bool { return fmt.Sprint(c.ID) == r.PathValue("id") }))
	})
	g.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer "+token {
			g.strangers = append(g.strangers, r.Method+" "+r.URL.Path)
		}
		mux.ServeHTTP(w, r)
	}))
	t.Cleanup(g.Close)
	return g
}

// write takes a comment: a new one where i is -1.
func (g *github) write(w http.ResponseWriter, r *http.Request, i int) {
	if g.readOnly {
		http.Error(w, `{"message":"Resource not accessible by integration"}`, http.StatusForbidden)
		return
	}
	var c comment
	if err := json.NewDecoder(r.Body).Decode(&c); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	g.wrote = append(g.wrote, r.Method)
	if i < 0 {
		c.ID = 1000 + len(g.comments)
		g.comments = append(g.comments, c)
		return
	}
	g.comments[i].Body = c.Body
}

// ours are the texts of the comments that the action wrote.
func (g *github) ours() (texts []string) {
	for _, c := range g.comments {
		if strings.HasPrefix(c.Body, "<!-- sitemend sitemap -->\n") {
			texts = append(texts, c.Body)
		}
	}
	return texts
}

var archiveName = "sitemend_" + release + "_linux_" + runtime.GOARCH + ".tar.gz"

// releaseArchive is an archive as a release has it, with a program that runs the one under test.
func releaseArchive(t *testing.T) []byte {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(t.TempDir(), "sitemend")
	if err := os.Symlink(self, program); err != nil {
		t.Fatal(err)
	}
	script := "#!/bin/sh\nexec '" + program + "' \"$@\"\n"
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	w := tar.NewWriter(z)
	if err := w.WriteHeader(&tar.Header{Name: "sitemend", Mode: 0o755, Size: int64(len(script))}); err != nil {
		t.Fatal(err)
	}
	io.WriteString(w, script)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// action is action.yml, as far as a job needs it.
type action struct {
	Inputs map[string]struct{ Default string }
	Runs   struct{ Steps []step }
}

type step struct {
	ID, Name, If, Run, Uses, Shell string
	Env, With                      map[string]string
}

// An actionRun is a run of action.yml as GitHub makes it: each step in the same folder, with what
// the steps before it left in the files of GitHub.
type actionRun struct {
	t      *testing.T
	dir    string // the checkout
	github *github
	inputs map[string]string
	event  string
	values map[string]string // of expressions
	path   string
	// repository is that of the action.
	repository string
	said       strings.Builder // what all steps printed
	used       []string        // actions of others: "NAME with VALUE..."
}

// attests is a gh that finds every attestation right, or none.
func attests(t *testing.T, right bool) (dir string) {
	dir = t.TempDir()
	script := "#!/bin/sh\necho \"gh $*\"\n[ \"$1 $2 $4 $5\" = 'attestation verify --repo acme/sitemend' ]\n"
	if !right {
		script = "#!/bin/sh\necho 'no attestations found' >&2\nexit 1\n"
	}
	if err := os.WriteFile(filepath.Join(dir, "gh"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

func newAction(t *testing.T, g *github, gh string, inputs map[string]string) *actionRun {
	t.Helper()
	needs(t, "bash", "curl", "jq", "tar")
	j := &actionRun{t: t, dir: t.TempDir(), github: g, inputs: inputs, event: `{"pull_request":{"number":7}}`, repository: "acme/sitemend", path: gh + ":" + os.Getenv("PATH")}
	sitemap := `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">` + "\n<url><loc>https://www.shop.example/</loc></url>\n<url><loc>/contact</loc></url>\n</urlset>\n"
	if err := os.WriteFile(filepath.Join(j.dir, "sitemap.xml"), []byte(sitemap), 0o666); err != nil {
		t.Fatal(err)
	}
	return j
}

// needs skips the test where a program is missing.
func needs(t *testing.T, programs ...string) {
	t.Helper()
	for _, name := range programs {
		if _, err := exec.LookPath(name); err != nil {
			if os.Getenv("SITEMEND_NO_SKIP") != "" {
				t.Fatal(err)
			}
			t.Skip(err)
		}
	}
}

// run makes the job and returns the exit status of the step that failed, 0 for none.
func (j *actionRun) run() int {
	j.t.Helper()
	var a action
	if err := yaml.Unmarshal([]byte(ofProject(j.t, "action.yml")), &a); err != nil {
		j.t.Fatal(err)
	}
	j.values = map[string]string{"github.token": token, "github.action_repository": j.repository}
	for name, in := range a.Inputs {
		j.values["inputs."+name] = j.expand(in.Default)
		if v, given := j.inputs[name]; given {
			j.values["inputs."+name] = v
		}
	}
	for _, s := range a.Runs.Steps {
		if s.If != "" && !j.holds(s.If) {
			continue
		}
		if s.Uses != "" {
			j.used = append(j.used, s.Uses+" "+j.expand(s.With["sarif_file"])+" "+j.expand(s.With["category"]))
			continue
		}
		if code := j.step(s); code != 0 {
			return code
		}
	}
	return 0
}

var expression = regexp.MustCompile(`\$\{\{ *([\w.-]+) *\}\}`)

// expand replaces the expressions in s. One that GitHub has and this runner has not is an error.
func (j *actionRun) expand(s string) string {
	return expression.ReplaceAllStringFunc(s, func(e string) string { return j.value(expression.FindStringSubmatch(e)[1]) })
}

func (j *actionRun) value(name string) string {
	v, known := j.values[name]
	if !known && !strings.HasPrefix(name, "steps.") { // an output that no step made is empty
		j.t.Fatalf("action.yml uses %s", name)
	}
	return v
}

// holds reports whether a condition is met: comparisons with && between them.
func (j *actionRun) holds(condition string) bool {
	for part := range strings.SplitSeq(condition, " && ") {
		m := regexp.MustCompile(`^([\w.-]+) (==|!=) '(.*)'$`).FindStringSubmatch(part)
		if m == nil {
			j.t.Fatalf("action.yml has the condition %s", part)
		}
		if (j.value(m[1]) == m[3]) != (m[2] == "==") {
			return false
		}
	}
	return true
}

// step runs one step and takes what it wrote for GitHub.
func (j *actionRun) step(s step) int {
	t := j.t
	files := t.TempDir()
	file := func(name, text string) string {
		name = filepath.Join(files, name)
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return name
	}
	if s.Shell != "bash" {
		t.Fatalf("step %s runs in %q", s.Name, s.Shell)
	}
	cmd := exec.Command("bash", "-e", "-o", "pipefail", file("run.sh", s.Run))
	output, path := file("output", ""), file("path", "")
	cmd.Dir = j.dir
	cmd.Env = []string{
		"PATH=" + j.path, "HOME=" + files, "LANG=C.UTF-8", "RUNNER_TEMP=" + filepath.Join(j.dir, ".runner"),
		"RUNNER_OS=Linux", "RUNNER_ARCH=" + map[string]string{"amd64": "X64", "arm64": "ARM64"}[runtime.GOARCH],
		"GITHUB_ACTION_PATH=" + projectDir, "GITHUB_API_URL=" + j.github.URL, "GITHUB_REPOSITORY=acme/shop",
		"GITHUB_EVENT_PATH=" + file("event.json", j.event), "GITHUB_OUTPUT=" + output, "GITHUB_PATH=" + path,
		"GITHUB_STEP_SUMMARY=" + filepath.Join(j.dir, ".step-summary"),
	}
	if err := os.MkdirAll(filepath.Join(j.dir, ".runner"), 0o777); err != nil {
		t.Fatal(err)
	}
	for _, name := range slices.Sorted(maps.Keys(s.Env)) {
		cmd.Env = append(cmd.Env, name+"="+j.expand(s.Env[name]))
	}
	out, err := cmd.CombinedOutput()
	j.said.Write(out)
	for line := range strings.Lines(string(read(output))) {
		name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "=")
		j.values["steps."+s.ID+".outputs."+name] = value
	}
	for line := range strings.Lines(string(read(path))) {
		j.path = strings.TrimSuffix(line, "\n") + ":" + j.path
	}
	if cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode()
}

// summary is what the job's page shows.
func (j *actionRun) summary() string { return string(read(filepath.Join(j.dir, ".step-summary"))) }

// sitemapFile is the job of a pull request that changes a sitemap file.
var sitemapFile = map[string]string{"targets": "sitemap.xml", "args": "--no-fetch\n", "sarif": "true"}

// A pull request gets one comment, which each run writes anew; the job fails as the audit does, but
// only after all was said.
func TestActionKeepsOneComment(t *testing.T) {
	g := newGitHub(t)
	for i := range 150 { // of others, more than a page
		g.comments = append(g.comments, comment{i, "I saw <!-- sitemend sitemap --> somewhere"})
	}
	j := newAction(t, g, attests(t, true), sitemapFile)
	if code := j.run(); code != exitFound {
		t.Fatalf("ended with %d:\n%s", code, j.said.String())
	}
	for _, want := range []string{"gh attestation verify ", "sitemend " + version()} {
		if !strings.Contains(j.said.String(), want) {
			t.Errorf("the log lacks %q:\n%s", want, j.said.String())
		}
	}
	if want := []string{"github/codeql-action/upload-sarif@v4 sitemend-out/sarif.json sitemap"}; !slices.Equal(j.used, want) {
		t.Errorf("used %q, want %q", j.used, want)
	}
	if !strings.Contains(j.summary(), "## sitemend") || !strings.Contains(j.summary(), "/contact") {
		t.Errorf("the job's summary:\n%s", j.summary())
	}
	again := newAction(t, g, attests(t, true), sitemapFile)
	again.run()
	if want := []string{"POST", "PATCH"}; !slices.Equal(g.wrote, want) || len(g.ours()) != 1 || !strings.Contains(g.ours()[0], "/contact") {
		t.Errorf("wrote %q, want %q; ours are %q", g.wrote, want, g.ours())
	}
	if len(g.strangers) > 0 {
		t.Errorf("asked without the token: %q", g.strangers)
	}
	if all := j.said.String() + j.summary() + g.ours()[0]; strings.Contains(all, token) {
		t.Errorf("the token is in what was printed")
	}
}

// What is not the release that its repository made is not run.
func TestActionRunsNothingThatIsNotVerified(t *testing.T) {
	for name, c := range map[string]struct {
		spoil  func(*github)
		gh     bool
		inputs map[string]string
		want   string
	}{
		"another archive":  {func(g *github) { g.archive = append(g.archive, 0) }, true, nil, "is not what checksums.txt says"},
		"no checksum":      {func(g *github) { g.checksums = []byte("00  other.zip\n") }, true, nil, "is not what checksums.txt says"},
		"not attested":     {func(*github) {}, false, nil, "is not attested by acme/sitemend"},
		"no such version":  {func(*github) {}, true, map[string]string{"version": "9.9.9"}, "acme/sitemend has no release 9.9.9"},
		"a word for a way": {func(*github) {}, true, map[string]string{"attestation": "maybe"}, `attestation: "maybe" is unknown`},
	} {
		t.Run(name, func(t *testing.T) {
			g := newGitHub(t)
			c.spoil(g)
			j := newAction(t, g, attests(t, c.gh), c.inputs)
			if code := j.run(); code != exitError {
				t.Errorf("ended with %d, want %d", code, exitError)
			}
			for _, want := range []string{"::error title=sitemend::", "\nsitemend: ", "\nhint: ", c.want} {
				if !strings.Contains(j.said.String(), want) {
					t.Errorf("the log lacks %q:\n%s", want, j.said.String())
				}
			}
			if _, err := os.Stat(filepath.Join(j.dir, ".runner", "sitemend", "bin", "sitemend")); err == nil {
				t.Error("the program was unpacked")
			}
		})
	}
}
