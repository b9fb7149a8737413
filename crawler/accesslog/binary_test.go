package accesslog_test

import (
	"reflect"
	"testing"

	"sitemend/crawler/accesslog"
)

// FuzzFinding: a finding is decoded as it was encoded, and damaged input gives an error or another
// finding, never a panic.
func FuzzFinding(f *testing.F) {
	f.Add(uint8(0), uint8(0), int64(7), "https://shop.example/a%28", "/a(", "(", int64(3), int64(1793678706), 301)
	f.Add(uint8(2), uint8(1), int64(-1), "", "\xff\x00", "", int64(0), int64(0), 0)
	f.Fuzz(func(t *testing.T, class, robot uint8, seq int64, url, asked, kind string, requests, at int64, status int) {
		want := accesslog.Finding{Class: accesslog.Class(class % 5), Robot: accesslog.Robot(robot % 2), Rawness: accesslog.Rawness(robot % 4),
			Seq: seq, URL: url, Asked: asked}
		if kind != "" {
			want.DiffersIn = []string{kind, kind + "x"}
		}
		if requests > 0 {
			want.Seen = accesslog.Asked{Requests: requests, First: at, Last: at, LastStatus: status, Statuses: map[int]int64{status: requests}}
		}
		b, err := want.AppendBinary(nil)
		if err != nil {
			t.Fatal(err)
		}
		var got accesslog.Finding
		if err := got.UnmarshalBinary(b); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("got %+v, %v; want %+v", got, err, want)
		}
		if len(b) > 300 {
			return // the rest would take too long
		}
		for n := range b {
			if err := got.UnmarshalBinary(b[:n]); err == nil && n < len(b)-1 {
				t.Errorf("%d of %d octets are %+v", n, len(b), got)
			}
		}
		for i := range b {
			b[i] ^= 0xff
			_ = got.UnmarshalBinary(b) // with any error, or none
			b[i] ^= 0xff
		}
	})
}
