// Package handin submits corrections to Bing Webmaster and IndexNow: sitemaps, and addresses that
// changed. Search Console is in package google.
//
// These services take the key in the address of a call, so no error contains the address of a
// request. Redirects are not followed.
package handin
