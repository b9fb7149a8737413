package fetch

import (
	"net/http"
	"strings"
)

// serverNames are servers and hosts by the beginning of their Server header, in lower case.
var serverNames = []struct{ begins, name string }{
	{"nginx", "nginx"}, {"openresty", "nginx"}, {"tengine", "nginx"}, {"apache", "Apache"}, {"litespeed", "LiteSpeed"}, {"openlitespeed", "LiteSpeed"},
	{"caddy", "Caddy"}, {"lighttpd", "lighttpd"}, {"microsoft-iis", "IIS"}, {"netlify", "Netlify"}, {"vercel", "Vercel"}, {"cloudflare", "Cloudflare"},
}

// serverHeaders are hosts by a header that only they send. It takes precedence over Server, which
// may be that of a network in front of them.
var serverHeaders = []struct{ header, name string }{
	{"X-Nf-Request-Id", "Netlify"}, {"X-Vercel-Id", "Vercel"}, {"X-Shopid", "Shopify"}, {"X-Shopify-Stage", "Shopify"},
}

// serverOf returns the server or host that an answer names ("nginx", "Netlify"); "" where it names
// none, or an unknown one.
func serverOf(h http.Header) string {
	for _, x := range serverHeaders {
		if first(h, x.header) != "" {
			return x.name
		}
	}
	if strings.EqualFold(first(h, "Powered-By"), "Shopify") {
		return "Shopify"
	}
	says := strings.ToLower(first(h, "Server"))
	for _, x := range serverNames {
		if strings.HasPrefix(says, x.begins) {
			return x.name
		}
	}
	// as a proxy, Caddy leaves Server unchanged
	if via := strings.ToLower(first(h, "Via")); strings.HasSuffix(via, " caddy") {
		return "Caddy"
	}
	return ""
}
