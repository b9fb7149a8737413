package cli

import (
	"context"
	"io/fs"
	"os"
)

// Open opens a file for reading. Of a named pipe ctx ends the wait for its writer, who may never come,
// and the reading.
func Open(ctx context.Context, name string) (*os.File, error) {
	if info, err := os.Stat(name); err != nil || info.Mode()&fs.ModeNamedPipe == 0 {
		return os.Open(name)
	}
	type opened struct {
		f   *os.File
		err error
	}
	got := make(chan opened, 1)
	go func() {
		f, err := os.Open(name)
		got <- opened{f, err}
	}()
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case o := <-got:
		if o.err == nil {
			context.AfterFunc(ctx, func() { _ = o.f.Close() }) // it was only read
		}
		return o.f, o.err
	}
}
