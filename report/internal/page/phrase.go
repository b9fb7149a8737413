package page

import (
	"strings"

	"sitemend/report/messages"
)

// A Text is a sentence in one language.
type Text struct {
	Lang string
	Runs []Run
}

// A Run is a part of a text, as code or not.
type Run struct {
	Code bool
	Text string
}

// texts are a sentence in each language; in the first alone where it is the same in all.
func texts(s messages.Sentence) (all []Text) {
	differs := false
	for _, lang := range messages.Langs() {
		text := s.In(messages.Of(lang))
		differs = differs || text != s.In(messages.Of("en"))
		t := Text{Lang: lang}
		for i, part := range strings.Split(text, "`") {
			if part != "" {
				t.Runs = append(t.Runs, Run{i%2 == 1, part})
			}
		}
		all = append(all, t)
	}
	if !differs {
		all = all[:1]
	}
	return all
}
