package report

import (
	"sitemend/crawler/audit"
	"sitemend/report/internal/conclude"
	"sitemend/report/messages"
)

// stoppedText says in English that an audit was stopped, and what was crawled until then, for
// programs that show no page; "" for any other.
func stoppedText(result *audit.Result) string {
	if !result.Info.Stopped() {
		return ""
	}
	return visible(conclude.Of(result, "").Headline.Plain(messages.Of("en")))
}
