// Package pattern finds what many addresses have in common: the rule by which they redirect, and
// the place where they are.
//
// A rule makes one address from another, as a server's redirect does; Terms describe it for people. A
// form is what pairs of addresses have in common: the rule that they follow, or the place where they
// are ("/tag/*"). Groups puts together those that have one in common.
//
// The package knows addresses only: no entries, verdicts or requests. Its memory use is bounded,
// however many addresses it sees.
package pattern
