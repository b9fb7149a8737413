package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"sitemend/cmd/internal/cli"
	"sitemend/crawler/address"
)

func newURL(std stdio) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "url TEXT|URL...",
		Short: "Take a URL apart: bytes, readable text, each spelling; or encode text for a sitemap",
		Long: `Take each URL apart without asking anybody: its parts, the wire form (what is
sent), how programs spell it, the bytes that could be spelled otherwise, and the
text in it with its charset. What does not begin with http: or https: is taken as
text, and shown as a query value in the charsets that have it.

Exit status:
  0  done
  2  a URL is not valid, or a text cannot be written in the charset`,
		Example: "  sitemend url 'http://wiki.example/?mod_cache%A4%C7Wiki%284%29'\n  sitemend url encode --charset euc-jp 'mod_cacheでWikiを高速化(4)'\n  sitemend url decode 'mod_cache%A4%C7Wiki%A4%F2%B9%E2%C2%AE%B2%BD(4)'",
		Args: atLeastOne("url needs a URL or a text",
			"as in sitemend url 'https://shop.example/a%28b%29'; quote it for the shell"),
		RunE: func(_ *cobra.Command, args []string) error {
			for i, arg := range args {
				if i > 0 && !asJSON {
					fmt.Fprintln(std.out)
				}
				if err := explainTo(std.out, arg, asJSON); err != nil {
					return err
				}
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "one JSON object a line")
	cmd.AddCommand(newEncode(std), newDecode(std))
	return cmd
}

// atLeastOne asks for an argument.
func atLeastOne(what, hint string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) == 0 {
			return cli.WithHint(errors.New(what), hint)
		}
		return nil
	}
}

// explainTo prints what there is to say of a URL or a text.
func explainTo(w io.Writer, arg string, asJSON bool) error {
	var e interface{ print(*labelled) }
	if isURL(arg) {
		a, err := address.Parse(arg)
		if err != nil {
			return cli.WithHint(err, "an address begins with http:// or https:// and a host")
		}
		e = explainURL(arg, a)
	} else {
		e = explainText(arg)
	}
	if asJSON {
		return writeJSON(w, e)
	}
	var l labelled
	e.print(&l)
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

// urlParts is what url --json prints of a URL.
type urlParts struct {
	Given       string        `json:"given"`
	Wire        string        `json:"wire"`
	Readable    string        `json:"readable"`
	Charset     string        `json:"charset,omitempty"`
	Confidence  float64       `json:"confidence"`
	Scheme      string        `json:"scheme"`
	Host        string        `json:"host"`
	UnicodeHost string        `json:"unicode_host"`
	Site        string        `json:"registrable_domain"`
	Port        string        `json:"port"`
	Path        string        `json:"path"`
	Query       *string       `json:"query,omitempty"`
	Spellings   []urlSpelling `json:"spellings"`
	Hex         string        `json:"hex,omitempty"` // upper, lower or mixed
	Choices     []urlChoice   `json:"choices"`
}

type urlSpelling struct {
	Name    string   `json:"name"`
	URL     string   `json:"url"`
	Differs []string `json:"differs"` // hex-case, and the characters
}

type urlChoice struct {
	At      int    `json:"at"` // byte of the wire form, from 0
	In      string `json:"in"` // path or query
	Spelled string `json:"spelled"`
	Other   string `json:"other"`
	Reason  string `json:"reason"`
}

func explainURL(given string, a address.Address) *urlParts {
	text := address.Readable(a.String())
	p := &urlParts{Given: given, Wire: a.String(), Readable: text.Text, Charset: text.Charset,
		Confidence: text.Confidence, Scheme: a.Scheme(),
		Host: a.Host(), UnicodeHost: address.ToUnicodeHost(a.Host()), Site: a.Site(),
		Port: a.EffectivePort(), Path: a.Path(), Choices: []urlChoice{}}
	if q, has := a.Query(); has {
		p.Query = &q
	}
	for _, s := range []address.Spelling{address.Googlebot, address.RFC3986, address.WHATWG} {
		p.Spellings = append(p.Spellings,
			urlSpelling{string(s), s.Spell(a).String(), append([]string{}, s.Kinds(a)...)})
	}
	upper, lower := address.SpellHex(a, true) == a, address.SpellHex(a, false) == a
	switch {
	case upper && lower:
	case upper:
		p.Hex = "upper"
	case lower:
		p.Hex = "lower"
	default:
		p.Hex = "mixed"
	}
	for _, c := range address.Choices(a) {
		in := "path"
		if c.Query {
			in = "query"
		}
		p.Choices = append(p.Choices, urlChoice{c.Pos, in, c.Spelt, c.Other, string(c.Why)})
	}
	return p
}

// mostChoices is how many bytes are listed for people.
const mostChoices = 20

func (p *urlParts) print(l *labelled) {
	l.add("readable", strings.TrimSpace(p.Readable+"    "+charsetWords(p.Charset, p.Confidence)))
	l.add("wire form", p.Wire)
	l.add("scheme", p.Scheme)
	host := p.Host
	if p.UnicodeHost != p.Host {
		host += " (" + p.UnicodeHost + ")"
	}
	l.add("host", host)
	l.add("domain", p.Site)
	l.add("port", p.Port)
	l.add("path", p.Path)
	if p.Query != nil {
		l.add("query", *p.Query)
	}
	for _, s := range p.Spellings {
		if len(s.Differs) == 0 {
			l.add(s.Name, "the same")
			continue
		}
		l.add(s.Name, s.URL+"    differs in "+strings.Join(s.Differs, " "))
	}
	if p.Hex != "" {
		l.add("hex digits", p.Hex+" case")
	}
	for i, c := range p.Choices {
		if i == mostChoices {
			l.add("", fmt.Sprintf("and %d more (--json lists all)", len(p.Choices)-i))
			break
		}
		label := ""
		if i == 0 {
			label = "otherwise"
		}
		l.add(label, fmt.Sprintf("%-3s or %-3s  byte %d, in the %s: %s", c.Spelled, c.Other, c.At,
			c.In, c.Reason))
	}
}

// charsetWords says a charset and how sure it is, "" for ASCII.
func charsetWords(name string, confidence float64) string {
	switch {
	case name == "" && confidence > 0:
		return ""
	case name == "":
		return "charset unknown"
	case confidence >= 1:
		return name
	}
	return fmt.Sprintf("%s, %.0f %% sure", name, 100*confidence)
}

// urlText is what url --json prints of a text.
type urlText struct {
	Text       string     `json:"text"`
	Decoded    string     `json:"decoded,omitempty"`
	Charset    string     `json:"charset,omitempty"`
	Confidence float64    `json:"confidence,omitempty"`
	Values     []urlValue `json:"values"`
}

type urlValue struct {
	Charset string `json:"charset"`
	Value   string `json:"value"`
}

// textCharsets are those that a text is shown in.
var textCharsets = []string{"utf-8", "euc-jp", "shift_jis", "iso-2022-jp", "gbk", "big5", "euc-kr",
	"windows-1251", "windows-1252"}

func explainText(text string) *urlText {
	t := &urlText{Text: text, Values: []urlValue{}}
	if octets := address.DecodeValue(text); octets != text || !utf8.ValidString(text) {
		name, confidence := address.GuessCharset(octets, "")
		label := name
		if name == "" {
			label = "utf-8"
		}
		if decoded, err := address.DecodeText(octets, label); err == nil {
			t.Decoded, t.Charset, t.Confidence = decoded, name, confidence
		}
	}
	for _, name := range textCharsets {
		b, err := address.EncodeText(text, name)
		if err == nil && (name == "utf-8" || b != text) { // plain ASCII needs one line
			t.Values = append(t.Values, urlValue{name, address.EncodeValue(b)})
		}
	}
	return t
}

func (t *urlText) print(l *labelled) {
	l.add("text", t.Text)
	if t.Decoded != "" {
		l.add("decoded", t.Decoded+"    "+charsetWords(t.Charset, t.Confidence))
	}
	for _, v := range t.Values {
		l.add(v.Charset, v.Value)
	}
}

// labelled is lines of a label and a value.
type labelled struct{ strings.Builder }

func (l *labelled) add(label, value string) {
	fmt.Fprintf(l, "%s\n", strings.TrimRight(
		fmt.Sprintf("%-13s%s", label, printable(value, "utf-8")), " "))
}

func newEncode(std stdio) *cobra.Command {
	var charset string
	cmd := &cobra.Command{
		Use:   "encode TEXT...",
		Short: "Encode text as a query value, in any charset",
		Long: `Write each TEXT as a query value (what stands between ? & and =) that has only one
usual spelling: A-Z a-z 0-9 and - . _ ~ ! $ ' ( ) * , : @ / ? stay, all other bytes
become %XX in upper case. Googlebot's spelling of such a value is the value itself.

Exit status:
  0  done
  2  the charset is unknown, or does not have a character of the text`,
		Example: "  sitemend url encode --charset euc-jp 'mod_cacheでWikiを高速化(4)'",
		Args: atLeastOne("url encode needs a TEXT",
			"as in sitemend url encode --charset euc-jp '高速化'"),
		RunE: func(_ *cobra.Command, args []string) error {
			for _, text := range args {
				b, err := address.EncodeText(text, charset)
				if err != nil {
					return charsetHint(err)
				}
				if _, err := fmt.Fprintln(std.out, address.EncodeValue(b)); err != nil {
					return err
				}
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&charset, "charset", "utf-8",
		"the `NAME` of the charset that the server reads")
	return cmd
}

// charsetHint says what can be done about a *address.CharsetError.
func charsetHint(err error) error {
	var e *address.CharsetError
	if errors.As(err, &e) && e.Pos >= 0 {
		return cli.WithHint(err, "another --charset may fit; utf-8 has every character")
	}
	return cli.WithHint(err, "--charset takes a name of the WHATWG Encoding Standard, as "+
		strings.Join(textCharsets, ", "))
}

func newDecode(std stdio) *cobra.Command {
	var charset string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "decode TEXT...",
		Short: "Decode the %XX of a query value, in any charset",
		Long: `Decode each %XX of TEXT once and write it as text. Where --charset is not given the
charset is guessed, and standard error says so. A + stays a +. What a terminal
cannot show as it is (controls, marks that turn the direction of writing) stays as
%XX; --json has it all.

Exit status:
  0  done
  2  the charset is unknown, or the bytes are no text in it`,
		Example: "  sitemend url decode 'mod_cache%A4%C7Wiki%A4%F2%B9%E2%C2%AE%B2%BD(4)'",
		Args: atLeastOne("url decode needs a TEXT",
			"as in sitemend url decode --charset euc-jp '%B9%E2%C2%AE%B2%BD'"),
		RunE: func(_ *cobra.Command, args []string) error {
			for _, text := range args {
				if err := decodeTo(std, text, charset, asJSON); err != nil {
					return err
				}
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&charset, "charset", "",
		"the `NAME` of the charset of the bytes (default: guessed)")
	cmd.Flags().BoolVar(&asJSON, "json", false, "one JSON object a line")
	return cmd
}

func decodeTo(std stdio, value, charset string, asJSON bool) error {
	octets, confidence := address.DecodeValue(value), 1.0
	if charset == "" {
		if charset, confidence = address.GuessCharset(octets, ""); charset == "" {
			if confidence == 0 {
				return cli.WithHint(
					errors.New("the bytes are no text in any charset that can be guessed"),
					"name it, as in --charset windows-1252")
			}
			charset = "utf-8" // all is ASCII
		} else {
			fmt.Fprintf(std.err, "sitemend: charset guessed: %s\n",
				charsetWords(charset, confidence))
		}
	}
	text, err := address.DecodeText(octets, charset)
	if err != nil {
		return charsetHint(err)
	}
	if asJSON {
		return writeJSON(std.out, map[string]any{"value": value, "text": text,
			"charset": strings.ToLower(charset), "confidence": confidence})
	}
	_, err = fmt.Fprintln(std.out, printable(text, charset))
	return err
}

// printable writes what a terminal must not get as it is as %XX, in the bytes of
// a charset.
func printable(s, charset string) string {
	var b strings.Builder
	for len(s) > 0 {
		r, n := utf8.DecodeRuneInString(s)
		char := s[:n]
		s = s[n:]
		if address.Visible(r) {
			b.WriteString(char)
			continue
		}
		octets, err := address.EncodeText(char, charset)
		if err != nil {
			octets = char // it is no UTF-8, or a character that the charset has not
		}
		for i := range len(octets) {
			fmt.Fprintf(&b, "%%%02X", octets[i])
		}
	}
	return b.String()
}

// writeJSON writes a line of JSON that is safe for a terminal: what cannot be
// shown is escaped. Outside of strings there is no such thing.
func writeJSON(w io.Writer, v any) error {
	var raw strings.Builder
	enc := json.NewEncoder(&raw)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return err
	}
	var b strings.Builder
	for _, r := range strings.TrimSuffix(raw.String(), "\n") {
		switch {
		case address.Visible(r):
			b.WriteRune(r)
		case r < 0x10000:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			hi, lo := utf16.EncodeRune(r)
			fmt.Fprintf(&b, `\u%04x\u%04x`, hi, lo)
		}
	}
	_, err := fmt.Fprintln(w, b.String())
	return err
}
