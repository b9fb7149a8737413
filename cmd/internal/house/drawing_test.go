package house_test

import (
	"path"
	"strings"
	"testing"
)

// Every directory with code stands in docs/architecture.md, by its path or its name.
func TestEveryRoomIsDrawn(t *testing.T) {
	drawing := ""
	walk(t, "docs/architecture.md", func(_ string, text []byte) { drawing = string(text) })
	seen := map[string]bool{}
	for _, f := range files(t) {
		if dir := f.dir(); !seen[dir] && !strings.Contains(drawing, "`"+dir+"/`") && !strings.Contains(drawing, "`"+path.Base(dir)+"/`") {
			t.Errorf("%s: docs/architecture.md does not name the room", dir)
		}
		seen[f.dir()] = true
	}
}
