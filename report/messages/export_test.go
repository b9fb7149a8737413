package messages

// CauseCatalogues are the words of causes, by language.
var CauseCatalogues = causeCatalogues
