package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"slices"
	"strings"
	"unicode"

	"github.com/spf13/pflag"

	"sitemend/crawler/audit"
	"sitemend/crawler/sitemap"
	"sitemend/report"
	"sitemend/report/html"
	"sitemend/storage"
)

// tell judges an audit as a whole from the store.
func tell(a audit.Source, info audit.Info) (*audit.Result, error) {
	return audit.Evaluate(a, info, new(sitemap.Names).Name)
}

// unwritten tells whether no sitemap of an audit is written. Of a stopped audit
// nothing is that others could upload: what was not asked could change it.
func unwritten(info audit.Info) bool { return info.Partial || info.Ended.IsZero() }

// A telling is what is written of an audit: files, then what goes to standard output.
type telling struct {
	std     stdio
	f       *auditFlags
	told    *audit.Result
	o       report.Options
	written report.Written
}

// newTelling looks up in the store what the outputs need besides the audit.
func newTelling(std stdio, f *auditFlags, store *storage.Store, a ending, t *audit.Result) (*telling, error) {
	lang, err := f.language()
	if err != nil {
		return nil, err
	}
	before, err := trend(store, t.Info)
	if err != nil {
		return nil, err
	}
	again := f.again(t.Info.ID)
	page := func(w io.Writer, t *audit.Result) (report.Page, error) {
		return html.New(w, t, html.Options{Lang: lang, Again: again, Trend: before, Written: func(file int) string {
			if !t.Files[file].Changed {
				return ""
			}
			return path.Join("sitemaps", t.Files[file].Name)
		}})
	}
	open := func(file int) (io.ReadCloser, error) { return a.OpenSpool(t.Files[file].Sitemap.Spool) }
	w := &telling{std: std, f: f, told: t, o: report.Options{Dir: f.out, Formats: f.formats, Lang: lang, Again: again, Open: open, HTML: page}}
	if f.out != "-" {
		w.o.Record, err = recordOf(store, f.out)
	}
	return w, err
}

// files writes the files; with --out - there are none.
func (w *telling) files(ctx context.Context) (err error) {
	if w.f.out == "-" {
		return nil
	}
	if w.written, err = report.WriteAll(ctx, w.told, w.o); err != nil {
		return fmt.Errorf("write the outputs: %w", err)
	}
	w.told = w.written.Told
	return nil
}

// faults returns an error where a fault of ours kept a sitemap from being read, an entry from being
// judged, or a corrected sitemap from being written, after all else was.
func (w *telling) faults() error {
	for i := range w.told.Files {
		for _, f := range w.told.Files[i].Sitemap.Faults {
			if f.Key == audit.NotReadByUs {
				return withHint(fmt.Errorf("%s: %s", f.Sitemap, f.Text), "a fault of sitemend, not of the site: what this file lists was not audited, all else was; please report it, with the file as it is on the site")
			}
			if f.Key == audit.NotJudgedByUs {
				return withHint(fmt.Errorf("%s: %s", f.Sitemap, f.Text), "a fault of sitemend, not of the site: such entries are kept, all else was judged; please report it, with the line above")
			}
		}
	}
	if err := errors.Join(w.written.Mended.Faults...); err != nil {
		return withHint(err, "a fault of sitemend, not of the site: no corrected copy of this file was written, all else was; please report it, with the file under originals/ or as it is on the site")
	}
	return nil
}

// print writes the summary; with --out - the one format.
func (w *telling) print() error {
	if w.f.out == "-" {
		return report.Write(w.std.out, w.f.formats[0], w.told, w.o)
	}
	return report.WriteSummary(w.std.out, w.told, report.Summary{Written: w.written, Lang: w.o.Lang, Color: colored(w.std.out), Again: w.o.Again})
}

// again is the command that writes the outputs of audit id again from the store as they
// were written now: with the audit that was named, the store, the folder, the formats and
// the language, and what decided in this telling and is not in the store. A flag that is
// added to it counts: the last --max-drop holds, and --fix adds up.
func (f *auditFlags) again(id string) string {
	verb := "report"
	if f.named {
		verb += " " + id
	}
	words := []string{f.command(verb)}
	if f.formats != nil && !slices.Equal(f.formats, defaultFormats) {
		words = append(words, "--format", shellWord(strings.Join(f.formats, ",")))
	}
	if f.lang != "" {
		words = append(words, "--lang", shellWord(f.lang))
	}
	return strings.Join(append(words, f.retold...), " ")
}

// command is a command about the store of this one, to be pasted: with the folder and the
// store that were named.
func (f *auditFlags) command(verb string) string {
	words := []string{"sitemend " + verb}
	switch {
	case f.out == "-" && !strings.HasPrefix(verb, "report"): // it goes to standard output anyway
	case f.out != "sitemend-out" && f.out != "":
		words = append(words, "--out", shellWord(f.out))
	}
	if f.store != "" {
		words = append(words, "--store", shellWord(f.store))
	}
	return strings.Join(words, " ")
}

// decided returns those of the flags that decide what a telling says and are not
// remembered with the audit, as they were given.
func decided(flags *pflag.FlagSet) (words []string) {
	for _, name := range []string{"fix", "max-drop", "fail-on", "new"} {
		x := flags.Lookup(name)
		if x == nil || !x.Changed {
			continue
		}
		switch list, ok := x.Value.(pflag.SliceValue); {
		case ok:
			words = append(words, "--"+name, shellWord(strings.Join(list.GetSlice(), ",")))
		case x.Value.Type() == "bool":
			words = append(words, "--"+name)
		default:
			words = append(words, "--"+name, shellWord(x.Value.String()))
		}
	}
	return words
}

// shellWord is s as one word of a POSIX shell (XCU 2.2.2).
func shellWord(s string) string {
	plain := func(r rune) bool {
		return unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("/._-:+@,=%", r)
	}
	if s != "" && !strings.ContainsFunc(s, func(r rune) bool { return !plain(r) }) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// colored tells whether colours are wanted on w: a terminal that knows them,
// unless NO_COLOR (no-color.org) says otherwise.
func colored(w io.Writer) bool {
	return isTerminal(w) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
}

// language is the language of report and summary: --lang, else the locale.
func (f *auditFlags) language() (string, error) {
	switch f.lang {
	case "en", "ja":
		return f.lang, nil
	case "":
		for _, name := range []string{"LC_ALL", "LC_MESSAGES", "LANG"} {
			if v := os.Getenv(name); v != "" {
				if tag, _, _ := strings.Cut(strings.NewReplacer(".", "_", "@", "_", "-", "_").Replace(v), "_"); tag == "ja" {
					return "ja", nil
				}
				break
			}
		}
		return "en", nil
	}
	return "", withHint(fmt.Errorf("--lang %q is unknown", f.lang), "--lang takes en or ja")
}
