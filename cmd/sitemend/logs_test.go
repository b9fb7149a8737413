package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/net/dns/dnsmessage"
)

const googlebot = "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)"

// logsOf runs logs beside a small sitemap and returns what it printed.
func logsOf(t *testing.T, log string, args ...string) (out, errOut string, code int) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"access.log": log, "list.txt": "https://shop.example/a%284%29\nhttps://shop.example/b\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var o, e bytes.Buffer
	args = append([]string{"logs", "--lang", "en", "--out", filepath.Join(dir, "out"), "--sitemap", filepath.Join(dir, "list.txt")}, args...)
	code = run(context.Background(), append(args, filepath.Join(dir, "access.log")), strings.NewReader(""), &o, &e)
	return o.String(), e.String(), code
}

// nameServer answers on loopback: the name of an address, and the address of that name.
func nameServer(t *testing.T, names map[string]string) string {
	t.Helper()
	c, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	go func() {
		buf := make([]byte, 1500)
		for {
			n, from, err := c.ReadFrom(buf)
			if err != nil {
				return
			}
			if answer := dnsAnswer(buf[:n], names); answer != nil {
				c.WriteTo(answer, from)
			}
		}
	}()
	return c.LocalAddr().String()
}

// dnsAnswer answers a question for a PTR or an A.
func dnsAnswer(question []byte, names map[string]string) []byte {
	var m dnsmessage.Message
	if m.Unpack(question) != nil || len(m.Questions) != 1 {
		return nil
	}
	q := m.Questions[0]
	m.Response, m.Additionals = true, nil
	head := dnsmessage.ResourceHeader{Name: q.Name, Class: q.Class, TTL: 60}
	found := false
	for addr, name := range names {
		ip := net.ParseIP(addr).To4()
		switch {
		case q.Type == dnsmessage.TypePTR && q.Name.String() == fmt.Sprintf("%d.%d.%d.%d.in-addr.arpa.", ip[3], ip[2], ip[1], ip[0]):
			m.Answers, found = append(m.Answers, dnsmessage.Resource{Header: head, Body: &dnsmessage.PTRResource{PTR: dnsmessage.MustNewName(name + ".")}}), true
		case q.Name.String() == name+".":
			found = true
			if q.Type == dnsmessage.TypeA {
				m.Answers = append(m.Answers, dnsmessage.Resource{Header: head, Body: &dnsmessage.AResource{A: [4]byte(ip)}})
			}
		}
	}
	if !found {
		m.RCode = dnsmessage.RCodeNameError
	}
	out, err := m.Pack()
	if err != nil {
		return nil
	}
	return out
}

func TestLogsAskANameServer(t *testing.T) {
	at := nameServer(t, map[string]string{"203.0.113.7": "crawl-203-0-113-7.googlebot.com", "203.0.113.8": "host.example.org"})
	log := ""
	for _, addr := range []string{"203.0.113.7", "203.0.113.8", "203.0.113.9"} {
		log += addr + ` - - [03/Nov/2026:13:05:06 +0900] "GET /a(4) HTTP/1.1" 301 512 "-" "` + googlebot + "\"\n"
	}
	out, errOut, code := logsOf(t, log, "--dns="+at)
	if code != 0 || !strings.Contains(out, "1 request, 2026-11-03, 1 log; 2 fake requests ignored\n") || strings.Contains(out+errOut, "203.0.113") {
		t.Errorf("exit %d\n%s%s", code, out, errOut)
	}
	out, errOut, _ = logsOf(t, log)
	if !strings.Contains(errOut, "--dns") {
		t.Errorf("no hint at --dns:\n%s%s", out, errOut)
	}
}

// TestLogsPacked holds that of a packed log all that can be read is, and that what is not is said,
// with what to do.
func TestLogsPacked(t *testing.T) {
	line := `66.249.66.1 - - [03/Nov/2026:13:05:06 +0900] "GET /b HTTP/1.1" 200 512 "-" "` + googlebot + "\"\n"
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, err1 := z.Write([]byte(line))
	if err := errors.Join(err1, z.Close()); err != nil {
		t.Fatal(err)
	}
	packed := b.String()
	for name, c := range map[string]struct {
		log  string
		out  string
		says []string
		code int
	}{
		"cut off":         {packed + packed[:40], "1 request,", []string{"access.log: it is cut off (gzip); what came before is used, 1 line"}, 0},
		"something after": {packed + line, "1 request,", []string{"access.log: it is damaged, or something else follows (gzip); what came before is used, 1 line"}, 0},
		"a large window":  {"\x28\xb5\x2f\xfd\x00\x80\x01\x00\x00", "", []string{"its zstd window is larger than 32 MB", "\nhint: unpack it first, as with zstd -dc --long=31 FILE"}, 2},
	} {
		out, errOut, code := logsOf(t, c.log)
		if code != c.code || !strings.Contains(out, c.out) {
			t.Errorf("%s: exit status %d, %s%s", name, code, out, errOut)
		}
		for _, want := range c.says {
			if !strings.Contains(errOut, want) {
				t.Errorf("%s: %q is missing in\n%s", name, want, errOut)
			}
		}
	}
}
