package record

import (
	"time"

	"sitemend/crawler/address"
	"sitemend/crawler/audit"
)

// An infoRecord is an audit.Info as stored; its ID is the name of its bucket.
type infoRecord struct {
	Targets   []string          `cbor:"1,keyasint,omitempty"`
	Identity  string            `cbor:"2,keyasint,omitempty"`
	Agent     string            `cbor:"3,keyasint,omitempty"`
	Rules     rulesRecord       `cbor:"4,keyasint"`
	Tool      string            `cbor:"5,keyasint,omitempty"`
	Started   int64             `cbor:"6,keyasint,omitempty"`
	Ended     int64             `cbor:"7,keyasint,omitempty"`
	Duration  int64             `cbor:"8,keyasint,omitempty"`
	Requests  int               `cbor:"9,keyasint,omitempty"`
	Second    int               `cbor:"10,keyasint,omitempty"`
	Left      map[string]int    `cbor:"11,keyasint,omitempty"`
	Proxy     bool              `cbor:"12,keyasint,omitempty"`
	NoFetch   bool              `cbor:"13,keyasint,omitempty"`
	Partial   bool              `cbor:"14,keyasint,omitempty"`
	RobotsBad []string          `cbor:"15,keyasint,omitempty"`
	Part      string            `cbor:"16,keyasint,omitempty"`
	Down      []string          `cbor:"17,keyasint,omitempty"` // of RobotsDown
	Given     []string          `cbor:"18,keyasint,omitempty"`
	Site      string            `cbor:"19,keyasint,omitempty"`
	Servers   map[string]string `cbor:"20,keyasint,omitempty"`
	Least     bool              `cbor:"21,keyasint,omitempty"`
	Include   string            `cbor:"22,keyasint,omitempty"`
	Exclude   string            `cbor:"23,keyasint,omitempty"`

	Waits   map[string]time.Duration `cbor:"24,keyasint,omitempty"`
	Refused map[string]float64       `cbor:"25,keyasint,omitempty"`

	Continued int64 `cbor:"26,keyasint,omitempty"`
	Outdated  []int `cbor:"27,keyasint,omitempty"`
}

// A rulesRecord is audit.Rules as stored: the same fields in the same order, so that the compiler
// checks their conversion.
type rulesRecord struct {
	MaxHops         int                            `cbor:"1,keyasint,omitempty"`
	Spelling        address.Spelling               `cbor:"2,keyasint,omitempty"`
	Sample          int                            `cbor:"3,keyasint,omitempty"`
	Robots          string                         `cbor:"4,keyasint,omitempty"`
	Fix             map[audit.Verdict]audit.Action `cbor:"5,keyasint,omitempty"`
	Lift            map[audit.Note]bool            `cbor:"6,keyasint,omitempty"`
	KeepAll         bool                           `cbor:"7,keyasint,omitempty"`
	MaxDrop         float64                        `cbor:"8,keyasint,omitempty"`
	NoFetch         bool                           `cbor:"9,keyasint,omitempty"`
	Lastmod         bool                           `cbor:"16,keyasint,omitempty"`
	Split           bool                           `cbor:"17,keyasint,omitempty"`
	MissingPath     string                         `cbor:"10,keyasint,omitempty"`
	Sections        map[string][]string            `cbor:"13,keyasint,omitempty"`
	PlainSections   map[string][]string            `cbor:"14,keyasint,omitempty"`
	UnaskedSections map[string]int                 `cbor:"15,keyasint,omitempty"`
	LoginBoxes      []string                       `cbor:"18,keyasint,omitempty"`
	Secret          []string                       `cbor:"11,keyasint,omitempty"`
	Rooted          []string                       `cbor:"12,keyasint,omitempty"`
	Evidence        *audit.Evidence                `cbor:"-"`
	Permits         audit.Permits                  `cbor:"-"`
	Sets            audit.Sets                     `cbor:"-"`
	Doubts          []audit.Doubt                  `cbor:"-"`
}

// EncodeInfo encodes the information about an audit, without its ID and its number.
func EncodeInfo(i audit.Info) ([]byte, error) {
	return encoding.Marshal(infoRecord{
		Targets: i.Targets, Identity: i.Identity, Agent: i.Agent, Tool: i.Tool,
		Rules:   rulesRecord(i.Rules),
		Started: nanos(i.Started), Ended: nanos(i.Ended), Duration: int64(i.Duration),
		Requests: i.Requests, Second: i.AltSpellingRequests, Left: i.Abandoned, Proxy: i.Proxy,
		NoFetch: i.NoFetch,
		Partial: i.Partial, RobotsBad: i.RobotsBad, Down: i.RobotsDown, Part: i.Part,
		Given: i.Given, Site: i.Site, Servers: i.Servers, Least: i.Least,
		Include: i.Include, Exclude: i.Exclude, Waits: i.Waits, Refused: i.Refused,
		Continued: nanos(i.Continued), Outdated: i.Outdated,
	})
}

// DecodeInfo decodes the information about the audit with an ID.
func DecodeInfo(id string, data []byte) (audit.Info, error) {
	var r infoRecord
	if err := Decode(data, &r); err != nil {
		return audit.Info{}, err
	}
	return audit.Info{ID: id, Targets: r.Targets, Identity: r.Identity, Agent: r.Agent,
		Tool:    r.Tool,
		Rules:   audit.Rules(r.Rules),
		Started: fromNanos(r.Started), Ended: fromNanos(r.Ended),
		Duration: time.Duration(r.Duration),
		Requests: r.Requests, AltSpellingRequests: r.Second, Abandoned: r.Left, Proxy: r.Proxy,
		NoFetch: r.NoFetch,
		Partial: r.Partial, RobotsBad: r.RobotsBad, RobotsDown: r.Down, Part: r.Part,
		Given: r.Given, Site: r.Site, Servers: r.Servers, Least: r.Least,
		Include: r.Include, Exclude: r.Exclude, Waits: r.Waits, Refused: r.Refused,
		Continued: fromNanos(r.Continued), Outdated: r.Outdated,
	}, nil
}
