package serve

import (
	"crypto/subtle"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"time"

	"sitemend/report/internal/page"
	"sitemend/report/messages"
)

// guarded passes on only requests that the person who started the program may have made.
//
// The token is in every path, and in no cookie: browsers send a cookie to every port of its host
// (RFC 6265, section 8.5), and so to any other server on this machine. A path is not sent
// elsewhere: no page names it to another origin (Referrer-Policy), and nothing is loaded from one
// (Content-Security-Policy).
func (s *Site) guarded(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		protect(w.Header())
		switch {
		case r.ContentLength != 0: // no page needs a body, and none is waited for
			w.Header().Set("Connection", "close")
			_ = http.NewResponseController(w).SetReadDeadline(time.Unix(1, 0)) // a test's recorder has none
			http.Error(w, "No request here has a body.", http.StatusRequestEntityTooLarge)
		case s.o.Plain[r.URL.Path] != nil && (r.Method == http.MethodGet || r.Method == http.MethodHead):
			s.o.Plain[r.URL.Path].ServeHTTP(w, r)
		case !s.knownHost(r.Host):
			// A foreign name that resolves to this machine is refused: a page of that name could
			// read ours.
			http.Error(w, "Misdirected request: open the address that sitemend serve printed. A proxy must send that address as Host.", http.StatusMisdirectedRequest)
		case r.URL.Path == "/favicon.ico": // browsers ask for it by themselves
			w.WriteHeader(http.StatusNoContent)
		case !s.knownToken(r.URL.Path):
			w.Header().Set("Connection", "close") // who does not know the token keeps no connection
			http.Error(w, "Forbidden: open the address that sitemend serve printed; it ends with a token.", http.StatusForbidden)
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// protect sets the headers of every answer, except the policy of a page, which is set with the
// page.
func protect(h http.Header) {
	for name, value := range map[string]string{
		"Content-Security-Policy": "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; sandbox",
		"X-Content-Type-Options":  "nosniff", "Referrer-Policy": "no-referrer", "X-Frame-Options": "DENY", "X-Robots-Tag": "noindex", "Cache-Control": "no-store",
		"Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Resource-Policy": "same-origin",
	} {
		h.Set(name, value)
	}
}

// knownHost reports whether a Host header names this server by an IP address, as localhost, or by a
// configured name. A page that had its own name resolved to this machine (DNS rebinding) sends that
// name. The port is ignored: it may be another one in front of a tunnel.
func (s *Site) knownHost(host string) bool {
	name := host
	if h, _, err := net.SplitHostPort(host); err == nil {
		name = h
	}
	name = strings.ToLower(strings.Trim(name, "[]"))
	if _, err := netip.ParseAddr(name); err == nil {
		return true
	}
	absolute := func(name string) string { return strings.TrimSuffix(name, ".") + "." }
	return absolute(name) == "localhost." || name != "" && slices.ContainsFunc(s.o.Hosts, func(host string) bool { return absolute(host) == absolute(name) })
}

func (s *Site) knownToken(path string) bool {
	token, _, deeper := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	return deeper && subtle.ConstantTimeCompare([]byte(token), []byte(s.o.Token)) == 1
}

// A visit is one request with what its page needs.
type visit struct {
	w    http.ResponseWriter
	r    *http.Request
	lang string
}

// langCookie remembers a choice of language. It is no secret: the script of the
// report sets it too, where a reader chooses there.
const langCookie = "lang"

// visited passes a request to a page and shows the error that it returns.
func (s *Site) visited(page func(*visit) error) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		v := &visit{w: w, r: r, lang: s.o.Lang}
		if c, err := r.Cookie(langCookie); err == nil {
			v.lang = c.Value
		}
		if chosen := r.URL.Query().Get("lang"); slices.Contains(messages.Langs(), chosen) {
			v.lang = chosen
			http.SetCookie(w, &http.Cookie{Name: langCookie, Value: chosen, Path: s.Path(), SameSite: http.SameSiteStrictMode})
		}
		v.lang = messages.Of(v.lang).Lang()
		if err := page(v); err != nil {
			s.failed(v, err)
		}
	})
}

// A pending error says for how long an output has been in preparation.
type pending time.Duration

func (p pending) Error() string { return "being written for " + time.Duration(p).String() }

// pagePolicy is the Content-Security-Policy of our pages: the report's, but for
// the form of the search, and never in a frame.
func pagePolicy() string {
	return "default-src 'none'; script-src " + page.Source(script()) + "; style-src " + page.Source(styles()) +
		"; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
}
