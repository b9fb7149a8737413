// Package googletest is a Google for tests: the Search Console API and the tokens before it,
// on loopback. Routes, scopes and schemas are those of Google's discovery document, which is
// read when it starts, and every request is held against them; what no Google would take is a
// Fault. A test lets it misbehave by Server.Answer.
package googletest
