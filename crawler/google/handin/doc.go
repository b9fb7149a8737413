// Package handin submits corrections to Bing Webmaster and IndexNow: sitemaps, and addresses that
// changed. Search Console is in package google.
package handin
