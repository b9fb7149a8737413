package robots_test

import (
	"strings"
	"testing"
	"time"

	"sitemend/crawler/internal/cost"
	"sitemend/crawler/robots"
)

// costly are robots.txt files that might be expensive to read; of each the first 500 KiB count.
var costly = []cost.Shape{
	cost.Repeat("lines", "User-agent: *\n", "Disallow: /x\n", ""),
	cost.Repeat("lines of CR", "User-agent: *\r", "Disallow: /x\r", ""),
	cost.Repeat("CR", "", "\r", ""),
	cost.Repeat("groups", "", "User-agent: a\nDisallow: /\n", ""),
	cost.Repeat("agents", "", "User-agent: a\n", "Disallow: /"),
	cost.Repeat("a long line", "User-agent: *\nDisallow: /", "x", ""),
	cost.Repeat("stars", "User-agent: *\nDisallow: /", "*", ""),
	cost.Repeat("lines of stars", "User-agent: *\n", "Disallow: /*a*a*a*a*a*b\n", ""),
	cost.Repeat("escapes", "User-agent: *\nDisallow: /", "%e3", ""),
	cost.Repeat("bytes", "User-agent: *\n", "Disallow: /\xe3\x81\x82\u3000\n", ""),
	cost.Repeat("colons", "User-agent: *\n", ":", ""),
	cost.Repeat("NUL", "User-agent: *\n", "\x00", ""),
	cost.Repeat("sitemaps", "", "Sitemap: /s.xml\n", ""),
	cost.Repeat("remarks", "User-agent: *\n", "Disallow: /x # y\n", ""),
	cost.Repeat("white space", "User-agent: *\nDisallow: ", " ", "/x"),
}

func readCostly(_ testing.TB, data []byte) {
	f := robots.Parse(data)
	f.Check("googlebot", "http://h/"+strings.Repeat("a", 100))
	(&robots.Answer{File: f}).Encode()
}

func TestCostOfRobots(t *testing.T)    { cost.Test(t, 100, readCostly, costly...) }
func BenchmarkRobotsCost(b *testing.B) { cost.Benchmark(b, 2*time.Microsecond, readCostly, costly...) }
