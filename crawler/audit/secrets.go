package audit

import (
	"slices"

	"sitemend/crawler/address"
	"sitemend/crawler/answers"
)

// Follow walks the remembered answers from an address, asked as as (with WithoutSecrets where a stranger
// named it), through at most MaxHops redirects (Google: 10; crawling docs, "http-status-codes").
func (r *Rules) Follow(mem answers.Memory, from address.Address, as answers.Purpose) answers.Trail {
	return r.follow(nil, mem, from, as)
}

// follow is Follow, whose steps take the place of some.
func (r *Rules) follow(steps []answers.Step, mem answers.Memory, from address.Address, as answers.Purpose) answers.Trail {
	return answers.Follow(steps, mem, from, as, r.MaxHops, r.withheld(as))
}

// withheld returns a Withheld for a trail that begins as as.
func (r *Rules) withheld(as answers.Purpose) answers.Withheld {
	if len(r.Secret) == 0 {
		return answers.Withheld{}
	}
	return answers.Withheld{Has: r.sends, Way: as & answers.WithoutSecrets}
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
func (r *Rules) ledWithoutSecrets(t *answers.Trail) bool {
	return len(r.Secret) > 0 && slices.ContainsFunc(t.Steps, func(s answers.Step) bool {
		at := address.Wire(s.Hop.URL)
		return !(s.Kind == answers.ByHTTP && s.Next.Secures(at)) && r.withoutSecrets(at, s.Hop.Purpose)
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
