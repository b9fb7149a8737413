// Package pattern finds what many addresses have in common: the rule by which they redirect, and
// the place where they are.
//
// A Rule makes one address from another, as a server's redirect does. A Miner reads pairs of
// addresses and finds the rules that most of them follow; Terms describes a rule for people. Places
// counts findings by the form of the addresses ("/tag/*", "*.pdf").
//
// The package knows addresses only: no entries, verdicts or requests. Its memory use is bounded,
// however many addresses it sees.
package pattern
