package conclude

import "sitemend/crawler/audit"

// Named is what a cause is called.
func Named(x *audit.Cause) Cause { return named(x) }
