// Package searchconsole reads what people export from Search Console's Page
// indexing report, or have of the same kind: the ZIP or the workbook of a reason,
// its Table.csv, a table saved again by a spreadsheet, what was fetched from its
// API or its bulk export, an export of Bing Webmaster Tools or of a crawler, a
// plain list of URLs.
//
// Everything is recognized by content, never by a file's name, and by a column's header
// only between several columns of a kind, for headers are in the language of the user who
// exported: a column whose cells are addresses, a column whose cells are dates, a
// cell that is a known reason. It takes bytes and returns rows; it opens no file,
// sends no request and judges no address.
package searchconsole
