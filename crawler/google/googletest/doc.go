// Package googletest is a Google for tests: the Search Console API and its token endpoint, on
// loopback. Its routes, scopes and schemas are those of Google's discovery document, which it reads
// at the start. It compares every request with them; what Google would not accept is a Fault. A
// test makes it fail with Server.Answer.
package googletest
