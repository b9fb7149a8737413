package main

import (
	"strings"
	"time"

	"github.com/spf13/pflag"

	"sitemend/cmd/internal/job"
	"sitemend/crawler"
	"sitemend/crawler/address"
	"sitemend/crawler/audit"
	"sitemend/crawler/fetch"
)

// single returns how a few URLs are requested, one request at a time.
func single(f *job.Asking, urls ...address.Address) (crawler.Options, error) {
	audited := &fetch.Audited{}
	for _, a := range urls {
		audited.Add(a)
	}
	ask, err := f.Options(urls, audited)
	ask.Parallel = 1
	rules := audit.Rules{MaxHops: f.MaxHops, Robots: f.Robots, Spelling: address.None}
	if len(ask.Headers) > 0 || f.User != "" {
		rules.Secret = audited.Origins()
	}
	return crawler.Options{Rules: rules, Ask: ask, Rate: f.Rate, GivenRate: true, Parallel: 1}, err
}

// addAsking declares the flags with the defaults of the contract.
func addAsking(fs *pflag.FlagSet, f *job.Asking) {
	fs.StringVar(&f.As, "as", "googlebot",
		"the robot to crawl as: "+strings.Join(fetch.Identities(), ", "))
	fs.IntVar(&f.MaxHops, "max-hops", 10, "redirects followed from one URL")
	fs.DurationVar(&f.Timeout, "timeout", 30*time.Second, "time for one page, body included")
	fs.StringVar(&f.Robots, "robots", "obey",
		"obey, note (fetch anyway, say so) or ignore robots.txt")
	fs.StringArrayVar(&f.Headers, "header", nil, "`'K: V'` to send to the audited hosts, over http only where TARGET begins with http://; User-Agent goes everywhere, in place of that of --as; repeatable")
	fs.StringVar(&f.User, "user", "", "`NAME:PASS` to send to the audited hosts, as --header")
	fs.StringArrayVar(&f.Resolve, "resolve", nil,
		"`HOST:PORT:ADDR`: connect to ADDR (or ADDR:PORT) instead; repeatable")
	fs.StringArrayVar(&f.Map, "map", nil, "`FROM=TO`: fetch host TO in place of FROM; repeatable")
	fs.StringVar(&f.CA, "ca", "", "trust the certificates in this PEM `FILE` too")
	fs.BoolVar(&f.AllowPrivate, "allow-private", false,
		"let any host lead to private and loopback addresses")
}
