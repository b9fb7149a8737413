package fetch

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"testing"

	"golang.org/x/net/dns/dnsmessage"

	"sitemend/crawler/address"
	"sitemend/crawler/answers"
	"sitemend/crawler/audit"
)

// nameServer answers every name with addresses that change from query to query: the first list,
// then the second, and the last one from then on.
func nameServer(t *testing.T, answers ...[]string) *net.Resolver {
	t.Helper()
	pc, err := net.ListenPacket("udp", "127.0.0.1:0")
	must(t, err)
	var wg sync.WaitGroup
	asked := map[dnsmessage.Type]int{}
	wg.Go(func() {
		buf := make([]byte, 1500)
		for {
			n, from, err := pc.ReadFrom(buf)
			if err != nil {
				return
			}
			var m dnsmessage.Message
			if m.Unpack(buf[:n]) != nil || len(m.Questions) == 0 {
				continue
			}
			q := m.Questions[0]
			m.Response, m.RecursionAvailable, m.Additionals = true, true, nil
			for _, a := range answers[min(asked[q.Type], len(answers)-1)] {
				ip, head := netip.MustParseAddr(a), dnsmessage.ResourceHeader{Name: q.Name, Type: q.Type, Class: q.Class} // TTL 0
				switch {
				case ip.Is4() && q.Type == dnsmessage.TypeA:
					m.Answers = append(m.Answers, dnsmessage.Resource{Header: head, Body: &dnsmessage.AResource{A: ip.As4()}})
				case ip.Is6() && q.Type == dnsmessage.TypeAAAA:
					m.Answers = append(m.Answers, dnsmessage.Resource{Header: head, Body: &dnsmessage.AAAAResource{AAAA: ip.As16()}})
				}
			}
			asked[q.Type]++
			if out, err := m.Pack(); err == nil {
				_, _ = pc.WriteTo(out, from)
			}
		}
	})
	t.Cleanup(func() { pc.Close(); wg.Wait() })
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		var d net.Dialer
		return d.DialContext(ctx, "udp", pc.LocalAddr().String())
	}}
}

// Whatever a name server answers, and however often that changes, a name that the user did not name
// is dialled at public addresses only, for the dialled address is checked. The name may come from
// an entry, a redirect, a canonical or a file.
func TestRebinding(t *testing.T) {
	for name, given := range map[string][][]string{
		"inside":          {{"127.0.0.1"}},
		"then inside":     {{"192.0.2.1"}, {"127.0.0.1"}},
		"among others":    {{"192.0.2.1", "127.0.0.1", "10.0.0.1"}},
		"mapped":          {{"::ffff:127.0.0.1"}},
		"NAT64":           {{"64:ff9b::7f00:1"}},
		"metadata, mixed": {{"fd00:ec2::254", "100.100.100.200"}},
	} {
		t.Run(name, func(t *testing.T) {
			inside := serveRaw(t, says("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"))
			_, port, _ := net.SplitHostPort(inside.addr)
			strange := "http://strange.example:" + port
			w := serveRaw(t, func(c net.Conn, head string) bool {
				if requestTarget(head) == "/away" {
					return moves(func(string) string { return strange + "/hop" })(c, head)
				}
				page := fmt.Sprintf("<title>x</title><link rel=canonical href=%s/canonical>", strange)
				return says(fmt.Sprintf("%sContent-Length: %d\r\n\r\n%s", pageHead, len(page), page))(c, head)
			})
			a := leadsTo(t, w.addr, Options{Resolver: nameServer(t, given...)}, "a.example")
			for i, row := range judged(t, a, "http://a.example/away", "http://a.example/page", strange+"/entry") {
				if hop := row.Trail.Last().Hop; i != 1 && (row.Verdict != audit.Unverified || hop.Fault != answers.FaultAddress || !strings.Contains(hop.Detail, "strange.example leads to a")) {
					t.Errorf("%s: %s %q %q", row.Entry.Loc, row.Verdict, hop.Fault, hop.Detail)
				}
			}
			got, err := a.Get(t.Context(), File{URL: address.Wire(strange + "/robots.txt")}, io.Discard)
			if err != nil || got.Fault != answers.FaultAddress {
				t.Errorf("a file: %+v, %v", got, err)
			}
			if heads := inside.heads(); len(heads) > 0 || inside.conns() > 0 {
				t.Errorf("%d connections, %q", inside.conns(), slices.Compact(heads))
			}
		})
	}
}
