package logfiles

import (
	"cmp"
	"fmt"
	"net/netip"
	"os"
	"slices"
	"strings"
	"time"

	"sitemend/cmd/internal/cli"
	"sitemend/crawler/accesslog"
)

// A Spec says which access logs are read and how: the flags that logs and audit share.
type Spec struct {
	Files        []string // "-" for standard input
	Host         string   // host of lines without one; "" for the one host that is audited
	Zone         string   // zone of times without one; "" for UTC
	Since, Until string   // a day or a moment; "" for no bound
	Ranges       []string // known, web, a file or a URL
	// DNS says which name server is used: "" for none, "system", or the address of one.
	DNS string
}

// Check returns an error, with a hint, where a log does not exist or a field is not valid. It opens
// no log.
func (s *Spec) Check() error {
	_, _, err := s.parsed()
	return err
}

// parsed returns the fields as they are used; names is nil for no name server.
func (s *Spec) parsed() (o accesslog.Options, names accesslog.Resolver, err error) {
	if o.Zone, err = zone(s.Zone); err != nil {
		return o, nil, cli.WithHint(fmt.Errorf("--log-zone %q is no time zone", s.Zone), "as in --log-zone Asia/Tokyo or --log-zone +09:00")
	}
	for _, x := range []struct {
		flag, text string
		of         *int64
		end        bool
	}{{"--since", s.Since, &o.Since, false}, {"--until", s.Until, &o.Until, true}} {
		if *x.of, err = moment(x.text, x.end); err != nil {
			return o, nil, cli.WithHint(fmt.Errorf("%s %q is no day", x.flag, x.text), "as in "+x.flag+" 2026-11-19, in UTC")
		}
	}
	if o.Since != 0 && o.Until != 0 && o.Since >= o.Until {
		return o, nil, cli.WithHint(fmt.Errorf("--since %s is after --until %s", s.Since, s.Until), "exchange them")
	}
	if names, err = resolver(s.DNS); err != nil {
		return o, nil, err
	}
	return o, names, s.present()
}

// present returns an error where a log does not exist, or is named twice: its requests would count
// twice.
func (s *Spec) present() error {
	if err := cmp.Or(cli.NoUserInURL("the name of a log", s.Files...), cli.NoUserInURL("--bot-ranges", s.Ranges...)); err != nil {
		return err
	}
	for i, name := range s.Files {
		if slices.Contains(s.Files[:i], name) {
			return cli.WithHint(fmt.Errorf("%s is named twice", called(name)), "name each log once")
		}
		if name == "-" {
			continue
		}
		info, err := os.Stat(name)
		if err == nil && (info.IsDir() || info.Mode()&os.ModeDevice != 0) {
			err = fmt.Errorf("%s is no file", name)
		}
		if err != nil {
			return cli.WithHint(err, "check the path: FILE is an access log, plain, gzip or zstd, or - for standard input")
		}
	}
	return nil
}

// zone returns a zone by its name in the IANA database or its offset.
func zone(name string) (*time.Location, error) {
	if t, err := time.Parse("-07:00", name); err == nil {
		return t.Location(), nil
	}
	return time.LoadLocation(name)
}

// moment parses a day, or a moment in RFC 3339. With end set, a day stands for its end.
func moment(text string, end bool) (int64, error) {
	if text == "" {
		return 0, nil
	}
	if t, err := time.Parse(time.DateOnly, text); err == nil {
		if end {
			t = t.AddDate(0, 0, 1)
		}
		return t.Unix(), nil
	}
	t, err := time.Parse(time.RFC3339, text)
	return t.Unix(), err
}

// resolver returns the resolver for a value of Spec.DNS; nil for none.
func resolver(at string) (accesslog.Resolver, error) {
	switch at {
	case "":
		return nil, nil
	case SystemDNS:
		return systemResolver(""), nil
	}
	if addr, err := netip.ParseAddr(strings.Trim(at, "[]")); err == nil {
		return systemResolver(netip.AddrPortFrom(addr, 53).String()), nil
	}
	if err := cli.NoUser("--dns", at); err != nil {
		return nil, err
	}
	if _, err := netip.ParseAddrPort(at); err != nil {
		return nil, cli.WithHint(fmt.Errorf("--dns %q is not the address of a name server", at),
			"as in --dns=192.0.2.53 or --dns=127.0.0.1:5353; --dns alone asks that of the system")
	}
	return systemResolver(at), nil
}

// SystemDNS is Spec.DNS for the name servers of the system.
const SystemDNS = "system"
