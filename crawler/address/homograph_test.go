package address_test

import (
	"testing"

	"sitemend/crawler/address"
)

// A host that could be mistaken for another is displayed as xn--; one that is only written in its
// own script is not.
func TestHomograph(t *testing.T) {
	for host, want := range map[string]bool{
		// whole words of look-alikes, and mixtures
		"аррӏе.com": true, "www.аррӏе.com": true, "раураl.com": true, "gооgle.com": true, "microsоft.example": true, "аpple.com": true,
		"ехаmрlе.com": true, "ορ.com": true, "googlе.co.jp": true, "еxample.рф": true, "ɑpple.com": true, "ɡoogle.com": true, "wıkipedia.org": true,
		// harmless ones that are shown as xn-- all the same
		"пример.com": true, "корова.ru": true, "ελλάδα.gr": true, "カフェbar.jp": true, "ısparta.tr": true,
		"example.comノlogin.evil.example": true, "аррӏе.рф.com": true, "ѕсоре.com": true,
		// words
		"日本語.example": false, "bücher.example": false, "straße.example": false, "пример.рф": false, "сор.рф": false, "東京タワー.jp": false, "한국어.kr": false, "中文ㄅㄆ.tw": false, "ไทย.example": false,
		"việtnam.vn": false, "مثال.example": false, "उदाहरण.com": false, "łódź.pl": false, "ノート.jp": false, "example.com": false,
	} {
		a, err := address.Parse("http://" + host + "/p")
		if err != nil {
			t.Errorf("%s: %v", host, err)
			continue
		}
		if got := address.Homograph(a.Host()); got != want {
			t.Errorf("%s (%s): %v, want %v", host, a.Host(), got, want)
		}
		shown, readable := address.Shown("http://"+host+"/p"), address.Readable(a.String()).Text
		if deceiving := shown == a.String() && readable == a.String(); deceiving != want && !address.IsASCII(host) {
			t.Errorf("%s is shown as %s, and read as %s", host, shown, readable)
		}
	}
}
