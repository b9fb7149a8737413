package sitemap_test

import (
	"fmt"
	"os"
	"strings"

	"sitemend/crawler/sitemap"
)

const served = `<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
  <url><loc> http://shop.example/old?a=1&amp;b=2 </loc><lastmod>2026-01-02</lastmod></url>
  <!-- the next one is gone -->
  <url>
    <loc><![CDATA[http://shop.example/gone]]></loc>
  </url>
</urlset>
`

func ExampleRead() {
	info, err := sitemap.Read(strings.NewReader(served), sitemap.Options{}, func(e sitemap.Entry) error {
		fmt.Printf("line %d: %s at bytes %d-%d\n", e.Line, e.Loc, e.Addr.Start, e.Addr.End)
		return nil
	})
	fmt.Println(info.Kind, info.Entries, err)
	// Output:
	// line 3: http://shop.example/old?a=1&b=2 at bytes 113-148
	// line 6: http://shop.example/gone at bytes 249-273
	// urlset 2 <nil>
}

func ExampleRewrite() {
	edits := []sitemap.Edit{
		{Action: sitemap.Replace, Loc: "https://shop.example/new?a=1&b=2"},
		{Action: sitemap.Drop},
	}
	edit := func(n int, _ []byte) (sitemap.Edit, error) { return edits[n], nil }
	_, err := sitemap.Rewrite(strings.NewReader(served), os.Stdout, sitemap.Edits{Entry: edit})
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	// <?xml version="1.0" encoding="UTF-8"?>
	// <urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
	//   <url><loc> https://shop.example/new?a=1&amp;b=2 </loc><lastmod>2026-01-02</lastmod></url>
	//   <!-- the next one is gone -->
	// </urlset>
}

func ExampleFileName() {
	fmt.Println(sitemap.FileName("https://shop.example:8443/maps/?page=2"))
	fmt.Println(sitemap.FileName("../sitemap.xml"))
	// Output:
	// shop.example_8443/maps/index@page%3D2
	// local/sitemap.xml
}
