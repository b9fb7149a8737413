// Package fetch sends one request and reads its one answer.
//
// A Client asks for a page (Ask, AskAgain) or a file (Get) as an Identity, over our own
// HTTP/1.1 or net/http, where a Guard lets it dial. Headers and credentials of the user go
// to Audited origins alone. What the web answers, however bad, is data (an audit.Hop with a
// fault), never a Go error. Nobody waits his turn here, and nothing is tried again.
package fetch
