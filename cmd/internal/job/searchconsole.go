package job

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"sitemend/cmd/internal/cli"
	"sitemend/crawler/discover"
	"sitemend/crawler/searchconsole"
	"sitemend/report/messages"
)

// searchConsole reads the files of --search-console. Where the user named no
// TARGET their site is it.
func (j *job) searchConsole(ctx context.Context) error {
	if len(j.f.SearchConsole) == 0 {
		return nil
	}
	h := sha256.New()
	var read []searchconsole.Export
	for _, name := range j.f.SearchConsole {
		data, err := readExport(ctx, name)
		if err != nil {
			return cli.WithHint(fmt.Errorf("--search-console: %w", err), "name the ZIP or the CSV that Search Console exported")
		}
		fmt.Fprintf(h, "%d\n", len(data))
		h.Write(data)
		x, err := searchconsole.Read(data)
		if err != nil {
			return fmt.Errorf("--search-console %s: %w", name, err)
		}
		read = append(read, x)
		j.d.Exports = append(j.d.Exports, discover.Export{Name: name, Export: x})
	}
	j.exports = hex.EncodeToString(h.Sum(nil))
	if len(j.d.Targets) > 0 {
		return nil
	}
	return j.targetOf(read)
}

// targetOf makes the site of exports the target.
func (j *job) targetOf(read []searchconsole.Export) error {
	site, of, all := searchconsole.Site(read)
	t, err := discover.SiteTarget(site)
	if err != nil {
		return cli.WithHint(fmt.Errorf("the site of the export: %w", err), "name the site as TARGET")
	}
	j.d.Targets, j.noTarget = []discover.Target{t}, true
	share := cli.Plural(all, "URL", "URLs")
	if of < all {
		share = messages.Number(of) + " of the " + share
	}
	j.log.Info(fmt.Sprintf("no TARGET is named: auditing %s, the site of %s in the export", site, share))
	return nil
}

// readExport reads a file that may not be larger than an export can be.
func readExport(ctx context.Context, name string) ([]byte, error) {
	f, err := cli.Open(ctx, name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: there is no such file", name)
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, searchconsole.MaxSize+1))
	if err == nil && len(data) > searchconsole.MaxSize {
		err = fmt.Errorf("%s is larger than %d MB, which no export is", name, searchconsole.MaxSize>>20)
	}
	return data, err
}
