// Package pattern finds what many addresses have in common: the rule by which they redirect, the
// place where they are, and how their server spells them.
//
// A Rule makes one address from another, as a server's redirect does. A Miner reads pairs of
// addresses and finds the rules that most of them follow; Terms describes a rule for people. Places
// counts findings by the form of the addresses ("/tag/*", "*.pdf"). Spellings infers from redirects
// between spellings of one address which spelling a server wants.
//
// The package knows addresses only: no entries, verdicts or requests. Its memory use is bounded,
// however many addresses it sees.
package pattern
