package audit

// Causes are the causes of rows.
type Causes = causes

// NewCauses returns Causes without rows, for so many entries.
var NewCauses = newCauses
