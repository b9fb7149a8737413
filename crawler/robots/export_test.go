package robots

// PathOf is pathOf, for comparisons in tests.
var PathOf = pathOf
