package discover

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"sitemend/crawler/audit"
	"sitemend/crawler/sitemap"
)

// A panic in visit is not blamed on the sitemap.
func TestAPanicBehindAVisitGoesOn(t *testing.T) {
	defer func() {
		if err, ok := recover().(error); !ok || !errors.Is(err, audit.ErrOurs) || !strings.Contains(fmt.Sprint(err), "no room") {
			t.Errorf("recovered %v", err)
		}
	}()
	_, err := scan(t.Context(), spooled{}, "", sitemap.Options{}, func(sitemap.Entry) error { panic("no room") })
	t.Errorf("returned %v", err)
}

// spooled is a store with one file.
type spooled struct{ Store }

func (spooled) OpenSpool(context.Context, string) (io.ReadCloser, error) {
	return io.NopCloser(strings.NewReader("http://a.example/\n")), nil
}
