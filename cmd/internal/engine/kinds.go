package engine

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"sitemend/crawler/rules/write"
)

// A kind is how a server is configured and started.
type kind struct {
	version string // the flag that prints it
	rules   string // the name of the file with the rules
	conf    string // that of the configuration
	args    string // with CONF and DIR for where these are
	// text returns the configuration, with the file of the rules. Addresses without a redirect are
	// answered with 404.
	text func(dir, port, file string, p *write.Plan) (string, error)
}

var kinds = map[string]kind{
	"nginx":    {"-v", "moved.map", "nginx.conf", "-p DIR -c CONF -e stderr", nginx},
	"apache2":  {"-v", "moved.txt", "apache.conf", "-X -f CONF", apache},
	"caddy":    {"version", "moved.caddy", "Caddyfile", "run --config CONF --adapter caddyfile", caddy},
	"haproxy":  {"-v", "moved.map", "haproxy.cfg", "-db -f CONF", haproxy},
	"lighttpd": {"-v", "moved.conf", "lighttpd.conf", "-D -f CONF", lighttpd},
}

// prepare writes rules and configuration into dir, and returns the arguments of the server.
func (k *kind) prepare(dir, port string, p *write.Plan) ([]string, error) {
	file, conf := filepath.Join(dir, k.rules), filepath.Join(dir, k.conf)
	var rules strings.Builder
	if err := p.Write(&rules); err != nil {
		return nil, err
	}
	if err := os.WriteFile(file, []byte(rules.String()), 0o644); err != nil {
		return nil, err
	}
	text, err := k.text(dir, port, file, p)
	if err != nil {
		return nil, err
	}
	args := strings.Fields(k.args)
	for i := range args {
		args[i] = strings.NewReplacer("CONF", conf, "DIR", dir).Replace(args[i])
	}
	return args, os.WriteFile(conf, []byte(text), 0o644)
}

// nginx configures a server that has another map before that of the rules, because the first map
// determines where map_hash_* may stand.
func nginx(_, port, file string, p *write.Plan) (string, error) {
	parts := p.Setup(file)
	of := len(parts) - 2 // the directives before the map of the rules stand before every other map as well
	before := ""
	if of > 0 {
		before = indented(parts[0].Text)
	}
	return NginxConf(before + `
	map $host $sitemend_other { default ""; }
` + indented(parts[of].Text) + `
	server {
		listen 127.0.0.1:` + port + `;
` + indented(parts[of+1].Text) + `
		location / { return 404; }
	}
`), nil
}

// NginxConf returns a configuration of nginx with the inside of its http block: one worker, nothing
// written outside its directory. Started as root, it keeps that user: another one could not read the
// directory.
func NginxConf(inside string) string {
	user := ""
	if os.Geteuid() == 0 {
		user = "user root;"
	}
	return `daemon off;
worker_processes 1;
pid nginx.pid;
error_log stderr;
worker_rlimit_nofile 8192;
events { worker_connections 4096; }
` + user + `
http {
	access_log off;
	client_body_temp_path body;
	proxy_temp_path proxy;
	fastcgi_temp_path fastcgi;
	uwsgi_temp_path uwsgi;
	scgi_temp_path scgi;
` + inside + "}\n"
}

// modules is the folder of Debian's modules for Apache; elsewhere they may be built in.
const modules = "/usr/lib/apache2/modules"

func apache(dir, port, file string, p *write.Plan) (string, error) {
	site := filepath.Join(dir, "site")
	if err := os.MkdirAll(site, 0o755); err != nil {
		return "", err
	}
	rules, inServer := fmt.Sprintf("Include %q", file), ""
	switch p.Format.Name {
	case "apache":
		rules, inServer = setup(p, file, 0), setup(p, file, 1)
	case "htaccess":
		rules, inServer = "", setup(p, "", 1)
		if err := os.Rename(file, filepath.Join(site, ".htaccess")); err != nil {
			return "", err
		}
	}
	load := ""
	for _, name := range []string{"mpm_prefork", "authz_core", "alias", "rewrite"} {
		path := filepath.Join(modules, "mod_"+name+".so")
		if _, err := os.Stat(path); err == nil {
			load += fmt.Sprintf("LoadModule %s_module %s\n", name, path)
		}
	}
	owner := ""
	if os.Geteuid() == 0 { // Apache then changes to another user, which must exist
		owner = "User #65534\nGroup #65534\n"
		if err := os.Chmod(dir, 0o711); err != nil {
			return "", err
		}
	}
	return fmt.Sprintf(`ServerRoot %q
ServerName www.example.com
PidFile %q
ErrorLog /dev/stderr
Listen 127.0.0.1:%s
%s%sDocumentRoot %q
%s
%s
<Directory %q>
	AllowOverride All
</Directory>
`, dir, filepath.Join(dir, "apache.pid"), port, load, owner, site, inServer, rules, site), nil
}

func caddy(_, port, file string, _ *write.Plan) (string, error) {
	return fmt.Sprintf(`{
	admin off
	auto_https off
}
http://:%s {
	bind 127.0.0.1
	import %s
	respond 404
}
`, port, file), nil
}

func haproxy(_, port, file string, p *write.Plan) (string, error) {
	return fmt.Sprintf(`global
	maxconn 100
defaults
	mode http
	timeout client 20s
	timeout server 20s
	timeout connect 20s
frontend rules
	bind 127.0.0.1:%s
%s
	http-request return status 404
`, port, indented(setup(p, file, 0))), nil
}

func lighttpd(dir, port, file string, _ *write.Plan) (string, error) {
	return fmt.Sprintf(`server.document-root = %q
server.bind = "127.0.0.1"
server.port = %s
server.modules = ( "mod_redirect" )
include %q
`, dir, port, file), nil
}
