package searchconsole

// IsURL is isURL, for comparisons in tests.
var IsURL = isURL
