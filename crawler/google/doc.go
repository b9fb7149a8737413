// Package google calls the Search Console API: it lists the properties of an account and their
// sitemaps, inspects addresses in Google's index, and submits sitemaps.
//
// A Client is made from Credentials, which are found in files that the environment names. No part
// of them gets into an error, a URL or a log. A request whose scope is not granted is refused before
// the first call.
//
// Sources of what the discovery document does not contain:
// developers.google.com/webmaster-tools/limits for the quotas; that a daily quota ends with a 429
// like that of a quota per minute was observed with the live service.
package google
