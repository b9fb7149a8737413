package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"sitemend/cmd/internal/cli"
	"sitemend/crawler/address"
)

func newURL(std stdio) *cobra.Command {
	return &cobra.Command{
		Use:   "url TEXT|URL...",
		Short: "Take a URL apart; or encode text for a sitemap",
		Long: `Take each URL apart, without a request: its parts, what is sent, its encodings, the text
in it. Anything that does not begin with http: or https: is text: it is decoded, and shown
as the value of a query in each charset that has it.

Exit status:
  0  done
  2  a URL is not valid`,
		Example: "  sitemend url 'http://wiki.example/?mod_cache%A4%C7Wiki%284%29'\n  sitemend url 'mod_cacheでWikiを高速化(4)'",
		Args:    takes(1, -1, "a URL or a text"),
		RunE: func(_ *cobra.Command, args []string) error {
			for i, arg := range args {
				if i > 0 {
					fmt.Fprintln(std.out)
				}
				if err := explain(std.out, arg); err != nil {
					return err
				}
			}
			return nil
		},
	}
}

// explain prints what there is to say of a URL or a text.
func explain(w io.Writer, arg string) error {
	var l labelled
	if isURL(arg) {
		a, err := address.Parse(arg)
		if err != nil {
			return cli.WithHint(err, "a URL begins with http:// or https:// and a host")
		}
		l.url(a)
	} else {
		l.text(arg)
	}
	_, err := io.WriteString(w, l.String())
	return err
}

// isURL reports whether s is a URL, not a text: it has the scheme of one, or any scheme with
// an authority.
func isURL(s string) bool {
	s = strings.ToLower(strings.TrimSpace(s))
	scheme, _, ok := strings.Cut(s, "://")
	return strings.HasPrefix(s, "http:") || strings.HasPrefix(s, "https:") ||
		ok && !strings.ContainsAny(scheme, " /?#%")
}

// labelled is lines of a label and a value.
type labelled struct{ strings.Builder }

func (l *labelled) add(label, value string) {
	fmt.Fprintf(l, "%s\n", strings.TrimRight(fmt.Sprintf("%-13s%s", label, cli.OneLine(value)), " "))
}

// url adds the parts and encodings of a URL.
func (l *labelled) url(a address.Address) {
	text := address.Readable(a.String())
	for _, x := range [][2]string{{"readable", strings.TrimSpace(text.Text + "    " + text.Charset)},
		{"wire form", a.String()}, {"scheme", a.Scheme()}, {"host", a.Host()}, {"domain", a.Site()}, {"port", a.EffectivePort()}, {"path", a.Path()}} {
		l.add(x[0], x[1])
	}
	if q, has := a.Query(); has {
		l.add("query", q)
	}
	for _, s := range []address.Spelling{address.Googlebot, address.RFC3986, address.WHATWG} {
		if differs := s.Kinds(a); len(differs) > 0 {
			l.add(string(s), s.Spell(a).String()+"    differs in "+strings.Join(differs, " "))
		} else {
			l.add(string(s), "the same")
		}
	}
}

// textCharsets are those that a text is shown in.
var textCharsets = []string{"utf-8", "euc-jp", "shift_jis", "iso-2022-jp", "gbk", "big5", "euc-kr",
	"windows-1251", "windows-1252"}

// text adds a text as it is decoded, and as the value of a query in each charset.
func (l *labelled) text(text string) {
	l.add("text", text)
	if decoded := address.Readable(text); decoded.Text != text {
		l.add("decoded", strings.TrimSpace(decoded.Text+"    "+decoded.Charset))
	}
	for _, name := range textCharsets {
		b, ok := address.EncodeText(text, name)
		if ok && (name == "utf-8" || b != text) { // plain ASCII needs one line
			l.add(name, address.EncodeValue(b))
		}
	}
}
