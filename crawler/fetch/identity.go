package fetch

import (
	"fmt"
	"strings"

	"sitemend/crawler/answers"
)

// An Identity is the crawler or browser as which requests are sent: their headers, and the product
// token for robots.txt.
type Identity struct {
	// Name is the value of --as.
	Name string
	// Label is the name for people, as "Googlebot (smartphone)".
	Label string
	// Agent is the User-Agent header.
	Agent string
	// Token is the product token for robots.txt and for robots meta tags.
	Token string
	// Accept is the Accept header, From the From header ("" for none).
	Accept string
	From   string
	// languages is the Accept-Language header, "" for none.
	languages string
}

// A Header is one header line of a request.
type Header struct{ Key, Value string }

const (
	googleToken   = "Googlebot"
	googleAccept  = "text/html,application/xhtml+xml,application/signed-exchange;v=b3,application/xml;q=0.9,*/*;q=0.8"
	googleFrom    = "googlebot(at)googlebot.com"
	googleBot     = "compatible; Googlebot/2.1; +http://www.google.com/bot.html"
	webkit        = "AppleWebKit/537.36 (KHTML, like Gecko"
	browserAccept = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8"
	plainAccept   = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
)

// chrome is the version of stable Chrome on 2026-10-21, which the user agents of the browser, of Bingbot
// and of Googlebot contain (Google's list of common crawlers: "W.X.Y.Z", the version of the browser in
// use). A release renews it: CONTRIBUTING.md, "A release".
const chrome = "155.0.8059.84"

// identities are the values of --as. The agents are from Google's list of common crawlers and from
// Bing's webmaster help.
var identities = []Identity{
	{
		Name: "googlebot", Label: "Googlebot (smartphone)", Token: googleToken,
		Agent: "Mozilla/5.0 (Linux; Android 6.0.1; Nexus 5X Build/MMB29P) " + webkit + ") Chrome/" +
			chrome +
			" Mobile Safari/537.36 (" + googleBot + ")",
		Accept: googleAccept, From: googleFrom,
	},
	{
		Name: "googlebot-desktop", Label: "Googlebot (desktop)", Token: googleToken,
		Agent: "Mozilla/5.0 " + webkit + "; " + googleBot + ") Chrome/" + chrome +
			" Safari/537.36",
		Accept: googleAccept, From: googleFrom,
	},
	{
		Name: "bingbot", Label: "Bingbot", Token: "bingbot",
		Agent: "Mozilla/5.0 " + webkit +
			"; compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm) Chrome/" +
			chrome + " Safari/537.36",
		Accept: plainAccept, From: "bingbot(at)microsoft.com",
	},
	{
		Name: "browser", Label: "an ordinary browser", Token: googleToken,
		Agent: "Mozilla/5.0 (Windows NT 10.0; Win64; x64) " + webkit + ") Chrome/" + chrome +
			" Safari/537.36",
		Accept: browserAccept,
	},
}

// Identities returns the names that LookupIdentity accepts, the default first.
func Identities() []string {
	names := make([]string, len(identities))
	for i, id := range identities {
		names[i] = id.Name
	}
	return names
}

// LookupIdentity returns the identity of a name in any case; "" is the default, googlebot. The
// error lists the names.
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

// WithAgent returns id with another User-Agent header; the robots token and all else stay. An empty
// agent changes nothing.
func (id Identity) WithAgent(agent string) Identity {
	if agent != "" {
		id.Agent = agent
	}
	return id
}

// For returns the identity for a request of a purpose: Google's crawlers read images and videos
// under names of their own, which robots.txt may name (Search Central, "Google's common crawlers").
// Other identities stay the same; a browser keeps its header.
func (id Identity) For(as answers.Purpose) Identity {
	name := map[answers.Purpose]string{answers.AsImage: "Googlebot-Image", answers.AsVideo: "Googlebot-Video"}[as.Base()]
	if name == "" || id.Token != googleToken {
		return id
	}
	if known, _ := LookupIdentity(id.Name); id.From != "" && id.Agent == known.Agent {
		id.Agent = name + "/1.0"
	}
	id.Token = name
	return id
}

// Headers returns the headers in the order in which they follow Host over HTTP/1.1. Like Google's
// crawlers it asks for gzip, deflate and Brotli (decoders), and sends no Accept-Language, no Referer
// and no Cookie.
func (id Identity) Headers() []Header {
	hs := []Header{{"User-Agent", id.Agent}, {"Accept", id.Accept},
		{"Accept-Encoding", "gzip, deflate, br"}}
	if id.From != "" {
		hs = append(hs, Header{"From", id.From})
	}
	if id.languages != "" {
		hs = append(hs, Header{"Accept-Language", id.languages})
	}
	return hs
}
