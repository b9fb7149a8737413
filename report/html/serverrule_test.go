package html

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"sitemend/crawler/address"
)

// Each snippet encodes as EncodeValue does: every byte by itself, and all of
// them at once.
func TestSnippetsEncodeAsWeDo(t *testing.T) {
	var all []byte
	var want strings.Builder
	for c := range 256 {
		all = append(all, byte(c))
		fmt.Fprintln(&want, address.EncodeValue(string(all[c:])))
	}
	fmt.Fprintln(&want, address.EncodeValue(string(all)))
	for _, c := range []struct {
		file, program, flag, install, drive string
	}{
		{"value.php", "php", "-r", "php-cli", `$all = stream_get_contents(STDIN);
foreach (str_split($all) as $b) { echo encode_value($b), "\n"; } echo encode_value($all), "\n";`},
		{"value.py", "python3", "-c", "python3", `import sys
all = sys.stdin.buffer.read()
for b in all: print(encode_value(bytes([b])))
print(encode_value(all))`},
		{"value.js", "node", "-e", "nodejs", `const all = new Uint8Array(require('fs').readFileSync(0));
for (const b of all) console.log(encodeValue(Uint8Array.of(b)));
console.log(encodeValue(all));`},
		{"value.pl", "perl", "-e", "perl", `binmode STDIN; my $all = do { local $/; <STDIN> };
print encode_value($_), "\n" for split(//, $all), $all;`},
		{"value.rb", "ruby", "-e", "ruby", `all = STDIN.binmode.read
all.bytes.each { |b| puts encode_value(b.chr) }
puts encode_value(all)`},
	} {
		t.Run(c.program, func(t *testing.T) {
			path, err := exec.LookPath(c.program)
			if err != nil {
				missing := c.program + " is not installed: apt-get install " + c.install
				if os.Getenv("SITEMEND_NO_SKIP") != "" {
					t.Fatal(missing)
				}
				t.Skip(missing)
			}
			cmd := exec.Command(path, c.flag, snippet(c.file)+"\n"+c.drive)
			cmd.Stdin = bytes.NewReader(all)
			var errs bytes.Buffer
			cmd.Stderr = &errs
			out, err := cmd.Output()
			if err != nil || errs.Len() > 0 {
				t.Fatalf("%v\n%s", err, errs.String())
			}
			if string(out) != want.String() {
				t.Errorf("got\n%s\nwant\n%s", out, want.String())
			}
		})
	}
}

// The pattern of a page matches its bytes in any spelling, and no other bytes.
func TestPagePattern(t *testing.T) {
	for _, c := range []struct {
		page      string
		same, not []string
	}{
		{"/a(1).html", []string{"/a%281%29.html", "/%61(1)%2Ehtml"}, []string{"/a(1)xhtml", "/a(2).html", "/A(1).html", "/a(1).html?", "%2Fa(1).html"}},
		{"/w?x=a+b&y", []string{"/w?x=a%20b&y", "/%77?%78=a+b&y"}, []string{"/w?x=a%2Bb&y", "/w?x%3Da+b&y", "/w?x=a+b;y", "/w"}},
		{"/%E3%81", []string{"/%e3%81", "/%E3%81", "/%e3%81"}, []string{"/%E3%82", "/E3"}},
		{"/a%2Fb?c%26d%3D%2B", []string{"/a%2fb?c%26d%3d%2b"}, []string{"/a/b?c%26d%3D%2B", "/a%2Fb?c&d%3D%2B", "/a%2Fb?c%26d%3D+"}},
	} {
		re, err := regexp.Compile("^" + pagePattern(address.Wire("http://a.example"+c.page)) + "$")
		if err != nil {
			t.Fatalf("%s: %v", c.page, err)
		}
		for _, s := range append(c.same, c.page) {
			if !re.MatchString(s) {
				t.Errorf("%s: %s has the same bytes, but is not matched by %s", c.page, s, re)
			}
		}
		for _, s := range c.not {
			if re.MatchString(s) {
				t.Errorf("%s: %s has other bytes, but is matched by %s", c.page, s, re)
			}
		}
	}
}

// A value of each byte is matched as EncodeValue writes it, and with all escaped.
func TestPagePatternOfEachByte(t *testing.T) {
	for c := range 256 {
		escaped := fmt.Sprintf("/w?v=%%%02x", c)
		literal := "/w?v=" + address.EncodeValue(string([]byte{byte(c)}))
		re := regexp.MustCompile("^" + pagePattern(address.Wire("http://a.example"+escaped)) + "$")
		if !re.MatchString(escaped) || !re.MatchString(literal) {
			t.Errorf("%s or %s is not matched by %s", escaped, literal, re)
		}
		if other := fmt.Sprintf("/w?v=%%%02x", byte(c+1)); re.MatchString(other) {
			t.Errorf("%s is matched by %s", other, re)
		}
	}
}

func TestServerRules(t *testing.T) {
	const page = "http://a.example/w?%28"
	for name, rule := range map[string]string{"nginx": NginxRule(page), "apache": serverRule("apache.conf", page)} {
		if !strings.Contains(rule, pagePattern(address.Wire(page))) || strings.Contains(rule, "PATTERN") {
			t.Errorf("%s: %s", name, rule)
		}
	}
	if NginxRule("no address") != "" || NginxRule(page+strings.Repeat("(", 1000)) != "" {
		t.Error("a rule for what has none")
	}
}
