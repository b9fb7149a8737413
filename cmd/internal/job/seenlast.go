package job

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"

	"sitemend/crawler/audit"
	"sitemend/storage"
)

// seenLastFile is the file of an audit's spool with what earlier audits saw last where it could
// not look, or found an address no longer listed: a line of JSON each, in order of address. There
// is none where there is nothing.
const seenLastFile = "seen-last"

// keepSeenLast notes what is new in an audit, beside what was seen last in the older one and those
// before it, and leaves to the next audit what this one could not look at. It returns the comparison
// with what was seen last.
func (j *job) keepSeenLast(ctx context.Context, store *storage.Store, older, a *storage.Audit, d *Comparison) (*audit.Diff, error) {
	if j.f.Watched {
		if err := d.files(ctx, older, a, earlierLike(store, d.Old)); err != nil {
			return nil, fmt.Errorf("the faults and links that changed: %w", err)
		}
	}
	w := &seenLastWriter{a: a}
	result, err := d.SinceSeen(ctx, seenLast(ctx, older), w.keep)
	if err := errors.Join(err, w.close()); err != nil {
		return nil, fmt.Errorf("what was seen last: %w", err)
	}
	j.news.compare(result)
	return result, nil
}

// A seenLastLine is a line of the file.
type seenLastLine struct {
	Address []byte
	*audit.SeenLast
}

// A seenLastWriter writes the file, once there is something to write.
type seenLastWriter struct {
	a    *storage.Audit
	file io.WriteCloser
	buf  *bufio.Writer
}

func (w *seenLastWriter) keep(s *audit.SeenLast) error {
	if err := w.open(); err != nil {
		return err
	}
	text, err := json.Marshal(seenLastLine{[]byte(s.Address), s})
	if err == nil {
		_, err = w.buf.Write(append(text, '\n'))
	}
	return err
}

func (w *seenLastWriter) open() (err error) {
	if w.file == nil {
		w.file, err = w.a.SpoolWriter(seenLastFile)
		w.buf = bufio.NewWriter(w.file)
	}
	return err
}

// close ends the file. One that was left by a process that was killed as it ended this audit is
// replaced even where there is nothing to write.
func (w *seenLastWriter) close() error {
	if w.file == nil {
		old, err := w.a.OpenSpool(context.Background(), seenLastFile)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err == nil {
			err = errors.Join(old.Close(), w.open())
		}
		if err != nil {
			return err
		}
	}
	return errors.Join(w.buf.Flush(), w.file.Close())
}

// seenLast yields what an audit was left with.
func seenLast(ctx context.Context, a *storage.Audit) iter.Seq2[audit.SeenLast, error] {
	return func(yield func(audit.SeenLast, error) bool) {
		f, err := a.OpenSpool(ctx, seenLastFile)
		if errors.Is(err, fs.ErrNotExist) {
			return
		}
		if err != nil {
			yield(audit.SeenLast{}, err)
			return
		}
		defer f.Close()
		lines := json.NewDecoder(bufio.NewReader(f))
		for {
			line := seenLastLine{SeenLast: &audit.SeenLast{}}
			err := lines.Decode(&line)
			line.SeenLast.Address = string(line.Address)
			if err == io.EOF || !yield(*line.SeenLast, err) || err != nil {
				return
			}
		}
	}
}
