package searchconsole

import (
	"sitemend/crawler/address"
)

// Site returns the site of exports: the host of most of the addresses, without a scheme where one
// of these is https on the default port ("www.shop.example"). of is how many of all addresses are on
// its registrable domain. For exports without rows the site is "".
func Site(exports []Export) (site string, of, all int) {
	type host struct {
		a      address.Address
		n      int
		secure bool
	}
	hosts, domains, best := map[string]*host{}, map[string]int{}, &host{}
	for _, x := range exports {
		for _, r := range x.Rows {
			a, err := address.Parse(r.URL)
			if err != nil {
				continue
			}
			h := hosts[a.HostPort()]
			if h == nil {
				h = &host{a: a}
				hosts[a.HostPort()] = h
			}
			all++
			domains[a.Site()]++
			h.n, h.secure = h.n+1, h.secure || a.Scheme() == "https"
			if h.n > best.n || h.n == best.n && a.HostPort() < best.a.HostPort() {
				best = h
			}
		}
	}
	switch {
	case all == 0:
	case best.a.Port() != "" || !best.secure:
		site = best.a.Origin()
	default:
		site = best.a.Host()
	}
	return site, domains[best.a.Site()], all
}
