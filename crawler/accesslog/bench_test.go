package accesslog_test

import (
	"bytes"
	"context"
	"fmt"
	"testing"

	"sitemend/crawler/accesslog"
	"sitemend/crawler/internal/cost"
)

// madeLog returns the lines of people and bots at a busy shop, of which robots percent are a
// robot's.
func madeLog(size, robots int) []byte {
	browsers := []string{
		"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36",
		"Mozilla/5.0 (iPhone; CPU iPhone OS 19_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/19.1 Mobile/15E148 Safari/604.1",
		"Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0",
	}
	var b bytes.Buffer
	for i := 0; b.Len() < size; i++ {
		addr, ua := fmt.Sprintf("198.51.%d.%d", i*7%256, i*13%256), browsers[i%3]
		if i%100 < robots {
			addr, ua = fmt.Sprintf("66.249.66.%d", i%64), agent
		}
		fmt.Fprintf(&b, `%s - - [%02d/Nov/2026:%02d:%02d:%02d +0900] "GET /wiki/wiki.cgi?page=%d%%28%d%%29 HTTP/1.1" 200 %d "https://www.shop.example/category/%d" "%s"`+"\n",
			addr, 1+i/86400%28, i/3600%24, i/60%60, i%60, i%5000, i%9, 500+i%90000, i%300, ua)
	}
	return b.Bytes()
}

// BenchmarkRead reads lines, few of which are a robot's.
func BenchmarkRead(b *testing.B) {
	for name, log := range map[string][]byte{"people": madeLog(16<<20, 0), "robots=2%": madeLog(16<<20, 2)} {
		b.Run(name, func(b *testing.B) {
			robots := knownRobots()
			cost.Rate(b, log, '\n', func() error {
				count, err := accesslog.Read(context.Background(), bytes.NewReader(log), accesslog.Options{Robots: robots}, func(*accesslog.Request) error { return nil })
				if count.Unreadable > 0 {
					b.Errorf("%d lines are unreadable", count.Unreadable)
				}
				return err
			})
		})
	}
}
