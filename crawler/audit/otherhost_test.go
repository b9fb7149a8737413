package audit_test

import (
	"maps"
	"testing"

	"sitemend/crawler/audit"
)

// Canonicals that leaked from a test system move no sitemap there, nor does a redirect to what its
// name or its port says is no public site. The owner may say that the pages belong there.
func TestPagesStayOnTheirHost(t *testing.T) {
	const at = "http://www.a.example"
	for name, test := range map[string]struct{ named, want, lifted string }{
		"canonical on another host":      {" 200 canonical=http://new.a.example/p%[1]d\nhttp://new.a.example/p%[1]d 200", "noncanonical host | keep | other-host", "noncanonical host | replace http://new.a.example/p0"},
		"canonical at a port":            {" 200 canonical=http://www.a.example:8080/p%[1]d\nhttp://www.a.example:8080/p%[1]d 200", "noncanonical port | keep | other-host", "noncanonical port | replace http://www.a.example:8080/p0"},
		"canonical at the twin":          {" 200 canonical=https://a.example/p%[1]d\nhttps://a.example/p%[1]d 200", "noncanonical scheme www | replace https://a.example/p0", "noncanonical scheme www | replace https://a.example/p0"},
		"redirect to another host":       {" 301 http://new.a.example/p%[1]d\nhttp://new.a.example/p%[1]d 200", "moved host | replace http://new.a.example/p0", "moved host | replace http://new.a.example/p0"},
		"redirect to a test system":      {" 301 http://shop-dev2.a.example/p%[1]d\nhttp://shop-dev2.a.example/p%[1]d 200", "moved host | keep | other-host", "moved host | replace http://shop-dev2.a.example/p0"},
		"redirect to a port":             {" 301 http://www.a.example:8080/p%[1]d\nhttp://www.a.example:8080/p%[1]d 200", "moved port | keep | other-host", "moved port | replace http://www.a.example:8080/p0"},
		"redirect to a word in the name": {" 301 http://devices.a.example/p%[1]d\nhttp://devices.a.example/p%[1]d 200", "moved host | replace http://devices.a.example/p0", "moved host | replace http://devices.a.example/p0"},
	} {
		t.Run(name, func(t *testing.T) {
			s := &site{web: web{}}
			s.list(at+"/sitemap.xml", many(20, at+"/p%d")...)
			for _, lines := range many(20, at+"/p%d"+test.named) {
				maps.Copy(s.web, parseWeb(t, lines))
			}
			r := rules()
			if got := rowsOf(t, s.evaluate(t, r), 0)[0]; got != test.want {
				t.Errorf("%s, want %s", got, test.want)
			}
			r.Lift = map[audit.Note]bool{audit.OtherHost: true}
			result := s.evaluate(t, r)
			if got := rowsOf(t, result, 0)[0]; got != test.lifted {
				t.Errorf("%s where the rule is lifted, want %s", got, test.lifted)
			}
		})
	}
}

// What a page of another host names on the host of the sitemap may stand there.
func TestCanonicalOnTheHostOfTheSitemap(t *testing.T) {
	s := &site{web: parseWeb(t, `
		http://www.a.example/x 200
		http://m.a.example/y   200 canonical=http://www.a.example/y
		http://www.a.example/y 200`)}
	s.list("http://www.a.example/sitemap.xml", "http://www.a.example/x", "http://m.a.example/y")
	if got := rowsOf(t, s.evaluate(t, rules()), 0)[1]; got != "noncanonical host | replace http://www.a.example/y" {
		t.Error(got)
	}
}
