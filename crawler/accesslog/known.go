package accesslog

import _ "embed" // the lists below

// KnownDate is the day of the newest lists in knownGoogle and knownBing.
const KnownDate = "2026-09-22"

// knownGoogle is every range that Google's list of common crawlers ever had, from November 2021 to
// KnownDate, with adjacent ones merged: logs are older than today's list, and ranges are removed
// and added again. Source:
// https://developers.google.com/static/crawling/ipranges/common-crawlers.json, before March 2026
// /static/search/apis/ipranges/googlebot.json.
//
//go:embed known_google.txt
var knownGoogle string

// knownBing is the same for https://www.bing.com/toolbox/bingbot.json.
//
//go:embed known_bing.txt
var knownBing string
