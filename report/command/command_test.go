package command_test

import (
	"fmt"
	"os/exec"
	"testing"

	"sitemend/crawler/audit"
	"sitemend/report/command"
)

// What was given stays, but for what the command changes.
func ExampleAudit() {
	info := &audit.Info{Targets: []string{"https://shop.example"},
		Given: []string{"--resolve=shop.example:443:10.0.0.7", "--as=bingbot", "--sample=20", "--user=NAME:PASS", "--header=X-Door: VALUE", "--new=false", "--allow-private"}}
	fmt.Println(command.Audit(info, "--as=browser", "--sample"))
	fmt.Println(command.Audit(&audit.Info{Targets: []string{"https://shop.example", "my sitemap.xml", "-x.xml", "-"}}, ""))
	// Output:
	// sitemend audit --as=browser --resolve=shop.example:443:10.0.0.7 --user=NAME:PASS '--header=X-Door: VALUE' --new=false --allow-private https://shop.example
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
