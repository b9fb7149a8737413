package logfiles

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"time"

	"sitemend/cmd/internal/cli"
	"sitemend/crawler/accesslog"
)

// rangeLists are the published lists of address ranges.
var rangeLists = []string{
	"https://developers.google.com/static/crawling/ipranges/common-crawlers.json",
	"https://www.bing.com/toolbox/bingbot.json",
}

// maxRanges is the most bytes of a list that are read.
const maxRanges = 8 << 20

// botRanges reads --bot-ranges.
func botRanges(ctx context.Context, whats []string, log *slog.Logger) (*accesslog.Ranges, error) {
	ranges := &accesslog.Ranges{}
	const hint = "--bot-ranges takes known, web, or a file in the form of https://www.bing.com/toolbox/bingbot.json"
	if len(whats) == 0 {
		return nil, cli.WithHint(errors.New("--bot-ranges names nothing"), hint)
	}
	add := func(name string, text []byte, err error) error {
		if err == nil {
			_, err = ranges.Add(name, text)
		}
		return err
	}
	for _, what := range whats {
		switch what {
		case "known":
			ranges.AddKnown()
		case "web":
			ranges.AddKnown()
			for _, url := range rangeLists {
				text, err := fetchRanges(ctx, url)
				if err := add(url, text, err); err != nil {
					log.Warn(fmt.Sprintf("--bot-ranges web: %v; the ranges of %s are used instead", err, accesslog.KnownDate))
				}
			}
		default:
			text, err := cli.ReadFile(ctx, what, maxRanges)
			if err := add(what, text, err); err != nil && ctx.Err() == nil {
				return nil, cli.WithHint(fmt.Errorf("--bot-ranges: %w", err), hint)
			}
		}
	}
	return ranges, ctx.Err()
}

func fetchRanges(ctx context.Context, url string) ([]byte, error) {
	ctx, stop := context.WithTimeout(ctx, 30*time.Second)
	defer stop()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	answer, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s answers %s", url, answer.Status)
	}
	return io.ReadAll(io.LimitReader(answer.Body, maxRanges))
}

// systemResolver returns a resolver that uses the name servers of the system, or the one at an
// address.
func systemResolver(at string) accesslog.Resolver {
	if at == "" {
		return net.DefaultResolver
	}
	return &net.Resolver{PreferGo: true,
		Dial: func(ctx context.Context, network, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, network, at)
		}}
}
