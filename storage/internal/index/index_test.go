package index

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"
)

// The table takes at most 24 bytes an address at any size from a few thousand on.
func TestTableMemory(t *testing.T) {
	tab := New()
	worst := 0.0
	for i := range 300_000 {
		tab.Set(tab.Hash(fmt.Sprintf("https://www.shop.example/items/%08d/tea-7.html", i), 0), uint32(i), func(uint32) bool { return false })
		if i >= 5000 && i%1000 == 0 {
			worst = max(worst, float64(tab.bytes())/float64(i+1))
		}
	}
	t.Logf("at most %.1f bytes an address", worst)
	if worst > 24 {
		t.Fatalf("%.1f bytes an address", worst)
	}
}

// A table behaves like a map, also where hashes collide: here they have few values.
func TestTableIsAMap(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		tab := New()
		want := map[string]uint32{}
		var names []string
		hash := func(name string) uint64 {
			return uint64(name[0]%4)<<56 | uint64(name[len(name)-1]%8)<<29 // the highest wrap around the end
		}
		is := func(name string) func(uint32) bool { return func(n uint32) bool { return names[n] == name } }
		keys := rapid.SliceOf(rapid.StringMatching(`[a-h]{1,3}`)).Draw(rt, "keys")
		for i, name := range keys {
			tab.Set(hash(name), uint32(i), is(name))
			names = append(names, name)
			want[name] = uint32(i)
		}
		for name, n := range want {
			if latest := func(found uint32) bool { return found == n }; !tab.Find(hash(name), latest) {
				rt.Fatalf("%s: %d is not found", name, n)
			}
		}
		if tab.Find(hash("zzz"), is("zzz")) {
			rt.Fatal("a name is found that was never put")
		}
	})
}

// bytes returns the memory that the slots take.
func (t *Table) bytes() int {
	n := 0
	for i := range t.shards {
		n += len(t.shards[i].slots) * 8
	}
	return n
}
