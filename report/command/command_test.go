package command_test

import (
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"sitemend/crawler/audit"
	"sitemend/report/command"
)

// What was given stays, but for what the command changes.
func ExampleAudit() {
	info := &audit.Info{Targets: []string{"https://shop.example"},
		Given: []string{"--resolve=shop.example:443:10.0.0.7", "--as=bingbot", "--sample=20", "--user=NAME:PASS", "--header=X-Door: VALUE", "--new=false", "--allow-private"}}
	fmt.Println(command.Audit(info, []string{"--as=browser"}))
	fmt.Println(command.Audit(info, []string{"-q", "--new"}, "sample", "header"))
	fmt.Println(command.Audit(&audit.Info{Targets: []string{"https://shop.example", "my sitemap.xml", "-x.xml", "-"}}, nil))
	// Output:
	// sitemend audit --as browser --resolve shop.example:443:10.0.0.7 --sample 20 --user NAME:PASS --header 'X-Door: VALUE' --new=false --allow-private https://shop.example
	// sitemend audit -q --new --resolve shop.example:443:10.0.0.7 --as bingbot --user NAME:PASS --allow-private https://shop.example
	// sitemend audit https://shop.example 'my sitemap.xml' ./-x.xml -
}

// A shell reads each word as it was, whatever is in it.
func TestAShellReadsTheWords(t *testing.T) {
	for _, s := range []string{"", "plain", "a b", "it's", `"`, "$HOME", "`id`", `a\`, "~", "#x", "!!", "*?[a]{b,c}", "a;b|c&d<e>f(g)", "a\nb", "サイト", "--x=y", "%E3%81%82"} {
		out, err := exec.Command("sh", "-c", "printf '%s.' "+command.Word(s)).Output()
		if want := s + "."; err != nil || string(out) != want {
			t.Errorf("%q is read as %q (%v), want %q", s, out, err, want)
		}
	}
}

// A flag and its value are read as they were given.
func TestAShellReadsTheFlags(t *testing.T) {
	given := []string{"--include=/a b/$", "--header=User-Agent: it's \"me\"", "--exclude=", "--out=-", "--fix=-x", "--links", "--fresh"}
	line := command.Audit(&audit.Info{Targets: []string{"x y"}, Given: given}, nil)
	out, err := exec.Command("sh", "-c", "printf '%s\n' "+strings.TrimPrefix(line, "sitemend ")).Output()
	want := "audit\n--include\n/a b/$\n--header\nUser-Agent: it's \"me\"\n--exclude\n\n--out\n-\n--fix=-x\n--links\n--fresh\nx y\n"
	if err != nil || string(out) != want {
		t.Errorf("%s is read as %q (%v)", line, out, err)
	}
}
