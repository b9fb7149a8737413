package accesslog

import (
	"net/netip"
	"testing"
)

// FuzzSix holds that what is read as an IPv6 address is the one that netip reads.
func FuzzSix(f *testing.F) {
	for _, text := range []string{"2001:4860:4801:10::1", "::", "::1", "1::", "::ffff:42f9:4201", "1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7::", "::2:3:4:5:6:7:8",
		"1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "1::2::3", "1:", ":1", "12345::", ":::", "g::", "::ffff:66.249.66.1", "1:2:3:4::5:6:7:8"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, ok := six([]byte(text))
		want, err := netip.ParseAddr(text)
		if ok && (err != nil || got != want.Unmap()) {
			t.Errorf("%q: %s, netip %s %v", text, got, want, err)
		}
		if whole := client([]byte(text)); err == nil && len(text) <= 80 && whole != want.Unmap() {
			t.Errorf("%q: client %s, netip %s", text, whole, want)
		}
	})
}
