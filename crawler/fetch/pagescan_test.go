package fetch

import (
	"strings"
	"testing"
)

// What a page has without scripts: nothing at all (empty), or what only a script
// shows (shell).
func TestWhatThereIsToSee(t *testing.T) {
	for body, want := range map[string]string{
		"":                                  "empty",
		" \n\t":                             "empty",
		"<title>Shop</title><body> </body>": "empty",
		"<title>Shop</title><style>p{}</style><body>&nbsp;<div>\u200b</div><!-- here --></body>": "empty",
		"<body><noscript>Please enable JavaScript</noscript>":                                    "empty",
		"<body><input type=hidden><p>":                                                           "empty",
		"<template><template shadowrootmode=open><p>a</template></template>":                     "empty",
		"<p>a":                           "",
		"<body>\xA4\xA2":                 "",
		"<body><img src=a.png>":          "",
		"<body><input name=q>":           "",
		"<body><iframe src=/x></iframe>": "",
		`<div id=root></div><script type=module src=/app.js></script>`:                                    "shell",
		`<head><script defer src=/app.js></script></head><body><noscript>Turn it on</noscript><app-root>`: "shell",
		`<div id=app>Loading...</div><script src=/app.js></script>`:                                       "shell",
		`<div id=app>Loading...</div>`:                                                                    "",
		`<iframe src=/x></iframe><script src=/app.js></script>`:                                           "",
		`<script type="application/ld+json">{}</script>`:                                                  "empty",
		`<script type="application/ld+json">{}</script><p>a`:                                              "",
		`<script type=application/json>{}</script><script src=/app.js></script>`:                          "shell",
		`<div id=app>Loading...</div><script type=application/json>{}</script>`:                           "",
		`<script>/* nothing */ // more</script><noscript>x</noscript>`:                                    "empty",
		`<script>
			<!--
			// --></script>`: "empty",
		`<script></script><script type="application/ld+json">{"a":"b"}</script>`: "empty",
		`<script>// a comment</script><script>start()</script>`:                  "shell",
		`<script>/* without an end`:                                              "shell",
		`<body onload="start()">`:                                                "shell",
	} {
		page, got := readPage(t, body, htmlType), ""
		if page.Empty {
			got = "empty"
		}
		if page.Shell {
			got += "shell"
		}
		if got != want {
			t.Errorf("%.200s: %q, want %q", body, got, want)
		}
	}
	const xhtml = `<html xmlns="http://www.w3.org/1999/xhtml"><head><title>a</title><script src="a.js"/></head><body><style/><p>Text</p></body></html>`
	for _, body := range []string{xhtml, `<script src=/app.js></script><svg><style/></svg><p>Text`} {
		if page := readPage(t, body, "Content-Type: application/xhtml+xml"); page.Empty || page.Shell {
			t.Errorf("%s: %+v", body, page)
		}
	}
	if page := readPage(t, "", "Content-Type: image/png"); page.Empty {
		t.Error("the bytes of an image were not read, and it is empty")
	}
}

// The first heading with text is kept where it is short.
func TestHeading(t *testing.T) {
	for body, want := range map[string]string{
		"<h1>Page <b>not</b>\n found</h1><h1>b</h1>":             "Page not found",
		"<h1><img alt=logo></h1><h2>x</h2><h1>a</h1>":            "a",
		"<title>a</title><h1>a</h1>":                             "",
		"<h1>" + strings.Repeat("long ", 30) + "</h1><h1>a</h1>": "",
		"<template><h1>a</h1></template><h1>b":                   "b",
		"<p>" + strings.Repeat("x ", 90) + "<h1>far</h1>":        "far",
		"<h1>a &amp; b</h1>":                                     "a & b",
		"<script>'<h1>a</h1>'</script><p>b":                      "",
	} {
		if page := readPage(t, body, htmlType); page.Heading != want {
			t.Errorf("%.100s: %q, want %q", body, page.Heading, want)
		}
	}
	if page := readPage(t, "<h1>\xA5\xDA\xA1\xBC\xA5\xB8</h1>", "Content-Type: text/html; charset=EUC-JP"); page.Heading != "ページ" {
		t.Errorf("EUC-JP: %q", page.Heading)
	}
}

// A page with nothing but a script that sets location redirects; one that may redirect is reported,
// and not followed.
func TestScriptRedirects(t *testing.T) {
	const sure, unsure, none = "/new", "unsure", ""
	for body, want := range map[string]string{
		`<script>location.replace("/new")</script>`:                                              sure,
		`<html><head><script>window.location.href = '/new';</script></head><body></body></html>`: sure,
		`<script><!--
			location = "/new" // there
		//--></script><noscript><a href="/new">Go on</a></noscript>`: sure,
		`<script>/* moved */ window . location . href = "/new" + window.location.search + location.hash;</script>`: sure,
		`<script>setTimeout(function () { location.href = "/new"; }, 0);</script>`:                                 sure,
		`<script>window.addEventListener("load", () => { location.assign("/new"); });</script>`:                    sure,
		`<script>(function(){ window.location = "/new"; })();</script>`:                                            sure,
		`<body onload="location.href='/new'">`:                                                                     sure,
		`<script async src=https://stats.example/a.js></script><script>location.replace("/new")</script>`:          sure,
		`<script>location.replace("/new")</script><script>location.href="/new"</script>`:                           sure,
		`<base href=/b/><script>location.replace("//a.example/new")</script>`:                                      "//a.example/new",
		`<script>location.replace("/new")</script><p>We moved.`:                                                    unsure,
		`<script>location.replace("/new")</script><img src=/a.png>`:                                                unsure,
		`<script>if (mobile) location.replace("/new")</script>`:                                                    unsure,
		"<script>if (mobile)\nlocation.replace('/new')</script>":                                                   unsure,
		`<script>document.cookie = "a=1"; location.href = "/new"</script>`:                                         unsure,
		`<script src=/guard.js></script><script>location.href = "/new"</script>`:                                   unsure,
		`<script>location.href = "/" + page</script>`:                                                              unsure,
		"<script>location.href = `/new/${id}`</script>":                                                            unsure,
		`<script>location.replace("/new")</script><script>location.replace("/other")</script>`:                     unsure,
		`<script>setTimeout(function () { location.href = "/new"; }, 60000);</script>`:                             unsure,
		`<script>try { location.href = "/new" } catch (e) {}</script>`:                                             unsure,
		`<script>location.href = "/new" /* no end</script>`:                                                        unsure,
		`<script>location.href = "/new", x()</script>`:                                                             unsure,
		`<script>location.href == "/new"</script>`:                                                                 none,
		`<script>// location.href="/x"</script>`:                                                                   none,
		"<head><script>// location.href='/x'\nvar a = 1</script></head><p>a":                                       none,
		`<script>/* location = */ a.b = "it's // no"; c("/*")</script>`:                                            none,
		"<script>var u = 'http://a.example/'; if (u) location = u // go</script>":                                  unsure,
		`<script>// moved</script><script>location.replace("/new")</script>`:                                       sure,
		`<script> </script><script>location.replace("/new")</script><script>/* a */</script>`:                      sure,
		`<base href=/b/><script>location.replace("new")</script>`:                                                  unsure,
		`<script>location.reload()</script>`:                                                                       none,
		`<noscript><script>location.replace("/new")</script></noscript><p>a`:                                       none,
		`<script>location.replace("` + strings.Repeat("x", 9000) + `")</script>`:                                   unsure,
		`<script>` + strings.Repeat("setTimeout(function(){", 5000) + `location.replace("/new")`:                   unsure,
	} {
		page, got := readPage(t, body, htmlType), none
		switch {
		case page.ScriptTo != "" && page.Script:
			t.Errorf("%.200s: %+v", body, page)
		case page.ScriptTo != "":
			got = page.ScriptTo
		case page.Script:
			got = unsure
		}
		if got != want {
			t.Errorf("%.200s: %q, want %q", body, got, want)
		}
	}
}
