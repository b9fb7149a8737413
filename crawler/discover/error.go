package discover

import (
	"cmp"
	"fmt"
	"strings"

	"sitemend/crawler/address"
	"sitemend/crawler/answers"
)

// An Error says why there is nothing to audit, and what the user can do.
type Error struct {
	What, Fix string
	// Refused is what refused the client in place of a sitemap, as audit.Row.UnseenBy says it; ""
	// for nothing. Fix does not say how to be admitted.
	Refused string
}

// Error returns What.
func (e *Error) Error() string { return e.What }

// Hint returns what the user can do; "" where the client first has to be admitted.
func (e *Error) Hint() string { return e.Fix }

// faultHints are what the user can do about a target that gave no answer.
var faultHints = map[answers.Fault]string{
	answers.FaultTLS:     "--ca FILE trusts the authority that signed a certificate; a server without TLS is asked as http://",
	answers.FaultAddress: "--allow-private lets the audit lead to private addresses",
}

// problem returns why the file at url is no sitemap as an error of the audit.
func (w *discovery) problem(url string, got *File) *Error {
	e := &Error{What: url + ": " + w.Words(got.wrong()), Refused: got.refusal()}
	switch {
	case e.Refused != "":
	case got.Fault != "":
		e.Fix = cmp.Or(faultHints[got.Fault], "check the name, the port, the network and whether the server runs; --resolve HOST:PORT:ADDR connects elsewhere, --map FROM=TO asks another host")
	default:
		e.Fix = "name the URL of the sitemap, or the site whose robots.txt names it"
	}
	return e
}

// maxNamed is how many of the places that were tried are named: a robots.txt may name tens of
// thousands.
const maxNamed = 8

// nothing returns the error that no entry was found, with what was tried, or what is wrong with
// what was read.
func (w *discovery) nothing() error {
	out, refusals, places := &Error{What: "no sitemap with a URL was found; tried: ", Fix: "name the sitemap itself, or check that it lists a URL"}, 0, []string(nil)
	for _, e := range w.tried {
		places = append(places, e.What)
		if out.Refused = cmp.Or(out.Refused, e.Refused); e.Refused != "" {
			refusals++
		}
	}
	switch {
	case len(places) == 0:
		out.What = "the sitemaps have no URLs; "
		read, err := w.store.Sitemaps()
		if err != nil {
			return err
		}
		for _, sm := range read {
			if f, ok := sm.Error(); ok {
				places = append(places, sm.URL+": "+w.Words(f))
			}
		}
	case refusals == len(places):
		out.What, out.Fix = "no sitemap was found, for the site refuses us; tried: ", ""
	default:
		out.Fix = cmp.Or(w.tried[0].Fix, out.Fix)
	}
	if more := len(places) - maxNamed; more > 0 {
		places = append(places[:maxNamed], fmt.Sprintf("and %d more", more))
	}
	for i := range places {
		places[i] = fmt.Sprintf("%.300s", address.Masked(places[i]))
	}
	out.What += strings.Join(places, "; ")
	return out
}
