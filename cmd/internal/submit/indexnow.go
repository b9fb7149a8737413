package submit

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"sitemend/cmd/internal/cli"
	"sitemend/crawler/address"
	"sitemend/crawler/fetch"
	"sitemend/crawler/handin"
	"sitemend/report/messages"
)

// maxKeyFile is the most bytes of a key file that are read.
const maxKeyFile = 4 << 10

// toIndexNow sends the addresses that changed, host by host.
func (h *handing) toIndexNow(ctx context.Context) error {
	if h.indexNow == nil {
		return nil
	}
	changes, lately, err := h.changed("indexnow")
	if err != nil {
		return err
	}
	defer changes.Close()
	b := &indexNowBatches{h: h, sent: lately}
	err = changes.each(func(host, url string, _ byte) error { return b.add(ctx, host, url) })
	if err := errors.Join(err, b.end(ctx)); err != nil {
		return err
	}
	if changes.others > 0 {
		h.say("indexnow", "elsewhere",
			fmt.Sprintf("not sent: %s of other sites",
				cli.Plural(changes.others, "changed address", "changed addresses")))
	}
	if b.hosts == 0 {
		h.say("indexnow", "addresses", "none changed")
	}
	return nil
}

// indexNowBatches sends addresses as they come, sorted by host.
type indexNowBatches struct {
	h    *handing
	sent *sent

	hosts   int
	host    string
	keyFile address.Address
	refused bool // the host's addresses are not sent
	over    bool // a 429 concerns the sender, so nothing more is sent
	batch   []string
	taken   int
	again   int // were sent recently
	pending bool
}

// add adds an address, and sends the batch when it is full.
func (b *indexNowBatches) add(ctx context.Context, host, url string) error {
	if b.over {
		return nil
	}
	if host != b.host {
		if err := b.end(ctx); err != nil {
			return err
		}
		*b = indexNowBatches{h: b.h, sent: b.sent, hosts: b.hosts + 1, host: host}
		if err := b.vouched(ctx, address.Wire(url)); err != nil {
			return err
		}
	}
	switch {
	case b.refused:
		return nil
	case b.sent.lately(url):
		b.again++
		return nil
	}
	if b.batch = append(b.batch, url); len(b.batch) == handin.IndexNowBatch {
		return b.send(ctx)
	}
	return nil
}

// vouched fetches the key file of a host: over https, else with the scheme of the address.
func (b *indexNowBatches) vouched(ctx context.Context, of address.Address) error {
	places := []address.Address{b.h.indexNow.KeyFile(of)}
	if of.Scheme() == "http" && of.Port() == "" {
		places = slices.Insert(places, 0,
			address.Wire("https"+strings.TrimPrefix(places[0].String(), "http")))
	}
	why := ""
	for _, at := range places {
		var content bytes.Buffer
		got, err := b.h.client.Get(ctx, fetch.File{URL: at, Limit: maxKeyFile}, &content)
		if err != nil {
			return err
		}
		switch {
		case got.Fault == "" && got.Status == 200 && b.h.indexNow.HasKey(content.String()):
			b.keyFile = at
			return nil
		case got.Fault != "":
			why = "no answer: " + got.Fault.Words()
		case got.Status == 200:
			why = "it holds something else"
		default:
			why = fmt.Sprintf("status %d", got.Status)
		}
	}
	b.refused = true
	b.h.fails("indexnow", b.host, cli.WithHint(
		fmt.Errorf("the key file was not seen at its place (%s)", why),
		"put a file with the key alone, named KEY.txt, into the root of "+b.host))
	return nil
}

// send sends the batch.
func (b *indexNowBatches) send(ctx context.Context) error {
	batch := b.batch
	b.batch = nil
	if len(batch) == 0 || b.refused {
		return nil
	}
	if b.h.s.DryRun {
		b.taken += len(batch)
		return nil
	}
	r := handedIn{To: "indexnow", Audit: b.h.id, At: b.h.env.Time().Now().UTC(), In: b.host,
		Addresses: len(batch)}
	status, err := b.h.indexNow.Submit(ctx, b.host, b.keyFile, batch)
	if err != nil {
		var e *handin.Error
		b.refused, b.over = true, errors.As(err, &e) && e.Status == 429
		return errors.Join(b.h.left(ctx, "indexnow", b.host, err), b.h.keep(r.refused(err)))
	}
	r.Answer = fmt.Sprint(status)
	b.pending = status == 202
	b.taken += len(batch)
	return errors.Join(b.sent.keep(batch), b.h.keep(r))
}

// end sends the rest of a host's addresses and reports on the host.
func (b *indexNowBatches) end(ctx context.Context) error {
	if b.host == "" {
		return nil
	}
	if err := b.send(ctx); err != nil {
		return err
	}
	verb := "sent "
	if b.h.s.DryRun {
		verb = "would be sent "
	}
	if b.taken > 0 {
		how := verb + cli.Plural(b.taken, "changed address", "changed addresses")
		if b.pending {
			how += "; the key is to be looked at yet (202)"
		}
		b.h.say("indexnow", b.host, how)
	}
	if b.again > 0 {
		b.h.say("indexnow", b.host, fmt.Sprintf(
			"%s sent within the last ten minutes: not sent again", messages.Number(b.again)))
	}
	return nil
}
