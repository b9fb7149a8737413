package job

// meantFor are words that people write for those of --fail-on and --fix: statuses and
// everyday names.
var meantFor = map[string]string{
	"404": "not-found", "410": "not-found", "gone": "not-found", "missing": "not-found", "notfound": "not-found", "broken": "problem",
	"redirect": "problem", "redirects": "problem", "redirected": "problem", "3xx": "problem", "301": "moved", "308": "moved", "permanent": "moved",
	"302": "temporary", "303": "temporary", "307": "temporary", "5xx": "error", "4xx": "error", "500": "error", "502": "error", "504": "error",
	"errors": "error", "401": "unverified", "403": "unverified", "429": "unverified", "503": "unverified", "timeout": "unverified", "blocked": "disallowed",
	"robots": "disallowed", "robots.txt": "disallowed", "soft404": "soft-404", "canonical": "noncanonical", "canonicalized": "noncanonical",
	"all": "any", "everything": "any", "warning": "any", "warnings": "any", "home": "homepage", "external": "offsite", "encoding": "respelled",
	"never": "none", "off": "none", "no": "none", "false": "none", "true": "problem", "yes": "problem", "fault": "faults",
}

// meantAlso are words that people write for lists of --also.
var meantAlso = map[string]string{
	"hreflang": "alternates", "xhtml:link": "alternates", "links": "alternates", "alternate": "alternates", "languages": "alternates",
	"image": "images", "image:loc": "images", "pictures": "images", "video": "videos", "video:content_loc": "videos",
	"off": "none", "no": "none", "false": "none", "never": "none",
}

// formatFor are words that people write for formats.
var formatFor = map[string]string{
	"excel": "xlsx", "xls": "xlsx", "ods": "xlsx", "spreadsheet": "xlsx", "workbook": "xlsx", "json": "jsonl", "ndjson": "jsonl", "markdown": "md",
	"htm": "html", "report": "html", "xml": "junit", "tsv": "csv", "text": "md", "txt": "md",
}
