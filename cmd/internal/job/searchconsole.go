package job

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"

	"sitemend/cmd/internal/cli"
	"sitemend/crawler/discover"
	"sitemend/crawler/searchconsole"
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
		data, err := cli.ReadFile(ctx, name, searchconsole.MaxSize)
		if errors.Is(err, fs.ErrNotExist) {
			err = fmt.Errorf("%s: there is no such file", name)
		}
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
	site, of, all := searchconsole.Site(read)
	return j.suppose(site, cli.Of(of, all, "URL", "URLs")+" in the export")
}
