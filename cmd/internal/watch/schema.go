package watch

import (
	"encoding/json"
	"strings"

	"github.com/spf13/pflag"

	"sitemend/report/messages"
)

// Schema returns the JSON Schema (draft-07) of a configuration, for editors. The flags of audit
// are taken from where the command line has them.
func (l Loader) Schema() ([]byte, error) {
	site := properties{
		"name":     described("string", "the name of the site, and of the folder of its outputs"),
		"targets":  described("", "sites, sitemaps or files, as sitemend audit takes them", oneOrMore("string")),
		"schedule": scheduleSchema(),
		"notify":   described("", "the receivers that are told, by name", oneOrMore("string")),
	}
	defaults := properties{"schedule": site["schedule"], "notify": site["notify"]}
	fs, _ := l.Flags()
	fs.VisitAll(func(f *pflag.Flag) {
		if notForSites[f.Name] == "" {
			p := flagSchema(f)
			site[f.Name], defaults[f.Name] = p, p
		}
	})
	receiver := object(properties{
		"url":     described("string", "a service URL, as ${SLACK}: slack://..., teams://..., discord://..., smtp://..., ntfy://..."),
		"webhook": described("string", "an address that is sent JSON"),
		"secret":  described("string", "signs what a webhook is sent: X-Sitemend-Signature"),
	})
	langs := properties{"enum": messages.Langs(), "description": "the language of the messages"}
	top := object(properties{
		"$schema":  described("string", "this schema, for an editor"),
		"store":    described("string", "the folder of audits.db and of the outputs"),
		"listen":   described("string", "HOST:PORT of the pages, /metrics and /healthz"),
		"token":    described("string", "the token of the pages, 16 characters or more, as ${TOKEN}"),
		"url":      described("string", "where readers reach the pages, without the token"),
		"timezone": described("string", "the time zone of the schedules, as Asia/Tokyo"),
		"parallel": properties{"type": "integer", "minimum": 1, "maximum": 64, "default": 2, "description": "audits at once"},
		"defaults": object(defaults),
		"sites":    properties{"type": "array", "minItems": 1, "items": required(object(site), "name")},
		"notify": properties{"type": "object", "properties": properties{"lang": langs}, "additionalProperties": receiver,
			"description": "receivers of messages, by name"},
	})
	top["$schema"], top["title"] = "http://json-schema.org/draft-07/schema#", "sitemend watch"
	text, err := json.MarshalIndent(required(top, "store", "sites"), "", "  ")
	return append(text, '\n'), err
}

// properties are a part of a JSON Schema.
type properties map[string]any

// object is the schema of keys and values, and no other.
func object(of properties) properties {
	return properties{"type": "object", "properties": of, "additionalProperties": false}
}

func required(o properties, names ...string) properties {
	o["required"] = names
	return o
}

// described is the schema of a value.
func described(kind, text string, more ...properties) properties {
	p := properties{"description": text}
	if kind != "" {
		p["type"] = kind
	}
	for _, m := range more {
		for k, v := range m {
			p[k] = v
		}
	}
	return p
}

// oneOrMore is the schema of a value that may be a list of such.
func oneOrMore(kind any) properties {
	one := properties{"type": kind}
	return properties{"oneOf": []any{one, properties{"type": "array", "items": one}}}
}

func scheduleSchema() properties {
	return described("string", "cron of five fields, @hourly, @daily, @weekly, @monthly, @yearly, or every 6h",
		properties{"examples": []string{"17 3 * * 1", "@daily", "every 6h"}})
}

// flagSchema is the schema of a flag of audit. Where a number or true is taken, so is text: it
// may name a variable of the environment.
func flagSchema(f *pflag.Flag) properties {
	usage := strings.ReplaceAll(f.Usage, "`", "")
	if _, many := f.Value.(pflag.SliceValue); many {
		return described("", usage, oneOrMore([]string{"string", "number"}))
	}
	kind := any("string")
	switch f.Value.Type() {
	case "int":
		kind = []string{"integer", "string"}
	case "float64":
		kind = []string{"number", "string"}
	case "bool":
		kind = []string{"boolean", "string"}
	case "string", "pattern":
		kind = []string{"string", "number", "boolean"}
	default:
		if f.NoOptDefVal != "" {
			kind = []string{"string", "boolean"}
		}
	}
	return properties{"type": kind, "description": usage}
}
