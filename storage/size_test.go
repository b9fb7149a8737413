package storage

import (
	"path/filepath"
	"testing"

	"pgregory.net/rapid"

	"sitemend/crawler/audit"
)

// An entry with its 1.4 hops takes at most 300 bytes where addresses have 50,
// and the table at most 24 bytes an address.
func TestBytesAnEntry(t *testing.T) {
	const n, limit, tableLimit = 50_000, 300, 24
	if got := len(wire(0)); got != 50 {
		t.Fatalf("an address has %d bytes", got)
	}
	s, a := mustBegin(t, filepath.Join(t.TempDir(), "audits.db"))
	_, err := a.AddSitemap(t.Context(), audit.Sitemap{}, listed(n))
	mustDo(t, err)
	for i := range n * 7 / 5 {
		mustDo(t, a.Keep(usualHop(i)))
	}
	mustDo(t, a.Flush())
	perEntry := float64(usedBytes(t, s)) / n
	perAddress := float64(a.tab.bytes()) / (n * 7 / 5)
	t.Logf("%.1f bytes an entry, %.1f bytes of table an address", perEntry, perAddress)
	if perEntry > limit || perAddress > tableLimit {
		t.Fatalf("got %.1f bytes an entry and %.1f of table an address, want at most %d and %d", perEntry, perAddress, limit, tableLimit)
	}
}

// The table takes at most 24 bytes an address at any size from some thousand on.
func TestTableMemory(t *testing.T) {
	tab := newTable()
	worst := 0.0
	for i := range 300_000 {
		tab.put(tab.hash(audit.Request{URL: wire(i)}), uint32(i), func(uint32) bool { return false })
		if i >= 5000 && i%1000 == 0 {
			worst = max(worst, float64(tab.bytes())/float64(i+1))
		}
	}
	t.Logf("at most %.1f bytes an address", worst)
	if worst > 24 {
		t.Fatalf("%.1f bytes an address", worst)
	}
}

// A table is a map, also where hashes clash: here they have few values.
func TestTableIsAMap(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		tab := newTable()
		want := map[string]uint32{}
		var names []string
		hash := func(name string) uint64 {
			return uint64(name[0]%4)<<56 | uint64(name[len(name)-1]%8)<<29 // top values probe around the end
		}
		is := func(name string) func(uint32) bool { return func(n uint32) bool { return names[n] == name } }
		keys := rapid.SliceOf(rapid.StringMatching(`[a-h]{1,3}`)).Draw(rt, "keys")
		for i, name := range keys {
			tab.put(hash(name), uint32(i), is(name))
			names = append(names, name)
			want[name] = uint32(i)
		}
		for name, n := range want {
			if got, ok := tab.find(hash(name), is(name)); !ok || got != n {
				rt.Fatalf("%s: got %d, %v, want %d", name, got, ok, n)
			}
		}
		if n, ok := tab.find(hash("zzz"), func(n uint32) bool { return names[n] == "zzz" }); ok {
			rt.Fatalf("found %d for a name that was never put", n)
		}
	})
}

// bytes returns the memory that the slots take.
func (t *table) bytes() int {
	n := 0
	for i := range t.shards {
		n += len(t.shards[i].slots) * 8
	}
	return n
}
