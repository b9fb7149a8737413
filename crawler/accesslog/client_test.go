package accesslog

import (
	"context"
	"errors"
	"net/netip"
	"strings"
	"testing"
)

// FuzzSix: an IPv6 address that six accepts is the one that netip parses.
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
		listed := strings.Contains(text, ",") // client reads a list of addresses; netip reads a zone with a comma
		if whole := client([]byte(text)); err == nil && !listed && len(text) <= 80 && whole != want.Unmap() {
			t.Errorf("%q: client %s, netip %s", text, whole, want)
		}
	})
}

// TestTrailingComma: a list whose last address is missing has none, since the first may be forged.
func TestTrailingComma(t *testing.T) {
	const end = ` [03/Nov/2026:04:05:06 +0000] "GET /a HTTP/1.1" 200 5 "-" "Googlebot/2.1"`
	for _, line := range []string{"66.249.66.1, - -" + end, "66.249.66.1,- - -" + end, "66.249.66.1, - - -" + end, "66.249.66.1, , - -" + end,
		"2001:4860:4801:10::1, - -" + end, `{"ClientHost":"66.249.66.1,","RequestMethod":"GET","RequestPath":"/a","DownstreamStatus":200,"request_User-Agent":"Googlebot/2.1"}`} {
		_, err := Read(context.Background(), strings.NewReader(line), Options{}, func(r *Request) error {
			if r.Addr.IsValid() {
				t.Errorf("%s: %s", line, r.Addr)
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	}
}

// TestStatuses: a line with an impossible status is unreadable.
func TestStatuses(t *testing.T) {
	for status, read := range map[string]bool{`200`: true, `"304"`: true, `0`: true, `"-"`: true, `"000"`: true, `-1`: true, `null`: true,
		`-200`: false, `99999999999`: false, `"2x0"`: false, `20`: false, `1200`: false} {
		line := `{"remote_addr":"66.249.66.1","request":"GET /a HTTP/1.1","time":"2026-11-03T04:05:06Z","status":` + status + `}`
		count, err := Read(context.Background(), strings.NewReader(line), Options{}, func(*Request) error { return nil })
		if err != nil || count.Lines != 1 || (count.Unreadable == 0) != read {
			t.Errorf("%s: %+v, %v", status, count, err)
		}
	}
}

// TestZstdWindow: a complete file with a large window is not reported as cut off.
func TestZstdWindow(t *testing.T) {
	frame := "\x28\xb5\x2f\xfd\x00\x80\x01\x00\x00" // a window of 64 MB, an empty last block
	_, err := Read(context.Background(), strings.NewReader(frame), Options{}, func(*Request) error { return nil })
	if !errors.Is(err, ErrWindow) || errors.Is(err, ErrCut) {
		t.Error(err)
	}
}

// TestHosts: the host of a line is neither an address nor a user, nor an unknown name in the place
// of a user.
func TestHosts(t *testing.T) {
	const end = `[03/Nov/2026:04:05:06 +0000] "GET /a HTTP/1.1" 200 5 "-" "Googlebot/2.1"`
	const proxied = `66.249.66.1 - - [03/Nov/2026:04:05:06 +0000] "GET http://HOST/a HTTP/1.1" 200 5 "-" "Googlebot/2.1"`
	for line, want := range map[string]string{
		"66.249.66.1 shop.example - " + end:                                "shop.example",
		"66.249.66.1 Shop.Example.:8080 - " + end:                          "shop.example",
		"66.249.66.1 203.0.113.77 - - " + end:                              "",
		"66.249.66.1 2001:db8::7 - - " + end:                               "",
		"66.249.66.1 alice.smith - - " + end:                               "",
		"alice.smith 66.249.66.1 - - " + end:                               "alice.smith", // a host before
		strings.Replace(proxied, "HOST", "alice:secretpw@shop.example", 1): "shop.example",
		strings.Replace(proxied, "HOST", "alice@shop.example.:80", 1):      "shop.example",
		strings.Replace(proxied, "HOST", "other.example", 1):               "other.example",
	} {
		seen := 0
		o := Options{Hosts: func(name string) bool { return name == "shop.example" }}
		_, err := Read(context.Background(), strings.NewReader(line), o, func(r *Request) error {
			if seen++; string(r.Host) != want {
				t.Errorf("%s: %q, want %q", line, r.Host, want)
			}
			return nil
		})
		if err != nil || seen != 1 {
			t.Errorf("%s: %d requests, %v", line, seen, err)
		}
	}
}

// TestTwoAddresses: of two adjacent addresses none is taken for that of the client, unless they are
// equal.
func TestTwoAddresses(t *testing.T) {
	const end = `[03/Nov/2026:04:05:06 +0000] "GET /a HTTP/1.1" 200 5 "-" "Googlebot/2.1"`
	const object = `{"time":"2026-11-03T04:05:06Z","request":"GET /a HTTP/1.1","status":200,ADDR}`
	for line, want := range map[string]string{
		"66.249.66.1 - - " + end:                                                                           "66.249.66.1",
		"66.249.66.1 - alice " + end:                                                                       "66.249.66.1",
		"66.249.66.1 203.0.113.9 - - " + end:                                                               "two",
		"203.0.113.9 66.249.66.1 - - " + end:                                                               "two",
		"66.249.66.1 203.0.113.9:4711 - - " + end:                                                          "two",
		"66.249.66.1 2001:db8::7 - - " + end:                                                               "two",
		"2001:4860:4801:10::1 203.0.113.9 - - " + end:                                                      "two",
		"2001:4860:4801:10::1 2001:db8::7 - - " + end:                                                      "two",
		"66.249.66.1 - 203.0.113.9 " + end:                                                                 "two", // $http_x_forwarded_for - $remote_addr
		"66.249.66.1 203.0.113.9 " + end:                                                                   "two",
		`66.249.66.1 "203.0.113.9" - ` + end:                                                               "two",
		"66.249.66.1, 203.0.113.8 203.0.113.9 - - " + end:                                                  "two",
		"66.249.66.1 66.249.66.1 - - " + end:                                                               "66.249.66.1",
		"66.249.66.1:80 66.249.66.1 - - " + end:                                                            "66.249.66.1",
		"shop.example 66.249.66.1 203.0.113.9 - - " + end:                                                  "two",
		"shop.example 66.249.66.1 - - " + end:                                                              "66.249.66.1",
		"shop.example 66.249.66.1, 203.0.113.9 - - " + end:                                                 "203.0.113.9",
		"shop.example 203.0.113.9,66.249.66.1 - - " + end:                                                  "66.249.66.1",
		strings.Replace(object, "ADDR", `"remote_addr":"66.249.66.1","client_ip":"10.0.0.1"`, 1):           "two",
		strings.Replace(object, "ADDR", `"remote_addr":"66.249.66.1","client_ip":"66.249.66.1"`, 1):        "66.249.66.1",
		strings.Replace(object, "ADDR", `"remote_addr":"-","client_ip":"66.249.66.1"`, 1):                  "66.249.66.1",
		strings.Replace(object, "ADDR", `"remote_addr":"66.249.66.1","client_ip":""`, 1):                   "66.249.66.1",
		strings.Replace(object, "ADDR", `"ip":"10.0.0.1","client":"10.0.0.2","ClientIP":"66.249.66.1"`, 1): "66.249.66.1",
	} {
		seen := 0
		_, err := Read(context.Background(), strings.NewReader(line), Options{}, func(r *Request) error {
			got := r.Addr.String()
			if r.Two && !r.Addr.IsValid() {
				got = "two"
			}
			if seen++; got != want {
				t.Errorf("%s: %s, want %s", line, got, want)
			}
			return nil
		})
		if err != nil || seen != 1 {
			t.Errorf("%s: %d requests, %v", line, seen, err)
		}
	}
	// The end of a line may be anywhere.
	for line := "h 1.2.3.4, 5.6.7.8 9.9.9.9 - - " + end; len(line) > 0; line = line[:len(line)-1] {
		for _, l := range []string{line, strings.ReplaceAll(line, ", ", ","), strings.ReplaceAll(line, ", 5.6.7.8 9.9.9.9 - - ", ",")} {
			if _, err := Read(context.Background(), strings.NewReader(l), Options{}, func(*Request) error { return nil }); err != nil {
				t.Error(l, err)
			}
		}
	}
}

// TestForwarded: of a list that a client can begin, the last address counts, which a server saw.
func TestForwarded(t *testing.T) {
	const end = ` - - [03/Nov/2026:04:05:06 +0000] "GET /a HTTP/1.1" 200 5 "-" "Googlebot/2.1"`
	const object = `{"ClientHost":"WHO","RequestMethod":"GET","RequestPath":"/a","DownstreamStatus":200,"request_User-Agent":"Googlebot/2.1","StartUTC":"2026-11-03T04:05:06Z"}`
	for who, want := range map[string]string{
		"66.249.66.1, 203.0.113.9":               "203.0.113.9", // forged
		"66.249.66.1,203.0.113.9":                "203.0.113.9",
		"66.249.66.1, 10.0.0.1, 203.0.113.9":     "203.0.113.9",
		"203.0.113.9, 66.249.66.1":               "66.249.66.1",
		"2001:4860:4801:10::1, 2001:db8::7":      "2001:db8::7",
		"66.249.66.1, 2001:db8::7":               "2001:db8::7",
		"2001:4860:4801:10::1, 203.0.113.9":      "203.0.113.9",
		"unknown, 203.0.113.9":                   "203.0.113.9",
		"66.249.66.1:4711, 203.0.113.9:80":       "203.0.113.9",
		"[2001:4860:4801:10::1]:80, 203.0.113.9": "203.0.113.9",
	} {
		for _, line := range []string{who + end, strings.Replace(object, "WHO", who, 1)} {
			seen := 0
			count, err := Read(context.Background(), strings.NewReader(line), Options{}, func(r *Request) error {
				if seen++; r.Addr.String() != want {
					t.Errorf("%s: %s, want %s", line, r.Addr, want)
				}
				return nil
			})
			if err != nil || seen != 1 {
				t.Errorf("%s: %d requests, %+v, %v", line, seen, count, err)
			}
		}
	}
}
