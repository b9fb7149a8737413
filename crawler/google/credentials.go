package google

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"sitemend/crawler/google/service"
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

// required are the fields that a file of each kind must have.
var required = map[Kind][]string{
	DesktopClient:  {"client_id", "client_secret"},
	ServiceAccount: {"client_email", "private_key"},
	AuthorizedUser: {"client_id", "client_secret", "refresh_token"},
}

// Credentials identify the caller. The zero Credentials identify nobody.
type Credentials struct {
	Kind Kind
	Path string // the file
	// Project is sent as X-Goog-User-Project; "" for none. It is that of the file, unless the user
	// names another one.
	Project string

	fields            fields
	authURI, tokenURI string
}

// fields are those of a file.
type fields map[string]any

func (f fields) text(name string) string {
	s, _ := f[name].(string)
	return s
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
		path := getenv(name)
		if path == "" {
			continue
		}
		data, err := readSmall(path)
		if at := (*fs.PathError)(nil); errors.As(err, &at) {
			err = at.Err // the value may be the secret itself in place of its file
		}
		if err != nil {
			return Credentials{}, withHint(fmt.Errorf("%s names no file that can be read: %w", name, err),
				name+" must be the path of a file of credentials, not the JSON itself; docs/google.md says how to get one")
		}
		return parse(name, path, data, getenv)
	}
	const from = "gcloud's application default credentials"
	path := applicationDefault(getenv)
	data, err := readSmall(path)
	switch {
	case path == "", errors.Is(err, fs.ErrNotExist):
		return Credentials{}, withHint(ErrNone, hintCredentials)
	case err != nil:
		return Credentials{}, withHint(fmt.Errorf("%s: %w", from, err),
			"let sitemend read that file; docs/google.md says how to get another one")
	}
	return parse(from, path, data, getenv)
}

// applicationDefault returns the path of gcloud's file ("Application Default Credentials", Google
// Cloud documentation); "" for none.
func applicationDefault(getenv func(string) string) string {
	dir := getenv("CLOUDSDK_CONFIG")
	switch home, data := getenv("HOME"), getenv("APPDATA"); {
	case dir != "":
	case runtime.GOOS == "windows" && data != "":
		dir = filepath.Join(data, "gcloud")
	case home != "":
		dir = filepath.Join(home, ".config", "gcloud")
	default:
		return ""
	}
	return filepath.Join(dir, "application_default_credentials.json")
}

// readSmall reads a file, up to more bytes than any file of credentials has.
func readSmall(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, 1<<20))
}

// parse parses the text of the file of credentials at path. Its errors quote nothing of it.
func parse(from, path string, data []byte, getenv func(string) string) (Credentials, error) {
	var f fields
	bad := func(what, hint string) (Credentials, error) {
		return Credentials{}, withHint(fmt.Errorf("%s: %s: %s", from, path, what), hint)
	}
	if json.Unmarshal(data, &f) != nil {
		return bad("it is no JSON", hintCredentials)
	}
	c := Credentials{Kind: Kind(strings.ReplaceAll(f.text("type"), "_", " ")), Path: path, fields: f}
	if installed, ok := f["installed"].(map[string]any); ok {
		c.Kind, c.fields = DesktopClient, installed
	}
	names, ok := required[c.Kind]
	switch {
	case f["web"] != nil:
		return bad("this OAuth client is of type Web application",
			"make one of type Desktop app, which may send its answer to this machine")
	case c.Kind == "":
		return bad("these are no credentials of Google", hintCredentials)
	case !ok:
		return bad(fmt.Sprintf("credentials of type %q are not supported", f.text("type")),
			"take a Desktop client, a service account or authorized_user")
	}
	if lacks := slices.IndexFunc(names, func(name string) bool { return c.fields.text(name) == "" }); lacks >= 0 {
		return bad(names[lacks]+" is missing", "download the file once more")
	}
	c.Project = cmp.Or(getenv("SITEMEND_GOOGLE_PROJECT"), c.fields.text("quota_project_id"))
	c.authURI, c.tokenURI = cmp.Or(c.fields.text("auth_uri"), authURI), cmp.Or(c.fields.text("token_uri"), tokenURI)
	if !service.Private(c.authURI) || !service.Private(c.tokenURI) {
		return bad("it names an address that is not https",
			"a secret would go over the network in clear text; take the file as Google wrote it")
	}
	return c, nil
}

// String returns the kind and the file of c, without secrets.
func (c Credentials) String() string { return fmt.Sprintf("%s in %s", c.Kind, c.Path) }

// GoString is String, for %#v.
func (c Credentials) GoString() string { return c.String() }
