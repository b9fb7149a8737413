package watch

import (
	"cmp"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml/ast"
)

// variable is a variable of the environment in a value.
var variable = regexp.MustCompile(`\$\{[^}]*\}`)

var variableName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// expand puts variables in their place; ok is false where one is none.
func (r *reader) expand(n ast.Node, what, written string) (value string, ok bool) {
	ok = true
	value = variable.ReplaceAllStringFunc(written, func(s string) string {
		name := s[2 : len(s)-1]
		if !variableName.MatchString(name) {
			r.wrong(n, "%s: ${...} names no variable; a name has letters, digits and _", what)
			ok = false
			return ""
		}
		v, set := r.getenv(name)
		if v == "" {
			state := "not set"
			if set {
				state = "empty"
			}
			r.wrong(n, "%s: the environment variable %s is %s", what, name, state)
			ok = false
		}
		r.environ.add(name, v)
		return v
	})
	return value, ok
}

// An environ is what was taken from the environment, which no error and no warning repeats.
type environ []taken

// A taken is a text that stands for a variable.
type taken struct{ text, name string }

// How long a value is at least that is masked wherever it stands, and a part of one: a shorter one
// is masked between quotation marks alone, for it may be a part of any text.
const (
	leastValue = 4
	leastPart  = 8
)

// add notes the value of a variable, as errors may repeat it: escaped, in lower case, in part.
func (e *environ) add(name, value string) {
	if value == "" {
		return
	}
	quoted := strconv.Quote(value)
	forms := []string{quoted}
	if len(value) >= leastValue {
		forms = append(forms, value, quoted[1:len(quoted)-1], url.PathEscape(value), url.QueryEscape(value), strings.ToLower(value))
	}
	for _, part := range strings.FieldsFunc(value, func(c rune) bool { return strings.ContainsRune(" \t\n:/@=,;&?#\"'", c) }) {
		if len(part) >= leastPart {
			forms = append(forms, part, strings.ToLower(part))
		}
	}
	for _, form := range forms {
		shown := "${" + name + "}"
		if form == quoted {
			shown = strconv.Quote(shown)
		}
		*e = append(*e, taken{form, shown})
	}
	// The longest first: the whole before its parts.
	slices.SortStableFunc(*e, func(a, b taken) int { return cmp.Compare(len(b.text), len(a.text)) })
}

// mask puts the names of variables in the place of their values.
func (e environ) mask(text string) string {
	var pairs []string
	for _, t := range e {
		pairs = append(pairs, t.text, t.name)
	}
	return strings.NewReplacer(pairs...).Replace(text) // at one place the first that fits
}

// writtenOut reports whether nothing of a value comes from the environment.
func writtenOut(written string) bool { return written != "" && !variable.MatchString(written) }

// openHeader reports whether a header is written out that may be a secret.
func openHeader(written string) bool {
	name, _, _ := strings.Cut(written, ":")
	return writtenOut(written) && !strings.EqualFold(strings.TrimSpace(name), "User-Agent")
}

// openUser reports whether the password of NAME:PASS is written out.
func openUser(written string) bool {
	if _, password, ok := strings.Cut(written, ":"); ok {
		return writtenOut(password)
	}
	return writtenOut(written)
}

// openService reports whether a secret of a service URL is written out. Of mail that is the login
// alone: a relay that lets this machine in has none. Of others the host may be a token.
func openService(written string) bool {
	if strings.HasPrefix(written, "smtp://") {
		return openLogin(written)
	}
	return writtenOut(written) || openLogin(written)
}

// openVia reports whether the password or the token of one of the servers is written out.
func openVia(written string) bool { return slices.ContainsFunc(strings.Split(written, ","), openLogin) }

// openLogin reports whether a URL names who calls (user:password@, token@), and that is written
// out.
func openLogin(written string) bool {
	_, rest, ok := strings.Cut(written, "://")
	if i := strings.IndexAny(rest, "/?#"); i >= 0 {
		rest = rest[:i]
	}
	at := strings.LastIndexByte(rest, '@')
	return ok && at >= 0 && openUser(rest[:at])
}

// hookHosts are hosts of chats whose webhooks are a secret each, with the hosts below them.
var hookHosts = []string{"hooks.slack.com", "discord.com", "discordapp.com", "webhook.office.com", "outlook.office.com", "logic.azure.com", "chat.googleapis.com",
	"api.telegram.org", "hooks.zapier.com", "maker.ifttt.com"}

// secretNames are names of parameters that hold secrets.
var secretNames = regexp.MustCompile(`(?i)(?:^|[_.-])(?:key|apikey|token|secret|sig|signature|code|auth|pass|password|pwd)$`)

// drawn is a part of a path that looks as if it was drawn by lot.
var drawn = regexp.MustCompile(`^[A-Za-z0-9_-]{20,}$`)

// openWebhook reports whether the address of a webhook looks as if it held a secret, and none of
// it comes from the environment.
func openWebhook(written string) bool {
	if openLogin(written) {
		return true
	}
	u, err := url.Parse(written)
	if err != nil || !writtenOut(written) {
		return false
	}
	host := strings.ToLower(u.Hostname())
	if slices.ContainsFunc(hookHosts, func(h string) bool { return host == h || strings.HasSuffix(host, "."+h) }) {
		return true
	}
	for name, values := range u.Query() {
		if secretNames.MatchString(name) && values[0] != "" {
			return true
		}
	}
	return slices.ContainsFunc(strings.Split(u.Path, "/"), func(part string) bool {
		return drawn.MatchString(part) && strings.ContainsAny(part, "0123456789")
	})
}
