package searchconsole

// The limits, which tests reach.
const (
	MaxColumns = maxColumns
	MaxRows    = maxRows
)

// IsURL is isURL, for comparisons in tests.
var IsURL = isURL

// SplitCells returns the cells of a line of comma-separated values.
func SplitCells(line string) []string {
	d := dialect{sep: ','}
	return d.split(line)
}
