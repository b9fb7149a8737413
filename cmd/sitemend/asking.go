package main

import (
	"sitemend/cmd/internal/job"
	"sitemend/crawler"
	"sitemend/crawler/address"
	"sitemend/crawler/audit"
	"sitemend/crawler/fetch"
)

// single returns how a few URLs are requested, one request at a time.
func single(f *job.Asking, urls ...address.Address) (crawler.Options, error) {
	audited, hosts := &fetch.Audited{}, []string(nil)
	for _, a := range urls {
		audited.Add(a)
		hosts = append(hosts, a.Host())
	}
	ask, err := f.Options(hosts, audited)
	rules := audit.Rules{MaxHops: f.MaxHops, Robots: f.Robots, Spelling: address.None}
	if len(ask.Headers) > 0 || f.User != "" {
		rules.Secret = audited.Origins()
	}
	return crawler.Options{Rules: rules, Ask: ask, Rate: f.Rate, GivenRate: true, Parallel: 1}, err
}
