package web_test

import (
	"fmt"
	"net/http"
	"net/url"

	"sitemend/cmd/internal/web"
)

// A web of one redirect, asked through the server as a proxy.
func Example() {
	w, err := web.Parse(`
http://shop.example/old  301 /new
http://shop.example/new  200
  | <title>New</title>
`, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	server, err := w.Start()
	if err != nil {
		fmt.Println(err)
		return
	}
	defer server.Close()

	transport := &http.Transport{Proxy: http.ProxyURL(&url.URL{Scheme: "http", Host: server.HTTPAddr()})}
	defer transport.CloseIdleConnections()
	client := &http.Client{Transport: transport}
	res, err := client.Get("http://shop.example/old")
	if err != nil {
		fmt.Println(err)
		return
	}
	res.Body.Close()
	for _, r := range server.Requests() {
		fmt.Println(r.URL(), r.Status)
	}
	// Output:
	// http://shop.example/old 301
	// http://shop.example/new 200
}

// What is wrong with a description is told with its line.
func ExampleParse() {
	_, err := web.Parse("http://shop.example/ 200\nhttp://shop.example/a ok\n", nil)
	fmt.Println(err)
	// Output: line 2: status "ok" is not a number of 200 to 999
}
