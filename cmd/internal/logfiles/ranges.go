package logfiles

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"sitemend/cmd/internal/cli"
	"sitemend/cmd/internal/scratch"
	"sitemend/crawler/accesslog"
)

// rangeLists are the published lists of address ranges, with the least number of ranges that each
// has: a shorter one is rejected.
var rangeLists = []struct {
	name, url string
	least     int
}{
	{"google.json", "https://developers.google.com/static/crawling/ipranges/common-crawlers.json", accesslog.GoogleListed},
	{"bing.json", "https://www.bing.com/toolbox/bingbot.json", accesslog.BingListed},
}

// maxRanges is the most bytes of a list that are read.
const maxRanges = 8 << 20

// botRanges reads --bot-ranges.
func botRanges(ctx context.Context, whats []string, log *slog.Logger) (*accesslog.Ranges, error) {
	ranges := &accesslog.Ranges{}
	const hint = "--bot-ranges takes known, web, or a file or URL in the form of https://www.bing.com/toolbox/bingbot.json"
	if len(whats) == 0 {
		return nil, cli.WithHint(errors.New("--bot-ranges names nothing"), hint)
	}
	if err := cli.NoUserInURL("--bot-ranges", whats...); err != nil {
		return nil, err
	}
	for _, what := range whats {
		switch {
		case what == "known":
			ranges.AddKnown()
		case what == "web":
			ranges.AddKnown()
			webRanges(ctx, ranges, log)
		default:
			text, err := rangesFrom(ctx, what)
			if err == nil {
				_, err = ranges.Add(what, text)
			}
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			if err != nil {
				return nil, cli.WithHint(fmt.Errorf("--bot-ranges %s: %w", what, err), hint)
			}
		}
	}
	return ranges, nil
}

// rangesFrom reads a list from a file or a URL.
func rangesFrom(ctx context.Context, what string) ([]byte, error) {
	if strings.HasPrefix(what, "https://") || strings.HasPrefix(what, "http://") {
		return rangesOfWeb(ctx, what)
	}
	f, err := cli.Open(ctx, what)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, maxRanges))
}

func rangesOfWeb(ctx context.Context, url string) ([]byte, error) {
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
		return nil, fmt.Errorf("it answers %s", answer.Status)
	}
	return io.ReadAll(io.LimitReader(answer.Body, maxRanges))
}

// webRanges adds the published lists, which are cached for a day. A list that is empty, short or
// missing is left out, as the built-in ranges remain.
func webRanges(ctx context.Context, ranges *accesslog.Ranges, log *slog.Logger) {
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = ""
	}
	dir := filepath.Join(cache, "sitemend")
	for _, list := range rangeLists {
		file := filepath.Join(dir, list.name)
		if info, err := os.Stat(file); cache != "" && err == nil && time.Since(info.ModTime()) < 24*time.Hour {
			if text, err := os.ReadFile(file); err == nil {
				if _, err = ranges.Add(list.name, text); err == nil {
					continue
				}
			}
		}
		text, err := rangesOfWeb(ctx, list.url)
		if err == nil {
			err = enough(list.name, text, list.least)
		}
		if err == nil {
			_, err = ranges.Add(list.name, text)
		}
		if err != nil {
			log.Warn(fmt.Sprintf("--bot-ranges web: %s cannot be used: %v; the ranges of %s are used instead",
				list.url, err, accesslog.KnownDate))
			continue
		}
		if cache != "" && os.MkdirAll(dir, 0o700) == nil {
			// On failure it is fetched again the next time.
			_ = scratch.Replace(dir, list.name, func(w io.Writer) error {
				_, err := w.Write(text)
				return err
			})
		}
	}
}

// enough returns an error where a list is shorter than the known minimum.
func enough(name string, text []byte, least int) error {
	n, err := new(accesslog.Ranges).Add(name, text)
	if err == nil && n < least {
		err = fmt.Errorf("it has %d ranges, the one of %s had %d", n, accesslog.KnownDate, least)
	}
	return err
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
