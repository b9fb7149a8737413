package robots

// PathOf is pathOf, for comparisons in tests.
var PathOf = pathOf

// Matches reports whether the compiled form of a pattern matches path.
func Matches(pattern, path string) bool {
	c := compileRule(rule{pattern: pattern})
	return c.matches(path)
}
