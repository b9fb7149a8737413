package audit

import (
	"fmt"
	"testing"

	"sitemend/crawler/internal/sketch"
)

// What pages call themselves takes little room, however often and in whatever codes they are listed.
func TestLabelsAreBounded(t *testing.T) {
	held := func(l *labels) (size int) {
		for _, codes := range l.codes {
			size += len(codes)
		}
		return size
	}
	hash := func(loc string) uint64 { return sketch.Hash(wireOf(loc)) }
	const page = "http://a.example/"

	var often labels
	often.want(page)
	for n := range 5000 {
		often.add(hash(page), fmt.Sprintf("x%04d", n))
	}
	if n := held(&often); n > maxLabels {
		t.Errorf("one page that is listed often: %d bytes", n)
	}
	if !otherLanguage(often.at(page), "de") || otherLanguage(often.at(page), "x0000") {
		t.Errorf("it calls itself %.100s", often.at(page))
	}

	var many labels
	for n := range 30_000 {
		loc := fmt.Sprint(page, n)
		many.want(loc)
		many.add(hash(loc), fmt.Sprintf("de x-%080d", n))
	}
	if n := held(&many); n > maxLabels || n < maxLabels/2 {
		t.Errorf("many pages: %d bytes", n)
	}
}
