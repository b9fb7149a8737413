package audit

import (
	"strings"

	"sitemend/crawler/address"
)

// hidden reports whether an address is on a host that its name says is not for the public, or at a port
// of its own, and the listed one is not: a test system, or the server behind a proxy, whose
// addresses leaked into the redirects or canonicals of the public one.
func hidden(target, listed address.Address) bool {
	return target.Port() != "" && listed.Port() == "" || namesHidden(target) && !namesHidden(listed)
}

// namesHidden reports whether a word of a label below the registrable domain is one of hiddenHosts,
// with or without a number: "shop-dev", "staging2".
func namesHidden(a address.Address) bool {
	labels, _ := strings.CutSuffix(strings.TrimSuffix(a.Host(), "."), a.Site())
	for word := range strings.FieldsFuncSeq(labels, func(r rune) bool { return r == '.' || r == '-' || r == '_' }) {
		if hiddenHosts[strings.TrimRight(word, "0123456789")] {
			return true
		}
	}
	return false
}

var hiddenHosts = setOf("staging", "stage", "stg", "dev", "devel", "develop", "development", "test", "tests", "testing", "tst", "uat", "qa",
	"preview", "preprod", "preproduction", "sandbox", "local", "localhost", "internal", "intranet", "origin", "backend")

// strays reports whether a row of a file that is served at base is to be replaced by what its page, which
// answers at its own address, merely names: on a host that is neither its own nor that of the file,
// nor a twin of either.
func (r *Row) strays(base address.Address) bool {
	if r.Verdict != Noncanonical || r.Fix.Action != Replace {
		return false
	}
	to := address.Wire(r.Fix.Loc)
	return !base.SameTwin(to) && !r.Address.SameTwin(to)
}
