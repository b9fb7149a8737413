package main

import (
	"bytes"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"strings"
	"sync"
)

// Bounds of a page of the case `pages`, in bytes of HTML.
const (
	leastPage = 10_000
	mostPage  = 60_000
)

// pageOf returns the HTML of a page of a shop or magazine, as a content management system writes
// it: a head full of tags, data for search engines, style, scripts, menus, a form, texts and a
// footer. Every path has a page of its own, which is always the same; its size is between leastPage
// and mostPage.
func pageOf(path string) []byte {
	h := fnv.New64a()
	h.Write([]byte(path))
	r := rand.New(rand.NewPCG(h.Sum64(), 1))
	// the last block and the foot are longer than nothing
	size := leastPage + r.IntN(mostPage-leastPage-9_000)
	title := sentence(r, 3+r.IntN(6))
	var b bytes.Buffer
	fmt.Fprintf(&b, pageHead, title, sentence(r, 20), path, title, path, title, 1000+r.IntN(9000),
		path)
	all := blocks()
	b.WriteString(menu(r))
	fmt.Fprintf(&b, "<main id=\"content\" class=\"site-main\"><article class=\"post-%d\"><h1 class=\"entry-title\">%s</h1>\n", r.IntN(1e6), sentence(r, 4+r.IntN(5)))
	for b.Len() < size {
		b.WriteString(all[r.IntN(len(all))])
	}
	b.WriteString(pageFoot)
	return b.Bytes()
}

// blocks are what pages are made of: each page has its own choice of them.
var blocks = sync.OnceValue(func() []string {
	r := rand.New(rand.NewPCG(1, 2))
	var all []string
	for i := range 400 {
		switch i % 8 {
		case 0:
			all = append(all, fmt.Sprintf("<h2 id=\"s%d\">%s</h2>\n<ul class=\"list\"><li>%s</li><li><strong>%s</strong></li><li>%s</li></ul>\n", i, sentence(r, 5), sentence(r, 9), sentence(r, 3), sentence(r, 12)))
		case 1:
			all = append(all, fmt.Sprintf("<figure class=\"wp-block-image size-large\"><img loading=\"lazy\" decoding=\"async\" width=\"1024\" height=\"683\" src=\"/uploads/2026/%02d/%d.jpg\" alt=\"%s\" srcset=\"/uploads/%d-300.jpg 300w, /uploads/%d-768.jpg 768w\" sizes=\"(max-width: 1024px) 100vw, 1024px\"/><figcaption>%s</figcaption></figure>\n", i%12+1, i, sentence(r, 6), i, i, sentence(r, 8)))
		case 2:
			all = append(all, fmt.Sprintf("<div class=\"product-card\" data-id=\"%d\" data-json='{\"id\":%d,\"tags\":[\"%s\"]}'><a href=\"/product/%d?ref=grid\" title=\"%s\"><span class=\"price\">&euro;%d,99</span></a><button type=\"button\" class=\"btn btn-primary\" onclick=\"addToCart(%d)\">%s</button></div>\n", i, i, sentence(r, 2), i, sentence(r, 4), r.IntN(300), i, sentence(r, 2)))
		case 3:
			all = append(all, fmt.Sprintf("<script>window.dataLayer=window.dataLayer||[];(function(){var p={page:document.location.pathname,id:%d};if(p.id>0&&window.location.href==='#'){window.location.hash='';}dataLayer.push(p);/* %s */})();</script>\n", i, sentence(r, 20)))
		case 4:
			all = append(all, fmt.Sprintf("<!-- %s -->\n<svg class=\"icon\" viewBox=\"0 0 24 24\" aria-hidden=\"true\"><path d=\"M12 %d.5c-3.1 0-5.7 2.5-5.7 5.7l-.01 4.2z\" fill=\"none\" stroke=\"currentColor\"/></svg>\n", sentence(r, 10), r.IntN(20)))
		case 5:
			all = append(all, fmt.Sprintf("<blockquote><p>%s&nbsp;&ndash; <em>%s</em></p></blockquote>\n<table><tr><th>%s</th><td>%d</td></tr><tr><th>%s</th><td>%d&thinsp;cm</td></tr></table>\n", sentence(r, 30), sentence(r, 3), sentence(r, 2), i, sentence(r, 2), i*3))
		default:
			var p strings.Builder
			for range 3 {
				fmt.Fprintf(&p, "<p>%s <a href=\"/%s/\">%s</a> %s</p>\n", sentence(r, 40), slug(r),
					sentence(r, 3), sentence(r, 35))
			}
			all = append(all, p.String())
		}
	}
	return all
})

// menu is the header of a page, with its links and its search.
func menu(r *rand.Rand) string {
	var b strings.Builder
	b.WriteString("<body class=\"single single-post wp-theme\">\n<noscript><iframe src=\"https://tags.example/ns.html\" height=\"0\" width=\"0\" style=\"display:none\"></iframe></noscript>\n<header><nav aria-label=\"Main\"><ul>")
	for range 30 {
		fmt.Fprintf(&b, "<li class=\"menu-item\"><a href=\"/%s/\" itemprop=\"url\"><span>%s</span></a></li>", slug(r), sentence(r, 2))
	}
	b.WriteString("</ul></nav><form role=\"search\" action=\"/search\"><input type=\"search\" name=\"q\" placeholder=\"Search\"><input type=\"hidden\" name=\"t\" value=\"1\"><button>Go</button></form></header>\n")
	return b.String()
}

// sentence returns a number of words with a capital at the beginning.
func sentence(r *rand.Rand, words int) string {
	var b strings.Builder
	for i := range words {
		w := vocabulary[r.IntN(len(vocabulary))]
		if i == 0 {
			b.WriteString(strings.ToUpper(w[:1]) + w[1:])
			continue
		}
		b.WriteString(" " + w)
	}
	return b.String()
}

func slug(r *rand.Rand) string {
	return strings.ToLower(strings.ReplaceAll(sentence(r, 3), " ", "-"))
}

// vocabulary has no letter of more than one byte in front: sentence capitalizes bytes.
var vocabulary = strings.Fields(`the a of and garden chair summer this page with oak table where product login location light size how
	water price sale für mit Lampe größe jardin été maison page found not order shipping word password reading house window
	kitchen delivery your what is in on we best made by hand people from every new old two three years time part small large
	recipe travel guide review compare colour blue green material cotton steel wood glass free return contact team story news`)

const pageHead = `<!DOCTYPE html>
<html lang="en-GB" prefix="og: https://ogp.me/ns#">
<head>
<meta charset="UTF-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>%s | The Example Shop</title>
<meta name="description" content="%s">
<meta name="robots" content="index, follow, max-image-preview:large, max-snippet:-1">
<link rel="canonical" href="%s">
<meta property="og:type" content="article">
<meta property="og:title" content="%s">
<meta property="og:url" content="%s">
<meta name="twitter:card" content="summary_large_image">
<script type="application/ld+json">{"@context":"https://schema.org","@graph":[{"@type":"WebPage","name":"%s","datePublished":"2026-01-02T03:04:05+00:00"},{"@type":"BreadcrumbList","itemListElement":[{"@type":"ListItem","position":1,"name":"Home"}]}]}</script>
<link rel="preconnect" href="https://fonts.example" crossorigin><link rel="stylesheet" href="/assets/main.css?v=%d" media="all"><link rel="icon" href="/favicon.ico"><link rel="alternate" type="application/rss+xml" href="/feed/">
<style>:root{--a:#123456;--b:1.25rem}body{margin:0;font:16px/1.5 system-ui,sans-serif}.site-main{max-width:72ch;margin:auto;padding:var(--b)}.btn{border-radius:.25em;background:var(--a);color:#fff}@media(max-width:600px){nav ul{display:none}}</style>
<script async src="https://tags.example/tag.js?id=G-1"></script>
<script>window.dataLayer=window.dataLayer||[];function gtag(){dataLayer.push(arguments);}gtag('js',new Date());gtag('config','G-1',{page_path:'%s'});</script>
</head>
`

const pageFoot = `</article></main>
<footer class="site-footer"><p>&copy; 2026 The Example Shop</p><ul><li><a href="/privacy/">Privacy</a></li><li><a href="/login/">Log in</a></li></ul></footer>
<script>(function(d,s){var e=d.createElement(s);e.async=1;e.src='/assets/app.js';d.body.appendChild(e);})(document,'script');</script>
<script>document.querySelectorAll('a[data-go]').forEach(function(a){a.addEventListener('click',function(){window.location.href=a.dataset.go;});});</script>
</body>
</html>
`
