// Package sitemap reads sitemaps as the web serves them and corrects them
// without touching anything else.
//
// An Entry is one listed address. A Span is the bytes where something stands. A
// Fault is something wrong with a file, in Search Console's words. An Edit says
// what becomes of an entry.
//
// Read takes a urlset, an index, a text list, RSS or Atom, told apart by content,
// packed or not, in UTF-8, UTF-16 or a declared legacy charset, and hands out its
// entries in order. Rewrite walks the same file in the same way and copies it
// with edits: every byte outside an edited address, a link or a dropped element
// is the one that was served. Both stream: memory does not grow with the file.
//
// The XML tokenizer is the package's own. A parser that buffers whole tokens
// (orisano/gosax, encoding/xml) holds a comment of 100 MB in memory, and none of
// those looked at recovers from a bare "<" with the offsets still exact.
//
// Nothing here sends a request, opens a file, judges an address or expands an
// entity from a DTD.
package sitemap
