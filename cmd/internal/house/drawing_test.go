package house_test

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// drawn are the directories that the table of rooms in docs/architecture.md has a row for, or
// names in the row of another.
type drawn struct{ rows, within map[string]bool }

var inCode = regexp.MustCompile("`([^`]+)/`")

// readDrawing reads the table: the first name of a row is the whole path, the others are beside it
// or below it.
func readDrawing(t *testing.T) drawn {
	t.Helper()
	root, err := findRoot()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(root, "docs", "architecture.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, table, found := strings.Cut(string(text), "\n| room | owns | never |\n")
	table, _, ended := strings.Cut(table, "\n\n")
	if !found || !ended {
		t.Fatal("docs/architecture.md has no table of rooms")
	}
	d := drawn{map[string]bool{}, map[string]bool{}}
	for line := range strings.Lines(table) {
		first := ""
		for i, cell := range strings.Split(line, "|") {
			for _, m := range inCode.FindAllStringSubmatch(cell, -1) {
				switch name := m[1]; {
				case first == "":
					first, d.rows[name] = name, true
				case i == 1:
					d.rows[path.Join(path.Dir(first), name)] = true
				default:
					d.within[path.Join(first, name)] = true
				}
			}
		}
	}
	return d
}

// Every directory with code stands in the drawing, and every room of the drawing has code. What
// has a row of its own says in below what it may import: a new directory is not simply a part
// of the room above it. That of the commands is one room.
func TestEveryRoomIsDrawn(t *testing.T) {
	d, there := readDrawing(t), map[string]bool{}
	for _, f := range files(t) {
		dir := f.dir()
		if there[dir] {
			continue
		}
		there[dir] = true
		if !d.rows[dir] && !d.within[dir] {
			t.Errorf("%s: docs/architecture.md does not name the room", dir)
		}
		if _, known := below[dir]; d.rows[dir] && !known && room(dir) != "cmd" {
			t.Errorf("%s: imports_test.go does not say what the room may import", dir)
		}
	}
	for dir := range d.rows {
		if !there[dir] {
			t.Errorf("docs/architecture.md has a room %s, which has no code", dir)
		}
	}
}
