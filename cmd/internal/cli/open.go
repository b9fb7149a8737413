package cli

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"

	"sitemend/crawler/ground"
)

// Open opens a file for reading. Of a pipe or a device ctx ends the wait for its writer, who may never
// come, and the reading, with its error.
func Open(ctx context.Context, name string) (io.ReadCloser, error) {
	if info, err := os.Stat(name); err != nil || info.Mode().IsRegular() || info.IsDir() {
		return os.Open(name)
	}
	return piped(ctx, func(to io.Writer) error {
		f, err := os.Open(name)
		if err != nil {
			return err
		}
		defer f.Close()
		_, err = io.Copy(to, f)
		return err
	}), nil
}

// ReadFile is os.ReadFile of a file of at most so many bytes, opened as by Open; of a larger one, or of
// a device without an end, it returns an error in its place.
func ReadFile(ctx context.Context, name string, most int64) ([]byte, error) {
	f, err := Open(ctx, name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, most+1))
	if err == nil && int64(len(text)) > most {
		return nil, &fs.PathError{Op: "read", Path: name, Err: fmt.Errorf("it has more than %d MB", most>>20)}
	}
	return text, err
}

// Reading returns a reader of what r has, as standard input, whose writer may never end: with ctx it
// ends, with its error, and nobody waits for r. The caller closes it, which does not close r.
func Reading(ctx context.Context, r io.Reader) io.ReadCloser {
	return piped(ctx, func(to io.Writer) error {
		_, err := io.Copy(to, r)
		return err
	})
}

// piped returns a reader of what fill writes.
func piped(ctx context.Context, fill func(to io.Writer) error) io.ReadCloser {
	from, to := io.Pipe()
	go func() { to.CloseWithError(ground.Guard(func() error { return fill(to) })) }()
	context.AfterFunc(ctx, func() { to.CloseWithError(ctx.Err()) })
	return from
}
