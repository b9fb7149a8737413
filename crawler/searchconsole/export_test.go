package searchconsole

// The bounds, which tests reach.
const (
	MaxColumns = maxColumns
	MaxRows    = maxRows
)

// IsURL is what tests of the exported behaviour compare it with.
var IsURL = isURL

// SplitCells returns the cells of a line of comma-separated values.
func SplitCells(line string) []string {
	d := dialect{sep: ','}
	return d.split(line)
}
