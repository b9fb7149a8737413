package pattern

import "strings"

// Significant reports whether n of all findings of one kind characterize the place that they are in:
// they are enough, and a tenth of all.
func Significant(n, all int) bool { return n >= MinMembers && n*10 >= all }

// Outer returns the place that a place of LevelNarrow is in: "/ja/*" of "/ja/tag/*"; the place
// itself where it has one folder.
func Outer(place string) string {
	return place[:strings.IndexByte(place[1:], '/')+2] + "*"
}
