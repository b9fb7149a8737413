package google

import (
	"cmp"
	"crypto/rsa"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
)

// Kind is the kind of a file of credentials.
type Kind string

// The kinds.
const (
	// an OAuth client of type Desktop app: a person logs in once
	DesktopClient  Kind = "desktop client"
	ServiceAccount Kind = "service account" // a key of a service account
	AuthorizedUser Kind = "authorized user" // from gcloud auth application-default login
)

// Credentials identify the caller. The zero Credentials identify nobody.
type Credentials struct {
	Kind Kind
	Path string // the file
	// Project is sent as X-Goog-User-Project; "" for none. It is that of the file, unless the user
	// names another one.
	Project string
	// Account is the address of a service account; "" for the other kinds, whose files do not
	// contain it.
	Account string

	clientID, clientSecret, refreshToken string
	privateKey, privateKeyID             string
	authURI, tokenURI                    string
}

// Endpoints of Google (its OpenID configuration), for files that name none.
const (
	authURI  = "https://accounts.google.com/o/oauth2/v2/auth"
	tokenURI = "https://oauth2.googleapis.com/token"
)

// ErrNone is the error of Find where there are no credentials.
var ErrNone = errors.New("there are no credentials for Google")

// hinted is an error with what the user can do about it.
type hinted struct {
	error
	hint string
}

// Hint returns what the user can do.
func (h *hinted) Hint() string { return h.hint }

// Unwrap returns the error without the hint.
func (h *hinted) Unwrap() error { return h.error }

func withHint(err error, hint string) error { return &hinted{err, hint} }

const hintCredentials = "set SITEMEND_GOOGLE_CREDENTIALS to the file of a Desktop client or of a service account: docs/google.md says how to get one in five minutes"

// Find returns the credentials that the environment names: SITEMEND_GOOGLE_CREDENTIALS, else
// GOOGLE_APPLICATION_CREDENTIALS, else the file of gcloud (application default credentials). getenv
// is os.Getenv. Where there are none the error is ErrNone. A variable that names a file which
// cannot be read, or is of no known kind, is an error: Find does not try the others.
func Find(getenv func(string) string) (Credentials, error) {
	for _, name := range []string{"SITEMEND_GOOGLE_CREDENTIALS", "GOOGLE_APPLICATION_CREDENTIALS"} {
		if path := getenv(name); path != "" {
			data, err := readSmall(path)
			if err != nil {
				return Credentials{}, unread(name, err)
			}
			return parse(name, path, data, getenv)
		}
	}
	path := applicationDefault(getenv)
	if path == "" {
		return Credentials{}, withHint(ErrNone, hintCredentials)
	}
	const from = "gcloud's application default credentials"
	data, err := readSmall(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Credentials{}, withHint(ErrNone, hintCredentials)
	case err != nil:
		return Credentials{}, withHint(fmt.Errorf("%s: %w", from, err),
			"let sitemend read that file; docs/google.md says how to get another one")
	}
	return parse(from, path, data, getenv)
}

// unread returns the error of a variable that does not name a readable file. It does not repeat the
// value, which may be the secret itself in place of its file.
func unread(variable string, err error) error {
	var at *fs.PathError
	if errors.As(err, &at) {
		err = at.Err
	}
	return withHint(fmt.Errorf("%s names no file that can be read: %w", variable, err),
		variable+" must be the path of a file of credentials, not the JSON itself; docs/google.md says how to get one")
}

// applicationDefault returns the path of gcloud's file ("Application Default Credentials", Google
// Cloud documentation).
func applicationDefault(getenv func(string) string) string {
	const name = "application_default_credentials.json"
	switch dir := getenv("CLOUDSDK_CONFIG"); {
	case dir != "":
		return filepath.Join(dir, name)
	case runtime.GOOS == "windows" && getenv("APPDATA") != "":
		return filepath.Join(getenv("APPDATA"), "gcloud", name)
	case getenv("HOME") != "":
		return filepath.Join(getenv("HOME"), ".config", "gcloud", name)
	}
	return ""
}

// maxCredentials is more bytes than any file of credentials has.
const maxCredentials = 1 << 20

// credentialsFile has the fields that are read from files of all kinds.
type credentialsFile struct {
	Installed *credentialsFile `json:"installed"`
	Web       *credentialsFile `json:"web"`

	Type         string `json:"type"`
	ClientID     string `json:"client_id"`
	ClientSecret string `json:"client_secret"`
	RefreshToken string `json:"refresh_token"`
	ClientEmail  string `json:"client_email"`
	PrivateKey   string `json:"private_key"`
	PrivateKeyID string `json:"private_key_id"`
	AuthURI      string `json:"auth_uri"`
	TokenURI     string `json:"token_uri"`
	QuotaProject string `json:"quota_project_id"`
}

// parse parses the text of the file of credentials at path.
func parse(from, path string, data []byte, getenv func(string) string) (Credentials, error) {
	none := Credentials{}
	var f credentialsFile
	if json.Unmarshal(data, &f) != nil { // its error may quote a secret
		return none, withHint(fmt.Errorf("%s: %s is no JSON", from, path), hintCredentials)
	}
	c := Credentials{Path: path}
	if err := c.fill(&f); err != nil {
		return none, fmt.Errorf("%s: %s: %w", from, path, err)
	}
	c.Project = cmp.Or(getenv("SITEMEND_GOOGLE_PROJECT"), c.Project)
	for _, at := range []string{c.authURI, c.tokenURI} {
		if !private(at) {
			return none, withHint(fmt.Errorf("%s: %s names an address that is not https", from, path), "a secret would go over the network in clear text; take the file as Google wrote it")
		}
	}
	return c, nil
}

func readSmall(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, maxCredentials))
}

// fill copies the fields of the file.
func (c *Credentials) fill(f *credentialsFile) error {
	lacks := ""
	need := func(name, value string) string {
		if value == "" && lacks == "" {
			lacks = name
		}
		return value
	}
	switch in := f.Installed; {
	case in != nil:
		c.Kind = DesktopClient
		c.clientID, c.clientSecret = need("client_id", in.ClientID),
			need("client_secret", in.ClientSecret)
		c.endpoints(in)
	case f.Web != nil:
		return withHint(errors.New("this OAuth client is of type Web application"),
			"make one of type Desktop app, which may send its answer to this machine")
	case f.Type == "service_account":
		c.Kind, c.Account = ServiceAccount, need("client_email", f.ClientEmail)
		c.privateKey, c.privateKeyID = need("private_key", f.PrivateKey), f.PrivateKeyID
		c.endpoints(f)
		if c.privateKey != "" && !usable(c.privateKey) {
			return withHint(errors.New("private_key is no RSA key"),
				"download the key of the service account once more")
		}
	case f.Type == "authorized_user":
		c.Kind, c.Project = AuthorizedUser, f.QuotaProject
		c.clientID, c.clientSecret, c.refreshToken = need("client_id", f.ClientID),
			need("client_secret", f.ClientSecret), need("refresh_token", f.RefreshToken)
		c.endpoints(f)
	case f.Type != "":
		return withHint(fmt.Errorf("credentials of type %q are not supported", f.Type),
			"take a Desktop client, a service account or authorized_user")
	default:
		return withHint(errors.New("these are no credentials of Google"), hintCredentials)
	}
	if lacks != "" {
		return withHint(fmt.Errorf("%s is missing", lacks), "download the file once more")
	}
	return nil
}

// usable reports whether a key of a service account can sign: RSA, as PKCS #8 or PKCS #1.
func usable(key string) bool {
	block, _ := pem.Decode([]byte(key))
	if block == nil {
		return false
	}
	if _, err := x509.ParsePKCS1PrivateKey(block.Bytes); err == nil {
		return true
	}
	parsed, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	_, rsaKey := parsed.(*rsa.PrivateKey)
	return err == nil && rsaKey
}

func (c *Credentials) endpoints(f *credentialsFile) {
	c.authURI, c.tokenURI = cmp.Or(f.AuthURI, authURI), cmp.Or(f.TokenURI, tokenURI)
}

// private reports whether nobody can read what is sent to an address on its way: it is https, or
// http on this machine.
func private(at string) bool {
	u, err := url.Parse(at)
	if err != nil || u.Host == "" {
		return false
	}
	ip := net.ParseIP(u.Hostname())
	return u.Scheme == "https" || u.Scheme == "http" &&
		(ip != nil && ip.IsLoopback() || u.Hostname() == "localhost")
}
