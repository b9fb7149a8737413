// Package write turns pairs of addresses into rules for servers and hosts. A Plan leads each source
// to its final target in one redirect and leaves out, with a note, every rule that could do harm:
// one that leads to itself, that matches an address outside the pairs, or that the format cannot
// express. The rest is exact pairs, sorted, without patterns; Plan.Write writes them, escaped as
// the format requires.
package write
