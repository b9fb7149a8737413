package notify_test

import (
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

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
	r, err := notify.New("hook", "", s.URL+"/in", "key")
	must(t, err)
	must(t, r.Send(t.Context(), letter))
	// As `printf '{"id":"id-1"}' | openssl dgst -sha256 -hmac key` prints it.
	const signature = "sha256=451921c61acc116909409b2244f4f4967488306bd8c643bf0136b3455e5b5f99"
	for name, want := range map[string]string{notify.HeaderSignature: signature, notify.HeaderDelivery: "id-1", "Content-Type": "application/json"} {
		if got.Header.Get(name) != want {
			t.Errorf("%s: %q, want %q", name, got.Header.Get(name), want)
		}
	}
	if got.Method != http.MethodPost || string(body) != string(letter.JSON) {
		t.Errorf("got %s %s", got.Method, body)
	}
	r, err = notify.New("hook", "", s.URL, "")
	must(t, err)
	must(t, r.Send(t.Context(), letter))
	if v := got.Header.Values(notify.HeaderSignature); len(v) > 0 {
		t.Errorf("without a secret it is signed %q", v)
	}
}

// The status of a webhook's answer decides whether it took the message; the error contains neither
// its address nor its answer.
func TestWebhookRefusals(t *testing.T) {
	redirected := false
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/ok":
			w.WriteHeader(http.StatusAccepted)
		case "/moved":
			http.Redirect(w, r, "/elsewhere?tOkEn", http.StatusPermanentRedirect)
		case "/elsewhere":
			redirected = true
		case "/closed":
			panic(http.ErrAbortHandler)
		default:
			http.Error(w, "no: tOkEn", http.StatusForbidden)
		}
	}))
	defer s.Close()
	secure := httptest.NewTLSServer(http.NotFoundHandler())
	defer secure.Close()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	must(t, ln.Close())
	for at, want := range map[string]string{
		s.URL + "/ok":                             "",
		s.URL + "/no?tOkEn":                       "it answered 403 Forbidden",
		s.URL + "/moved":                          "it answered 308, a redirect, which is not followed: name the address that it leads to",
		s.URL + "/closed?tOkEn":                   "it closed the connection without an answer",
		secure.URL + "/?tOkEn":                    "its certificate is not trusted",
		"http://" + ln.Addr().String() + "/tOkEn": "nothing listens there (connection refused)",
	} {
		r, err := notify.New("hook", "", at, "secret")
		must(t, err)
		said := ""
		if err := r.Send(t.Context(), letter); err != nil {
			said = err.Error()
		}
		if said != want {
			t.Errorf("%s: said %q, want %q", at, said, want)
		}
	}
	if redirected {
		t.Error("a redirect was followed")
	}
}

// A service gets title and text by its own protocol; its answer is not repeated.
func TestServices(t *testing.T) {
	status := http.StatusOK
	var text, title string
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		var all map[string]any
		if json.Unmarshal(b, &all) == nil {
			text, _ = all["message"].(string)
			title, _ = all["title"].(string)
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, `{"error":"bad tOkEn"}`)
	}))
	defer s.Close()
	at, err := url.Parse(s.URL)
	must(t, err)
	r, err := notify.New("ops", "generic://"+at.Host+"/tOkEn?template=json&disabletls=yes", "", "")
	must(t, err)
	must(t, r.Send(t.Context(), letter))
	if text != letter.Text || title != letter.Title {
		t.Errorf("got %q, %q", title, text)
	}
	status = http.StatusForbidden
	err = r.Send(t.Context(), letter)
	if err == nil || strings.Contains(err.Error(), "tOkEn") || strings.Contains(err.Error(), at.Host) {
		t.Errorf("refused: %v", err)
	}
	s.Close()
	if err := r.Send(t.Context(), letter); err == nil || err.Error() != "nothing listens there (connection refused)" {
		t.Errorf("nobody there: %v", err)
	}
}

// Send gives up on a receiver that does not answer when ctx ends.
func TestASilentReceiver(t *testing.T) {
	here := make(chan struct{}, 2)
	s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		here <- struct{}{}
		<-r.Context().Done()
	}))
	defer s.Close()
	at, err := url.Parse(s.URL)
	must(t, err)
	hook, err := notify.New("hook", "", s.URL, "")
	must(t, err)
	chat, err := notify.New("ops", "generic://"+at.Host+"/?disabletls=yes", "", "")
	must(t, err)
	for _, r := range []*notify.Receiver{hook, chat} {
		ctx, stop := context.WithCancel(t.Context())
		go func() {
			<-here
			stop()
		}()
		if err := r.Send(ctx, letter); err == nil || err.Error() != "sitemend was stopped meanwhile" {
			t.Errorf("said %v", err)
		}
	}
	s.CloseClientConnections()
}

// A request of the library ends by itself: the library takes no context, so Send leaves the request
// behind when its own time is over.
func TestWhatIsSentEnds(t *testing.T) {
	gone := make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		<-r.Context().Done()
		close(gone)
	}))
	defer s.Close()
	at, err := url.Parse(s.URL)
	must(t, err)
	r, err := notify.New("ops", "generic://"+at.Host+"/?disabletls=yes", "", "")
	must(t, err)
	if bound := http.DefaultClient.Timeout; bound <= 0 || bound > 30*time.Second {
		t.Fatalf("it waits for %s, where 0 is for ever", bound)
	}
	defer func(d time.Duration) { http.DefaultClient.Timeout = d }(http.DefaultClient.Timeout)
	http.DefaultClient.Timeout = 50 * time.Millisecond // a second receiver changes nothing
	_, err = notify.New("more", "generic://"+at.Host+"/?disabletls=yes", "", "")
	must(t, err)
	if err := r.Send(t.Context(), letter); err == nil || err.Error() != "it did not accept it in time" {
		t.Errorf("said %v", err)
	}
	<-gone
}

// A mail server that accepts connections and never writes, for which the library waits without end,
// costs only a few connections however often it is tried, and is used again once it closes them.
func TestAServerThatSaysNothing(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	taken := make(chan net.Conn, 100)
	go func() {
		defer close(taken)
		for {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			taken <- c
		}
	}()
	r, err := notify.New("mail", "smtp://"+ln.Addr().String()+"/?fromAddress=a@shop.example&toAddresses=b@shop.example&auth=none&encryption=none&usestarttls=no", "", "")
	must(t, err)
	var open []net.Conn
	for i := range 12 {
		ctx, stop := context.WithCancel(t.Context())
		if i < notify.MostUnanswered {
			go func() {
				open = append(open, <-taken)
				stop()
			}()
		} else {
			stop()
		}
		if err := r.Send(ctx, letter); err == nil || err.Error() != "sitemend was stopped meanwhile" {
			t.Fatalf("try %d said %v", i, err)
		}
	}
	for _, c := range open {
		must(t, c.Close())
	}
	go func() { (<-taken).Close() }()
	if err := r.Send(t.Context(), letter); err == nil || err.Error() != "it closed the connection without an answer" {
		t.Errorf("said %v", err)
	}
	must(t, ln.Close())
	if more := len(taken); more > 0 {
		t.Errorf("%d connections more than %d were made", more, notify.MostUnanswered)
	}
}
