package google

import (
	"context"
	"net/http"
	"strings"
	"time"

	"sitemend/crawler/audit"
)

// inspect inspects one address once. property is one of Sites that covers the address.
func (c *Client) inspect(ctx context.Context, property, url string) (audit.Inspection, error) {
	question := struct {
		URL      string `json:"inspectionUrl"`
		Site     string `json:"siteUrl"`
		Language string `json:"languageCode"`
	}{url, property, "en-US"}
	var answer struct {
		Result struct {
			Link  string `json:"inspectionResultLink"`
			Index struct {
				Verdict   string    `json:"verdict"`
				State     string    `json:"coverageState"`
				Robots    string    `json:"robotsTxtState"`
				Indexing  string    `json:"indexingState"`
				Crawled   time.Time `json:"lastCrawlTime"`
				Fetch     string    `json:"pageFetchState"`
				Canonical string    `json:"googleCanonical"`
				Declared  string    `json:"userCanonical"`
				As        string    `json:"crawledAs"`
			} `json:"indexStatusResult"`
		} `json:"inspectionResult"`
	}
	asked := c.clock.Now()
	if err := c.once(ctx, http.MethodPost, "/v1/urlInspection/index:inspect", question, &answer); err != nil {
		return audit.Inspection{}, err
	}
	in := &answer.Result.Index
	if in.Verdict == "" && in.State == "" {
		return audit.Inspection{}, &Error{Message: "the answer says nothing",
			answered: true}
	}
	return audit.Inspection{URL: url, Property: property, Asked: asked.UTC().Truncate(time.Second),
		State: audit.LabelOf(in.State), Verdict: known(in.Verdict),
		Canonical: in.Canonical, Declared: in.Declared, LastCrawl: in.Crawled.UTC(),
		Fetch: known(in.Fetch), Robots: known(in.Robots),
		Indexing: known(in.Indexing), CrawledAs: known(in.As), Link: answer.Result.Link}, nil
}

// known returns a value of an enumeration; "" for the value that stands for an unknown one.
func known(s string) string {
	if strings.HasSuffix(s, "_UNSPECIFIED") {
		return ""
	}
	return s
}
