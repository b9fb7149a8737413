package audit

// Causes are the causes of rows.
type Causes = causes

// NewCauses returns Causes without rows.
var NewCauses = newCauses
