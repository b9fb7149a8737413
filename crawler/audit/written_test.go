package audit_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"sitemend/crawler/audit"
)

// What may be written: each case leads to a page that answers 200, and most of these
// must not be written for the entry all the same.
func TestWhatMayBeWritten(t *testing.T) {
	const a, s = "http://a.example", "https://a.example"
	cases := []struct{ name, loc, to, page, want string }{
		{"home page of a country", a + "/shoes", a + "/us/", "", "moved path | keep | collapsed"},
		{"home page of a country and a language", a + "/shoes", a + "/us/en/", "", "moved path | keep | collapsed"},
		{"a page below a language", a + "/shoes", a + "/en/products", "", "moved path | replace http://a.example/en/products"},
		{"index file", a + "/shoes", a + "/index.html", "", "moved path | keep | collapsed"},
		{"index file of a language", a + "/shoes", a + "/fr/index.php", "", "moved path | keep | collapsed"},
		{"home page with a language", a + "/shoes", a + "/?lang=en", "", "moved path query | keep | collapsed"},
		{"home page with any parameter", a + "/shoes", a + "/?from=shoes-2019", "", "moved path query | keep | collapsed"},
		{"a page by parameter to a language", a + "/?p=1", a + "/?lang=en", "", "moved query | keep | collapsed"},
		{"home page to its index file", a + "/", a + "/index.php", "", "moved index | replace http://a.example/index.php"},
		{"home page to a country", a + "/", a + "/us/", "", "moved path | keep | locale"},
		{"country to the home page's file", a + "/us/", a + "/index.html", "", "moved path | keep | locale"},
		{"all pages are parameters of the root", a + "/?OldName", a + "/?NewName", "", "moved query | replace http://a.example/?NewName"},
		{"the same page of the root, https", a + "/?p=1", s + "/?p=1", "", "moved scheme | replace https://a.example/?p=1"},
		{"respelled on the root", a + "/?x=%e3", a + "/?x=%E3", "", "respelled hex-case | replace http://a.example/?x=%E3"},
		{"a department", a + "/jobs", a + "/hr", "", "moved path | replace http://a.example/hr"},
		{"a department with a slash", a + "/computers", a + "/it/", "", "moved path | replace http://a.example/it/"},
		{"LinkedIn", a + "/linkedin", a + "/in", "", "moved path | replace http://a.example/in"},
		{"my account", a + "/account", a + "/my", "", "moved path | replace http://a.example/my"},
		{"Italian, where entries lie below it", "http://rooted.example/computers", "http://rooted.example/it/", "", "homepage path | keep"},
		{"Italian, where the site has languages", "http://languages.example/computers", "http://languages.example/it/", "", "moved path | keep | collapsed"},
		{"Indiana beside Italian", "http://rooted.example/indiana", "http://rooted.example/in", "", "moved path | replace http://rooted.example/in"},
		{"a section that was renamed", a + "/id-old", a + "/id", "", "moved path | replace http://a.example/id"},
		{"words that have the form of a tag", a + "/tasks", a + "/to-do", "", "moved path | replace http://a.example/to-do"},
		{"country and language", a + "/h15", a + "/gb/en/", "", "moved path | keep | collapsed"},
		{"country and language, without a slash", a + "/h15", a + "/gb/en", "", "moved path | keep | collapsed"},
		{"language and country", a + "/h15", a + "/en/gb/", "", "moved path | keep | collapsed"},
		{"Croatian, with a query", "http://rooted.example/jobs", "http://rooted.example/hr/?x=1", "", "moved path query | keep | collapsed"},
		{"a language that is no section", a + "/shoes", a + "/ja/", "", "homepage path | keep"},
		{"canonical is a home page", a + "/shoes", "canonical " + a + "/us/", "", "noncanonical path | keep | collapsed"},

		{"https to http", s + "/a", a + "/b", "", "moved path scheme | keep | to-http"},
		{"canonical to http", s + "/a", "canonical " + a + "/a", "", "noncanonical scheme | keep | to-http"},
		{"http to http", a + "/a", a + "/b", "", "moved path | replace http://a.example/b"},

		{"an attachment's page", a + "/hello/picture/", a + "/wp-content/uploads/picture.jpg", "type=image/jpeg", "moved path | keep | target-not-page"},
		{"a video", a + "/film", a + "/film.mp4", "type=video/mp4", "moved path | keep | target-not-page"},
		{"a sound", a + "/song", a + "/play", "type=audio/mpeg", "moved path | keep | target-not-page"},
		{"a font", a + "/x", a + "/y", "type=font/woff2", "moved path | keep | target-not-page"},
		{"a style", a + "/x", a + "/y", "type=text/css;charset=utf-8", "moved path | keep | target-not-page"},
		{"a script", a + "/x", a + "/y", "type=application/javascript", "moved path | keep | target-not-page"},
		{"an archive", a + "/x", a + "/y", "type=application/zip", "moved path | keep | target-not-page"},
		{"an archive by its name alone", a + "/x", a + "/y.tar.gz", "type=application/octet-stream", "moved path | keep | target-not-page"},
		{"an image by its name alone", a + "/x", a + "/y.PNG", "", "moved path | keep | target-not-page"},
		{"a page that became an image", a + "/x.html", a + "/y.html", "type=image/jpeg", "moved path | keep | target-not-page"},
		{"canonical is an image", a + "/x", "canonical " + a + "/y.png", "type=image/png", "noncanonical path | keep | target-not-page"},
		{"an image for an image", a + "/old/a.jpg", a + "/new/a.jpg", "type=image/jpeg", "moved path | replace http://a.example/new/a.jpg"},
		{"an image for an image of another name", a + "/old/a.JPEG", a + "/new/a.jpg", "type=image/jpeg", "moved path | replace http://a.example/new/a.jpg"},
		{"a document", a + "/guide", a + "/files/guide.pdf", "type=application/pdf", "moved path | replace http://a.example/files/guide.pdf"},
		{"a page with the name of an image", a + "/File:X", a + "/wiki/X.jpg", "type=text/html", "moved path | replace http://a.example/wiki/X.jpg"},
		{"a page for errors", a + "/x", a + "/error", "", "moved path | keep | target-soft-404"},
		{"a page for errors with an extension", a + "/x", a + "/shop/404.html", "", "moved path | keep | target-soft-404"},
		{"a cart", a + "/x", a + "/shop/cart/?id=1", "", "moved path query | keep | gate"},
		{"an account", a + "/x", a + "/account", "", "moved path | keep | gate"},
		{"a search", a + "/x", a + "/search?q=x", "", "moved path query | keep | target-soft-404"},
		{"a basket that moved", a + "/basket", a + "/cart", "", "moved path | replace http://a.example/cart"},
		{"an account that moved", a + "/old/my-account", a + "/account", "", "moved path | replace http://a.example/account"},
		{"a search that moved", a + "/search.php", a + "/search", "", "moved extension | replace http://a.example/search"},
		{"an error", a + "/x", a + "/y", "title=Error", "moved path | keep | target-soft-404"},
		{"maintenance", a + "/x", a + "/y", "heading=Under_maintenance!", "moved path | keep | target-soft-404"},
		{"maintenance in German", a + "/x", a + "/wartung", "title=Shop", "moved path | keep | target-soft-404"},
		{"back soon", a + "/x", a + "/y", "title=Wir_sind_gleich_wieder_da", "moved path | keep | target-soft-404"},
		{"back soon, with an apostrophe", a + "/x", a + "/y", "title=We'll_be_back_soon!", "moved path | keep | target-soft-404"},
		{"what is maintained", a + "/service/heizungswartung", a + "/wartung", "", "moved path | replace http://a.example/wartung"},
		{"no access", a + "/x", a + "/y", "title=Access_Denied", "moved path | keep | gate"},
		{"an empty cart", a + "/x", a + "/y", "title=Your_cart_is_empty", "moved path | keep | gate"},
		{"a heading beside a title", a + "/x", a + "/y", "title=Lamp heading=Your_cart_is_empty", "moved path | replace http://a.example/y"},
		{"an article about errors", a + "/x", a + "/y", "title=Error_explained", "moved path | replace http://a.example/y"},
		{"a page about errors that moved", a + "/docs/errors.html", a + "/docs/api", "title=Error", "moved path | replace http://a.example/docs/api"},

		{"data", a + "/x", a + "/y", "type=application/ld+json", "moved path | keep | target-not-page"},
		{"a feed", a + "/x", a + "/feed", "type=application/rss+xml", "moved path | keep | target-not-page"},
		{"a sitemap", a + "/x", a + "/sitemap2.xml", "type=text/xml", "moved path | keep | target-not-page"},
		{"a feed for a feed", a + "/old.xml", a + "/new.xml", "type=text/xml", "moved path | replace http://a.example/new.xml"},
		{"a page in XML", a + "/x", a + "/y", "type=application/xhtml+xml", "moved path | replace http://a.example/y"},
		{"a calendar", a + "/x", a + "/y", "type=text/calendar", "moved path | keep | target-not-page"},
		{"a card", a + "/x", a + "/y", "type=text/x-vcard", "moved path | keep | target-not-page"},
		{"a download", a + "/x", a + "/y", "type=application/octet-stream", "moved path | keep | target-not-page"},
		{"a document without its type", a + "/x", a + "/y.pdf", "type=application/octet-stream", "moved path | replace http://a.example/y.pdf"},
		{"a page to be saved", a + "/x", a + "/y", "attachment=1", "moved path | keep | target-not-page"},
		{"a document to be saved for another", a + "/x.pdf", a + "/y.pdf", "type=application/pdf attachment=1", "moved path | replace http://a.example/y.pdf"},

		{"region", a + "/page", a + "/page?region=us", "", "moved query | keep | locale"},
		{"region of a region", a + "/page?region=GB", a + "/page?region=us", "", "moved query | keep | locale"},
		{"a store", a + "/page?store=us", a + "/page?store=de", "", "moved query | keep | locale"},
		{"a store that is added", a + "/page", a + "/page?___store=de", "", "moved query | keep | locale"},
		{"a store that is no country", a + "/page?store=14", a + "/page?store=15", "", "moved query | replace http://a.example/page?store=15"},
		{"country by host", "http://www.a.example/page", "http://us.a.example/page", "", "moved host | keep | locale"},
		{"language and index file", a + "/de/index.html", a + "/en/", "", "homepage path | keep | locale"},
		{"language and index file of a folder", a + "/de/x/index.html", a + "/en/x/", "", "moved path | keep | locale"},
		{"a language in other letters", a + "/DE/5", a + "/de/5", "", "moved path-case | replace http://a.example/de/5"},
		{"a language and the page in other letters", a + "/EN/About", a + "/en/about", "", "moved path-case | replace http://a.example/en/about"},
		{"another language, and the page in other letters", a + "/DE/About", a + "/en/about", "", "moved path | keep | locale"},
		{"a language is added, and the page in other letters", a + "/About", a + "/en/about", "", "moved path | keep | locale"},
		{"another language, and an escape", a + "/de/%7Ex", a + "/en/~x", "", "moved path | keep | locale"},
		{"language and country in other letters", a + "/en-GB/x", a + "/en-gb/x", "", "moved path-case | replace http://a.example/en-gb/x"},
		{"language and country joined otherwise", a + "/en_GB/x", a + "/en-gb/x", "", "moved path | replace http://a.example/en-gb/x"},
		{"one language, another country", a + "/en_GB/x", a + "/en-us/x", "", "moved path | keep | locale"},
		{"a country is added", a + "/en/x", a + "/en-gb/x", "", "moved path | keep | locale"},
		{"a parameter in other letters", a + "/x?lang=DE", a + "/x?lang=de", "", "moved query | replace http://a.example/x?lang=de"},
		{"the parameter's name in other letters", a + "/x?Lang=DE", a + "/x?lang=de", "", "moved query | replace http://a.example/x?lang=de"},
		{"a parameter joined otherwise", a + "/x?hl=pt_BR", a + "/x?hl=pt-BR", "", "moved query | replace http://a.example/x?hl=pt-BR"},
		{"the language by parameter becomes a folder", a + "/x?lang=DE", a + "/de/x", "", "moved path query | replace http://a.example/de/x"},
		{"canonical in other letters", a + "/DE/5", "canonical " + a + "/de/5", "", "noncanonical path-case | replace http://a.example/de/5"},
		{"canonical in another language", a + "/DE/5", "canonical " + a + "/en/5", "", "noncanonical path | keep | locale"},
		{"root of a language in other letters", a + "/DE/", a + "/de/", "", "moved path-case | replace http://a.example/de/"},
		{"root of a language joined otherwise", a + "/en_GB/", a + "/en-gb/", "", "moved path | replace http://a.example/en-gb/"},
		{"root of a language, its index file, joined otherwise", a + "/en_GB/index.html", a + "/en-gb/", "", "moved path | replace http://a.example/en-gb/"},
		{"root of another language", a + "/DE/", a + "/en/", "", "homepage path | keep | locale"},

		{"a session's name in other letters", a + "/x?PHPSESSID=1", a + "/x?phpsessid=1", "", "moved query | replace http://a.example/x?phpsessid=1"},
		{"a campaign's name in other letters", a + "/x?UTM_Source=a", a + "/x?utm_source=a", "", "moved query | replace http://a.example/x?utm_source=a"},
		{"a login in other letters", a + "/Log-In?ReturnUrl=/x", a + "/login?returnurl=/x", "", "moved path query | replace http://a.example/login?returnurl=/x"},
		{"what leads back in other letters", a + "/Account/Orders", a + "/enter?next=%2Faccount%2Forders", "", "moved path query | keep | gate"},
		{"a home page's file in other letters", a + "/Index.PHP", a + "/index.php", "", "moved path-case | replace http://a.example/index.php"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			to, canonical := strings.CutPrefix(c.to, "canonical ")
			web := c.loc + " 301 " + to
			if canonical {
				web = c.loc + " 200 canonical=" + to
			}
			r := rules()
			r.Rooted = []string{"languages.example", "rooted.example/hr", "rooted.example/it"}
			row := audit.Judge(parseWeb(t, web+"\n"+to+" 200 "+c.page), audit.Entry{Loc: c.loc}, r, audit.Want{})
			if got := say(&row); got != c.want {
				t.Errorf("%s\ngot  %s\nwant %s", web, got, c.want)
			}
		})
	}
}

// The second answer of an address holds back an entry where it differs, and is no news where
// the entry is held back for the same fault of the first: for another entry it may be written.
func TestSecondAnswer(t *testing.T) {
	const web = `
		http://a.example/att/a 301 /up/a.jpg
		http://a.example/x/pic.jpg 301 /up/a.jpg
		http://a.example/up/a.jpg 200 type=image/jpeg
		proof http://a.example/up/a.jpg 200 type=image/jpeg
		http://a.example/old 301 /new
		http://a.example/new 200
		proof http://a.example/new 500`
	for loc, want := range map[string][2]string{
		"/att/a":     {"moved path | keep | target-not-page", "target-not-page"},
		"/x/pic.jpg": {"moved path | replace http://a.example/up/a.jpg", "replace-moved"},
		"/old":       {"moved path | keep | target-not-200", "shaken"},
	} {
		row := audit.Judge(parseWeb(t, web), audit.Entry{Loc: "http://a.example" + loc}, rules(), audit.Want{})
		if got := say(&row); got != want[0] || row.Fix.Why.Key != want[1] {
			t.Errorf("%s: %s, %q, want %q", loc, got, row.Fix.Why, want)
		}
	}
}

// A page that asks for the visitor's age is a gate, whatever its address; one that says
// much more is a page.
func TestAgeGates(t *testing.T) {
	judge := func(page audit.Page) audit.Row {
		w := parseWeb(t, "http://a.example/wine 301 /verify?u=age2\nhttp://a.example/verify?u=age2 200")
		for r, h := range w {
			if h.Status == 200 {
				h.Page = page
				w[r] = h
			}
		}
		return audit.Judge(w, audit.Entry{Loc: "http://a.example/wine"}, rules(), audit.Want{})
	}
	for _, s := range []string{"Age verification", "Are you over 18?", "ARE YOU 21 OR OLDER?", "Bitte bestätigen Sie Ihr Alter", "Age verification | Wine Shop", "年齢確認", "あなたは20歳以上ですか？ | ワイン", "Avez-vous plus de 18 ans ?"} {
		for _, page := range []audit.Page{{Title: s}, {Title: "Wine", Heading: s}} {
			if row := judge(page); say(&row) != "moved path query | keep | gate" {
				t.Errorf("%+v: %s", page, say(&row))
			}
			page.Wordy = true
			if row := judge(page); row.Has(audit.Gate) || row.Fix.Action != audit.Replace {
				t.Errorf("%+v: %s", page, say(&row))
			}
		}
	}
	for _, s := range []string{"", "Wine", "Age verification software for shops", "How old are you?", "Wines of the age", "The age of reason", "年齢確認システムの選び方", "18"} {
		for _, page := range []audit.Page{{Title: s}, {Title: "Wine", Heading: s}} {
			if row := judge(page); row.Has(audit.Gate) {
				t.Errorf("%+v: %s", page, say(&row))
			}
		}
	}
}

func TestLanguageRoot(t *testing.T) {
	for loc, want := range map[string]string{
		"https://www.a.example/ja/about": "a.example", "http://a.example/en-us/": "a.example", "http://a.example/us?x": "a.example", "http://a.example/DE": "a.example",
		"http://a.example/it/servers": "a.example/it", "http://a.example/IT/servers?x": "a.example/it", "http://a.example/to_do/x": "a.example/to-do", "http://a.example/es-419/": "a.example",
		"http://a.example/it/": "", "http://a.example/it?x=/y": "", "http://a.example/it/#a/b": "", "http://a.example/it/index.html": "",
		"http://a.example/id-old": "", "http://a.example/no-tax/x": "", "http://a.example/15/x": "", "http://a.example/my-account/x": "", "http://a.example/hr": "", "http://a.example/": "", "http://a.example": "", "http://a.example/english/": "",
		"http://a.example/my-page": "", "http://a.example/in-stock/": "", "http://a.example/p/ja": "", "nonsense": "", "ja/x": "",
	} {
		if site, ok := audit.LanguageRoot(loc); site != want || ok != (want != "") {
			t.Errorf("%s: %q, %v", loc, site, ok)
		}
	}
}

// Languages and countries as sites write them stand for themselves alone, as first segments and as
// values; one that is written otherwise, and a section that bears such a name, is no other one.
func TestLocalesInOtherWords(t *testing.T) {
	for _, to := range []string{"/us-en/page", "/US_en/page", "/int-en/page", "/en-int/page", "/intl/page", "/row/page", "/emea/page", "/usa/page", "/deu/page",
		"/english/page", "/Deutsch/page", "/fran%C3%A7ais/page", "/page?country_code=US", "/page?geo=us", "/page?currency=USD", "/page?store_view=default",
		"/page?store_view=en", "/page?lang=english", "/page?country=usa", "/page?region=emea"} {
		notWritten(t, "http://a.example/page", "http://a.example"+to, audit.Locale)
	}
	for _, to := range []string{"/site/en/page", "/shop/us/page", "/us/shop/page", "/intl/shop/page/", "/a/b/de-AT/Page"} {
		notWritten(t, "http://a.example/page", "http://a.example"+to, audit.Locale)
	}
	notWritten(t, "http://a.example/de-de/page", "http://a.example/us-en/page", audit.Locale)
	for _, to := range []string{"/en/shoes", "/us/shoes/red", "/english/shoes"} { // translated
		notWritten(t, "http://a.example/de/schuhe", "http://a.example"+to, audit.Locale)
	}
	notWritten(t, "http://de.a.example/schuhe", "http://www.a.example/en/shoes", audit.Locale)
	notWritten(t, "http://a.example/page", "http://a.example/us-en/", audit.Collapsed)
	for _, c := range [][2]string{{"/row/", "/row-houses/"}, {"/page", "/rowing/page"}, {"/page", "/x/row/page"}, {"/english/page", "/en/page"}, {"/us-en/page", "/en-us/page"},
		{"/usa/page", "/us/page"}, {"/page", "/mac/page"}, {"/page", "/polish/page"}, {"/page", "/geo/page"}, {"/page", "/page?currency=new"}, {"/page", "/page?store_view=old"},
		{"/page", "/co-op/page"}, {"/de/alt", "/de-at/neu"}, {"/de/alt", "/deutsch/neu"}, {"/de/schuhe", "/shoes"}, {"/page/de", "/seite/en"}, {"/page", "/shop/us/other"}, {"/en/page", "/site/en/page"}, {"/page", "/shop/new/page"}, {"/page", "/usable/page"}, {"/world/page", "/page"}, {"/page?currency=USD", "/pages?currency=USD"}} {
		from, to := "http://a.example"+c[0], "http://a.example"+c[1]
		row := audit.Judge(parseWeb(t, from+" 301 "+to+"\n"+to+" 200"), audit.Entry{Loc: from}, rules(), audit.Want{})
		if row.Fix.Action != audit.Replace {
			t.Errorf("%s for %s: %s", to, from, say(&row))
		}
	}
}

func TestSessionsAreNotWritten(t *testing.T) {
	for _, added := range []string{"?jsessionid=1", ";jsessionid=1", "?PHPSESSID=1", "?sid=1", "?sessionid=1", "?session_id=1", "?ASPSESSIONIDQQABC=1",
		"?cfid=1&cftoken=2", "?cftoken=2", "?utm_source=x", "?utm_campaign=x", "?gclid=1", "?fbclid=1", "?msclkid=1", "?_ga=1", "?_gl=1", "?mc_cid=1",
		"?mc_eid=1", "?%5Fga=1", "?yclid=1", "?srsltid=1", "?gbraid=1", "?wbraid=1", "?dclid=1", "?twclid=1", "?ttclid=1", "?li_fat_id=1", "?igshid=1", "?mkt_tok=1",
		"?mtm_campaign=1", "?osCsid=1", "?zenid=1", "?_hsenc=1", "?a=1;sid=2", "?SessionID=1",
		"?token=1", "?access_token=1", "?auth=1", "?sig=1", "?Signature=1", "?X-Amz-Signature=1", "?sessid=1", "?session=1", "?__cf_chl_tk=1", "?__cf_chl_rt_tk=1", "?password=1", "?code=4/abc&state=xyz", "?email=me%40a.example", "?_=1700000000"} {
		notWritten(t, "http://a.example/page", "http://a.example/other"+added, audit.Session)
	}
	for _, path := range []string{"/(S(lit3py55t21z5v55vlm25s55))/other", "/%28S%28lit3py55%29%29/other", "/(X(1)S(lit3py55t21z5v55))/other.aspx", "/shop/(F(abc))/x"} {
		notWritten(t, "http://a.example/page", "http://a.example"+path, audit.Session)
	}
	for _, to := range []string{"/wiki/Mercury_(planet)", "/(4)", "/((x))", "/f(x)", "/?sidebar=1&x=2", "/other?gallery=1", "/other?tokens=1&author=2", "/other?code=4", "/other?state=NY"} {
		row := audit.Judge(parseWeb(t, "http://a.example/page 301 "+to+"\nhttp://a.example"+to+" 200"), audit.Entry{Loc: "http://a.example/page"}, rules(), audit.Want{})
		if row.Has(audit.Session) {
			t.Errorf("%s is taken for a session", to)
		}
	}
}

// A title of two parts says what the page is beside the name of the site.
func TestTitlesOfStandIns(t *testing.T) {
	web := parseWeb(t, "http://a.example/x 301 /y\nhttp://a.example/y 200")
	for title, want := range map[string]audit.Note{"Internal Server Error | Shop": audit.TargetSoft404, "Shop – Sign in": audit.Gate,
		"Error | How to repair it": "", "Shop | Lamps | Error": "", "Sign in to win": ""} {
		hop := web[audit.Request{URL: "http://a.example/y"}]
		hop.Page.Title = title
		web[hop.Request] = hop
		row := audit.Judge(web, audit.Entry{Loc: "http://a.example/x"}, rules(), audit.Want{})
		if want != "" && !row.Has(want) || want == "" && row.Fix.Action != audit.Replace {
			t.Errorf("%s: %s", title, say(&row))
		}
	}
}

// A permanent redirect that says whence it came, as a wiki's, leads to no login; that the page names another
// address says more. Logins redirect for now.
func TestRedirectsThatSayWhence(t *testing.T) {
	for web, want := range map[string]audit.Note{
		"x/a 301 /y?from=/x/a\nhttp://a.example/y?from=/x/a 200 canonical=/y":           audit.TargetNoncanonical,
		"x/a 301 /y?from=/x/a\nhttp://a.example/y?from=/x/a 200":                        audit.Gate,
		"x/a 301 /login?from=/x/a\nhttp://a.example/login?from=/x/a 200 canonical=/y":   audit.Gate,
		"x/a 301 /y?return_to=/x/a\nhttp://a.example/y?return_to=/x/a 200 canonical=/y": audit.Gate,
	} {
		row := audit.Judge(parseWeb(t, "http://a.example/"+web), audit.Entry{Loc: "http://a.example/x/a"}, rules(), audit.Want{})
		if row.Fix.Action != audit.Keep || row.StoppedBy() != want {
			t.Errorf("%s: %s, stopped by %s", web, say(&row), row.StoppedBy())
		}
	}
}

// A parameter that the listed address has, too, is the site's own.
func TestTokensThatAreListed(t *testing.T) {
	web := parseWeb(t, "http://a.example/page?token=1 301 /other?token=1&auth=2&AUTH=3\nhttp://a.example/other?token=1&auth=2&AUTH=3 200")
	for loc, want := range map[string]bool{"http://a.example/page?token=1": true, "http://a.example/page?token=1&auth=9": false} {
		web[audit.Request{URL: loc}] = audit.Hop{Request: audit.Request{URL: loc}, Status: 301, Location: "/other?token=1&auth=2&AUTH=3"}
		if row := audit.Judge(web, audit.Entry{Loc: loc}, rules(), audit.Want{}); row.Has(audit.Session) != want {
			t.Errorf("%s: %s", loc, say(&row))
		}
	}
}

// An address that held a secret of the audit, which is masked, is not written, whatever is lifted.
func TestSecretsAreNotWritten(t *testing.T) {
	for _, text := range []string{"http://a.example/x 301 /y?k=***\nhttp://a.example/y?k=*** 200", "http://a.example/x 200 canonical=/s/***/y", "image http://a.example/x 301 /y?k=***\nimage http://a.example/y?k=*** 200"} {
		r := rules()
		r.Lift = map[audit.Note]bool{audit.Session: true, audit.Locale: true}
		e := audit.Entry{Loc: "http://a.example/x"}
		if strings.HasPrefix(text, "image") {
			e.Also = &audit.Also{List: audit.AlsoImages, Of: 1}
		}
		row := audit.Judge(parseWeb(t, text), e, r, audit.Want{})
		if row.Fix.Action != audit.Keep || !row.Has(audit.Session) || len(row.Needs) > 0 || audit.CanLift(row.Fix.Stop) && row.StoppedBy() != audit.Session {
			t.Errorf("%s: %s, needs %v", text, say(&row), row.Needs)
		}
	}
	listed := "http://a.example/x***?k=***"
	row := audit.Judge(parseWeb(t, listed+" 301 /y***\nhttp://a.example/y*** 200"), audit.Entry{Loc: listed}, rules(), audit.Want{})
	if row.Fix.Action != audit.Replace {
		t.Error(say(&row))
	}
}

func notWritten(t *testing.T, from, to string, want audit.Note) {
	t.Helper()
	row := audit.Judge(parseWeb(t, from+" 301 "+to+"\n"+to+" 200"), audit.Entry{Loc: from}, rules(), audit.Want{})
	if row.Fix.Action != audit.Keep || !row.Has(want) {
		t.Errorf("%s for %s: %s", to, from, say(&row))
	}
}

// Images, videos and news of an entry describe its page, not the one that it names
// as its canonical.
func TestNoncanonicalWithMedia(t *testing.T) {
	web := parseWeb(t, "http://a.example/teapot 200 canonical=/chair\nhttp://a.example/chair 200")
	e := audit.Entry{Loc: "http://a.example/teapot", Ext: 1, Media: true}
	row := audit.Judge(web, e, rules(), audit.Want{})
	if got := say(&row); got != "noncanonical path | keep | merge-would-lose" {
		t.Errorf("with an image: %s", got)
	}
	e.Media = false // links to alternates alone
	row = audit.Judge(web, e, rules(), audit.Want{})
	if got := say(&row); got != "noncanonical path | replace http://a.example/chair" {
		t.Errorf("without: %s", got)
	}
}

// Each rule of what may be written has one entry that it alone keeps: --fix
// NOTE=replace writes it, and the policy names the rule.
func TestEachRuleCanBeLifted(t *testing.T) {
	const a = "http://a.example"
	cases := map[audit.Note]struct{ loc, web, want string }{
		audit.TargetNot200:       {a + "/x", a + "/x 200 canonical=/y\n" + a + "/y 404", "replace http://a.example/y"},
		audit.TargetOffsite:      {a + "/x", a + "/x 200 canonical=http://b.example/y\nhttp://b.example/y 200", "replace http://b.example/y"},
		audit.TargetNoindex:      {a + "/x", a + "/x 301 /y\n" + a + "/y 200 robots=noindex", "replace http://a.example/y"},
		audit.TargetDisallowed:   {a + "/x", a + "/x 200 canonical=/y\n" + a + "/y fault=robots-forbids", "replace http://a.example/y"},
		audit.TargetSoft404:      {a + "/x", a + "/x 301 /y\n" + a + "/y 200 title=Oops\n" + a + "/nowhere 200 title=Oops", "replace http://a.example/y"},
		audit.TargetNoncanonical: {a + "/x", a + "/x 301 /y\n" + a + "/y 200 canonical=/z", "replace http://a.example/y"},
		audit.TargetNotPage:      {a + "/x", a + "/x 301 /y.jpg\n" + a + "/y.jpg 200 type=image/jpeg", "replace http://a.example/y.jpg"},
		audit.ToHTTP:             {"https://a.example/x", "https://a.example/x 301 http://a.example/y\n" + a + "/y 200", "replace http://a.example/y"},
		audit.Varies:             {a + "/x", a + "/x 301 /y\n" + a + "/y 200\nbrowser " + a + "/y 302 /en/y", "replace http://a.example/y"},
		audit.Collapsed:          {a + "/x", a + "/x 301 /us/\n" + a + "/us/ 200", "replace http://a.example/us/"},
		audit.Gate:               {a + "/x", a + "/x 301 /login?next=/x\n" + a + "/login?next=/x 200", "replace http://a.example/login?next=/x"},
		audit.Session:            {a + "/x", a + "/x 301 /x?sid=1\n" + a + "/x?sid=1 200", "replace http://a.example/x?sid=1"},
		audit.Locale:             {a + "/x", a + "/x 301 /en/x\n" + a + "/en/x 200", "replace http://a.example/en/x"},
		audit.OtherHost:          {a + "/x", a + "/x 301 http://shop.a.example/x\nhttp://shop.a.example/x 200\n" + a + "/stays 200", "replace http://shop.a.example/x"},
		audit.MergeWouldLose:     {a + "/x +", a + "/x 301 /stays\n" + a + "/stays 200", "merge http://a.example/stays"},
	}
	for _, n := range audit.LiftableNotes() {
		c, ok := cases[n]
		if !ok {
			t.Errorf("no case for %s", n)
			continue
		}
		s := &site{web: parseWeb(t, c.web+"\n"+a+"/stays 200")}
		host, _, _ := strings.Cut(strings.TrimPrefix(c.loc[strings.Index(c.loc, "//")+2:], "//"), "/")
		s.list(c.loc[:strings.Index(c.loc, "//")+2]+host+"/sitemap.xml", c.loc, a+"/stays")
		r := rules()
		if n == audit.TargetSoft404 {
			r.MissingPath = "nowhere"
		}
		if n == audit.TargetOffsite { // which stands behind another rule
			r.Lift = map[audit.Note]bool{audit.OtherHost: true}
		}
		for row := range s.evaluate(t, r).Rows(t.Context(), 0) {
			if row.Entry.N == 0 && (row.Fix.Action != audit.Keep || !row.Has(n) || row.Fix.Policy != "default") {
				t.Errorf("%s: %s, policy %s", n, say(row), row.Fix.Policy)
			}
		}
		lift := map[audit.Note]bool{n: true}
		for other := range r.Lift {
			lift[other] = true
		}
		r.Lift = lift
		for row := range s.evaluate(t, r).Rows(t.Context(), 0) {
			if row.Entry.N == 0 && (!strings.Contains(say(row), " | "+c.want) || row.Has(n) || !strings.HasSuffix(row.Fix.Policy, "=replace")) {
				t.Errorf("%s lifted: %s, policy %s", n, say(row), row.Fix.Policy)
			} else if row.Entry.N == 0 && n != audit.TargetOffsite && row.Fix.Policy != string(n)+"=replace" {
				t.Errorf("%s lifted: policy %s", n, row.Fix.Policy)
			}
		}
	}
}

// Ten entries that end on one page are written with --fix collapsed=replace, and
// that is told.
func TestCollapsedIsLiftedByName(t *testing.T) {
	s := &site{web: parseWeb(t, "http://a.example/all 200")}
	locs := many(10, "http://a.example/p%d")
	for _, l := range locs {
		maps.Copy(s.web, parseWeb(t, l+" 301 /all"))
	}
	s.list(map1, locs...)
	r := rules()
	r.Lift = map[audit.Note]bool{audit.Collapsed: true}
	for row := range s.evaluate(t, r).Rows(t.Context(), 0) {
		if row.Fix.Action == audit.Keep || row.Fix.Policy != "collapsed=replace" {
			t.Errorf("%s, policy %s", say(row), row.Fix.Policy)
		}
	}
}

// Of several rules that keep an entry the most telling one says why: what is certain before
// what is likely, and a cause before what follows from it.
func TestTheMostSpecificRuleIsReported(t *testing.T) {
	const a = "http://a.example"
	for web, want := range map[string]audit.Note{
		a + "/x 200 canonical=/login/x\n" + a + "/login/x 404":                                              audit.TargetNot200,
		a + "/x 301 /login?next=/x\n" + a + "/login?next=/x 200 robots=noindex canonical=/login":            audit.Gate,
		a + "/x 301 /gone\n" + a + "/gone 200 title=404 robots=noindex canonical=/":                         audit.TargetSoft404,
		a + "/x 301 /y?sid=1\n" + a + "/y?sid=1 200 robots=noindex":                                         audit.TargetNoindex,
		a + "/x 301 http://shop.a.example/en/x?sid=1\nhttp://shop.a.example/en/x?sid=1 200 type=image/jpeg": audit.TargetNotPage,
	} {
		row := audit.Judge(parseWeb(t, web), audit.Entry{Loc: a + "/x"}, rules(), audit.Want{})
		first := slices.IndexFunc(audit.Stops(), row.Has)
		if len(row.Notes) < 2 || row.StoppedBy() != want || first < 0 || audit.Stops()[first] != want {
			t.Errorf("%s\n%s, stopped by %s, want %s", web, say(&row), row.StoppedBy(), want)
		}
	}
	for _, n := range audit.LiftableNotes() {
		if !slices.Contains(audit.Stops(), n) {
			t.Errorf("%s has no place in the order", n)
		}
	}
}
