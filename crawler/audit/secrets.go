package audit

import (
	"slices"

	"sitemend/crawler/address"
)

// Withheld follows what leads from one address to the next and says from where
// on the user's headers and credentials are withheld (contract, section 5): for
// good once an address was named by a host that is not audited, and on the way
// from https to http. A redirect, a refresh, a canonical, a sitemap and a
// robots.txt all name addresses; what a stranger names is asked as anybody would
// ask it, or the stranger would choose what the credentials open.
//
// The zero Withheld withholds nothing; Has must be set before Next and As.
type Withheld struct {
	// Has reports whether secrets may be sent to an address.
	Has func(address.Address) bool
	// Plain is set once they are withheld for good.
	Plain bool
}

// Next notes that the answer of one address names another.
func (w *Withheld) Next(from, to address.Address) {
	if !w.familiar(from) || from.Scheme() == "https" && to.Scheme() == "http" {
		w.Plain = true
	}
}

// As returns as whom an address is asked: as, with Plain added where secrets
// would be sent otherwise and are withheld. Where none would be sent there is
// one question, however its asker came there.
func (w *Withheld) As(as As, at address.Address) As {
	if as = as.Purpose(); w.Plain && w.Has(at) {
		return as | Plain
	}
	return as
}

// Familiar reports whether what an address says may be trusted with secrets: it
// is on an audited host, and the way there was, too.
func (w *Withheld) Familiar(a address.Address) bool { return !w.Plain && w.familiar(a) }

// familiar reports whether an address is on an audited host, or on the plain http
// twin of one: that one is sent no secrets, but a redirect from it to the audited
// https host is how a site moves to https, not a detour.
func (w *Withheld) familiar(a address.Address) bool {
	if w.Has(a) {
		return true
	}
	if a.Scheme() != "http" || a.Port() != "" {
		return false
	}
	twin, err := address.Parse("https://" + a.Host() + "/")
	return err == nil && w.Has(twin)
}

// withheld returns a Withheld for a trail that begins as as; one that is nil
// withholds nothing, where nothing is secret.
func (r *Rules) withheld(as As) *Withheld {
	if len(r.Secret) == 0 {
		return nil
	}
	return &Withheld{Has: r.sends, Plain: as&Plain != 0}
}

// sends reports whether an address is sent secrets.
func (r *Rules) sends(a address.Address) bool {
	_, ok := slices.BinarySearch(r.Secret, a.Origin())
	return ok
}

// named returns as whom an address is asked that an answer names: hop is that
// answer, at its address.
func (r *Rules) named(hop *Hop, at, to address.Address) As {
	w := r.withheld(hop.As)
	if w == nil {
		return hop.As.Purpose()
	}
	w.Next(at, to)
	return w.As(hop.As, to)
}
