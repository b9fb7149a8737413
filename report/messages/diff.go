package messages

import (
	_ "embed"
	"encoding/json"
	"sync"
)

//go:embed diff.json
var diffSource []byte

var diffs = sync.OnceValue(func() map[string]map[string]string {
	all := map[string]map[string]string{}
	_ = json.Unmarshal(diffSource, &all) // a test keeps the embedded file whole
	return all
})

// Diff returns the words for comparing two audits in the language of c: a
// catalogue of which Text and Count are of use. The page of one audit does not
// carry them.
func (c *Catalogue) Diff() *Catalogue { return &Catalogue{lang: c.lang, Texts: diffs()[c.lang]} }
