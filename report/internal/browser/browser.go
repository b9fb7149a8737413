// Package browser controls a real Chromium in tests. It records what pages write to the console and
// which addresses they request.
package browser

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// A Browser is a running Chromium with the console messages and requests of its pages.
type Browser struct {
	T   *testing.T // the test that fails; may be changed to a subtest's
	Ctx context.Context

	mu   sync.Mutex
	said []string
	urls []string
}

// New starts Chromium, or skips the test where there is none; with
// SITEMEND_NO_SKIP set that is a failure.
func New(t *testing.T) *Browser {
	t.Helper()
	path, err := exec.LookPath("chromium")
	if err != nil {
		if os.Getenv("SITEMEND_NO_SKIP") != "" {
			t.Fatal("chromium is not installed: apt-get install chromium")
		}
		t.Skip("chromium is not installed: apt-get install chromium")
	}
	opts := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.Flag("disable-component-update", true), chromedp.UserDataDir(t.TempDir()))
	ctx, cancel := context.WithTimeout(context.Background(), 15*time.Minute)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewExecAllocator(ctx, opts...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	b := &Browser{T: t, Ctx: ctx}
	b.Do()
	if err := chromedp.Listen(ctx, b.hear); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := chromedp.Cancel(ctx); err != nil {
			t.Logf("closing the browser: %v", err)
		}
	})
	return b
}

// Said returns the console messages and errors of the pages.
func (b *Browser) Said() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.said)
}

// URLs returns the requested addresses, in order.
func (b *Browser) URLs() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.urls)
}

// hear records the console messages and requests of the page.
func (b *Browser) hear(event any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch e := event.(type) {
	case *runtime.EventExceptionThrown:
		b.said = append(b.said, e.ExceptionDetails.Text+" "+e.ExceptionDetails.Exception.Description)
	case *runtime.EventConsoleAPICalled:
		b.said = append(b.said, fmt.Sprintf("console.%s", e.Type))
	case *log.EventEntryAdded:
		b.said = append(b.said, e.Entry.Text)
	case *network.EventRequestWillBeSent:
		b.urls = append(b.urls, e.Request.URL)
	}
}

// patience is long, because a browser on a busy machine is slow.
const patience = 2 * time.Minute

// Do runs steps. The test fails where they take longer than patience.
func (b *Browser) Do(steps ...chromedp.Action[chromedp.Void]) {
	b.T.Helper()
	ctx := b.Ctx
	if len(steps) > 0 { // the first, empty call starts the browser, which lives longer
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(b.Ctx, patience)
		defer cancel()
	}
	if err := chromedp.Do(ctx, steps...); err != nil {
		b.T.Fatal(err)
	}
}

// Eval returns the value of a script as text.
func (b *Browser) Eval(script string) string {
	b.T.Helper()
	got, err := chromedp.Run(b.Ctx, chromedp.Evaluate[string]("String("+script+")"))
	if err != nil {
		b.T.Fatalf("%s: %v", script, err)
	}
	return got
}

// Until waits until script is true.
func (b *Browser) Until(script string) {
	b.T.Helper()
	if _, err := chromedp.Run(b.Ctx, chromedp.Poll[bool]("Boolean("+script+")", chromedp.WithPollingTimeout(patience))); err != nil {
		b.T.Fatalf("waited for %s: %v; status line %q", script, err, b.Eval(`document.querySelector('#app [role=status]')?.textContent`))
	}
}

// Picture writes a screenshot into the folder SITEMEND_SCREENSHOTS.
func (b *Browser) Picture(name string, full bool) {
	dir := os.Getenv("SITEMEND_SCREENSHOTS")
	if dir == "" {
		return
	}
	shot := chromedp.CaptureScreenshot()
	if full {
		shot = chromedp.FullScreenshot(100)
	}
	png, err := chromedp.Run(b.Ctx, shot)
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, name+".png"), png, 0o666)
	}
	if err != nil {
		b.T.Fatal(err)
	}
}
