// Package sitemap reads sitemaps as the web serves them, and corrects them without any other
// change.
//
// An Entry is one listed address. A Span is the place of something in bytes. An Edit says what becomes of an entry.
//
// Read reads a urlset, an index, a text list, RSS or Atom, which it recognizes by content, packed
// or not, in UTF-8, UTF-16 or a legacy charset that it declares or was served with, and visits its entries in order. Rewrite
// reads the same file in the same way and copies it with edits: every byte outside an edited
// address, a link or a dropped element is the one that was served. Both stream: memory use does not
// depend on the size of the file.
//
// The XML tokenizer is the package's own. A parser that buffers whole tokens (orisano/gosax,
// encoding/xml) holds a comment of 100 MB in memory, and none of those we looked at continues after
// a bare "<" with exact offsets.
//
// The package sends no requests, opens no files, judges no addresses and expands no entities of a
// DTD.
package sitemap
