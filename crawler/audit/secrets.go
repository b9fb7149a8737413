package audit

import (
	"slices"

	"sitemend/crawler/address"
)

// withheld follows a trail and says from where on the user's headers and
// credentials are withheld: for good at the first host that is not audited, and
// on the way from https to http (contract, section 5).
type withheld struct {
	secret []string
	plain  bool
}

// next returns as whom the trail goes on at an address. That is another question
// only where the address would be sent secrets otherwise: then it is asked, and
// remembered, as Plain.
func (w *withheld) next(from, to address.Address, as As) As {
	if as = as.Purpose(); len(w.secret) == 0 {
		return as
	}
	if !w.familiar(from) || from.Scheme() == "https" && to.Scheme() == "http" {
		w.plain = true
	}
	if w.plain && w.trusted(to.Host(), to.EffectivePort()) {
		return as | Plain
	}
	return as
}

// familiar tells whether an address is on an audited host, or on the plain http
// twin of one: that one is sent no secrets, but a redirect from it to the
// audited https host is no detour through strangers.
func (w *withheld) familiar(a address.Address) bool {
	return w.trusted(a.Host(), a.EffectivePort()) || a.Scheme() == "http" && a.Port() == "" && w.trusted(a.Host(), "443")
}

func (w *withheld) trusted(host, port string) bool {
	_, ok := slices.BinarySearch(w.secret, host+":"+port)
	return ok
}
