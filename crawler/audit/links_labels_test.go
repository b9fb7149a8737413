package audit

import (
	"fmt"
	"testing"
)

// What pages call themselves takes little room, however often and in whatever codes they are
// listed.
func TestLabelsAreBounded(t *testing.T) {
	held := func(l *labels) (size int) {
		for _, known := range l.known {
			size += known.size()
		}
		return size
	}
	add := func(l *labels, loc, langs string) {
		l.change(loc, func(x *label) { x.self = allCodes(x.self, langs) })
	}
	const page = "http://a.example/"

	var often labels
	often.want(page)
	for n := range 5000 {
		add(&often, page, fmt.Sprintf("x%04d", n))
	}
	if n := held(&often); n > maxLabels {
		t.Errorf("one page that is listed often: %d bytes", n)
	}
	if langs := often.at(page).langs(); !otherLanguage(langs, "de") || otherLanguage(langs, "x0000") {
		t.Errorf("it calls itself %.100s", langs)
	}

	var many labels
	for n := range 30_000 {
		loc := fmt.Sprint(page, n)
		many.want(loc)
		add(&many, loc, fmt.Sprintf("de x-%080d", n))
	}
	if n := held(&many); n > maxLabels || n < maxLabels/2 {
		t.Errorf("many pages: %d bytes", n)
	}
}
