// Package write turns pairs of addresses into rules for servers and hosts. A Plan
// leads each source to its end in one hop and leaves out, with a note, what could do
// harm: a rule that leads to itself, that answers an address which nobody meant, or
// that the format cannot say. What is left is exact pairs, sorted, without patterns;
// Plan.Write writes them as the format wants them to be escaped.
package write
