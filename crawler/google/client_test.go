package google_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"sitemend/crawler/address"
	"sitemend/crawler/google"
	"sitemend/crawler/google/googletest"
)

func TestFindCredentials(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		must(t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	desktop := file("desktop.json", `{"installed":{"client_id":"a","client_secret":"GOCSPX-x"}}`)
	user := file("user.json", `{"type":"authorized_user","client_id":"a","client_secret":"b","refresh_token":"c","quota_project_id":"p"}`)
	home := t.TempDir()
	must(t, os.MkdirAll(filepath.Join(home, "gcloud"), 0o700))
	adc := filepath.Join(home, "gcloud", "application_default_credentials.json")
	must(t, os.Rename(file("adc.json", `{"type":"authorized_user","client_id":"a","client_secret":"b","refresh_token":"c"}`), adc))
	for name, test := range map[string]struct {
		env     map[string]string
		kind    google.Kind
		project string
		err     string
	}{
		"nothing":                   {env: nil, err: "no credentials"},
		"ours first":                {env: map[string]string{"SITEMEND_GOOGLE_CREDENTIALS": desktop, "GOOGLE_APPLICATION_CREDENTIALS": user}, kind: google.DesktopClient},
		"Google's variable":         {env: map[string]string{"GOOGLE_APPLICATION_CREDENTIALS": user}, kind: google.AuthorizedUser, project: "p"},
		"a project that is named":   {env: map[string]string{"GOOGLE_APPLICATION_CREDENTIALS": user, "SITEMEND_GOOGLE_PROJECT": "q"}, kind: google.AuthorizedUser, project: "q"},
		"gcloud's":                  {env: map[string]string{"CLOUDSDK_CONFIG": filepath.Dir(adc)}, kind: google.AuthorizedUser},
		"gcloud without a login":    {env: map[string]string{"CLOUDSDK_CONFIG": dir}, err: "no credentials"},
		"a file that is not there":  {env: map[string]string{"SITEMEND_GOOGLE_CREDENTIALS": filepath.Join(dir, "none"), "GOOGLE_APPLICATION_CREDENTIALS": user}, err: "SITEMEND_GOOGLE_CREDENTIALS"},
		"no JSON":                   {env: map[string]string{"SITEMEND_GOOGLE_CREDENTIALS": file("a", "GOCSPX-secret")}, err: "is no JSON"},
		"another JSON":              {env: map[string]string{"SITEMEND_GOOGLE_CREDENTIALS": file("b", `{"a":1}`)}, err: "no credentials of Google"},
		"a web client":              {env: map[string]string{"SITEMEND_GOOGLE_CREDENTIALS": file("c", `{"web":{"client_id":"a"}}`)}, err: "Web application"},
		"a type that is not known":  {env: map[string]string{"SITEMEND_GOOGLE_CREDENTIALS": file("d", `{"type":"external_account"}`)}, err: "external_account"},
		"a secret that is missing":  {env: map[string]string{"SITEMEND_GOOGLE_CREDENTIALS": file("e", `{"installed":{"client_id":"a"}}`)}, err: "client_secret is missing"},
		"JSON in place of a file":   {env: map[string]string{"SITEMEND_GOOGLE_CREDENTIALS": `{"installed":{"client_id":"a","client_secret":"GOCSPX-x"}}`}, err: "SITEMEND_GOOGLE_CREDENTIALS"},
		"a secret in its place":     {env: map[string]string{"GOOGLE_APPLICATION_CREDENTIALS": "GOCSPX-x/GOCSPX-x"}, err: "GOOGLE_APPLICATION_CREDENTIALS"},
		"longer than a name":        {env: map[string]string{"GOOGLE_APPLICATION_CREDENTIALS": strings.Repeat("GOCSPX-x", 500)}, err: "GOOGLE_APPLICATION_CREDENTIALS"},
		"a token over the open net": {env: map[string]string{"SITEMEND_GOOGLE_CREDENTIALS": file("g", `{"installed":{"client_id":"a","client_secret":"b","token_uri":"http://evil.example/"}}`)}, err: "not https"},
	} {
		t.Run(name, func(t *testing.T) {
			c, err := google.Find(environment(test.env))
			if (err == nil) != (test.err == "") || err != nil && !strings.Contains(err.Error(), test.err) {
				t.Fatalf("the error is %v, want %q", err, test.err)
			}
			var h interface{ Hint() string }
			if err != nil && (!errors.As(err, &h) || h.Hint() == "") {
				t.Errorf("no hint: %v", err)
			}
			if c.Kind != test.kind || c.Project != test.project {
				t.Errorf("%q of project %q, want %q of %q", c.Kind, c.Project, test.kind, test.project)
			}
			if text := fmt.Sprintf("%v %+v %#v %s %v %+v %#v", c, c, c, &c, err, err, h); strings.Contains(text, "GOCSPX") {
				t.Errorf("a secret is printed: %s", text)
			}
		})
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// browse opens the address like a browser whose user agrees.
func browse(at string) {
	go func() {
		if answer, err := http.Get(at); err == nil {
			io.Copy(io.Discard, answer.Body)
			answer.Body.Close()
		}
	}()
}

func TestLoginThatIsRefused(t *testing.T) {
	for name, test := range map[string]struct {
		grant     []string
		token     func() (int, string)
		err, hint string
	}{
		"in the browser":         {grant: []string{}, err: "refused in the browser", hint: "google login"},
		"another scope only":     {grant: []string{"openid"}, err: "refused", hint: "login"},
		"the client was deleted": {token: func() (int, string) { return 401, "invalid_client" }, err: "invalid_client", hint: "how to get credentials"},
	} {
		t.Run(name, func(t *testing.T) {
			s := startGoogle(t)
			s.Grant, s.Token = test.grant, test.token
			file, token := filepath.Join(t.TempDir(), "c.json"), filepath.Join(t.TempDir(), "token.json")
			must(t, s.Desktop(file))
			_, err := google.Login(t.Context(), find(t, file), google.Options{Scope: google.ReadOnly, TokenFile: token}, browse)
			wantHint(t, err, test.err, test.hint)
			if _, err := os.Stat(token); err == nil {
				t.Error("a token was kept")
			}
		})
	}
	t.Run("a box that was unticked", func(t *testing.T) {
		s := startGoogle(t)
		s.Grant = []string{string(google.ReadOnly)}
		file := filepath.Join(t.TempDir(), "c.json")
		must(t, s.Desktop(file))
		_, err := google.Login(t.Context(), find(t, file), google.Options{Scope: google.ReadWrite, TokenFile: filepath.Join(t.TempDir(), "t")}, func(at string) {
			// The page shows two boxes, of which one stays ticked.
			browse(strings.Replace(at, url.QueryEscape(string(google.ReadWrite)), url.QueryEscape(string(google.ReadWrite)+" "+string(google.ReadOnly)), 1))
		})
		wantHint(t, err, "webmasters is not granted", "leave its box ticked")
	})
}

// Only the answer to our own request is accepted: with our state, from Google, at our address.
func TestLoginTakesNoStrangersAnswer(t *testing.T) {
	s := startGoogle(t)
	file := filepath.Join(t.TempDir(), "c.json")
	must(t, s.Desktop(file))
	var statuses []int
	token := filepath.Join(t.TempDir(), "sub", "t")
	_, err := google.Login(t.Context(), find(t, file), google.Options{Scope: google.ReadOnly, TokenFile: token}, func(at string) {
		u, err := url.Parse(at)
		must(t, err)
		back, state := u.Query().Get("redirect_uri"), url.QueryEscape(u.Query().Get("state"))
		if u.Query().Has("client_secret") || strings.Contains(at, googletest.ClientSecret) {
			t.Errorf("the secret stands in %s", at)
		}
		for _, path := range []string{"/?code=evil&state=guess", "/?code=evil", "/?code=evil&state=" + state + "&iss=https://evil.example", "/favicon.ico", "/other?code=evil&state=" + state} {
			statuses = append(statuses, get(t, back+path, ""))
		}
		statuses = append(statuses, get(t, back+"/?code=evil&state="+state, "evil.example"))
		browse(at)
	})
	must(t, err)
	if fmt.Sprint(statuses) != "[400 400 400 404 404 404]" {
		t.Errorf("answered %v", statuses)
	}
	if info, err := os.Stat(token); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("the token's file: %v %v", info, err)
	}
}

func get(t *testing.T, at, host string) int {
	t.Helper()
	req, err := http.NewRequest(http.MethodGet, at, nil)
	must(t, err)
	req.Host = host
	answer, err := http.DefaultClient.Do(req)
	must(t, err)
	defer answer.Body.Close()
	return answer.StatusCode
}

func wantHint(t *testing.T, err error, what, hint string) {
	t.Helper()
	var h interface{ Hint() string }
	if err == nil || !errors.As(err, &h) || !strings.Contains(err.Error(), what) || !strings.Contains(h.Hint(), hint) {
		t.Errorf("the error is %v with hint %v; want %q, %q", err, h, what, hint)
	}
}

// Each refusal of the service has a message, and a hint that says what to do.
func TestCallsThatFail(t *testing.T) {
	disabled := `{"error":{"code":403,"message":"%s","status":"PERMISSION_DENIED","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"SERVICE_DISABLED","domain":"googleapis.com"}]}}`
	scope := `{"error":{"code":403,"message":"Request had insufficient authentication scopes.","details":[{"reason":"ACCESS_TOKEN_SCOPE_INSUFFICIENT"}]}}`
	for name, test := range map[string]struct {
		answer    googletest.Answer
		calls     int
		waits     string
		err, hint string
	}{
		"not a user of the property": {googletest.Refusal(403, "forbidden", "User does not have sufficient permission"), 1, "", "sufficient permission", "Users and permissions"},
		"scope":                      {googletest.Answer{Status: 403, Body: scope}, 1, "", "insufficient", "login --submit"},
		"no quota project":           {googletest.Answer{Status: 403, Body: fmt.Sprintf(disabled, "The searchconsole.googleapis.com API requires a quota project, which is not set by default.")}, 1, "", "quota project", "SITEMEND_GOOGLE_PROJECT"},
		"API not enabled":            {googletest.Answer{Status: 403, Body: fmt.Sprintf(disabled, "Google Search Console API has not been used in project 1 before or it is disabled.")}, 1, "", "has not been used", "enable the Google Search Console API"},
		"not enabled, old form":      {googletest.Refusal(403, "accessNotConfigured", "Access Not Configured."), 1, "", "Not Configured", "enable"},
		"down":                       {googletest.Answer{Status: 502, Body: "<html>"}, 3, "1s 4s", "502", "tries again"},
		"short limit":                {googletest.Refusal(403, "rateLimitExceeded", "slow down"), 3, "1s 4s", "slow down", "quota"},
		"too many":                   {googletest.Refusal(429, "rateLimitExceeded", "Quota exceeded"), 2, "1m1s", "429", "quota"},
		"token refused":              {googletest.Refusal(401, "authError", "Invalid Credentials"), 2, "", "401", "login"},
		"redirect":                   {googletest.Answer{Status: 307, Header: map[string]string{"Location": "https://evil.example/"}}, 1, "", "307", "proxy"},
		"no JSON":                    {googletest.Answer{Status: 200, Body: "<html>Sign in to the hotel's network"}, 3, "1s 4s", "no JSON", "login page of the network"},
		"a page for 403":             {googletest.Answer{Status: 403, Body: "<html>blocked"}, 1, "", "403", "may not"},
	} {
		t.Run(name, func(t *testing.T) {
			s, clock := startGoogle(t), googletest.NewClock()
			s.Answer = func(googletest.Call) googletest.Answer { return test.answer }
			_, err := client(t, s, clock, google.ReadOnly).Sites(t.Context())
			wantHint(t, err, test.err, test.hint)
			if n := len(s.Calls()); n != test.calls || clock.Waited() != test.waits {
				t.Errorf("%d calls, waits %q; want %d, %q", n, clock.Waited(), test.calls, test.waits)
			}
		})
	}
}

// A whole address is one segment of the path, encoded once.
func TestSubmitEncodesOnce(t *testing.T) {
	s := startGoogle(t)
	for _, site := range []string{"https://shop.example/", "sc-domain:shop.example", "https://shop.example/a%20b/"} {
		s.Sites[site] = "siteOwner"
	}
	c := client(t, s, googletest.NewClock(), google.ReadWrite)
	var want []string
	for site := range s.Sites {
		for _, feed := range []string{"https://shop.example/sitemap.xml", "https://shop.example/%28a%29/site+map.xml?x=1&y=%2528#z", "https://shop.example/~ü*.xml"} {
			must(t, c.Submit(t.Context(), site, feed))
			want = append(want, site+" "+feed)
		}
	}
	for i, call := range s.Calls() {
		if got := call.Values["siteUrl"] + " " + call.Values["feedpath"]; got != want[i] || call.Method != "webmasters.sitemaps.submit" || call.Status != 204 {
			t.Errorf("%s %d: %s", call.Method, call.Status, got)
		}
	}
	if path := s.Calls()[0].Path; !strings.Contains(path, "%3A") || strings.Contains(path, "%253A") {
		t.Errorf("sent %s", path)
	}
}

func TestChoose(t *testing.T) {
	sites := []google.Site{{URL: "sc-domain:shop.example", Permission: "siteOwner"}, {URL: "sc-domain:eu.shop.example", Permission: "SITE_FULL_USER"}, {URL: "https://www.shop.example/", Permission: "siteOwner"},
		{URL: "https://www.shop.example/de/", Permission: "siteRestrictedUser"}, {URL: "https://www.shop.example/fr/", Permission: "siteUnverifiedUser"}, {URL: "http://old.example:8080/", Permission: "siteOwner"}}
	for at, want := range map[string]string{
		"https://www.shop.example/":         "https://www.shop.example/",
		"https://www.shop.example/de/a":     "https://www.shop.example/de/",
		"https://www.shop.example/de":       "https://www.shop.example/",
		"https://www.shop.example/fr/a":     "https://www.shop.example/",
		"http://www.shop.example/de/a":      "sc-domain:shop.example",
		"https://shop.example/a":            "sc-domain:shop.example",
		"https://a.eu.shop.example/":        "sc-domain:eu.shop.example",
		"https://eu.shop.example/":          "sc-domain:eu.shop.example",
		"https://www.shop.example.evil/":    "",
		"https://notshop.example/":          "",
		"http://old.example:8080/a":         "http://old.example:8080/",
		"http://old.example/a":              "",
		"https://www.shop.example:8443/de/": "sc-domain:shop.example",
	} {
		a, err := address.Parse(at)
		must(t, err)
		got, ok := google.Choose(sites, a)
		if got.URL != want || ok != (want != "") {
			t.Errorf("%s: %q, want %q", at, got.URL, want)
		}
	}
}

// A service that echoes the request does not make us print secrets.
func TestNoSecretInErrors(t *testing.T) {
	for _, status := range []int{400, 401, 403, 429} {
		s := startGoogle(t)
		s.Answer = func(c googletest.Call) googletest.Answer {
			return googletest.Refusal(status, "forbidden", "Authorization: Bearer "+c.Token)
		}
		_, err := client(t, s, googletest.NewClock(), google.ReadOnly).Sites(t.Context())
		showsNoSecret(t, s, err)
	}
	s := startGoogle(t)
	file := filepath.Join(t.TempDir(), "user.json")
	must(t, s.AuthorizedUser(file, "", string(google.ReadOnly)))
	form := url.Values{"client_secret": {googletest.ClientSecret}, "refresh_token": {googletest.UserRefresh}}.Encode()
	for status, body := range map[int]string{
		400: `{"error":"invalid_request","error_description":"` + form + `"}`,
		401: `{"error":"invalid_client","error_description":"` + url.QueryEscape(form) + `"}`,
		403: `{"error":"` + googletest.UserRefresh[:18] + `"}`,
		500: form,
	} {
		s.Token = func() (int, string) { return status, body }
		c, err := google.New(find(t, file), google.Options{Scope: google.ReadOnly, Base: s.URL(), Clock: googletest.NewClock()})
		must(t, err)
		_, err = c.Sites(t.Context())
		showsNoSecret(t, s, err)
	}
}

func showsNoSecret(t *testing.T, s *googletest.Server, err error) {
	t.Helper()
	var h interface{ Hint() string }
	if err == nil || !errors.As(err, &h) {
		t.Fatalf("no error with a hint: %v", err)
	}
	said := err.Error() + h.Hint() + fmt.Sprintf("%#v %+v", err, err)
	for _, secret := range s.Secrets() {
		for _, form := range []string{secret, url.QueryEscape(secret), url.QueryEscape(url.QueryEscape(secret)), secret[:min(18, len(secret))]} {
			if strings.Contains(said, form) {
				t.Errorf("a secret is told: %v (%s)", err, h.Hint())
			}
		}
	}
}
