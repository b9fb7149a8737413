// Package pattern finds what many addresses have in common: the rule by which they
// redirect, the place where they lie, and how their server spells them.
//
// A Rule makes one address of another, as a server's redirect does. A Miner reads pairs of
// addresses and says which rules most of them follow; Terms says for people what a rule
// does. Places counts findings by what the addresses look like ("/tag/*", "*.pdf").
// Spellings infers from redirects between spellings of one address which one a server
// wants.
//
// The package knows addresses only: no entries, no verdicts, no requests. All that it
// holds is bounded, however many addresses it is shown.
package pattern
