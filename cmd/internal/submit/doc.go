// Package submit hands in the corrected sitemaps of an audit to Google, Bing and IndexNow, once
// they are live, and remembers in the store what was handed in and what was answered.
//
// It stands on package job, which audits; the calls themselves are those of crawler/google and
// crawler/handin.
package submit
