package report

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"sitemend/crawler/audit"
)

func ExampleWrite_csv() {
	var b strings.Builder
	if err := Write(context.Background(), &b, "csv", shop(), Options{Lang: "en"}); err != nil {
		panic(err)
	}
	os.Stdout.WriteString(strings.NewReplacer("\r\n", "\n", bom, "").Replace(b.String()))
	// Output:
	// sitemap,line,url,readable_url,verdict,reasons,status,redirects,statuses,redirect_type,temporary_in_chain,loop,final_url,final_status,indexable,indexability_reason,canonical,robots,title,content_type,robots_line,fix,written,why,search_console,notes,checked_at
	// http://shop.example/sitemap1.xml,3,http://shop.example/,http://shop.example/,ok,,200,0,200,,no,no,http://shop.example/,200,yes,,http://shop.example/,"index, follow","'=HYPERLINK(""http://evil.example"")",text/html,,keep,,answers 200,,,2026-11-21T10:02:11Z
	// http://shop.example/sitemap1.xml,5,http://shop.example/old?a=1&b=(2),http://shop.example/old?a=1&b=(2),moved,path scheme,301,1,301 200,permanent,no,no,https://shop.example/new,200,no,redirect,,,,,,replace,https://shop.example/new,Permanent redirect to a page that answers 200.,Page with redirect,,2026-11-21T10:02:11Z
	// http://shop.example/sitemap1.xml,6,http://shop.example/older,http://shop.example/older,moved,,301,2,301 302 200,mixed,yes,no,https://shop.example/new,200,no,redirect,,,,,,merge,https://shop.example/new,listed already,Page with redirect,hops-2,2026-11-21T10:02:11Z
	// http://shop.example/sitemap1.xml,7,http://shop.example/gone,http://shop.example/gone,not-found,,404,0,404,,no,no,http://shop.example/gone,404,no,not-found,,,,,,drop,,not found,Not found (404),,2026-11-21T10:02:11Z
	// http://shop.example/sitemap1.xml,8,http://shop.example/a,http://shop.example/a,loop,,302,2,302 302,temporary,yes,yes,,302,no,redirect-error,,,,,,keep,,the redirects lead back,Redirect error,,2026-11-21T10:02:11Z
	// http://shop.example/sitemap1.xml,9,http://shop.example/private,http://shop.example/private,disallowed,,,0,,,no,no,,,no,robots-txt,,,,,Disallow: /private,keep,,robots.txt forbids it,Blocked by robots.txt,,2026-11-21T10:02:11Z
	// http://shop.example/sitemap1.xml,10,http://shop.example/refused,http://shop.example/refused,unverified,,403,0,403,,no,no,http://shop.example/refused,403,,unverified,,,,,,keep,,we could not see what Google sees,,,2026-11-21T10:02:11Z
	// http://shop.example/sitemap2.xml,2,http://shop.example/x%281%29,http://shop.example/x(1),spelling-bounce,reserved,200,0,200,,no,no,http://shop.example/x%281%29,200,yes,,,,,,,keep,,the sitemap is right,,,2026-11-21T10:02:11Z
	// http://shop.example/sitemap2.xml,3,shop.example/\xe9\x1b[2J,shop.example/é\x1b[2J,invalid,,,,,,,,,,no,invalid-url,,,,,,drop,,no absolute http(s) URL,,,2026-11-21T10:02:11Z
	// http://shop.example/sitemap2.xml,4,http://shop.example/broken,http://shop.example/broken,error,,500,0,500,,no,no,http://shop.example/broken,500,no,error,,,,,,keep,,the server answers with an error,Server error (5xx),,2026-11-21T10:02:11Z
	// http://shop.example/sitemap2.xml,5,http://shop.example/%E5%BA%97,http://shop.example/店,skipped,,,,,,,,,,,,,,,,,keep,,not asked,,,
}

func ExampleWrite_jsonl() {
	if err := Write(context.Background(), os.Stdout, "jsonl", shop(), Options{}); err != nil {
		panic(err)
	}
	// Output:
	// {"loc":"http://shop.example/","sitemap":"http://shop.example/sitemap1.xml","line":3,"verdict":"ok","reasons":[],"trail":[{"url":"http://shop.example/","status":200,"ms":9}],"final":"http://shop.example/","status":200,"page":{"title":"=HYPERLINK(\"http://evil.example\")","canonical":"http://shop.example/","robots":"index, follow","content_type":"text/html"},"fix":{"action":"keep","policy":"default","why":"answers 200"},"notes":[],"checked_at":"2026-11-21T10:02:11Z"}
	// {"loc":"http://shop.example/old?a=1&b=(2)","sitemap":"http://shop.example/sitemap1.xml","line":5,"verdict":"moved","reasons":["path","scheme"],"trail":[{"url":"http://shop.example/old?a=1&b=(2)","status":301,"location":"https://shop.example/new","kind":"http","permanent":true,"ms":9},{"url":"https://shop.example/new","status":200,"ms":10}],"final":"https://shop.example/new","status":200,"fix":{"action":"replace","loc":"https://shop.example/new","policy":"default","why":"Permanent redirect to a page that answers 200."},"notes":[],"search_console":"Page with redirect","checked_at":"2026-11-21T10:02:11Z"}
	// {"loc":"http://shop.example/older","sitemap":"http://shop.example/sitemap1.xml","line":6,"verdict":"moved","reasons":[],"trail":[{"url":"http://shop.example/older","status":301,"location":"/old2","kind":"http","permanent":true,"ms":9},{"url":"http://shop.example/old2","status":302,"location":"https://shop.example/new","kind":"http","permanent":false,"ms":10},{"url":"https://shop.example/new","status":200,"ms":11}],"final":"https://shop.example/new","status":200,"fix":{"action":"merge","loc":"https://shop.example/new","policy":"default","why":"listed already"},"notes":["hops-2"],"search_console":"Page with redirect","checked_at":"2026-11-21T10:02:11Z"}
	// {"loc":"http://shop.example/gone","sitemap":"http://shop.example/sitemap1.xml","line":7,"verdict":"not-found","reasons":[],"trail":[{"url":"http://shop.example/gone","status":404,"ms":9}],"final":"http://shop.example/gone","status":404,"fix":{"action":"drop","policy":"default","why":"not found"},"notes":[],"search_console":"Not found (404)","checked_at":"2026-11-21T10:02:11Z"}
	// {"loc":"http://shop.example/a","sitemap":"http://shop.example/sitemap1.xml","line":8,"verdict":"loop","reasons":[],"trail":[{"url":"http://shop.example/a","status":302,"location":"/b","kind":"http","permanent":false,"ms":9},{"url":"http://shop.example/b","status":302,"location":"/a","kind":"http","permanent":false,"ms":10}],"status":302,"fix":{"action":"keep","policy":"default","why":"the redirects lead back"},"notes":[],"search_console":"Redirect error","checked_at":"2026-11-21T10:02:11Z"}
	// {"loc":"http://shop.example/private","sitemap":"http://shop.example/sitemap1.xml","line":9,"verdict":"disallowed","reasons":[],"trail":[{"url":"http://shop.example/private"}],"fix":{"action":"keep","policy":"default","why":"robots.txt forbids it"},"notes":[],"search_console":"Blocked by robots.txt","checked_at":"2026-11-21T10:02:11Z"}
	// {"loc":"http://shop.example/refused","sitemap":"http://shop.example/sitemap1.xml","line":10,"verdict":"unverified","reasons":[],"trail":[{"url":"http://shop.example/refused","status":403,"ms":9}],"final":"http://shop.example/refused","status":403,"fix":{"action":"keep","policy":"default","why":"we could not see what Google sees"},"notes":[],"checked_at":"2026-11-21T10:02:11Z"}
	// {"loc":"http://shop.example/x%281%29","sitemap":"http://shop.example/sitemap2.xml","line":2,"verdict":"spelling-bounce","reasons":["reserved"],"trail":[{"url":"http://shop.example/x%281%29","status":200,"ms":9}],"other_spelling":{"url":"http://shop.example/x(1)","trail":[{"url":"http://shop.example/x(1)","status":301,"location":"/x%281%29","kind":"http","permanent":true,"ms":9},{"url":"http://shop.example/x%281%29","status":200,"ms":10}]},"final":"http://shop.example/x%281%29","status":200,"fix":{"action":"keep","policy":"default","why":"the sitemap is right"},"notes":[],"checked_at":"2026-11-21T10:02:11Z"}
	// {"loc":"shop.example/�\u001b[2J","loc_raw":"c2hvcC5leGFtcGxlL+kbWzJK","sitemap":"http://shop.example/sitemap2.xml","line":3,"verdict":"invalid","reasons":[],"trail":[],"fix":{"action":"drop","policy":"default","why":"no absolute http(s) URL"},"notes":[],"checked_at":"2026-11-21T10:02:11Z"}
	// {"loc":"http://shop.example/broken","sitemap":"http://shop.example/sitemap2.xml","line":4,"verdict":"error","reasons":[],"trail":[{"url":"http://shop.example/broken","status":500,"ms":9}],"final":"http://shop.example/broken","status":500,"fix":{"action":"keep","policy":"default","why":"the server answers with an error"},"notes":[],"search_console":"Server error (5xx)","checked_at":"2026-11-21T10:02:11Z"}
	// {"loc":"http://shop.example/%E5%BA%97","sitemap":"http://shop.example/sitemap2.xml","line":5,"verdict":"skipped","reasons":[],"trail":[],"fix":{"action":"keep","policy":"default","why":"not asked"},"notes":[]}
}

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
	//   To decide   3    1 blocked by robots.txt, 1 server error, 1 loop
	//   Unknown     2    1 did not answer us (403), 1 not crawled
	//
	// Upload        sitemend-out/sitemaps/   (2 files)
	// Then          resubmit them in Search Console
	// Decide        open sitemend-out/report.html
	// Encoding      1 clean URL redirects when encoded differently: fix the server
}

func ExampleWriteSummary_japanese() {
	written := Written{Dir: "sitemend-out", Files: []string{"report.html"}}
	if err := WriteSummary(os.Stdout, shop(), Summary{Written: written, Lang: "ja_JP.UTF-8"}); err != nil {
		panic(err)
	}
	// Output:
	// shop.example   サイトマップ 2個、URL 11 件、14分で検査
	//
	// URL 11 件のうち 2 件は問題ありません。 2 ファイルのアップロードで 8 件中 3 件になります。
	//
	//   修正済み    1    リダイレクト先のページに差し替え
	//               3    削除: 重複 1 件, URLが不正 1 件, 見つからない 1 件
	//   要判断      3    robots.txtでブロック 1 件, サーバーの異常 1 件, リダイレクト ループ 1 件
	//   不明        2    1 件は応答なし・拒否 (403), 1 件は未クロール
	//
	// アップロード  sitemend-out/sitemaps/   (2 ファイル)
	// その後        Search Console で再送信
	// 判断          sitemend-out/report.html を開く
	// エンコード    問題のない URL 1 件が別のエンコードではリダイレクトします。サーバーを修正してください
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
	// <testsuite name="sitemend.sitemaps" tests="1" failures="0" errors="0" skipped="0" timestamp="2026-11-21T10:02:11">
	// <testcase classname="sitemend.sitemaps" name="http://shop.example/sitemap1.xml"></testcase>
	// </testsuite>
	// <testsuite name="sitemend.unverified" tests="1" failures="0" errors="0" skipped="1" timestamp="2026-11-21T10:02:11">
	// <testcase classname="sitemend.unverified" name="http://shop.example/c in http://shop.example/sitemap1.xml" time="0.009"><skipped message="Not checked: we were refused or got no answer: we could not see what Google sees">http://shop.example/sitemap1.xml:7</skipped></testcase>
	// </testsuite>
	// <testsuite name="sitemend.loop" tests="1" failures="1" errors="0" skipped="0" timestamp="2026-11-21T10:02:11">
	// <testcase classname="sitemend.loop" name="http://shop.example/a?b=1&amp;c=2 in http://shop.example/sitemap1.xml" time="0.019"><failure type="loop" message="Redirect loop: the redirects lead back">http://shop.example/sitemap1.xml:5
	// Redirect loop: http://shop.example/a?b=1&amp;c=2 (302 302). Corrected sitemap: kept. the redirects lead back
	// Do: Break the loop in the redirect rules of the server or the CMS.</failure></testcase>
	// </testsuite>
	// </testsuites>
}

func ExampleWrite_sarif() {
	var b strings.Builder
	if err := Write(context.Background(), &b, "sarif", shop(), Options{}); err != nil {
		panic(err)
	}
	var log struct {
		Runs []struct {
			Results []struct {
				RuleID, Level string
				Message       struct{ Text string }
			}
		}
	}
	if err := json.Unmarshal([]byte(b.String()), &log); err != nil {
		panic(err)
	}
	for _, r := range log.Runs[0].Results[:3] {
		fmt.Println(r.Level, r.RuleID, r.Message.Text)
	}
	// Output:
	// warning moved Permanent redirect: http://shop.example/old?a=1&b=(2) -> https://shop.example/new (301 200). Corrected sitemap: replaced: https://shop.example/new.
	// warning moved Permanent redirect: http://shop.example/older -> https://shop.example/new (301 302 200). Corrected sitemap: removed, listed already: https://shop.example/new.
	// error not-found Not found (404/410): http://shop.example/gone (404). Corrected sitemap: removed.
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
	//
	// | Sitemap | URLs | Sitemap errors and warnings | Upload |
	// | --- | --- | --- | --- |
	// | `http://shop.example/sitemap1.xml` | 2 | 0 | `sitemaps/shop.example/sitemap1.xml` |
	//
	// report.html has every URL, and what was asked beside the sitemaps.
}
