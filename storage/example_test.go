package storage_test

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"sitemend/crawler/audit"
	"sitemend/storage"
)

// An audit is begun, stopped, and found again by its shape.
func Example() {
	dir, err := os.MkdirTemp("", "store")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "audits.db")
	started := time.Date(2026, 11, 21, 10, 15, 2, 0, time.UTC)

	s, err := storage.Open(path)
	if err != nil {
		fmt.Println(err)
		return
	}
	a, err := s.Begin(audit.Info{Started: started}, "shop.example, as googlebot")
	if err != nil {
		fmt.Println(err)
		return
	}
	old := audit.Request{URL: "http://shop.example/old"}
	fmt.Println(a.Keep(audit.Hop{Request: old, Status: 301, Location: "/new", Tries: 1}))
	fmt.Println(s.Close())

	s, err = storage.Open(path)
	if err != nil {
		fmt.Println(err)
		return
	}
	id, ok, err := s.Unfinished("shop.example, as googlebot", time.Now().Add(-24*time.Hour))
	fmt.Println(id, ok, err)
	a, err = s.Audit(id)
	if err != nil {
		fmt.Println(err)
		return
	}
	h, ok := a.Hop(old)
	fmt.Println(h.Status, h.Location, ok)
	fmt.Println(s.Close())
	// Output:
	// <nil>
	// <nil>
	// 20261121T101502Z true <nil>
	// 301 /new true
	// <nil>
}
