package searchconsole

import (
	"strings"

	"sitemend/crawler/address"
)

// Site returns the site of exports: the origin of the property where one has it as an address, else
// the host of most of the addresses, without a scheme where one of these is https on the default
// port ("www.shop.example"). of is how many of all addresses are on its registrable domain. For
// exports without rows the site is "".
func Site(exports []Export) (site string, of, all int) {
	hosts, secure, best := map[string]int{}, map[string]bool{}, address.Address{}
	for _, x := range exports {
		for _, r := range x.Rows {
			a, err := address.Parse(r.URL)
			if err != nil {
				continue
			}
			all++
			key := a.HostPort()
			hosts[key]++
			secure[key] = secure[key] || a.Scheme() == "https"
			if n, most := hosts[key], hosts[best.HostPort()]; best.IsZero() || n > most || n == most && key < best.HostPort() {
				best = a
			}
		}
	}
	for _, x := range exports {
		if a, err := address.Parse(x.Property); err == nil && strings.Contains(x.Property, "://") {
			best, site = a, a.Origin()
			break
		}
	}
	if best.IsZero() {
		return "", 0, 0
	}
	for _, x := range exports {
		for _, r := range x.Rows {
			if a, err := address.Parse(r.URL); err == nil && a.Site() == best.Site() {
				of++
			}
		}
	}
	switch {
	case site != "":
	case best.Port() != "" || !secure[best.HostPort()]:
		site = best.Origin()
	default:
		site = best.Host()
	}
	return site, of, all
}
