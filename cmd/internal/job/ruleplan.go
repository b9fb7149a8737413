package job

import (
	"context"
	"strings"

	"sitemend/crawler/rules/write"
)

// Plan makes the rules of one host, which Pairs has ("" where a map has only paths), in a format,
// with a status that it can say. The pairs of the host are the plan's from then on. An error is one
// of reading the audit, or ctx's.
func (r *Redirects) Plan(ctx context.Context, format *write.Format, host string, status int) (*write.Plan, error) {
	pairs := r.Pairs[host]
	switch {
	case len(pairs) == 0: // not twice in memory
		pairs = r.Pairs[""]
	case host != "":
		pairs = append(pairs, r.Pairs[""]...)
	}
	for i := range pairs {
		x := &pairs[i]
		if format.PerHost && r.Causes[x.N].HTTP && strings.HasPrefix(x.Target, "/") { // https is the default
			x.Target = "http://" + host + x.Target
		}
	}
	var err error
	p := format.Plan(pairs, write.Options{Host: host, Status: status, Keep: r.Keep(ctx, host, &err)})
	return p, err
}
