package main

import (
	"github.com/spf13/pflag"

	"sitemend/cmd/internal/job"
	"sitemend/crawler/rules/hosts"
)

// addSite declares the flags of a build that is audited before it is deployed.
func addSite(fs *pflag.FlagSet, s *job.Site) {
	fs.StringVar(&s.Dir, "site", "", "audit the static build in `DIR` before it is deployed: it answers as its host will, nothing is requested")
	fs.StringVar(&s.ServedBy, "served-by", "",
		"`NAME` of the host of --site: "+hosts.List()+" (default: as files of the build say)")
	fs.StringArrayVar(&s.Rules, "rules", nil, "a rule `FILE` of --site, in place of those found: _redirects, _headers, vercel.json, netlify.toml, a bulk CSV; repeatable, in this order")
	fs.StringArrayVar(&s.Options, "site-option", nil, "`NAME=VALUE` of how the host of --site is set up: pretty-urls=off, spa, path-prefix=/project; repeatable")
	fs.BoolVar(&s.Online, "online", false, "with --site: request other hosts over the network")
}
