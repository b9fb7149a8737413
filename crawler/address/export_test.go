package address

// Internal functions for comparisons in tests.
var (
	Decode      = decode
	Hidden      = hidden
	HostStart   = hostStart
	InvalidUTF8 = invalidUTF8
	IsASCII     = isASCII
	Tidy        = tidy
)
