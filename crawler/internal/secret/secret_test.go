package secret_test

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"sitemend/crawler/internal/secret"
)

func TestWithhold(t *testing.T) {
	const refresh, client, key = "1//0refreshTOKENsecret", "GOCSPX-client/SECRET", "bing+key/of=32"
	pem := "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASC\n-----END PRIVATE KEY-----\n"
	for said, hidden := range map[string]bool{
		"Quota exceeded for quota metric 'Queries'":       false,
		"Request had invalid authentication credentials.": false,
		"the private key is not the account's":            false,
		"100%, \\u00e9\\n and &eacute; mean nothing":      false,
		"": false,
		"refresh_token=1%2F%2F0refreshTOKENsecret":          true,
		"refresh_token=1%2f%2f0refreshtokensecret":          true,
		"refresh_token=1%252F%252F0refresh%54OKENsecret":    true,
		`{"refresh_token":"1\/\/0refresh\u0054OKENsecret"}`: true,
		"1//0refreshTOKEN":                                                                      true, // cut
		"GOCSPX-CLIENT%2FSECRET":                                                                true,
		"GOCSPX&#45;client&#x2F;SEC<b>RET</b>":                                                  true,
		"?apikey=bing%2Bkey%2Fof%3D32 is not valid":                                             true,
		`-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0`:                                  true,
		"MIIEvQIBADANBgkqhkiG9w0BAQEFAASC":                                                      true,
		"bad token " + base64.StdEncoding.EncodeToString([]byte(refresh)):                       true,
		"bad token " + base64.RawURLEncoding.EncodeToString([]byte("Bearer "+client)):           true,
		"bad token " + base64.StdEncoding.EncodeToString([]byte("Bearer: "+client)):             true,
		"bad token " + hex.EncodeToString([]byte(refresh)):                                      true,
		"bad token " + strings.ToUpper(hex.EncodeToString([]byte("Bearer "+key))):               true,
		"bad token " + url.QueryEscape(base64.StdEncoding.EncodeToString([]byte(">>?"+client))): true,
		"-----BEGIN PRIVATE KEY-----, not a certificate":                                        false,
		"assertion=eyJhbGciOiJSUzI1NiIsInR5cCI6IkpXVCJ9.eyJp":                                   true,
	} {
		if got := secret.Withhold(said, "", "a", refresh, client, key, pem); (got != said) != hidden {
			t.Errorf("%q is shown as %q", said, got)
		}
	}
}

// A secret is not shown, however it is escaped and wherever it stands.
func TestNoEscapingShowsASecret(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		of := rapid.StringMatching(`[A-Za-z0-9]{8}[A-Za-z0-9._~/+=-]{8,32}`).Draw(t, "secret")
		said := of
		for range rapid.IntRange(0, 3).Draw(t, "layers") {
			switch rapid.IntRange(0, 3).Draw(t, "escaping") {
			case 0:
				said = url.QueryEscape(said)
			case 1:
				said = strings.ToLower(url.PathEscape(said))
			case 2:
				said = strings.ReplaceAll(said, "/", `\/`)
			case 3:
				at := rapid.IntRange(0, len(said)-1).Draw(t, "at")
				said = said[:at] + fmt.Sprintf("%%%02X", said[at]) + said[at+1:]
			}
		}
		switch rapid.IntRange(0, 3).Draw(t, "coding") { // instead of the escapes: hexadecimal and base64 are recognized of the secret alone
		case 0:
			said = hex.EncodeToString([]byte(rapid.String().Draw(t, "prefix") + of))
		case 1:
			said = base64.StdEncoding.EncodeToString([]byte(rapid.String().Draw(t, "prefix") + of))
		case 2:
			said = base64.RawURLEncoding.EncodeToString([]byte(rapid.String().Draw(t, "prefix") + of + rapid.String().Draw(t, "suffix")))
		}
		said = rapid.String().Draw(t, "before") + " " + said + " " + rapid.String().Draw(t, "behind")
		if got := secret.Withhold(said, of); got == said {
			t.Fatalf("%q shows %q", said, of)
		}
	})
}
