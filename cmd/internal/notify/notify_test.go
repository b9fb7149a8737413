package notify_test

import (
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"sitemend/cmd/internal/notify"
)

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

var letter = notify.Message{ID: "id-1", Title: "shop: 2 addresses got worse", Text: "shop: 2 addresses got worse\n  http://shop.example/a", JSON: []byte(`{"id":"id-1"}`)}

// A webhook gets the JSON octet for octet, signed, with the id of the message.
func TestWebhook(t *testing.T) {
	var got *http.Request
	var body []byte
	s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		got = r
		body, _ = io.ReadAll(r.Body)
	}))
	defer s.Close()
	for secret, signature := range map[string]string{
		"key": "sha256=451921c61acc116909409b2244f4f4967488306bd8c643bf0136b3455e5b5f99", // printf '{"id":"id-1"}' | openssl dgst -sha256 -hmac key
		"":    "",
	} {
		r, err := notify.New("hook", "", s.URL+"/in", secret)
		must(t, err)
		must(t, r.Send(t.Context(), letter))
		for name, want := range map[string]string{notify.HeaderSignature: signature, notify.HeaderDelivery: "id-1", "Content-Type": "application/json"} {
			if got.Header.Get(name) != want {
				t.Errorf("%s: %q, want %q", name, got.Header.Get(name), want)
			}
		}
		if got.Method != http.MethodPost || string(body) != string(letter.JSON) {
			t.Errorf("got %s %s", got.Method, body)
		}
	}
}

// What a receiver answers decides whether it took the message; the error contains neither its
// address nor its answer. A service gets title and text by its own protocol.
func TestAnswers(t *testing.T) {
	var text map[string]any
	mux := http.NewServeMux()
	mux.HandleFunc("/ok", func(_ http.ResponseWriter, r *http.Request) { _ = json.NewDecoder(r.Body).Decode(&text) })
	mux.HandleFunc("/moved", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "/ok?tOkEn", http.StatusPermanentRedirect)
	})
	mux.HandleFunc("/closed", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
	mux.HandleFunc("/no", func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "no: tOkEn", http.StatusForbidden) })
	s := httptest.NewServer(mux)
	defer s.Close()
	secure := httptest.NewTLSServer(http.NotFoundHandler())
	defer secure.Close()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	must(t, ln.Close())
	service := func(path string) string {
		return "generic://" + s.Listener.Addr().String() + path + "?template=json&disabletls=yes"
	}
	for at, want := range map[string]string{
		service("/ok"):                            "",
		service("/no"):                            "it answered 403",
		service("/closed"):                        "it closed the connection without an answer",
		s.URL + "/no?tOkEn":                       "it answered 403 Forbidden",
		s.URL + "/moved":                          "it answered 308 Permanent Redirect",
		s.URL + "/closed?tOkEn":                   "it closed the connection without an answer",
		secure.URL + "/?tOkEn":                    "its certificate is not trusted",
		"http://" + ln.Addr().String() + "/tOkEn": "nothing listens there (connection refused)",
	} {
		address, webhook := at, ""
		if strings.HasPrefix(at, "http") {
			address, webhook = webhook, address
		}
		r, err := notify.New("ops", address, webhook, "")
		must(t, err)
		said := ""
		if err := r.Send(t.Context(), letter); err != nil {
			said = err.Error()
		}
		if said != want {
			t.Errorf("%s: said %q, want %q", at, said, want)
		}
	}
	if text["message"] != letter.Text || text["title"] != letter.Title {
		t.Errorf("the service got %q", text)
	}
}

// Send gives up on a receiver that does not answer when ctx ends: a webhook, and a mail server, for
// which the library waits without end.
func TestASilentReceiver(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	defer ln.Close()
	for _, x := range [][2]string{{"", "http://" + ln.Addr().String()},
		{"smtp://" + ln.Addr().String() + "/?fromAddress=a@shop.example&toAddresses=b@shop.example&auth=none&encryption=none&usestarttls=no", ""}} {
		r, err := notify.New("ops", x[0], x[1], "")
		must(t, err)
		ctx, stop := context.WithCancel(t.Context())
		go func() {
			if c, err := ln.Accept(); err == nil {
				defer c.Close()
			}
			stop()
		}()
		if err := r.Send(ctx, letter); err == nil || err.Error() != "sitemend was stopped meanwhile" && err.Error() != "it closed the connection without an answer" {
			t.Errorf("said %v", err)
		}
	}
	if http.DefaultClient.Timeout <= 0 {
		t.Error("what the library sends has no end")
	}
}
