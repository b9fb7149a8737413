package fetch

import (
	"bytes"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A script redirects if it does nothing but set location to a literal address: at once, when the page
// is loaded, or later. Anything else in it may prevent that: a condition, a cookie that is set before
// (as bot protections do), a computed value. The page's own query and fragment behind the address do
// not count.
const (
	jsText     = `("(?:[^"\\\r\n]|\\.)+"|'(?:[^'\\\r\n]|\\.)+')`
	jsLocation = `(?:(?:window|self|top|parent|document)\s*\.\s*)*location`
	jsAddress  = `\s*` + jsText + `(?:\s*\+\s*` + jsLocation + `\.(?:search|hash))*\s*`
	jsSet      = jsLocation + `(?:(?:\s*\.\s*href)?\s*=` + jsAddress + `|\s*\.\s*(?:replace|assign)\s*\(` + jsAddress + `\))`
	jsLater    = `(?:\(|(?:window\.)?setTimeout\s*\(|(?:window\.)?onload\s*=|(?:(?:window|document)\.)?addEventListener\s*\(\s*["'](?:load|DOMContentLoaded)["']\s*,)\s*` +
		`(?:function(?:\s+\w+)?\s*\(\s*\)\s*\{|\(\s*\)\s*=>\s*\{?)\s*`
)

var (
	jsLine    = regexp.MustCompile(`(?m)^\s*(?://|<!--|-->).*$|//[^"'\x60\r\n]*$`)
	jsComment = regexp.MustCompile(jsLine.String() + `|(?s:/\*.*?\*/)`)
	jsLead    = regexp.MustCompile(`^\s*(?:["']use strict["']\s*;?\s*)?(?:` + jsSet + `\s*;?|` + jsLater + jsSet + `[\s;(){}]*(?:,\s*\d{1,4})?[\s;(){}]*)\s*$`)
	// jsQuotes makes a text of JavaScript one of Go, between double quotes.
	jsQuotes = strings.NewReplacer(`\'`, "'", `"`, `\"`, `\"`, `\"`)
	// jsSets is a hint only: the script may do so when a button is pressed.
	jsSets = regexp.MustCompile(`location(?:(?:\s*\.\s*href)?\s*=[^=]|\s*\.\s*(?:replace|assign)\s*\()`)
)

// maxLead is how long a script may be that is looked at as a redirect.
const maxLead = 2 * maxTarget

// withoutComments returns a script without its comments where they matter: where it begins with one, or
// may set location.
func withoutComments(script []byte) []byte {
	script = bytes.TrimSpace(script)
	if len(script) == 0 || len(script) > maxLead || script[0] != '/' && script[0] != '<' && !bytes.Contains(script, []byte("location")) {
		return script
	}
	var before []byte
	if end := bytes.LastIndex(script, []byte("*/")); end >= 0 { // no comment behind it has an end to search for
		before, script = jsComment.ReplaceAll(script[:end+2], nil), script[end+2:]
	}
	return bytes.TrimSpace(append(before, jsLine.ReplaceAll(script, nil)...))
}

// locationIn returns whether a script without comments sets location somewhere, and the address, as
// written, to which it does nothing but redirect.
func locationIn(script []byte) (sets bool, to string) {
	if !bytes.Contains(script, []byte("location")) || !jsSets.Match(script) {
		return false, ""
	}
	found := jsLead.FindSubmatch(script[:min(len(script), maxLead+1)])
	if found == nil || len(script) > maxLead {
		return true, ""
	}
	literal := string(bytes.Join(found[1:], nil))
	literal = strings.ReplaceAll(literal[1:len(literal)-1], `\/`, "/")
	to, err := strconv.Unquote(`"` + jsQuotes.Replace(literal) + `"`)
	if err != nil || !utf8.ValidString(literal+to) {
		return true, ""
	}
	return true, cutTarget(to)
}
