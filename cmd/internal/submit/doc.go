// Package submit submits the corrected sitemaps of an audit to Google, Bing and IndexNow, once they
// are live, and records in the store what was submitted and how the services answered.
//
// It uses package job, which audits; the calls are those of crawler/google and crawler/handin.
package submit
