package prove

import (
	"context"
	"strings"

	"sitemend/cmd/internal/engine"
	"sitemend/crawler/address"
	"sitemend/crawler/answers"
	"sitemend/crawler/probe"
)

// Server returns an Ask for a real server.
func Server(s *engine.Server) Ask {
	return func(ctx context.Context, host, target string) (Answer, error) {
		status, location, err := s.Ask(ctx, host, target)
		return Answer{Status: status, Location: location}, err
	}
}

// Origin returns an Ask for a live origin, at the pace of p. A Location on the origin is returned
// as its path and query.
func Origin(p *probe.Prober, origin address.Address) Ask {
	return func(ctx context.Context, host, target string) (Answer, error) {
		t, err := p.Trail(ctx, address.Wire(origin.Origin()+target))
		if err != nil {
			return Answer{}, err
		}
		if len(t.Steps) == 0 || t.Steps[0].Hop.Status == 0 {
			return Answer{Unseen: "could not be seen: " + probe.WhyUnseen(&t)}, nil
		}
		first := &t.Steps[0].Hop
		a := Answer{Status: first.Status, Location: first.Location, Loops: t.End == answers.EndLoop}
		if rest, own := strings.CutPrefix(a.Location, origin.Origin()); own &&
			strings.HasPrefix(rest, "/") {
			a.Location = rest
		}
		return a, nil
	}
}
