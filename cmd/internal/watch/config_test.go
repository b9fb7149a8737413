package watch_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/xeipuuv/gojsonschema"

	"sitemend/cmd/internal/watch"
)

const whole = `$schema: ./watch.schema.json
store: audits
listen: 127.0.0.1:8080
token: ${TOKEN}
timezone: Asia/Tokyo
parallel: 3
defaults: &all { schedule: "@daily", rate: 5, keep-audits: 30, fail-on: problem, notify: [ops] }
sites:
  - name: shop
    targets: [https://www.shop.example]
    schedule: "17 3 * * 1"
    timeout: 10s
    allow-private: true
    resolve: ["www.shop.example:443:127.0.0.1", "shop.example:443:127.0.0.1"]
  - name: blog
    targets: https://blog.example
    rate: 1
    fail-on: [problem, "moved:1%"]
    notify: [ops, hook]
notify:
  ops: { url: "${NTFY}" }
  hook: { webhook: https://example.org/in, secret: "${HOOK}" }
  lang: ja
`

var wholeEnv = map[string]string{"TOKEN": "0123456789abcdef", "NTFY": "ntfy://ntfy.example/topic", "HOOK": "s3cret"}

// load reads a configuration from a file.
func load(t *testing.T, l watch.Loader, text string) (*watch.Config, string, error) {
	t.Helper()
	dir := t.TempDir()
	path := filepath.Join(dir, "watch.yaml")
	must(t, os.WriteFile(path, []byte(text), 0o600))
	c, err := l.Load(path)
	return c, dir, err
}

// Everything in the example of the documentation arrives where it belongs; what a site says itself
// takes the place of a default.
func TestConfig(t *testing.T) {
	c, dir, err := load(t, loader(wholeEnv), whole)
	must(t, err)
	shop, blog := c.Sites[0], c.Sites[1]
	for name, x := range map[string][2]any{
		"store":         {c.Store, filepath.Join(dir, "audits")},
		"token":         {c.Token, "0123456789abcdef"},
		"timezone":      {c.Location.String(), "Asia/Tokyo"},
		"parallel":      {c.Parallel, 3},
		"lang":          {c.Lang, "ja"},
		"receivers":     {len(c.Receivers), 2},
		"warnings":      {len(c.Warnings), 0},
		"shop out":      {shop.Spec.Out, filepath.Join(dir, "audits", "shop")},
		"shop store":    {shop.Spec.Store, filepath.Join(dir, "audits", "audits.db")},
		"shop schedule": {shop.Schedule.String(), "17 3 * * 1"},
		"shop rate":     {shop.Spec.Rate, 5.0},
		"shop given":    {shop.Spec.RateGiven, true},
		"shop timeout":  {shop.Spec.Timeout.String(), "10s"},
		"shop private":  {shop.Spec.AllowPrivate, true},
		"shop resolve":  {len(shop.Spec.Resolve), 2},
		"shop notify":   {strings.Join(shop.Notify, " "), "ops"},
		"blog schedule": {blog.Schedule.String(), "@daily"},
		"blog rate":     {blog.Spec.Rate, 1.0},
		"blog fail-on":  {strings.Join(blog.Spec.FailOn, " "), "problem moved:1%"},
		"blog targets":  {strings.Join(blog.Spec.Targets, " "), "https://blog.example"},
		"blog notify":   {strings.Join(blog.Notify, " "), "ops hook"},
		"blog keeps":    {blog.Spec.KeepAudits, 30},
	} {
		if x[0] != x[1] {
			t.Errorf("%s: got %v, want %v", name, x[0], x[1])
		}
	}
}

// site is a configuration with these lines at its end, in the site.
func site(lines ...string) string {
	return "store: s\nsites:\n  - name: shop\n    targets: [https://shop.example]\n    schedule: \"@daily\"\n    " + strings.Join(lines, "\n    ") + "\n"
}

// Whatever is wrong is said with file, line and column, and with what was meant.
func TestConfigSaysWhereItIsWrong(t *testing.T) {
	for name, x := range map[string]struct{ text, want string }{
		"unknown key":       {"stor: s\nsites: []\n", `watch.yaml:1:1: the configuration has no key "stor"; did you mean store?`},
		"unknown flag":      {site("exlude: a"), `watch.yaml:6:5: a site has no key "exlude"; did you mean exclude?`},
		"in the defaults":   {"defaults: { raet: 5 }\n" + site(), `watch.yaml:1:13: defaults has no key "raet"; did you mean rate?`},
		"wrong type":        {site("keep-audits: many"), `watch.yaml:6:18: keep-audits: "many" is not a whole number`},
		"a list for one":    {site("rate: [1, 2]"), `watch.yaml:6:11: rate takes a single value, not a list`},
		"not for a site":    {site("out: elsewhere"), `watch.yaml:6:5: out cannot be given to a site: the outputs of a site are in a folder of its name`},
		"no schedule":       {"store: s\nsites:\n  - name: shop\n    targets: a.example\n", `watch.yaml:3:9: the site shop has no schedule`},
		"schedule":          {site("exclude: x") + "  - name: b\n    targets: b.example\n    schedule: 61 * * * *\n", `watch.yaml:9:15: schedule "61 * * * *": end of range (61) above maximum (59)`},
		"schedule's name":   {strings.Replace(site(), "@daily", "@dayly", 1), `watch.yaml:5:15: schedule "@dayly" is unknown; did you mean @daily?`},
		"no such day":       {strings.Replace(site(), "@daily", "0 0 31 2 *", 1), `watch.yaml:5:15: schedule "0 0 31 2 *": there is no such day`},
		"time zone":         {"timezone: Asia/Tokio\n" + site(), `watch.yaml:1:11: timezone: there is no time zone "Asia/Tokio"`},
		"receiver":          {site("notify: [opps]") + "notify:\n  ops: { webhook: https://h.example/ }\n", `watch.yaml:6:14: notify: there is no receiver "opps"; did you mean ops?`},
		"service":           {site() + "notify:\n  ops: { url: \"${SERVICE}\" }\n", `watch.yaml:8:3: the receiver ops: there is no service "slak"; did you mean slack?`},
		"service without a": {site() + "notify:\n  ops: { url: \"${NONE}\" }\n", `watch.yaml:8:15: url: the environment variable NONE is not set`},
		"two names":         {site("exclude: x") + "  - name: Shop\n    targets: b.example\n    schedule: \"@daily\"\n", `watch.yaml:7:11: two sites have the name Shop`},
		"one site twice":    {site("rate: 3") + "  - name: b\n    targets: https://shop.example\n    schedule: \"@daily\"\n", `watch.yaml:7:11: the site b has the targets, the robot and the filters of the site shop`},
		"a value of a flag": {site("fail-on: nonsense"), `watch.yaml:3:9: the site shop: fail-on "nonsense" is not possible`},
		"no YAML":           {"store: s\nsites:\n  - name: [a\n", `watch.yaml:3:11: `},
		"a key twice":       {"store: s\nstore: t\n", `watch.yaml:2:1: `},
		"a tab":             {"store: s\nsites:\n\t- name: a\n", `watch.yaml:3:`},
		"empty":             {"# nothing\n", "watch.yaml: it is empty"},
		"a list":            {"- a\n", "watch.yaml:1:1: the configuration takes keys and values, as name: shop, not a list"},
		"alias of itself":   {"store: s\nsites: &a [ *a ]\n", "watch.yaml:2:1"},
		"reachable":         {"listen: 0.0.0.0:80\n" + site(), "listen: 0.0.0.0:80 can be reached from other machines: give a token"},
		"short token":       {"token: ${SHORT}\n" + site(), "watch.yaml:1:8: token: it takes 16 to 200 letters"},
	} {
		t.Run(name, func(t *testing.T) {
			_, _, err := load(t, loader(map[string]string{"SERVICE": "slak://token:abc@channel", "SHORT": "abc"}), x.text)
			if err == nil || !strings.Contains(err.Error(), x.want) {
				t.Fatalf("got %v\nwant %s", err, x.want)
			}
			if h, ok := err.(interface{ Hint() string }); !ok || h.Hint() == "" {
				t.Error("it has no hint")
			}
		})
	}
}

// A value that is secret is in no error and in no warning, wherever it stands.
func TestConfigKeepsSecrets(t *testing.T) {
	const hidden = "hUnTeR2"
	for _, text := range []string{
		site() + "notify:\n  ops: { url: \"slack://" + hidden + "\" }\n",
		site() + "notify:\n  ops: { url: \"" + hidden + "://x\" }\n",
		site() + "notify:\n  ops: { url: \"" + hidden + "\" }\n",
		site() + "notify:\n  ops: { url: \"https://hooks.example/" + hidden + "\" }\n",
		site() + "notify:\n  ops: { webhook: \"ftp://a.example/" + hidden + "\" }\n",
		site() + "notify:\n  ops: { webhook: \"http://h.example/\", secret: " + hidden + " }\n",
		"token: " + hidden + "\n" + site(),
		site("user: " + hidden),
		site("user: name:" + hidden),
		site("user: \"name:" + hidden + "\n"),
	} {
		c, _, err := load(t, loader(nil), text)
		said := fmt.Sprint(err)
		if c != nil {
			said += strings.Join(c.Warnings, "\n")
		}
		if strings.Contains(said, hidden) {
			t.Errorf("%s\ntold %s", text, said)
		}
	}
}

// A secret that is written out is a warning; one from the environment is none.
func TestConfigWarnsOfSecrets(t *testing.T) {
	c, _, err := load(t, loader(nil), site("user: name:pass")+"notify:\n  ops: { url: ntfy://ntfy.example/topic }\n  hook: { webhook: https://h.example/ }\n")
	must(t, err)
	want := []string{"watch.yaml:6:11: user is written out", "watch.yaml:8:15: url is written out", "watch.yaml:9:3: the receiver hook has no secret"}
	slices.Sort(c.Warnings)
	if len(c.Warnings) != len(want) {
		t.Fatalf("got %q", c.Warnings)
	}
	for i, w := range want {
		if !strings.HasPrefix(c.Warnings[i], w) {
			t.Errorf("got %q, want %q", c.Warnings[i], w)
		}
	}
}

// The schema takes what is read, and refuses what is refused.
func TestSchema(t *testing.T) {
	text, err := loader(nil).Schema()
	must(t, err)
	schema, err := gojsonschema.NewSchema(gojsonschema.NewBytesLoader(text))
	must(t, err)
	valid := func(text string) bool {
		var b bytes.Buffer
		j, err := yaml.YAMLToJSON([]byte(text))
		must(t, err)
		b.Write(j)
		result, err := schema.Validate(gojsonschema.NewBytesLoader(b.Bytes()))
		must(t, err)
		return result.Valid()
	}
	for text, want := range map[string]bool{whole: true, site(): true, site("exlude: a"): false, site("out: x"): false, "store: s\n": false, site("rate: [1, 2]"): false} {
		if got := valid(text); got != want {
			t.Errorf("the schema says %v of\n%s", got, text)
		}
	}
}

// Nothing that stands in a file makes reading it panic.
func FuzzConfig(f *testing.F) {
	f.Add(whole)
	f.Add(site("resolve: *a"))
	f.Add("a: &a { <<: *a }\n")
	l := loader(wholeEnv)
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, text string) {
		path := filepath.Join(dir, fmt.Sprintf("%d.yaml", os.Getpid()))
		must(t, os.WriteFile(path, []byte(text), 0o600))
		if c, err := l.Load(path); err == nil && len(c.Sites) == 0 {
			t.Errorf("no site, and no error: %q", text)
		}
	})
}
