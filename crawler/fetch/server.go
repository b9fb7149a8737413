package fetch

import (
	"net/http"
	"strings"
)

// serverNames are servers and hosts by what their Server header begins with, in lower case.
var serverNames = []struct{ begins, name string }{
	{"nginx", "nginx"}, {"openresty", "nginx"}, {"tengine", "nginx"}, {"apache", "Apache"}, {"litespeed", "LiteSpeed"}, {"openlitespeed", "LiteSpeed"},
	{"caddy", "Caddy"}, {"lighttpd", "lighttpd"}, {"microsoft-iis", "IIS"}, {"netlify", "Netlify"}, {"vercel", "Vercel"}, {"cloudflare", "Cloudflare"},
}

// serverHeaders are hosts by a header that they alone send, and which says more than Server: that
// may be of a network before them.
var serverHeaders = []struct{ header, name string }{
	{"X-Nf-Request-Id", "Netlify"}, {"X-Vercel-Id", "Vercel"}, {"X-Shopid", "Shopify"}, {"X-Shopify-Stage", "Shopify"},
}

// serverOf names the server or host that an answer says it is from ("nginx", "Netlify"); "" where
// it does not say, or names one that is not known here.
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
	// as a proxy it leaves Server alone
	if via := strings.ToLower(first(h, "Via")); strings.HasSuffix(via, " caddy") {
		return "Caddy"
	}
	return ""
}
