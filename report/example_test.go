package report

import (
	"context"
	"os"

	"sitemend/crawler/audit"
)

func ExampleWriteSummary() {
	written := Written{Dir: "sitemend-out", Files: []string{"report.html", "entries.csv", "summary.json"}}
	if err := WriteSummary(os.Stdout, shop(), Summary{Written: written, Lang: "en"}); err != nil {
		panic(err)
	}
	// Output:
	// shop.example   2 sitemaps, 11 URLs, checked in 14 min
	//
	// 2 of 11 URLs are clean. Upload 2 files and it is 3 of 8.
	//
	//   Fixed       1    now list the page they redirect to
	//               3    removed: 1 duplicate, 1 invalid URL, 1 not found
	//   To decide   3    1 blocked by robots.txt, 1 server error, 1 redirect loop
	//   Unknown     2    1 did not answer us (403), 1 not crawled
	//
	// Upload        sitemend-out/sitemaps/   (2 files)
	// Then          resubmit them in Search Console
	// Decide        open sitemend-out/report.html
	// Encoding      1 clean URL redirects when encoded differently
}

func ExampleWrite_junit() {
	base := "http://shop.example"
	a := result([][]audit.Row{{
		entry(3, base+"/", audit.OK, kept("answers 200"), walk(audit.EndAnswer, base+"/ 200")),
		entry(5, base+"/a?b=1&c=2", audit.Loop, kept("the redirects lead back"), walk(audit.EndLoop, base+"/a?b=1&c=2 302 /b", base+"/b 302 /a?b=1&c=2")),
		entry(7, base+"/c", audit.Unverified, kept("we could not see what Google sees"), walk(audit.EndUnseen, base+"/c timeout")),
	}})
	if err := Write(context.Background(), os.Stdout, "junit", a, Options{}); err != nil {
		panic(err)
	}
	// Output:
	// <?xml version="1.0" encoding="UTF-8"?>
	// <testsuites name="sitemend http://shop.example" tests="3" failures="1" errors="0" time="840.000">
	//  <testsuite name="sitemend.loop" tests="1" failures="1" errors="0" skipped="0" timestamp="2026-11-21T10:02:11">
	//   <testcase classname="sitemend.loop" name="http://shop.example/a?b=1&amp;c=2 in http://shop.example/sitemap1.xml">
	//    <failure type="loop" message="Redirect loop: the redirects lead back">http://shop.example/sitemap1.xml:5&#xA;Redirect loop: http://shop.example/a?b=1&amp;c=2 (302 302). Corrected sitemap: kept. the redirects lead back&#xA;Do: Remove the redirect rule that causes the loop. Behind a proxy or CDN, let the server go by `X-Forwarded-Proto` (Cloudflare: SSL/TLS mode Full, not Flexible).</failure>
	//   </testcase>
	//  </testsuite>
	//  <testsuite name="sitemend.sitemaps" tests="1" failures="0" errors="0" skipped="0" timestamp="2026-11-21T10:02:11">
	//   <testcase classname="sitemend.sitemaps" name="http://shop.example/sitemap1.xml"></testcase>
	//  </testsuite>
	//  <testsuite name="sitemend.unverified" tests="1" failures="0" errors="0" skipped="1" timestamp="2026-11-21T10:02:11">
	//   <testcase classname="sitemend.unverified" name="http://shop.example/c in http://shop.example/sitemap1.xml">
	//    <skipped type="unverified" message="Not checked: we could not see what Google sees">http://shop.example/sitemap1.xml:7</skipped>
	//   </testcase>
	//  </testsuite>
	// </testsuites>
}

func ExampleWrite_md() {
	base := "http://shop.example"
	a := result([][]audit.Row{{
		entry(3, base+"/", audit.OK, kept("answers 200"), walk(audit.EndAnswer, base+"/ 200")),
		entry(5, base+"/a|b", audit.Moved, replaced(base+"/b"), walk(audit.EndAnswer, base+"/a%7Cb 301 /b", base+"/b 200")),
	}})
	if err := Write(context.Background(), os.Stdout, "md", a, Options{Lang: "en"}); err != nil {
		panic(err)
	}
	// Output:
	// ## sitemend
	//
	// shop.example   1 sitemap, 2 URLs, checked in 14 min
	//
	// **1 of 2 URLs is clean. Upload 1 file and it is 2 of 2.**
	//
	// - **Fixed** 1: now list the page they redirect to
}
