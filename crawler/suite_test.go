package crawler

import (
	"testing"

	"sitemend/storage/storetest"
)

// The stores of these tests pass the suite of the real one.
func TestStoresInMemory(t *testing.T) {
	storetest.Test(t, func(*testing.T) storetest.Store { return newSitemapMemory() })
}
