// Package google asks the Search Console API: which properties an account has, their
// sitemaps, what Google's index says of addresses, and it submits sitemaps.
//
// A Client is made from Credentials, which are found in files that the environment names.
// Nothing of them gets into an error, a URL or a log: errors are made of statuses, hosts and
// what Google says, and an answer in which a secret stands is not used. A request that may not
// be sent, for its scope is not granted, is refused before the first call. Redirects
// are not followed: the token belongs to one address.
//
// The facts about the service, where they are more than the discovery document says:
// developers.google.com/webmaster-tools/limits for the quotas; that the end of a day's quota
// comes as a 429 that looks like that of a minute was seen of the live service.
package google
