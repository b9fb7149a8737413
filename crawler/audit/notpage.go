package audit

import (
	"path"
	"strings"

	"sitemend/crawler/address"
)

// isPage reports whether what an address answers is a page, by its content type; where
// that says nothing (none, application/octet-stream), by the address. Images, videos,
// sounds, fonts, styles, scripts, archives, feeds, sitemaps, data and what is to be saved are no
// pages. A PDF is: Google indexes it as one.
func isPage(page *Page, a address.Address) bool {
	if page.Attachment {
		return false
	}
	media, _, _ := strings.Cut(page.ContentType, ";")
	media = strings.ToLower(strings.TrimSpace(media))
	switch {
	case media == "":
		return !filesThatAreNoPages[fileType(a)]
	case media == "application/octet-stream" || media == "binary/octet-stream":
		return documents[fileType(a)]
	}
	kind, sub, _ := strings.Cut(media, "/")
	switch kind {
	case "image", "video", "audio", "font":
		return false
	}
	sub = strings.TrimPrefix(sub, "x-")
	switch {
	case sub == "xhtml+xml":
		return true
	case sub == "xml" || strings.HasSuffix(sub, "+xml") || strings.HasSuffix(sub, "json") || sub == "calendar" || sub == "vcard":
		return false // a feed, a sitemap, data
	case sub == "css" || strings.Contains(sub, "javascript") || sub == "ecmascript":
		return false
	case kind != "application":
		return true
	}
	switch sub {
	case "zip", "zip-compressed", "gzip", "gtar", "tar", "bzip", "bzip2", "xz", "zstd", "7z-compressed", "rar", "rar-compressed", "vnd.rar",
		"compress", "compressed", "lzip", "java-archive", "ogg", "mp4", "vnd.apple.mpegurl", "mpegurl", "vnd.ms-fontobject", "wasm":
		return false
	}
	return !strings.HasPrefix(sub, "font")
}

// filesThatAreNoPages are the extensions of images, videos, sounds, fonts, styles,
// scripts, archives, feeds and data.
var filesThatAreNoPages = func() map[string]bool {
	all := map[string]bool{}
	for name := range strings.FieldsSeq("jpg jpeg jpe png gif webp avif svg ico bmp tif tiff heic heif jxl apng " +
		"mp4 m4v mov webm avi mkv mpg mpeg wmv flv ogv 3gp m3u8 mp3 m4a wav ogg oga opus flac aac " +
		"woff woff2 ttf otf eot css js mjs wasm zip gz tgz tar bz2 xz 7z rar zst xml rss atom json ics vcf") {
		all[name] = true
	}
	return all
}()

// documents are the extensions of files that Google indexes as pages.
var documents = setOf("pdf", "txt", "rtf", "doc", "docx", "xls", "xlsx", "ppt", "pptx", "odt", "ods", "odp", "ps", "epub", "csv")

// isFile reports whether a is a file that is no page, in place of one of the same extension: then it
// may be listed.
func isFile(a, listed address.Address) bool {
	kind := fileType(a)
	return kind == fileType(listed) && (filesThatAreNoPages[kind] || documents[kind])
}

// fileType is the extension of an address's path, in lower case and without its dot; "" for
// none.
func fileType(a address.Address) string {
	e := strings.ToLower(strings.TrimPrefix(path.Ext(a.Path()), "."))
	if e == "jpeg" || e == "jpe" {
		return "jpg"
	}
	return e
}
