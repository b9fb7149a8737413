package address_test

import (
	"strings"
	"testing"
	"time"

	"golang.org/x/text/unicode/norm"

	"sitemend/crawler/address"
	"sitemend/crawler/internal/cost"
)

// costly are addresses that might take more time than their length warrants to be parsed, compared
// or displayed.
var costly = []cost.Shape{
	cost.Repeat("plain", "http://h/", "x", ""),
	cost.Repeat("Shift_JIS", "http://h/", "%82%A0", ""),
	cost.Repeat("no charset", "http://h/", "%FF", ""),
	cost.Repeat("EUC-JP and UTF-8", "http://h", "/%A4%A2/%E3%81%82", ""),
	cost.Repeat("parameters", "http://h/?", "a=%A4%A2&", ""),
	cost.Repeat("marks", "http://h/a", "%CC%81", ""),
	cost.Repeat("escaped again and again", "http://h/%", "25", "41"),
	cost.Repeat("dots in segments", "http://h", "/a/..", ""),
	cost.Repeat("escaped dots", "http://h", "/%2e%2e", ""),
	cost.Repeat("backslashes", "http://h", "\\", ""),
	cost.Repeat("xn labels", "http://", "xn--l8j.", "/"),
	cost.Repeat("userinfo", "http://", "a@", "h/"),
	cost.Repeat("an address in numbers", "http://", "0x1", "/"),
	cost.Repeat("white space", "http://h/", " \t\n", ""),
	cost.Repeat("bytes", "http://h/", "\xa4\xa2", ""),
}

// likeness makes spellings to compare an address with: the same words in UTF-8, other words, and
// texts that differ only at the end.
var likeness = strings.NewReplacer("%A4%A2", "%E3%81%82", "%82%A0", "%E3%81%84", "%CC%81", "%CC%82")

func init() {
	for i := range costly {
		costly[i].Much = 128 << 10 // no entry is longer than 8,000
	}
}

func readCostly(t testing.TB, data []byte) {
	t.Helper()
	a, err := address.Parse(string(data))
	if err != nil {
		return
	}
	others := []string{likeness.Replace(a.String()), a.String() + "/x.html", a.Origin() + strings.ToUpper(a.Target()), a.String() + "%A4"}
	for _, o := range others {
		b, err := address.Resolve(a, o)
		if err != nil {
			t.Fatal(err)
		}
		address.Compare(a, b)
		address.Align(a.String(), b.String())
	}
	address.Readable(a.String())
	u, _ := address.InUTF8(a)
	address.InForm(u, norm.NFC)
	address.InForm(u, norm.NFD)
	address.Variants(a)
	for _, s := range []address.Spelling{address.Googlebot, address.RFC3986, address.WHATWG} {
		s.Spell(a)
	}
}

func TestCostOfAddresses(t *testing.T) { cost.Test(t, 3000, readCostly, costly...) }
func BenchmarkAddressesCost(b *testing.B) {
	cost.Benchmark(b, 10*time.Microsecond, readCostly, costly...)
}
