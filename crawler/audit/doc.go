// Package audit holds the words that every room of sitemend speaks, and the
// rules that turn remembered answers into verdicts.
//
// An Entry is one listed address. A Row is the result for it: the Trail of answers from its address
// to the end, its Verdict, the Reasons why listed and final address differ, its Fix and its Notes.
//
// Row.Judge reads what is remembered of the web (AnswerCache) and makes the Row, or names the
// Requests that are still missing. The crawler asks for what Judge needs until it needs
// nothing, and keeps of each row a record of fixed size (SettledRows). A Plan decides on
// these what depends on other entries (collapsed targets, merges, the safety limit, moves of
// whole files) and says what is to be requested before that holds (Needs). Its Result judges again
// what outputs show. Evaluate does both without a request.
//
// Nothing here sends a request, reads a file or knows the store.
package audit
