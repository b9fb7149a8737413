package address_test

import (
	"testing"

	"sitemend/crawler/address"
)

func TestHasUser(t *testing.T) {
	for text, want := range map[string]bool{
		"http://u:p@a.example/": true, "https://token@a.example": true, `http:\\u:p@a.example`: true, "http:/u:p@a.example": true,
		"http:u:p@a.example": true, "u:p@a.example=b.example": true, "u:p@a.example:443:127.0.0.1": true, "nats://u:p@127.0.0.1": true, "http://u:%zz@": true,
		"": false, "a.example": false, "http://a.example:80/@me": false, "https://a.example/?q=a@b": false, "https://a.example#a@b": false,
		"/@me": false, "@x": false, "http://@a.example/": false, "//a.example/@me": false, "a.example:443:127.0.0.1": false, "www.a.example=b.example:80": false,
	} {
		if got := address.HasUser(text); got != want {
			t.Errorf("%s: %v", text, got)
		}
	}
}
