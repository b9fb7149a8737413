package submit

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/cespare/xxhash/v2"

	"sitemend/crawler/address"
	"sitemend/crawler/audit"
	"sitemend/crawler/google"
	"sitemend/crawler/handin"
	"sitemend/report"
	"sitemend/storage"
)

// The notes of a store about submissions: the last ones; when each sitemap was last accepted, and
// its digest then (handedIn.takenName); and which addresses a receiver, whose name follows, was
// sent recently.
const (
	handedInNote = "handed in"
	takenNote    = "taken by "
	sentNote     = "sent to "
)

// handedInKept is how many of the last submissions are kept. A site may have more sitemaps than
// that, so this list does not tell which of them were submitted before.
const handedInKept = 500

// handedIn is the record of a submission in the store.
type handedIn struct {
	To        string    `json:"to"`
	Audit     string    `json:"audit"`
	At        time.Time `json:"at"`
	Sitemap   string    `json:"sitemap,omitempty"`
	In        string    `json:"in"` // the property, site or host
	Digest    string    `json:"digest,omitempty"`
	Addresses int       `json:"addresses,omitempty"`
	Answer    string    `json:"answer"` // "taken", or what came back
	Refused   bool      `json:"refused,omitempty"`
}

// refused returns r with the error as its answer.
func (r handedIn) refused(err error) handedIn {
	r.Answer, r.Refused = err.Error(), true
	return r
}

func (h *handing) handed() (all []handedIn, err error) {
	text, ok, err := h.store.Noted(handedInNote)
	if err == nil && ok {
		err = audit.Damaged("what was handed in", json.Unmarshal(text, &all))
	}
	return all, err
}

// takenName is the name of the note that says when the same sitemap was taken last.
func (r *handedIn) takenName() string { return takenNote + r.To + " " + r.In + " " + r.Sitemap }

// before returns the last submission of the same sitemap with the same content; ok is false where
// there was none.
func (h *handing) before(r *handedIn) (last handedIn, ok bool, err error) {
	name, known := r.takenName(), false
	err = h.store.NotedUnder(name, func(found string, text []byte) error {
		if found != name { // of a longer address
			return nil
		}
		known = true
		return audit.Damaged("what was handed in", json.Unmarshal(text, &last))
	})
	if known || err != nil {
		return last, last.Digest == r.Digest && err == nil, err
	}
	all, err := h.handed() // submissions by version 0.1.0 of 2026-11-22 have no note of their own
	for _, x := range slices.Backward(all) {
		if x.takenName() == name && !x.Refused {
			return x, x.Digest == r.Digest, err
		}
	}
	return last, false, err
}

// keep records a submission and its answer, without secrets.
func (h *handing) keep(r handedIn) error {
	if r.Answer == "taken" {
		h.taken++
	}
	for _, secret := range h.secrets {
		r.Answer = strings.ReplaceAll(r.Answer, secret, "...")
	}
	all, err := h.handed()
	if err != nil {
		return err
	}
	all = append(all, r)
	text, err1 := json.Marshal(all[max(0, len(all)-handedInKept):])
	own, err2 := json.Marshal(r)
	if err := errors.Join(err1, err2); err != nil {
		return err
	}
	notes := map[string][]byte{handedInNote: text}
	if r.Sitemap != "" && !r.Refused {
		notes[r.takenName()] = own
	}
	return h.store.NoteAll(notes)
}

// sentFor is for how long an address is not sent again (contract, section 8; Bing counts by the
// day).
var sentFor = map[string]time.Duration{"indexnow": 10 * time.Minute, "bing": 24 * time.Hour}

// sent are the addresses that a receiver was sent recently, by their hashes. Each batch has a note
// of its own.
type sent struct {
	store *storage.Store
	to    string
	clock google.Clock
	has   map[uint64]bool
	notes int
	old   map[string][]byte // notes that have expired
}

type sentBatch struct {
	At     time.Time `json:"at"`
	Hashes []byte    `json:"hashes"` // of 8 bytes each
}

func openSent(store *storage.Store, to string, clock google.Clock) (*sent, error) {
	s := &sent{store: store, to: to, clock: clock, has: map[uint64]bool{}, old: map[string][]byte{}}
	err := store.NotedUnder(sentNote+to, s.read)
	return s, err
}

// read reads a note with its batches; version 0.1.0 of 2026-11-22 kept all of them in one note.
func (s *sent) read(name string, text []byte) error {
	var batches []sentBatch
	if err := json.Unmarshal(text, &batches); err != nil {
		return audit.Damaged("what was sent to "+s.to, err)
	}
	now, needed := s.clock.Now(), false
	for _, b := range batches {
		if now.Sub(b.At) >= sentFor[s.to] {
			continue
		}
		for needed = true; len(b.Hashes) >= 8; b.Hashes = b.Hashes[8:] {
			s.has[binary.LittleEndian.Uint64(b.Hashes)] = true
		}
	}
	if !needed {
		s.old[name] = nil
	}
	return nil
}

// lately reports whether an address was sent recently.
func (s *sent) lately(url string) bool { return s.has[xxhash.Sum64String(url)] }

// keep records addresses as sent.
func (s *sent) keep(urls []string) error {
	b := sentBatch{At: s.clock.Now().UTC()}
	for _, url := range urls {
		x := xxhash.Sum64String(url)
		b.Hashes = binary.LittleEndian.AppendUint64(b.Hashes, x)
		s.has[x] = true
	}
	text, err := json.Marshal([]sentBatch{b})
	if err != nil {
		return err
	}
	s.notes++
	notes := s.old
	notes[fmt.Sprintf("%s%s %s %d", sentNote, s.to, b.At.Format(time.RFC3339Nano), s.notes)] = text
	s.old = map[string][]byte{}
	return s.store.NoteAll(notes)
}

// changes are the addresses that changed, without duplicates, sorted by host, in a temporary file.
type changes struct {
	sorter *storage.Sorter
	homes  []address.Address
	others int // addresses of other sites than those of the sitemaps
}

// How an address changed: the values of the records.
const (
	isNew byte = iota // it stands in the corrected sitemap now
	isOld
)

// changed returns the addresses that changed, and which of them the receiver was sent recently. The
// caller closes the changes.
func (h *handing) changed(to string) (*changes, *sent, error) {
	c, err := h.changes()
	if err != nil {
		return nil, nil, err
	}
	lately, err := openSent(h.store, to, h.env.Time())
	if err != nil {
		return nil, nil, errors.Join(err, c.Close())
	}
	return c, lately, nil
}

// changes reads changes.csv for the sitemaps that are live.
func (h *handing) changes() (*changes, error) {
	c := &changes{sorter: storage.NewSorter(h.dir), homes: homes(h.files)}
	live := map[string]bool{}
	for i := range h.files {
		live[h.files[i].URL] = h.files[i].Kind != "index" // an index lists files
	}
	for x, err := range h.corrected.Changes() {
		if err != nil {
			return nil, errors.Join(err, c.Close())
		}
		if !live[x.Sitemap] {
			continue
		}
		if err := c.add(&x); err != nil {
			return nil, errors.Join(err, c.Close())
		}
	}
	return c, nil
}

func (c *changes) add(x *report.ChangedAddress) error {
	if !slices.ContainsFunc(c.homes, x.Address.SameSite) {
		c.others++
		return nil
	}
	how := isOld
	if x.New {
		how = isNew
	}
	return c.sorter.Add(x.Address.HostPort()+" "+x.Address.String(), []byte{how})
}

// Close removes the temporary file.
func (c *changes) Close() error { return c.sorter.Close() }

// each calls fn with each address once; new ones that are old ones, too, are new.
func (c *changes) each(fn func(host, url string, how byte) error) error {
	last := ""
	for r, err := range c.sorter.Records() {
		if err != nil {
			return err
		}
		if string(r.Key) == last {
			continue
		}
		last = string(r.Key)
		host, url, _ := strings.Cut(last, " ")
		if err := fn(host, url, r.Value[0]); err != nil {
			return err
		}
	}
	return nil
}

// ofSite returns the changed addresses of a site of Bing to be sent: at most quota of those not
// sent recently, the new ones first. again is how many were sent recently, and more how many exceed
// quota.
func (c *changes) ofSite(site string, quota int, lately *sent) (urls []string, again, more int,
	err error) {
	for _, how := range []byte{isNew, isOld} {
		err = errors.Join(err, c.each(func(_, url string, is byte) error {
			switch {
			case is != how || handin.ChooseSite([]string{site}, address.Wire(url)) == "":
			case lately.lately(url):
				again++
			case len(urls) == quota:
				more++
			default:
				urls = append(urls, url)
			}
			return nil
		}))
	}
	return urls, again, more, err
}
