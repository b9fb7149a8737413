package report

import (
	"fmt"
	"io"
	"strings"
)

var entities = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "'", "&#39;")

// markup returns s as text of XML or HTML on one line, for content and quoted
// values. Controls, line ends among them, and what XML cannot hold are written
// out as visible does.
func markup(s string) string { return entities.Replace(visible(s)) }

// markupLines is markup for lines that visible has seen already.
func markupLines(s string) string { return entities.Replace(s) }

// errWriter writes until an error, which it keeps.
type errWriter struct {
	w   io.Writer
	n   int64 // bytes written
	err error
}

func (e *errWriter) printf(format string, args ...any) { e.write(fmt.Appendf(nil, format, args...)) }

func (e *errWriter) write(b []byte) {
	if e.err == nil {
		var n int
		n, e.err = e.w.Write(b)
		e.n += int64(n)
	}
}
