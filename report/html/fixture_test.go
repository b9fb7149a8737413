package html

import "sitemend/report/internal/fixture"

const site = fixture.Site

// A state is one of fixture.States, whose page is looked at.
type state struct{ fixture.State }

func states() (all []state) {
	for _, s := range fixture.States() {
		all = append(all, state{s})
	}
	return all
}
