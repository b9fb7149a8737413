// Package fetch sends single requests and reads their answers.
//
// A Client requests a page (Ask) or a file (Get) as an Identity, over package http1 or
// net/http, where a Guard allows the connection. It sends the user's headers and credentials to
// Audited origins only. Whatever the web answers is data (an answers.Hop with a Fault), never a Go
// error. The package limits no rate and tries nothing again.
package fetch
