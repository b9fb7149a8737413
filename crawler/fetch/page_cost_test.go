package fetch

import (
	"bytes"
	"net/http"
	"strings"
	"testing"
	"time"

	"sitemend/crawler/address"
	"sitemend/crawler/answers"
	"sitemend/crawler/internal/cost"
)

// costlyPages are pages that might be expensive to examine.
var costlyPages = []cost.Shape{
	cost.Repeat("text", "<p>", "x ", ""),
	cost.Repeat("a comment without end", "<!--", "-", ""),
	cost.Repeat("a title in another charset", "<meta charset=euc-jp><title>", "\xa4\xa2", "</title>"),
	cost.Repeat("robots that differ", `<meta name=robots content="`, "max-snippet:1 ,unavailable_after: 1,", `">`),
	cost.Count("canonicals that differ", "", "<link rel=canonical href=/#>", ""),
	cost.Count("canonicals spelt otherwise", "", "<link rel=canonical href=/#/../x>", ""),
	cost.Repeat("refreshes from a base that is none", "<base href=ftp://"+strings.Repeat("@", 8000)+">", "<meta http-equiv=refresh content='0;url=x'>", ""),
	cost.Count("attributes that differ", "<p ", "a#=# ", ">"),
	cost.Repeat("a script of assignments", "<script>", "location = \"", "</script>"),
	cost.Repeat("scripts of comments", "", "<script>"+strings.Repeat("/*\n//\n", 2700)+"location</script>", ""),
	cost.Repeat("canonicals beside a long one", "<link rel=canonical href="+strings.Repeat("x/../", 1600)+"a>", "<link rel=canonical href=a>", ""),
	cost.Repeat("a script of timeouts", "<script>", "setTimeout(function(){", "</script>"),
	cost.Repeat("shifts", "\x1b$B", "\x1b$B\x1b(B", ""),
}

func costOfPage(t testing.TB, data []byte) {
	t.Helper()
	p := newPageReader(address.Wire("http://h/"), "googlebot")
	defer p.Release()
	p.Header(http.Header{"Content-Type": {"text/html"}})
	if err := p.Body(bytes.NewReader(data)); err != nil {
		t.Error(err)
	}
	p.Page()
}

func TestCostOfPages(t *testing.T) { cost.Test(t, 60, costOfPage, costlyPages...) }

func BenchmarkPagesCost(b *testing.B) {
	cost.Benchmark(b, time.Microsecond, costOfPage, costlyPages...)
}

// costlyHeaders are values of headers; all are read, up to a megabyte.
var costlyHeaders = []cost.Shape{
	cost.Repeat("parameters", "</x>", "; a=b", ""),
	cost.Repeat("quotes", "</x>; rel=\"", "\\\"", ""),
	cost.Count("directives of robots that differ", "", "bot#: x#,", ""),
	cost.Count("links that differ", "", "</#>; rel=canonical, ", ""),
	cost.Count("codings that differ", "", "x#,", ""),
	cost.Repeat("digits", "", "1", ";url=x"),
}

func readHeaders(_ testing.TB, data []byte) {
	v := string(data)
	p := newPageReader(address.Wire("http://h/"), "googlebot")
	defer p.Release()
	p.Header(http.Header{"Content-Type": {v}, "Link": {v, v}, "X-Robots-Tag": {v, v}, "Refresh": {v}})
	p.Page()
	retryAfter(v, time.Now())
	contentCoding(http.Header{"Content-Encoding": {v}})
	challenge(&answers.Hop{Status: 403}, http.Header{"Server": {v}, "Set-Cookie": {v}, "Www-Authenticate": {v}}, data, 0)
}

func TestCostOfHeaders(t *testing.T) {
	cost.Test(t, 200, readHeaders, costlyHeaders...)
}

func BenchmarkHeadersCost(b *testing.B) {
	cost.Benchmark(b, 2*time.Microsecond, readHeaders, costlyHeaders...)
}
