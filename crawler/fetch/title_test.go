package fetch

import "testing"

func TestFoldTitle(t *testing.T) {
	long := ""
	for range maxTitle {
		long += "x"
	}
	for title, want := range map[string]string{
		"":                        "",
		" ":                       "",
		"Blue Shoes":              "Blue Shoes",
		" Blue Shoes":             "Blue Shoes",
		"Blue Shoes ":             "Blue Shoes",
		"Blue  Shoes":             "Blue Shoes",
		"Blue\nShoes":             "Blue Shoes",
		"Blue\u00a0Shoes":         "Blue Shoes",
		"Schuhe in Größe 40":      "Schuhe in Größe 40",
		"青い\u3000靴":               "青い 靴",
		long:                      long,
		long + "y":                long,
		long[1:] + " y":           long[1:],
		"bell \a and delete \x7f": "bell \a and delete \x7f",
	} {
		if got := foldTitle(title); got != want {
			t.Errorf("foldTitle(%q) = %q; want %q", title, got, want)
		}
	}
}
