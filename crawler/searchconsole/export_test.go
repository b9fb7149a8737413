package searchconsole

// MaxLines is the limit of the lines of an export, which tests reach.
const MaxLines = maxRows

// IsURL is isURL, for comparisons in tests.
var IsURL = isURL
