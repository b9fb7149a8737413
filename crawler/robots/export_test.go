package robots

// PathOf is what tests of the exported behaviour compare it with.
var PathOf = pathOf

// Matches reports whether the compiled form of a pattern matches path.
func Matches(pattern, path string) bool {
	c := compileRule(rule{pattern: pattern})
	return c.matches(path)
}
