package google

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// A savedToken is the token of a login, as stored.
type savedToken struct {
	ClientID     string `json:"client_id"` // the client that it belongs to
	RefreshToken string `json:"refresh_token"`
	Scope        string `json:"scope"`     // the granted scopes
	TokenURI     string `json:"token_uri"` // the endpoint that issued it
}

// TokenFile returns the path of the token of a login, in the user's configuration directory
// (os.UserConfigDir).
func TokenFile() (string, error) {
	dir, err := os.UserConfigDir()
	if err != nil {
		return "", withHint(err, "HOME or XDG_CONFIG_HOME says where the login is kept")
	}
	return filepath.Join(dir, "sitemend", "google-token.json"), nil
}

var errLoggedOut = errors.New("nobody is logged in to Google")

const hintLogin = "sitemend google login"

// readToken reads the token of a login.
func readToken(path string) (*savedToken, error) {
	data, err := readSmall(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, withHint(errLoggedOut, hintLogin)
	}
	if err != nil {
		return nil, err
	}
	var t savedToken
	if json.Unmarshal(data, &t) != nil || t.RefreshToken == "" {
		return nil, withHint(fmt.Errorf("%s does not hold a login", path), hintLogin)
	}
	return &t, nil
}

// login returns the token of a login with this client; path is "" for TokenFile().
func (c *Credentials) login(path string) (*savedToken, error) {
	path, err := tokenFile(path)
	if err != nil {
		return nil, err
	}
	t, err := readToken(path)
	if err == nil && t.ClientID != c.clientID {
		return nil, withHint(errors.New("the login is that of another OAuth client than "+c.Path),
			hintLogin)
	}
	return t, err
}

func tokenFile(path string) (string, error) {
	if path != "" {
		return path, nil
	}
	return TokenFile()
}

// save writes the token of a login, readable by the user only, in place of an earlier one.
func (t *savedToken) save(path string) error {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	data, err := json.MarshalIndent(t, "", "  ")
	if err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, ".google-token-") // 0600
	if err != nil {
		return err
	}
	_, err = f.Write(append(data, '\n'))
	if err = errors.Join(err, f.Sync(), f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}
