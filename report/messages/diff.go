package messages

// Diff returns the words for comparing two audits in the language of c: a
// catalogue of which Text and Count are of use. The page of one audit does not
// carry them.
func (c *Catalogue) Diff() *Catalogue {
	return &Catalogue{lang: c.lang, Texts: languages()[c.lang].Diff}
}

// Watch returns the words for what watch says of a site in the language of c: a catalogue of
// which Text and Count are of use.
func (c *Catalogue) Watch() *Catalogue {
	return &Catalogue{lang: c.lang, Texts: languages()[c.lang].Watch}
}
