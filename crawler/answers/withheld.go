package answers

import "sitemend/crawler/address"

// How an answer leads on to the next address.
const (
	ByHTTP          = "http"
	ByMetaRefresh   = "meta-refresh"
	ByRefreshHeader = "refresh-header"
	ByScript        = "script"
)

// Withheld follows what leads from one address to the next and says from where
// on the user's headers and credentials are withheld (contract, section 6): for
// good once an address was named by a host that is not audited or by an answer that
// came in clear text, and on the way from https to http. A redirect, a refresh, a
// canonical, a sitemap and a robots.txt all name addresses; what a stranger names is
// asked as anybody would ask it, or the stranger would choose what the credentials
// open. Over http anybody on the way may write the answer: it is a stranger's word
// unless the user wrote http, and with that audited it.
//
// The zero Withheld withholds nothing.
type Withheld struct {
	// Has reports whether secrets may be sent to an address; nil where there are none.
	Has func(address.Address) bool
	// Way is WithoutSecrets once they are withheld for good, else 0.
	Way Purpose
}

// Next notes that the answer of one address names another; by is how. A redirect of
// HTTP (ByHTTP) from http to the same address on https is how a site moves to https:
// it names nothing that was not named before, and withholds nothing.
func (w *Withheld) Next(from, to address.Address, by string) {
	switch {
	case w.Has == nil:
	case w.Has(from) && !(from.Scheme() == "https" && to.Scheme() == "http"):
	case w.Has(from), by != ByHTTP, !to.Secures(from):
		w.Way = WithoutSecrets
	}
}

// As returns as whom an address is asked: as, with WithoutSecrets added if secrets would be sent otherwise
// and are withheld. An address that would be sent none is the same question on every way.
func (w *Withheld) As(as Purpose, at address.Address) Purpose {
	if as = as.Base(); w.Way != 0 && w.Has != nil && w.Has(at) {
		return as | w.Way
	}
	return as
}

// Familiar reports whether what an address says may be trusted with secrets: it
// is on an audited host, and the way there was, too.
func (w *Withheld) Familiar(a address.Address) bool { return w.Way == 0 && w.Has(a) }
