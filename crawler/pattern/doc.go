// Package pattern finds what many addresses have in common: the rule by which they redirect, and
// the place where they are.
//
// A Rule makes one address from another, as a server's redirect does; Terms describes it for people. A
// Form is what pairs of addresses have in common: the rule that they follow, or the place where they
// are ("/tag/*").
//
// The package knows addresses only: no entries, verdicts or requests. Its memory use is bounded,
// however many addresses it sees.
package pattern
