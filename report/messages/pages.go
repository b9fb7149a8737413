package messages

import (
	_ "embed"
	"encoding/json"
	"maps"
	"sync"
)

// Pairs are the texts of pages by key, in English and Japanese: headings, buttons,
// sentences around numbers. In a text, `code` stands between backticks, {name} is
// filled in, and {n:entry|entries} is the first word for 1 and the second for any
// other number.
type Pairs map[string][2]string

var (
	//go:embed page.json
	pageSource []byte
	//go:embed serve.json
	serveSource []byte
)

var pagePairs = sync.OnceValue(func() Pairs { return pairsOf(pageSource) })

var servePairs = sync.OnceValue(func() Pairs {
	all := maps.Clone(pagePairs())
	maps.Copy(all, pairsOf(serveSource))
	return all
})

func pairsOf(source []byte) Pairs {
	p := Pairs{}
	if err := json.Unmarshal(source, &p); err != nil {
		return Pairs{} // a test keeps the embedded files whole
	}
	return p
}

// Page returns the texts of the report, which are read-only.
func Page() Pairs { return pagePairs() }

// Serve returns the texts of the pages that sitemend serve adds, and those of the
// report. They are read-only.
func Serve() Pairs { return servePairs() }
