package address

// What tests of the exported behaviour compare it with.
var (
	Decode      = decode
	Hidden      = hidden
	HostStart   = hostStart
	InvalidUTF8 = invalidUTF8
	IsASCII     = isASCII
	Tidy        = tidy
)
