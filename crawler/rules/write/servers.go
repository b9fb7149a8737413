package write

import (
	"fmt"
	"strings"

	"sitemend/crawler/rules"
)

// nginxExact is up to how many rules every key for nginx is a regular expression: only these
// compare exactly, but nginx tries them one by one.
const nginxExact = 2000

// nginxHash returns the setup of the hash for keys of a map file that are strings; nil where there
// are none. nginx does not start where an element of the hash is longer than its bucket, and
// accepts these directives once in a block and only before its first map.
func nginxHash(p *Plan) []Setup {
	longest, keys := 0, 0
	for i := range p.Pairs {
		if p.nginxString(p.Pairs[i].Source) {
			longest = max(longest, len(p.Pairs[i].Source))
			keys++
		}
	}
	if keys == 0 {
		return nil
	}
	bucket, size := 64, 2048
	for bucket < longest+32 {
		bucket *= 2
	}
	for size < 4*keys {
		size *= 2
	}
	return []Setup{{
		"in the http block before its first map; where it has these already, raise those to as much instead",
		fmt.Sprintf("map_hash_bucket_size %d; map_hash_max_size %d;", bucket, size),
	}}
}

// nginxString reports whether the key of a source is a string for nginx rather than a regular
// expression.
func (p *Plan) nginxString(source string) bool {
	return len(p.Pairs) > nginxExact && p.alone(source)
}

// nginxSetup includes the map file, and lists what its keys and values need.
func nginxSetup(p *Plan, file string) []Setup {
	dollar := ""
	for i := range p.Pairs {
		if strings.Contains(p.Pairs[i].Target, "$") {
			dollar = "geo $sitemend_dollar { default \"$\"; }\n"
		}
	}
	return append(nginxHash(p), Setup{
		"in the http block",
		fmt.Sprintf("%smap $request_uri $sitemend_to { include %s; }", dollar, file),
	}, Setup{
		"in each server block that it is for, before its locations",
		fmt.Sprintf("if ($sitemend_to) { return %d $sitemend_to; }", p.Status),
	})
}

// writeNginx writes a map file. Keys that are strings ignore case: beyond nginxExact rules, those
// that nothing else equals in that way are written as strings.
func writeNginx(w *output, p *Plan) {
	p.comment(w)
	value := strings.NewReplacer(`\`, `\\`, `"`, `\"`, "$", "${sitemend_dollar}")
	key := strings.NewReplacer(`\`, `\\`, `"`, `\"`)
	for i := range p.Pairs {
		w.rule()
		x := &p.Pairs[i]
		if p.nginxString(x.Source) {
			fmt.Fprintf(w, "\"%s\" \"%s\";\n", key.Replace(x.Source), value.Replace(x.Target))
			continue
		}
		fmt.Fprintf(
			w,
			"\"~^%s$\" \"%s\";\n",
			strings.ReplaceAll(quoteRegexp(x.Source), `"`, `\"`),
			value.Replace(x.Target),
		)
	}
}

// quoteRegexp returns a text as a regular expression of PCRE.
func quoteRegexp(s string) string {
	var b strings.Builder
	for i := range len(s) {
		if strings.IndexByte(`.\+*?[^]$(){}|`, s[i]) >= 0 {
			b.WriteByte('\\')
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// refuseBad leaves out sources that nginx, Apache and Caddy answer with 400 before any rule: with a
// % in the path that begins no escape, or an escaped NUL.
func refuseBad(_ *Plan, x *Pair) Note {
	if plain, ok := rules.DecodePath(octetPath(x.Source)); !ok || strings.IndexByte(plain, 0) >= 0 {
		return SourceLiteral
	}
	return ""
}

// refuseNginx leaves out what refuseBad does, and sources that nginx answers with 400 since they climb above the
// root once their slashes and dots are decoded: "/..%2fx".
func refuseNginx(p *Plan, x *Pair) Note {
	plain, _ := rules.DecodePath(octetPath(x.Source))
	depth := 0
	for part := range strings.SplitSeq(plain, "/") {
		switch part {
		case "", ".":
		case "..":
			depth--
		default:
			depth++
		}
		if depth < 0 {
			return SourceLiteral
		}
	}
	return refuseBad(p, x)
}

// slashSetup returns the setup for sources with an encoded slash.
func slashSetup(p *Plan) []Setup {
	for i := range p.Pairs {
		if strings.Contains(strings.ToLower(octetPath(p.Pairs[i].Source)), "%2f") {
			return []Setup{
				{
					"in the configuration of the server, for the sources with %2F",
					"AllowEncodedSlashes NoDecode",
				},
			}
		}
	}
	return nil
}

// apacheSetup splits the value of the map at its ?: since 2.4.60 a ? from a map is not allowed in a
// result (403).
func apacheSetup(p *Plan, file string) []Setup {
	return append(
		[]Setup{{"in the configuration of the server or virtual host", fmt.Sprintf(`RewriteEngine On
RewriteMap sitemend "txt:%s"
RewriteCond %%{THE_REQUEST} "^[A-Z]+ (/[^ ]*) HTTP/"
RewriteCond ${sitemend:%%1} "^([^?]*)\?(.*)$"
RewriteRule ^ "%%1?%%2" [R=%d,L,NE]
RewriteCond %%{THE_REQUEST} "^[A-Z]+ (/[^ ]*) HTTP/"
RewriteCond ${sitemend:%%1} "^([^?]+)$"
RewriteRule ^ "%%1" [R=%d,L,NE,QSD]`, file, p.Status, p.Status)}},
		slashSetup(p)...)
}

// apacheLine is how many bytes of a line of a text map Apache reads at once (mod_rewrite.c,
// REWRITE_MAX_TXT_MAP_LINE), without the end of the line. The rest of a longer one would be a line,
// and so a rule, of its own.
const apacheLine = 1023

// refuseApache leaves out what refuseBad does, and rules longer than a line.
func refuseApache(p *Plan, x *Pair) Note {
	switch {
	case len(x.Source)+len(" ")+len(x.Target) > apacheLine:
		return Limit
	case stripped(x.Target):
		return TargetLiteral
	}
	return refuseBad(p, x)
}

// stripped reports whether mod_rewrite removes the end of a target: a final ?, also of its query or
// fragment, or a final & of its query (splitout_queryargs, observed in 2.4.71). The rule would lead
// elsewhere, or to its own source for ever.
func stripped(target string) bool {
	path, _, _ := strings.Cut(target, "#")
	_, query, has := strings.Cut(path, "?")
	return strings.HasSuffix(target, "?") || has && (query == "" || strings.HasSuffix(query, "&"))
}

// writeApache writes a text map for RewriteMap.
func writeApache(w *output, p *Plan) {
	p.comment(w)
	for i := range p.Pairs {
		w.rule()
		fmt.Fprintf(w, "%s %s\n", p.Pairs[i].Source, p.Pairs[i].Target)
	}
}

// fileName is how many bytes the name of a file may have (NAME_MAX of Linux). Apache answers 403 to
// a longer one before it reads .htaccess.
const fileName = 255

// refuseHtaccess leaves out what refuseBad does, and what is no possible name of a file.
func refuseHtaccess(p *Plan, x *Pair) Note {
	if stripped(x.Target) {
		return TargetLiteral
	}
	for part := range strings.SplitSeq(decodedPath(x.Source), "/") {
		if len(part) > fileName {
			return SourceLiteral
		}
	}
	return refuseBad(p, x)
}

func htaccessSetup(p *Plan, _ string) []Setup {
	return append(
		[]Setup{{"in the .htaccess of the root, before other rules", ""}},
		slashSetup(p)...)
}

// writeHtaccess writes a condition and a rule for each pair.
func writeHtaccess(w *output, p *Plan) {
	p.comment(w)
	fmt.Fprintln(w, "RewriteEngine On")
	target := strings.NewReplacer(`\`, `\\`, `"`, `\"`, "%", `\%`, "$", `\$`)
	for i := range p.Pairs {
		w.rule()
		x := &p.Pairs[i]
		flags := ",QSD"
		if strings.Contains(x.Target, "?") {
			flags = ""
		}
		source := strings.ReplaceAll(quoteRegexp(x.Source), `"`, `\"`)
		fmt.Fprintf(
			w,
			"RewriteCond %%{THE_REQUEST} \"^[A-Z]+ %s HTTP/\"\nRewriteRule ^ \"%s\" [R=%d,L,NE%s]\n",
			source,
			target.Replace(x.Target),
			p.Status,
			flags,
		)
	}
}

// refuseAlias leaves out what RedirectMatch cannot express: a query in the source, and bytes that
// it would escape again or differently.
func refuseAlias(_ *Plan, x *Pair) Note {
	source, ok := rules.DecodePath(octetPath(x.Source))
	path, _, _ := strings.Cut(x.Target, "?")
	path, _, _ = strings.Cut(path, "#")
	switch {
	case query(x.Source):
		return SourceQuery
	case !ok || strings.Contains(strings.ToLower(x.Source), "%2f") || strings.Contains(source, "//") || // compared as one slash
		strings.ContainsAny(source, "\"\\\x00\n\r"):
		return SourceLiteral
	case strings.ContainsAny(path, `%"\<>|^{}[]`+"`") || strings.ContainsAny(x.Target, "\"\\"):
		return TargetLiteral
	}
	return ""
}

// writeAlias writes RedirectMatch, which compares the decoded path.
func writeAlias(w *output, p *Plan) {
	p.comment(w)
	for i := range p.Pairs {
		w.rule()
		x := &p.Pairs[i]
		source, _ := rules.DecodePath(x.Source)
		fmt.Fprintf(
			w,
			"RedirectMatch %d \"^%s$\" \"%s\"\n",
			p.Status,
			quoteRegexp(source),
			strings.ReplaceAll(x.Target, "$", `\$`),
		)
	}
}

// writeCaddy writes a map and a redir for a site block of a Caddyfile.
func writeCaddy(w *output, p *Plan) {
	p.comment(w)
	fmt.Fprintf(w, "map {uri} {sitemend_to} {\n\tdefault \"\"\n")
	escape := strings.NewReplacer("{", `\{`, "}", `\}`)
	for i := range p.Pairs {
		w.rule()
		fmt.Fprintf(
			w,
			"\t`%s` `%s`\n",
			escape.Replace(p.Pairs[i].Source),
			escape.Replace(p.Pairs[i].Target),
		)
	}
	fmt.Fprintf(
		w,
		"}\n@sitemend_moved expression `{sitemend_to} != \"\"`\nredir @sitemend_moved {sitemend_to} %d\n",
		p.Status,
	)
}

func haproxySetup(p *Plan, file string) []Setup {
	return []Setup{
		{
			"in the frontend",
			fmt.Sprintf(
				"http-request redirect location %%[pathq,map_str(%s)] code %d if { pathq,map_str(%s) -m found }",
				file,
				p.Status,
				file,
			),
		},
	}
}

// writeHAProxy writes a map file.
func writeHAProxy(w *output, p *Plan) {
	p.comment(w)
	for i := range p.Pairs {
		w.rule()
		fmt.Fprintf(w, "%s %s\n", p.Pairs[i].Source, p.Pairs[i].Target)
	}
}

// refuseLighttpd leaves out sources that lighttpd answers with 400, which contain control
// characters or bytes that never occur in UTF-8, and targets whose escapes lighttpd would convert
// to upper case.
func refuseLighttpd(_ *Plan, x *Pair) Note {
	plain, _ := rules.DecodePath(x.Source)
	for i := range len(plain) {
		if c := plain[i]; c < ' ' || c == 0x7f || c == 0xc0 || c == 0xc1 || c >= 0xf5 {
			return SourceLiteral
		}
	}
	switch {
	case strings.Contains(decodedPath(x.Source), "//"): // compared as one slash: another page's
		return SourceLiteral
	case upperEscapes(x.Target) != x.Target:
		return TargetLiteral
	}
	return ""
}

// upperEscapes converts the hex digits of escapes to upper case.
func upperEscapes(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if _, ok := rules.Escape(s, i); ok {
			b.WriteString(strings.ToUpper(s[i : i+3]))
			i += 2
			continue
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// writeLighttpd writes url.redirect for the form that lighttpd gives a target before it compares
// rules.
func writeLighttpd(w *output, p *Plan) {
	p.comment(w)
	fmt.Fprintf(w, "url.redirect-code = %d\nurl.redirect += (\n", p.Status)
	target := strings.NewReplacer("%", "%%", "$", "$$", `"`, `\"`, `\`, `\\`)
	seen := map[string]int{}
	for i := range p.Pairs {
		w.rule()
		source := quoteLighttpd(lighttpdForm(p.Pairs[i].Source))
		n := seen[strings.ToLower(source)] // keys that are equal when case is ignored are refused
		seen[strings.ToLower(source)]++
		comma := ","
		if i == len(p.Pairs)-1 {
			comma = ""
		}
		fmt.Fprintf(
			w,
			"  \"^%s$%s\" => \"%s\"%s\n",
			source,
			strings.Repeat("(?:)", n),
			target.Replace(p.Pairs[i].Target),
			comma,
		)
	}
	fmt.Fprintln(w, ")")
}

// quoteLighttpd returns a text as a regular expression without backslashes.
func quoteLighttpd(s string) string {
	var b strings.Builder
	for i := range len(s) {
		if strings.IndexByte(".+*?[$(){|", s[i]) >= 0 {
			b.WriteString("[" + s[i:i+1] + "]")
			continue
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// writeIIS writes a web.config with a rewrite map.
func writeIIS(w *output, p *Plan) {
	escape := strings.NewReplacer(
		"&",
		"&amp;",
		`"`,
		"&quot;",
		"<",
		"&lt;",
		">",
		"&gt;",
		"'",
		"&#39;",
	)
	fmt.Fprintf(
		w,
		"<!-- %s\n     put both elements into system.webServer of web.config; written after the documentation of\n     URL Rewrite 2.1 and not tried in IIS: try some of them first -->\n",
		strings.ReplaceAll(p.head(), "--", ""),
	)
	fmt.Fprint(
		w,
		"<rewrite>\n  <rewriteMaps>\n    <rewriteMap name=\"sitemend\" defaultValue=\"\">\n",
	)
	for i := range p.Pairs {
		w.rule()
		fmt.Fprintf(
			w,
			"      <add key=\"%s\" value=\"%s\" />\n",
			escape.Replace(p.Pairs[i].Source),
			escape.Replace(p.Pairs[i].Target),
		)
	}
	fmt.Fprint(w, `    </rewriteMap>
  </rewriteMaps>
  <rules>
    <rule name="sitemend" stopProcessing="true">
      <match url=".*" />
      <conditions>
        <add input="{sitemend:{UNENCODED_URL}}" pattern="(.+)" />
      </conditions>
      <action type="Redirect" url="{C:1}" redirectType="Permanent" appendQueryString="false" />
    </rule>
  </rules>
</rewrite>
`)
}
