// Package searchconsole reads exports of Search Console's Page indexing report, and similar lists:
// the ZIP or the workbook of a reason, its Table.csv, a table that a spreadsheet saved again, what
// was fetched from its API or its bulk export, an export of Bing Webmaster Tools or of a crawler, a
// plain list of URLs.
//
// It recognizes everything by content, never by a file's name: a column of addresses, a column of
// dates, a cell with a known reason. It uses a column's header only to choose between several
// columns of a kind, because headers are in the language of the user who exported. The package
// turns bytes into rows; it opens no files, sends no requests and judges no addresses.
package searchconsole
