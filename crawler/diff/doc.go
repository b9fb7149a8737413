// Package diff compares two audits. At its end each audit leaves what it saw and decided, a small
// record a URL in order of wire form, and what became of each sitemap (Write). Two of these are
// merged in one walk (Compare): nothing is judged again, and no answer is looked up.
package diff
