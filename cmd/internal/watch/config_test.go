package watch

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const whole = `store: audits
listen: 127.0.0.1:8080
timezone: Asia/Tokyo
defaults: { schedule: "@daily", rate: 5, keep-audits: 30, fail-on: problem, lang: ja, notify: [ops] }
sites:
  - name: shop
    targets: [http://www.shop.example:8080]
    schedule: "17 3 * * 1"
    timeout: 10s
    links: true
    resolve: ["www.shop.example:8080:127.0.0.1", "shop.example:443:127.0.0.1"]
  - {name: blog, targets: https://blog.example, rate: 1, links: false, fail-on: [any, "moved:1%"], notify: [ops, hook]}
notify:
  ops: { url: "${NTFY}" }
  hook: { webhook: https://example.org/in, secret: ${HOOK} }
`

// Everything arrives where it belongs; what a site says itself takes the place of a default.
func TestConfig(t *testing.T) {
	dir := t.TempDir()
	c, err := load(t, dir, map[string]string{"NTFY": "ntfy://ntfy.example/topic", "HOOK": "s3cret"}, whole)
	must(t, err)
	shop, blog := c.Sites[0], c.Sites[1]
	for name, x := range map[string][2]any{
		"store":         {c.Store, filepath.Join(dir, "audits")},
		"timezone":      {c.Location.String(), "Asia/Tokyo"},
		"receivers":     {strings.Join(c.receivers(), " "), "ops hook"},
		"shop out":      {shop.Spec.Out, filepath.Join(dir, "audits", "shop")},
		"shop schedule": {shop.Schedule.String(), "17 3 * * 1"},
		"shop targets":  {strings.Join(shop.Spec.Targets, " "), "http://www.shop.example:8080"},
		"shop rate":     {shop.Spec.Rate, 5.0},
		"shop given":    {shop.Spec.RateGiven, true},
		"shop timeout":  {shop.Spec.Timeout.String(), "10s"},
		"shop links":    {shop.Spec.Links, true},
		"shop resolve":  {len(shop.Spec.Resolve), 2},
		"shop fail-on":  {strings.Join(shop.Spec.FailOn, " "), "problem"},
		"shop notify":   {strings.Join(shop.Notify, " "), "ops"},
		"blog schedule": {blog.Schedule.String(), "@daily"},
		"blog rate":     {blog.Spec.Rate, 1.0},
		"blog links":    {blog.Spec.Links, false},
		"blog lang":     {blog.Spec.Lang, "ja"},
		"blog fail-on":  {strings.Join(blog.Spec.FailOn, " "), "any moved:1%"},
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
	for _, x := range []struct{ text, want string }{
		{"stor: s\nsites: []\n", `watch.yaml:1:1: the configuration has no key "stor"; did you mean store?`},
		{site("exlude: a"), `watch.yaml:6:5: a site has no key "exlude"; did you mean exclude?`},
		{"defaults: { raet: 5 }\n" + site(), `watch.yaml:1:13: a site has no key "raet"; did you mean rate?`},
		{site("keep-audits: many"), `watch.yaml:6:18: keep-audits: "many" is not a whole number`},
		{site("rate: [1, 2]"), `watch.yaml:6:11: rate takes a single value, not a list`},
		{site("rate:"), `watch.yaml:6:10: a single value stands here`},
		{site("out: elsewhere"), `watch.yaml:6:5: a site has no key "out"`},
		{"store: s\nsites:\n  - name: shop\n    targets: a.example\n", `watch.yaml:3:5: the site shop has no schedule`},
		{strings.Replace(site(), "@daily", "61 * * * *", 1), `watch.yaml:5:15: schedule "61 * * * *": `},
		{strings.Replace(site(), "@daily", "0 0 31 2 *", 1), `watch.yaml:5:15: schedule "0 0 31 2 *": there is no such day`},
		{"timezone: Asia/Tokio\n" + site(), `watch.yaml:1:11: timezone: there is no time zone "Asia/Tokio"`},
		{site("notify: [opps]") + "notify:\n  ops: { webhook: https://h.example/ }\n", `watch.yaml:6:13: notify: there is no receiver "opps"; did you mean ops?`},
		{site() + "notify:\n  ops: { url: \"slak://x\" }\n", `watch.yaml:8:8: the receiver ops: this is no service URL`},
		{site() + "notify:\n  ops: { url: \"${NONE}\" }\n", `watch.yaml:8:15: the environment variable NONE is not set`},
		{site("exclude: x") + "  - name: Shop\n    targets: b.example\n    schedule: \"@daily\"\n", `watch.yaml:7:5: two sites have the name Shop`},
		{site("rate: 3") + "  - name: b\n    targets: https://shop.example\n    schedule: \"@daily\"\n", `watch.yaml:7:5: the site b has the targets, the robot and the filters of the site shop`},
		{site("fail-on: nonsense"), `watch.yaml:6:14: the site shop: fail-on "nonsense" is unknown`},
		{site("as: nobody"), `watch.yaml:6:9: the site shop: as "nobody" is unknown`},
		{"store: s\nsites:\n  - name: [a\n", `watch.yaml:2:1: `},
		{"store: s\nstore: t\n", `watch.yaml:2:1: the key "store" is there twice`},
		{"# nothing\n", "watch.yaml:1:1: the configuration takes keys and values"},
		{"store: s\nsites: &a [ *a ]\n", "watch.yaml:2:"},
		{strings.Replace(site(), "[https://shop.example]", "[https://shop.example, none.xml]", 1), `watch.yaml:3:5: the site shop: none.xml: no such file`},
	} {
		_, err := load(t, t.TempDir(), nil, x.text)
		if h, ok := err.(interface{ Hint() string }); !ok || h.Hint() == "" || !strings.Contains(err.Error(), x.want) {
			t.Errorf("%s\ngot %v\nwant %s", x.text, err, x.want)
		}
	}
	large := filepath.Join(t.TempDir(), "watch.yaml")
	must(t, os.WriteFile(large, nil, 0o600))
	must(t, os.Truncate(large, 1<<40))
	if _, err := loader(nil).Load(t.Context(), large); err == nil || !strings.Contains(err.Error(), "more than 4 MB") {
		t.Errorf("a terabyte: %v", err)
	}
}

// A value that came from the environment is in no error, wherever it stands and whatever it is.
func TestConfigKeepsTheEnvironment(t *testing.T) {
	const hidden = "hUnTeR2longer"
	texts := []string{"listen: \"${S}\"\n" + site(), "timezone: \"${S}\"\n" + site(),
		strings.Replace(site(), "@daily", "${S}", 1), strings.Replace(site(), "https://shop.example", "${S}", 1), strings.Replace(site(), "name: shop", "name: \"${S}\"", 1),
		site("notify: \"${S}\"") + "notify:\n  ops: { webhook: https://h.example/ }\n",
		site() + "notify:\n  ops: { url: \"${S}\" }\n", site() + "notify:\n  ops: { webhook: \"${S}\", secret: x }\n"}
	for _, key := range []string{"rate", "timeout", "as", "exclude", "resolve", "ca", "via", "header", "user", "fail-on", "keep-audits", "expect", "format", "links"} {
		texts = append(texts, site(key+": \"${S}\""))
	}
	for _, value := range []string{hidden, "(" + hidden, hidden + "\x01b", "a \"" + hidden + "\"", "::" + hidden, "61 " + hidden + " * * *", "http://u:" + hidden + "@127.0.0.1:99999/", "%zz" + hidden, hidden + "\nx"} {
		for _, text := range texts {
			_, err := load(t, t.TempDir(), map[string]string{"S": value}, text)
			if err != nil && strings.Contains(strings.ToLower(err.Error()), strings.ToLower(hidden)) {
				t.Errorf("%s\nwith %q told %v", text, value, err)
			}
		}
	}
	_, err := load(t, t.TempDir(), map[string]string{"S": "x"}, site("rate: \"${S}\""))
	if err == nil || !strings.Contains(err.Error(), `rate: "${S}" is not a number`) {
		t.Errorf("of a value of one letter it told %v", err)
	}
}
