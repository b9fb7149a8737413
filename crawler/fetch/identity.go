package fetch

import (
	"fmt"
	"strings"

	"sitemend/crawler/audit"
)

// An Identity is as whom an address is asked: the headers that are sent and the
// token that robots.txt is read for.
type Identity struct {
	// Name is the value of --as.
	Name string
	// Label is the name that people know, as "Googlebot (smartphone)".
	Label string
	// Agent is the User-Agent header.
	Agent string
	// Token is the product token for robots.txt and for robots meta tags.
	Token string
	// Accept is the Accept header, From the From header ("" for none).
	Accept string
	From   string
}

// A Header is one header line of a request.
type Header struct{ Key, Value string }

// AcceptEncoding is what every identity accepts, and what can be undone
// (Google's crawler docs: gzip, deflate and Brotli).
const AcceptEncoding = "gzip, deflate, br"

const (
	googleToken   = "Googlebot"
	googleAccept  = "text/html,application/xhtml+xml,application/signed-exchange;v=b3,application/xml;q=0.9,*/*;q=0.8"
	googleFrom    = "googlebot(at)googlebot.com"
	googleBot     = "compatible; Googlebot/2.1; +http://www.google.com/bot.html"
	webkit        = "AppleWebKit/537.36 (KHTML, like Gecko"
	browserAccept = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8"
	plainAccept   = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
)

// identities are the values of --as. The agents are those of Google's list of
// common crawlers and of Bing's webmaster help.
var identities = []Identity{
	{
		Name: "googlebot", Label: "Googlebot (smartphone)", Token: "Googlebot",
		Agent: "Mozilla/5.0 (Linux; Android 6.0.1; Nexus 5X Build/MMB29P) " + webkit + ") Chrome/" +
			Chrome.Value +
			" Mobile Safari/537.36 (" + googleBot + ")",
		Accept: googleAccept, From: googleFrom,
	},
	{
		Name: "googlebot-desktop", Label: "Googlebot (desktop)", Token: "Googlebot",
		Agent: "Mozilla/5.0 " + webkit + "; " + googleBot + ") Chrome/" + Chrome.Value +
			" Safari/537.36",
		Accept: googleAccept, From: googleFrom,
	},
	{
		Name: "googlebot-image", Label: "Googlebot-Image", Token: "Googlebot-Image",
		Agent: "Googlebot-Image/1.0", Accept: googleAccept, From: googleFrom,
	},
	{
		Name: "bingbot", Label: "Bingbot", Token: "bingbot",
		Agent: "Mozilla/5.0 " + webkit +
			"; compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm) Chrome/" +
			Chrome.Value + " Safari/537.36",
		Accept: plainAccept, From: "bingbot(at)microsoft.com",
	},
	{
		Name: "browser", Label: "an ordinary browser", Token: "Googlebot",
		Agent: "Mozilla/5.0 (Windows NT 10.0; Win64; x64) " + webkit + ") Chrome/" + Chrome.Value +
			" Safari/537.36",
		Accept: browserAccept,
	},
	{
		Name: "sitemend", Label: "sitemend", Token: "Googlebot",
		Agent: "Mozilla/5.0 (compatible; sitemend)", Accept: plainAccept,
	},
}

// Identities returns the names that LookupIdentity knows, the default first.
func Identities() []string {
	names := make([]string, len(identities))
	for i, id := range identities {
		names[i] = id.Name
	}
	return names
}

// LookupIdentity returns the identity of a name, whatever its case; "" is the
// default, googlebot. The error lists the names that there are.
func LookupIdentity(name string) (Identity, error) {
	if name == "" {
		return identities[0], nil
	}
	for _, id := range identities {
		if strings.EqualFold(id.Name, name) {
			return id, nil
		}
	}
	return Identity{}, fmt.Errorf("no identity %q: it is one of %s", name,
		strings.Join(Identities(), ", "))
}

// WithAgent returns id with another User-Agent header; robots token and all
// else stay. An empty agent changes nothing.
func (id Identity) WithAgent(agent string) Identity {
	if agent != "" {
		id.Agent = agent
	}
	return id
}

// For returns as whom an address is asked for a purpose: Google's crawlers read images and videos
// under names of their own, which robots.txt may name (Search Central, "Google's common crawlers").
// Who is not Google's asks as itself; an ordinary browser keeps its header.
func (id Identity) For(as audit.Purpose) Identity {
	name, google := "", strings.HasPrefix(id.Token, googleToken)
	switch as.Base() {
	case audit.AsImage:
		name = "Googlebot-Image"
	case audit.AsVideo:
		name = "Googlebot-Video"
	}
	if name == "" || !google {
		return id
	}
	if id.From != "" && id.Agent == knownAgent(id.Name) {
		id.Agent = name + "/1.0"
	}
	id.Token = name
	return id
}

// knownAgent is the User-Agent header of an identity where nobody chose another.
func knownAgent(name string) string {
	known, _ := LookupIdentity(name)
	return known.Agent
}

// Headers returns the headers that are sent, in the order in which they go over
// an HTTP/1.1 connection after Host. There is no Accept-Language, no Referer
// and no Cookie, as with Google's crawlers.
func (id Identity) Headers() []Header {
	hs := []Header{{"User-Agent", id.Agent}, {"Accept", id.Accept},
		{"Accept-Encoding", AcceptEncoding}}
	if id.From != "" {
		hs = append(hs, Header{"From", id.From})
	}
	return hs
}

// tokens are the names under which a page may address the robot in a meta tag
// or an X-Robots-Tag, in lower case: its own and that of its family.
func (id Identity) tokens() []string {
	own := strings.ToLower(id.Token)
	if family, _, ok := strings.Cut(own, "-"); ok {
		return []string{own, family}
	}
	return []string{own}
}
