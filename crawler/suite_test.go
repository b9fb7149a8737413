package crawler

import (
	"testing"

	"sitemend/storage/storetest"
)

// The stores of these tests keep what the real one does.
func TestStoresInMemory(t *testing.T) {
	storetest.Test(t, func(*testing.T) storetest.Store { return newSitemapMemory() })
}
