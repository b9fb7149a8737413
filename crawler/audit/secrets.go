package audit

import (
	"slices"

	"sitemend/crawler/address"
	"sitemend/crawler/answers"
)

// Withheld follows what leads from one address to the next and says from where
// on the user's headers and credentials are withheld (contract, section 5): for
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
	Way answers.Purpose
}

// Next notes that the answer of one address names another; by is how. A redirect of
// HTTP (ByHTTP) from http to the same address on https is how a site moves to https:
// it names nothing that was not named before, and withholds nothing.
func (w *Withheld) Next(from, to address.Address, by string) {
	switch {
	case w.Has == nil:
	case w.Has(from) && !(from.Scheme() == "https" && to.Scheme() == "http"):
	case w.Has(from), by != ByHTTP, !to.Secures(from):
		w.Way = answers.WithoutSecrets
	}
}

// As returns as whom an address is asked: as, with WithoutSecrets added where secrets
// would be sent otherwise and are withheld. Where none would be sent there is
// one question, however its asker came there.
func (w *Withheld) As(as answers.Purpose, at address.Address) answers.Purpose {
	if as = as.Base(); w.Way != 0 && w.Has != nil && w.Has(at) {
		return as | w.Way
	}
	return as
}

// Familiar reports whether what an address says may be trusted with secrets: it
// is on an audited host, and the way there was, too.
func (w *Withheld) Familiar(a address.Address) bool { return w.Way == 0 && w.Has(a) }

// withheld returns a Withheld for a trail that begins as as.
func (r *Rules) withheld(as answers.Purpose) Withheld {
	if len(r.Secret) == 0 {
		return Withheld{}
	}
	return Withheld{Has: r.sends, Way: as & answers.WithoutSecrets}
}

// sends reports whether an address is sent secrets.
func (r *Rules) sends(a address.Address) bool {
	_, ok := slices.BinarySearch(r.Secret, a.Origin())
	return ok
}

// withoutSecrets reports whether the answer of an address that was asked as as may be another
// with the user's secrets, which it was asked without: a staging site may hide what
// is there by a 401, a 404, a login page or a page that says noindex. Of hosts that are
// sent none whatever the scheme and port there is nothing more to know: nobody
// is said to have an account there.
func (r *Rules) withoutSecrets(a address.Address, as answers.Purpose) bool {
	return as&answers.WithoutSecrets != 0 || !r.sends(a) && r.knows(a.Host())
}

// knows reports whether a host is sent secrets, over one scheme and port at least.
func (r *Rules) knows(host string) bool {
	return slices.ContainsFunc(r.Secret, func(origin string) bool { return address.Wire(origin+"/").Host() == host })
}

// ledWithoutSecrets is withoutSecrets of the answers of a trail, but for what every site answers
// that moved to https: a redirect to the same address there.
func (r *Rules) ledWithoutSecrets(t *Trail) bool {
	return len(r.Secret) > 0 && slices.ContainsFunc(t.Steps, func(s Step) bool {
		at := address.Wire(s.Hop.URL)
		return !(s.Kind == ByHTTP && s.Next.Secures(at)) && r.withoutSecrets(at, s.Hop.Purpose)
	})
}

// asked returns as whom an address is asked, where as says of the way to it whether
// secrets are withheld. It is the key of the answer.
func (r *Rules) asked(as answers.Purpose, at address.Address) answers.Purpose {
	w := r.withheld(as)
	return w.As(as, at)
}

// canonical returns the way to an address that the page at an address names, where as
// is the way to that page: the robot's, with WithoutSecrets where they are withheld on it.
func (r *Rules) canonical(as answers.Purpose, at, to address.Address) answers.Purpose {
	w := r.withheld(as)
	w.Next(at, to, "")
	return w.Way
}
