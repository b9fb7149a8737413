// Package handin hands in what was corrected to Bing Webmaster and IndexNow: a sitemap, and
// the addresses that changed. Search Console is in package google.
//
// A key stands in the address of a call, as these services want it; so no address that was
// asked gets into an error. Redirects are not followed.
package handin
