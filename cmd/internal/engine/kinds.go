package engine

import (
	"fmt"
	"os"
	"path/filepath"

	"sitemend/crawler/rules/write"
)

// A kind is how a server is configured and started.
type kind struct {
	version string // the flag that prints it
	// prepare writes the configuration into dir and returns the arguments. Addresses without a
	// redirect are answered with 404.
	prepare func(dir string, port string, p *write.Plan) (args []string, err error)
}

var kinds = map[string]kind{
	"nginx":    {"-v", nginx},
	"apache2":  {"-v", apache},
	"caddy":    {"version", caddy},
	"haproxy":  {"-v", haproxy},
	"lighttpd": {"-v", lighttpd},
}

// nginx configures a server that has another map before that of the rules, because the first map
// determines where map_hash_* may stand.
func nginx(dir string, port string, p *write.Plan) ([]string, error) {
	file, err := putRules(dir, "moved.map", p)
	if err != nil {
		return nil, err
	}
	parts := p.Setup(file)
	of := len(parts) - 2 // the directives before the map of the rules stand before every other map as well
	inHTTP, before := indented(parts[of].Text), ""
	if of > 0 {
		before = indented(parts[0].Text)
	}
	conf, err := put(dir, "nginx.conf", NginxConf("absolute_redirect off;\n"+before+`
	map $host $sitemend_other { default ""; }
`+inHTTP+`
	server {
		listen 127.0.0.1:`+port+`;
`+indented(parts[of+1].Text)+`
		location / { return 404; }
	}
`))
	return []string{"-p", dir, "-c", conf, "-e", "stderr"}, err
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

func apache(dir string, port string, p *write.Plan) ([]string, error) {
	site := filepath.Join(dir, "site")
	err := os.MkdirAll(site, 0o755)
	if err != nil {
		return nil, err
	}
	rules, inServer := "", ""
	switch p.Format.Name {
	case "apache":
		var file string
		file, err = putRules(dir, "moved.txt", p)
		rules, inServer = setup(p, file, 0), setup(p, file, 1)
	case "htaccess":
		_, err = putRules(site, ".htaccess", p)
		inServer = setup(p, "", 1)
	default:
		var file string
		file, err = putRules(dir, "moved.conf", p)
		rules = fmt.Sprintf("Include %q", file)
	}
	if err != nil {
		return nil, err
	}
	load := ""
	for _, name := range []string{"mpm_prefork", "authz_core", "alias", "rewrite"} {
		if path := filepath.Join(modules, "mod_"+name+".so"); exists(path) {
			load += fmt.Sprintf("LoadModule %s_module %s\n", name, path)
		}
	}
	owner := ""
	if os.Geteuid() == 0 { // Apache then changes to another user, which must exist
		owner = "User #65534\nGroup #65534\n"
		if err := os.Chmod(dir, 0o711); err != nil {
			return nil, err
		}
	}
	conf, err := put(dir, "apache.conf", fmt.Sprintf(`ServerRoot %q
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
`, dir, filepath.Join(dir, "apache.pid"), port, load, owner, site, inServer, rules, site))
	return []string{"-X", "-f", conf}, err
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func caddy(dir string, port string, p *write.Plan) ([]string, error) {
	file, err := putRules(dir, "moved.caddy", p)
	if err != nil {
		return nil, err
	}
	conf, err := put(dir, "Caddyfile", fmt.Sprintf(`{
	admin off
	auto_https off
}
http://:%s {
	bind 127.0.0.1
	import %s
	respond 404
}
`, port, file))
	return []string{"run", "--config", conf, "--adapter", "caddyfile"}, err
}

func haproxy(dir string, port string, p *write.Plan) ([]string, error) {
	file, err := putRules(dir, "moved.map", p)
	if err != nil {
		return nil, err
	}
	conf, err := put(dir, "haproxy.cfg", fmt.Sprintf(`global
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
`, port, indented(setup(p, file, 0))))
	return []string{"-db", "-f", conf}, err
}

func lighttpd(dir string, port string, p *write.Plan) ([]string, error) {
	file, err := putRules(dir, "moved.conf", p)
	if err != nil {
		return nil, err
	}
	conf, err := put(dir, "lighttpd.conf", fmt.Sprintf(`server.document-root = %q
server.bind = "127.0.0.1"
server.port = %s
server.modules = ( "mod_redirect" )
include %q
`, dir, port, file))
	return []string{"-D", "-f", conf}, err
}
