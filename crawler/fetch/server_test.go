package fetch

import (
	"net/http"
	"testing"
)

// A server is named by its Server header; a host by its own header, whatever is in front of it.
func TestServerOf(t *testing.T) {
	for want, headers := range map[string][]http.Header{
		"nginx":      {{"Server": {"nginx/1.22.1"}}, {"Server": {"openresty"}}, {"Server": {"Tengine"}}},
		"Apache":     {{"Server": {"Apache/2.4.62 (Debian)"}}, {"Server": {"apache"}}},
		"LiteSpeed":  {{"Server": {"LiteSpeed"}}},
		"Caddy":      {{"Server": {"Caddy"}}, {"Server": {"gunicorn"}, "Via": {"1.1 Caddy"}}},
		"lighttpd":   {{"Server": {"lighttpd/1.4.69"}}},
		"IIS":        {{"Server": {"Microsoft-IIS/10.0"}, "X-Powered-By": {"ASP.NET"}}},
		"Netlify":    {{"Server": {"Netlify"}}, {"Server": {"cloudflare"}, "X-Nf-Request-Id": {"01J"}}},
		"Vercel":     {{"Server": {"Vercel"}}, {"Server": {"cloudflare"}, "X-Vercel-Id": {"fra1::x"}}},
		"Shopify":    {{"Server": {"cloudflare"}, "Powered-By": {"Shopify"}}, {"X-Shopid": {"1"}}},
		"Cloudflare": {{"Server": {"cloudflare"}, "Cf-Ray": {"x"}}},
		"":           {{}, {"Server": {""}}, {"Server": {"my-nginx"}}, {"Via": {"1.1 varnish"}}},
	} {
		for _, h := range headers {
			if got := serverOf(h); got != want {
				t.Errorf("%v is of %q, want %q", h, got, want)
			}
		}
	}
}
