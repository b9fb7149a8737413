package watch

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"sitemend/cmd/internal/cli"
	"sitemend/cmd/internal/job"
	"sitemend/cmd/internal/scratch"
	"sitemend/report"
	"sitemend/report/messages"
)

// newsFile is written anew at the end of each run, beside the outputs of a site.
const newsFile = "news.md"

// writeNews writes the news of a site as Markdown: what was reported of its last audit, or that it
// could not be made. n is nil, and st is not, where there is none. It does not say where the pages
// are: CI may put it where everybody reads it, and their address holds the token.
func (w *watcher) writeNews(s Site, n *job.News, list []message, st *state) error {
	words := messages.Of(w.c.Lang).Watch()
	wr := newWriter(w.c, w.reportOf)
	lines := []string{"# " + report.MarkdownText(words.Text("news-title", "site", s.Name)), ""}
	if n != nil {
		lines = append(lines, report.MarkdownText(words.Text("news-audit", "at", wr.clock(n.Ended), "entries", words.Count("entries", n.Entries), "requests", words.Count("requests", n.Requests))), "")
	} else {
		lines = append(lines, report.MarkdownText(words.Text("news-failed", "why", st.Why)), "")
	}
	if n != nil && len(list) == 0 {
		lines = append(lines, report.MarkdownText(words.Text("news-same", "at", wr.clock(auditTime(n.Before)))), "")
	}
	for _, m := range list {
		lines = append(lines, "## "+report.MarkdownText(m.Title), "")
		for _, line := range m.Lines { // indented: nothing in it is markup
			lines = append(lines, "    "+line)
		}
		if len(m.Lines) > 0 {
			lines = append(lines, "")
		}
	}
	return replace(filepath.Join(w.c.Store, s.Name), newsFile, strings.Join(lines, "\n"))
}

// noLink refuses a link in the place of a site's folder, which nobody named: who may write to
// the store's folder would have us write and remove files elsewhere with our rights.
func noLink(dir string) error {
	info, err := os.Lstat(dir)
	if err != nil || info.Mode()&(fs.ModeSymlink|fs.ModeIrregular) == 0 { // a junction of Windows is irregular
		return nil // what else is wrong is said by who writes there
	}
	return cli.WithHint(fmt.Errorf("%s is a link, and nothing is written or removed through one", dir),
		"remove or rename it: the next run makes the folder")
}

// replace writes a file whole, or leaves the one that was there.
func replace(dir, name, text string) error {
	if err := noLink(dir); err != nil {
		return err
	}
	err := os.MkdirAll(dir, 0o777)
	if err == nil {
		err = scratch.Replace(dir, name, func(w io.Writer) error {
			_, err := io.WriteString(w, text)
			return err
		})
	}
	if err != nil {
		return cli.WithHint(fmt.Errorf("the news cannot be written: %w", err), "see whether there is room, and whether the user of this process may write there")
	}
	return nil
}
