//go:build unix

package main

import (
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// The template for GitLab gets a release, verifies it and audits, as a runner would; what is not
// the release is not run.
func TestGitLabTemplate(t *testing.T) {
	needs(t, "sh", "curl", "tar", "sha256sum")
	var file struct {
		Job struct {
			Variables    map[string]string
			BeforeScript []string `yaml:"before_script"`
			Script       []string
		} `yaml:".sitemend"`
	}
	if err := yaml.Unmarshal([]byte(ofProject(t, "docs/examples/gitlab.yml")), &file); err != nil {
		t.Fatal(err)
	}
	if v := file.Job.Variables["SITEMEND_VERSION"]; v != release {
		t.Errorf("the template takes version %s, not %s", v, release)
	}
	g := newGitHub(t)
	g.downloads()
	releases := g.URL + "/releases/download"
	run := func() (written bool, said string) {
		j := newAction(t, g, t.TempDir(), nil) // for its checkout
		vars := maps.Clone(file.Job.Variables)
		vars["SITEMEND_RELEASES"], vars["SITEMEND_TARGETS"], vars["SITEMEND_FLAGS"] = releases, "sitemap.xml", "--no-fetch --fail-on problem"
		cmd := exec.Command("sh", "-e", "-c", strings.Join(append(file.Job.BeforeScript, file.Job.Script...), "\n"))
		cmd.Dir, cmd.Env = j.dir, []string{"PATH=" + os.Getenv("PATH"), "HOME=" + j.dir, "LANG=C.UTF-8"}
		for _, name := range slices.Sorted(maps.Keys(vars)) {
			cmd.Env = append(cmd.Env, name+"="+vars[name])
		}
		out, err := cmd.CombinedOutput()
		if cmd.ProcessState == nil {
			t.Fatal(err)
		}
		code := cmd.ProcessState.ExitCode() // sha256sum ends with exitFound, too; shells differ in what they end with themselves
		if code == exitOK || code != exitFound && releases != "" {
			t.Errorf("ended with %d", code)
		}
		_, err = os.Stat(filepath.Join(j.dir, "sitemend-out", "junit.xml"))
		return err == nil, string(out)
	}
	if written, said := run(); !written || !strings.Contains(said, archiveName+": OK") {
		t.Errorf("junit.xml is there: %v\n%s", written, said)
	}
	releases = ""
	if written, said := run(); written || !strings.Contains(said, "SITEMEND_RELEASES: is not set: https://github.com/OWNER/") {
		t.Errorf("without releases: junit.xml is there: %v\n%s", written, said)
	}
	releases = g.URL + "/releases/download"
	g.archive = append(g.archive, 0)
	if written, said := run(); written || !strings.Contains(said, archiveName+": FAILED") {
		t.Errorf("another archive: junit.xml is there: %v\n%s", written, said)
	}
}

// A release is made under the name of an account, or not at all: packages, image and cask name it.
func TestAReleaseNamesItsOwner(t *testing.T) {
	var config struct {
		Env    []string
		Before struct{ Hooks []string }
	}
	text := ofProject(t, ".goreleaser.yaml")
	if err := yaml.Unmarshal([]byte(text), &config); err != nil || len(config.Before.Hooks) == 0 || len(config.Env) == 0 {
		t.Fatalf("%+v, %v", config, err)
	}
	if first := config.Before.Hooks[0]; first != ".ci/packages owner" {
		t.Errorf("a release begins with %s", first)
	}
	if strings.Contains(text, "github.com/OWNER") || strings.Contains(config.Env[0], `"OWNER" "OWNER"`) || !strings.HasPrefix(config.Env[0], "OWNER=") {
		t.Errorf("the account is named otherwise: %s", config.Env[0])
	}
	for owner, want := range map[string]string{"": "OWNER is not set: it is the account on GitHub that releases sitemend.\nhint: ", "someone": ""} {
		cmd := exec.Command(filepath.Join(projectDir, ".ci", "packages"), "owner")
		cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "TMPDIR=" + t.TempDir(), "OWNER=" + owner}
		said, err := cmd.CombinedOutput()
		if (err == nil) != (want == "") || !strings.HasPrefix(string(said), want) || want == "" && len(said) > 0 {
			t.Errorf("OWNER=%s: %v\n%s", owner, err, said)
		}
	}
}

// downloads adds the pages from which a release is downloaded without the API.
func (g *github) downloads() {
	api := g.Config.Handler
	g.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/releases/download/v" + release + "/" + archiveName:
			w.Write(g.archive)
		case "/releases/download/v" + release + "/checksums.txt":
			w.Write(g.checksums)
		default:
			api.ServeHTTP(w, r)
		}
	})
}

// The hook for pre-commit checks the files that it is given, and leaves none behind.
func TestPreCommitHook(t *testing.T) {
	needs(t, "sh", "mktemp")
	var hooks []struct{ ID, Language, Entry, Files string }
	if err := yaml.Unmarshal([]byte(ofProject(t, ".pre-commit-hooks.yaml")), &hooks); err != nil || len(hooks) != 1 {
		t.Fatalf("%d hooks, %v", len(hooks), err)
	}
	hook := hooks[0]
	for name, want := range map[string]bool{"sitemap.xml": true, "public/sitemap-2.xml.gz": true, "sitemap_index.xml": true, "sitemap.md": false, "my-sitemap.xml": false, "sitemaps.go": false} {
		if got := regexp.MustCompile(hook.Files).MatchString(name); got != want {
			t.Errorf("%s is checked: %v, want %v", name, got, want)
		}
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	bin := t.TempDir()
	if err := os.Symlink(self, filepath.Join(bin, "sitemend")); err != nil {
		t.Fatal(err)
	}
	for loc, want := range map[string]int{"https://www.shop.example/": exitOK, "/contact": exitFound} {
		text := `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>` + loc + `</loc></url></urlset>`
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "sitemap 1.xml"), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command("sh", "-c", hook.Entry+` "sitemap 1.xml"`)
		cmd.Dir, cmd.Env = dir, []string{"PATH=" + bin + ":" + os.Getenv("PATH"), "HOME=" + dir, "TMPDIR=" + t.TempDir(), "LANG=C.UTF-8"}
		out, _ := cmd.CombinedOutput()
		if got := cmd.ProcessState.ExitCode(); got != want {
			t.Errorf("%q: exit status %d, want %d:\n%s", text, got, want, out)
		}
		for _, d := range []string{dir, cmd.Env[2][len("TMPDIR="):]} {
			if left, err := os.ReadDir(d); err != nil || d == dir && len(left) != 1 || d != dir && len(left) != 0 {
				t.Errorf("left in %s: %v, %v", d, left, err)
			}
		}
	}
}

// What people copy from the documentation names the version that there is.
func TestDocsNameTheVersion(t *testing.T) {
	image := release[:strings.LastIndex(release, ".")] // the images' tag that new patches have, too
	seen := map[string]bool{}
	for _, name := range []string{"docs/ci.md", "docs/install.md", "docs/examples/gitlab.yml", "docs/examples/compose.yaml", "docs/examples/cronjob.yaml", "README.md"} {
		text := ofProject(t, name)
		for _, m := range regexp.MustCompile(`(OWNER/sitemend@v|rev: v|/raw/v|/download/v|ghcr\.io/(?:OWNER|\$\{OWNER:[^}]*\})/sitemend:|sitemend_)(\d[\d.]*\d)`).FindAllStringSubmatch(text, -1) {
			want := release
			if strings.HasPrefix(m[1], "ghcr") {
				want = image
			}
			if m[2] != want {
				t.Errorf("%s: %s, the version is %s", name, m[0], release)
			}
			seen[name] = true
		}
	}
	if len(seen) < 5 {
		t.Errorf("only %v name a version", seen)
	}
}

// The examples are YAML, and the images run as the Dockerfile says.
func TestExamplesAreYAML(t *testing.T) {
	names, err := filepath.Glob(filepath.Join(projectDir, "docs", "examples", "*.y*ml"))
	if err != nil || len(names) < 4 {
		t.Fatalf("%d examples, %v", len(names), err)
	}
	for _, name := range names {
		in := yaml.NewDecoder(strings.NewReader(string(read(name))))
		n := 0
		for ; ; n++ {
			var doc map[string]any
			if err := in.Decode(&doc); err != nil {
				if err.Error() != "EOF" {
					t.Errorf("%s: %v", name, err)
				}
				break
			}
		}
		if n == 0 {
			t.Errorf("%s is empty", name)
		}
	}
	for _, want := range []string{"USER 65532:65532", "WORKDIR /data", "--chown=65532:65532 /data /data"} {
		if !strings.Contains(ofProject(t, "Dockerfile"), want) {
			t.Errorf("the Dockerfile lacks %s", want)
		}
	}
	if !strings.Contains(ofProject(t, "docs/examples/cronjob.yaml"), "runAsUser: 65532") {
		t.Error("the CronJob runs as another user than the image")
	}
}

// The configurations that people begin with are right: that of the packages as it is, and that of
// the CronJob with its secret.
func TestExamplesOfWatchAreRight(t *testing.T) {
	var parts struct{ Data map[string]string }
	if err := yaml.Unmarshal([]byte(ofProject(t, "docs/examples/cronjob.yaml")), &parts); err != nil {
		t.Fatal(err)
	}
	t.Setenv("SLACK", "ntfy://ntfy.example/sitemaps")
	for name, text := range map[string]string{"watch.yaml": ofProject(t, "docs/examples/watch.yaml"), "cronjob.yaml": parts.Data["watch.yaml"]} {
		file := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		var out, errOut strings.Builder
		if code := run(t.Context(), []string{"watch", "--check", file}, strings.NewReader(""), &out, &errOut); code != exitOK || errOut.Len() > 0 {
			t.Errorf("%s: exit status %d: %s", name, code, errOut.String())
		}
	}
	unit := ofProject(t, "docs/examples/sitemend.service")
	for _, want := range []string{"ExecStart=/usr/bin/sitemend watch /etc/sitemend/watch.yaml\n", "SuccessExitStatus=3\n", "Restart=on-failure\n"} {
		if !strings.Contains(unit, want) {
			t.Errorf("the unit lacks %s", want)
		}
	}
}
