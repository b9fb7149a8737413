package watch_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sitemend/cmd/internal/watch"
)

const whole = `store: audits
listen: 127.0.0.1:8080
timezone: Asia/Tokyo
defaults: &all { schedule: "@daily", rate: 5, keep-audits: 30, fail-on: problem, lang: ja, notify: [ops] }
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
`

var wholeEnv = map[string]string{"NTFY": "ntfy://ntfy.example/topic", "HOOK": "s3cret"}

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
		"timezone":      {c.Location.String(), "Asia/Tokyo"},
		"lang":          {blog.Spec.Lang, "ja"},
		"receivers":     {len(c.Receivers), 2},
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
		"in the defaults":   {"defaults: { raet: 5 }\n" + site(), `watch.yaml:1:13: a site has no key "raet"; did you mean rate?`},
		"wrong type":        {site("keep-audits: many"), `watch.yaml:6:18: keep-audits: "many" is not a whole number`},
		"a list for one":    {site("rate: [1, 2]"), `watch.yaml:6:11: rate takes a single value, not a list`},
		"nothing":           {site("rate:"), `watch.yaml:6:10: a single value stands here`},
		"not for a site":    {site("out: elsewhere"), `watch.yaml:6:5: a site has no key "out"`},
		"no schedule":       {"store: s\nsites:\n  - name: shop\n    targets: a.example\n", `watch.yaml:3:5: the site shop has no schedule`},
		"schedule":          {strings.Replace(site(), "@daily", "61 * * * *", 1), `watch.yaml:5:15: schedule "61 * * * *": `},
		"schedule's name":   {strings.Replace(site(), "@daily", "@dayly", 1), `watch.yaml:5:15: schedule "@dayly" is unknown; did you mean @daily?`},
		"no such day":       {strings.Replace(site(), "@daily", "0 0 31 2 *", 1), `watch.yaml:5:15: schedule "0 0 31 2 *": there is no such day`},
		"time zone":         {"timezone: Asia/Tokio\n" + site(), `watch.yaml:1:11: timezone: there is no time zone "Asia/Tokio"`},
		"receiver":          {site("notify: [opps]") + "notify:\n  ops: { webhook: https://h.example/ }\n", `watch.yaml:6:13: notify: there is no receiver "opps"; did you mean ops?`},
		"service":           {site() + "notify:\n  ops: { url: \"${SERVICE}\" }\n", `watch.yaml:8:8: the receiver ops: there is no service "slak"; did you mean slack?`},
		"no variable":       {site() + "notify:\n  ops: { url: \"${NONE}\" }\n", `watch.yaml:8:15: the environment variable NONE is not set`},
		"empty variable":    {site("user: ${EMPTY}"), `watch.yaml:6:11: the environment variable EMPTY is not set, or is empty`},
		"two names":         {site("exclude: x") + "  - name: Shop\n    targets: b.example\n    schedule: \"@daily\"\n", `watch.yaml:7:5: two sites have the name Shop`},
		"one site twice":    {site("rate: 3") + "  - name: b\n    targets: https://shop.example\n    schedule: \"@daily\"\n", `watch.yaml:7:5: the site b has the targets, the robot and the filters of the site shop`},
		"a value of a flag": {site("fail-on: nonsense"), `watch.yaml:6:14: the site shop: fail-on "nonsense" is not possible`},
		"no YAML":           {"store: s\nsites:\n  - name: [a\n", `watch.yaml:3:1: `},
		"a key twice":       {"store: s\nstore: t\n", `watch.yaml:2:1: the key "store" is there twice`},
		"empty":             {"# nothing\n", "watch.yaml:1:1: it is empty"},
		"two documents":     {site() + "---\nstore: t\n", "a second document begins here"},
		"a list":            {"- a\n", "watch.yaml:1:1: the configuration takes keys and values, as name: shop"},
		"alias of itself":   {"store: s\nsites: &a [ *a ]\n", "watch.yaml:2:"},
		"a target":          {strings.Replace(site(), "[https://shop.example]", "[https://shop.example, none.xml]", 1), `watch.yaml:3:5: the site shop: none.xml: there is no such file`},
		"one of a list":     {site("resolve: [\"a.example:443:127.0.0.1\", \"b.example\"]"), `watch.yaml:6:14: the site shop: resolve "b.example" is not HOST:PORT:ADDR`},
		"a default":         {"defaults: { max-drop: 300% }\n" + site(), `watch.yaml:1:23: the site shop: max-drop`},
		"named by its hint": {site("as: nobody"), `watch.yaml:6:9: the site shop: no identity "nobody"`},
		"not true":          {site("links: yes"), `watch.yaml:6:12: links: "yes" is not true or false`},
		"lists in lists":    {"store: " + strings.Repeat("[", 20000) + "\n", "watch.yaml:1:1: "},
	} {
		t.Run(name, func(t *testing.T) {
			_, _, err := load(t, loader(map[string]string{"SERVICE": "slak://token:abc@channel", "SHORT": "abc", "EMPTY": ""}), x.text)
			if err == nil || !strings.Contains(err.Error(), x.want) {
				t.Fatalf("got %v\nwant %s", err, x.want)
			}
			if h, ok := err.(interface{ Hint() string }); !ok || h.Hint() == "" {
				t.Error("it has no hint")
			}
		})
	}
}

// A value that came from the environment is in no error, wherever it stands and whatever it is.
func TestConfigKeepsTheEnvironment(t *testing.T) {
	const hidden = "hUnTeR2longer"
	for _, value := range []string{hidden, "(" + hidden, hidden + "\x01b", "a \"" + hidden + "\"", "::" + hidden, "61 " + hidden + " * * *", "http://u:" + hidden + "@127.0.0.1:99999/", "%zz" + hidden, hidden + "\nx"} {
		for _, key := range []string{"rate", "timeout", "as", "exclude", "resolve", "map", "ca", "fix", "via", "header", "user", "fail-on", "keep-audits", "nats-creds", "expect", "format", "lang", "links"} {
			_, _, err := load(t, loader(map[string]string{"S": value}), site(key+": \"${S}\""))
			if err != nil && strings.Contains(strings.ToLower(err.Error()), strings.ToLower(hidden)) {
				t.Errorf("%s is %q: told %v", key, value, err)
			}
		}
		for _, text := range []string{"listen: \"${S}\"\n" + site(), "timezone: \"${S}\"\n" + site(),
			strings.Replace(site(), "@daily", "${S}", 1), strings.Replace(site(), "https://shop.example", "\"${S}\"", 1), strings.Replace(site(), "name: shop", "name: \"${S}\"", 1),
			site("notify: \"${S}\"") + "notify:\n  ops: { webhook: https://h.example/ }\n",
			site() + "notify:\n  ops: { url: \"${S}\" }\n", site() + "notify:\n  ops: { webhook: \"${S}\", secret: x }\n"} {
			_, _, err := load(t, loader(map[string]string{"S": value}), text)
			if err != nil && strings.Contains(strings.ToLower(err.Error()), strings.ToLower(hidden)) {
				t.Errorf("%s\nwith %q told %v", text, value, err)
			}
		}
	}
	_, _, err := load(t, loader(map[string]string{"S": "x"}), site("rate: \"${S}\""))
	if err == nil || !strings.Contains(err.Error(), `rate: "${S}" is not a number`) {
		t.Errorf("of a value of one letter it told %v", err)
	}
}

// An address with a port stands between brackets as YAML has it, and a flag that stands alone on
// the command line is true, or false as if it were not given.
func TestConfigReadsAsYAML(t *testing.T) {
	c, _, err := load(t, loader(nil), "store: s\nsites:\n  - {name: a, schedule: \"@daily\", links: true, targets: [http://a.example:8080/s.xml, http://b.example:81]}\n"+
		"  - {name: b, schedule: \"@daily\", links: false, targets: [http://c.example:8080]}\n")
	must(t, err)
	if got := strings.Join(append(c.Sites[0].Spec.Targets, c.Sites[1].Spec.Targets...), " "); got != "http://a.example:8080/s.xml http://b.example:81 http://c.example:8080" {
		t.Errorf("the targets are %s", got)
	}
	if a, b := c.Sites[0].Spec.Links, c.Sites[1].Spec.Links; !a || b {
		t.Errorf("links are %v and %v", a, b)
	}
}

// A configuration that is no file, or too large for one, is refused without being read: nobody may
// ever write to a pipe, and this file has a terabyte of zeros.
func TestConfigThatIsNoFile(t *testing.T) {
	dir := t.TempDir()
	large := filepath.Join(dir, "watch.yaml")
	must(t, os.WriteFile(large, nil, 0o600))
	must(t, os.Truncate(large, 1<<40))
	for path, want := range map[string]string{dir: "is no regular file", large: "it is larger than 4 MB"} {
		if _, err := loader(nil).Load(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}
