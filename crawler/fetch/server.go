package fetch

import (
	"net/http"
	"strings"
)

// servers are servers and hosts by what a header begins or ends with, in lower case. Those by a header
// that only they send come first: Server may be that of a network in front of them. As a proxy, Caddy
// leaves Server unchanged.
var servers = []struct{ header, text, name string }{
	{"X-Nf-Request-Id", "", "Netlify"}, {"X-Vercel-Id", "", "Vercel"}, {"X-Shopid", "", "Shopify"}, {"X-Shopify-Stage", "", "Shopify"}, {"Powered-By", "shopify", "Shopify"},
	{"Server", "nginx", "nginx"}, {"Server", "openresty", "nginx"}, {"Server", "tengine", "nginx"}, {"Server", "apache", "Apache"}, {"Server", "litespeed", "LiteSpeed"},
	{"Server", "openlitespeed", "LiteSpeed"}, {"Server", "caddy", "Caddy"}, {"Server", "lighttpd", "lighttpd"}, {"Server", "microsoft-iis", "IIS"},
	{"Server", "netlify", "Netlify"}, {"Server", "vercel", "Vercel"}, {"Server", "cloudflare", "Cloudflare"}, {"Via", " caddy", "Caddy"},
}

// serverOf returns the server or host that an answer names ("nginx", "Netlify"); "" where it names
// none, or an unknown one.
func serverOf(h http.Header) string {
	for _, x := range servers {
		says := first(h, x.header)
		if x.header == "Via" {
			says = says[max(0, len(says)-len(x.text)):]
		}
		if says != "" && beginsFold(says, x.text) {
			return x.name
		}
	}
	return ""
}

// beginsFold reports whether s begins with a text in either case.
func beginsFold(s, text string) bool {
	return len(s) >= len(text) && strings.EqualFold(s[:len(text)], text)
}
