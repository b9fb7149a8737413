package accesslog_test

import (
	"context"
	"net/netip"
	"testing"

	"sitemend/crawler/accesslog"
)

func TestWhose(t *testing.T) {
	robots := knownRobots()
	const image, tool = "Googlebot-Image/1.0", "Mozilla/5.0 (compatible; Google-InspectionTool/1.0;)"
	const bing = "Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)"
	for _, c := range []struct {
		addr, agent string
		robot       accesslog.Robot
		standing    accesslog.Standing
	}{
		{"66.249.66.1", agent, accesslog.Googlebot, accesslog.Verified},
		{"66.249.66.1", "", accesslog.Googlebot, accesslog.Verified}, // refused before its headers were read
		{"66.249.66.1", image, accesslog.Googlebot, accesslog.Apart},
		{"66.249.66.1", tool, accesslog.Googlebot, accesslog.Apart},
		{"66.249.66.1", "Mozilla/5.0", accesslog.Googlebot, accesslog.Apart},
		{"2001:4860:4801:2f::7", agent, accesslog.Googlebot, accesslog.Verified},
		{"35.247.243.241", agent, accesslog.Googlebot, accesslog.Verified},
		{"66.249.65.130", agent, accesslog.Googlebot, accesslog.Verified}, // left the list for a year
		{"66.249.79.100", agent, accesslog.Googlebot, accesslog.Verified}, // is not in the newest list
		{"66.249.67.97", agent, accesslog.Googlebot, accesslog.Claimed},   // never was in one
		{"35.247.243.239", agent, accesslog.Googlebot, accesslog.Claimed},
		{"2001:4860:4802::1", agent, accesslog.Googlebot, accesslog.Claimed},
		{"157.55.39.7", bing, accesslog.Bingbot, accesslog.Verified},
		{"40.77.191.255", bing, accesslog.Bingbot, accesslog.Verified},
		{"66.249.66.1", bing, accesslog.Googlebot, accesslog.Apart},
		{"157.55.39.7", agent, accesslog.Bingbot, accesslog.Apart},
		{"203.0.113.66", agent, accesslog.Googlebot, accesslog.Claimed},
		{"203.0.113.66", image, 0, accesslog.Nobody},
		{"203.0.113.66", "", 0, accesslog.Nobody},
		{"", agent, accesslog.Googlebot, accesslog.Claimed},
	} {
		r := &accesslog.Request{Agent: []byte(c.agent)}
		if c.addr != "" {
			r.Addr = netip.MustParseAddr(c.addr)
		}
		if robot, standing := robots.Of(context.Background(), r); robot != c.robot || standing != c.standing {
			t.Errorf("%s as %q: got %s %d, want %s %d", c.addr, c.agent, robot, standing, c.robot, c.standing)
		}
	}
}

func TestLookups(t *testing.T) {
	names := &zone{
		PTR: map[string][]string{
			"203.0.113.1": {"crawl-203-0-113-1.googlebot.com"},              // the name has another address
			"203.0.113.2": {"crawl.googlebot.com.evil.example"},             // has another end
			"203.0.113.3": {"notgooglebot.com"},                             //
			"203.0.113.4": {"other.example", "CRAWL-4.Geo.GoogleBot.com."},  // one of two, in capitals
			"203.0.113.5": {"rate-limited-proxy-203-0-113-5.google.com"},    // of a special crawler
			"203.0.113.6": {"msnbot-203-0-113-6.search.msn.com"},            // Bing's
			"2001:db8::7": {"crawl-7.googlebot.com", "crawl-8.example.com"}, //
		},
		A: map[string][]string{
			"crawl.googlebot.com.evil.example": {"203.0.113.2"}, "notgooglebot.com": {"203.0.113.3"},
			"crawl-4.geo.googlebot.com": {"203.0.113.4"}, "rate-limited-proxy-203-0-113-5.google.com": {"203.0.113.5"},
			"msnbot-203-0-113-6.search.msn.com": {"203.0.113.6"}, "crawl-7.googlebot.com": {"2001:db8::7"},
		},
	}
	robots := accesslog.NewRobots(&accesslog.Ranges{}, names)
	verified := map[string]bool{"203.0.113.4": true, "2001:db8::7": true}
	for _, addr := range []string{"203.0.113.1", "203.0.113.2", "203.0.113.3", "203.0.113.4", "203.0.113.5", "203.0.113.6", "203.0.113.7", "2001:db8::7"} {
		_, standing := robots.Of(context.Background(), &accesslog.Request{Addr: netip.MustParseAddr(addr), Agent: []byte(agent)})
		if (standing == accesslog.Verified) != verified[addr] {
			t.Errorf("%s: standing %d", addr, standing)
		}
	}
	asked := len(names.asks)
	for i := range accesslog.MaxLookups + 10 {
		addr := netip.AddrFrom4([4]byte{198, 18, byte(i >> 8), byte(i)})
		robots.Of(context.Background(), &accesslog.Request{Addr: addr, Agent: []byte(agent)})
		robots.Of(context.Background(), &accesslog.Request{Addr: addr, Agent: []byte("Firefox")})
	}
	if n := len(names.asks) - asked; n != accesslog.MaxLookups-8 {
		t.Errorf("%d more were looked up", n)
	}
}
