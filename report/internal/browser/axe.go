package browser

import (
	"os"
	"strings"
)

// Axe runs axe-core on the current page and returns the violated rules with the first elements that
// violate each; "" for none. The script is the file that SITEMEND_AXE names, axe.min.js of the npm
// package.
func (b *Browser) Axe() string {
	b.T.Helper()
	script, err := os.ReadFile(os.Getenv("SITEMEND_AXE"))
	if err != nil {
		b.T.Fatalf("SITEMEND_AXE names axe.min.js of the npm package axe-core: %v", err)
	}
	b.Eval("(() => { " + string(script) + "\n return window.axe.version; })()")
	b.Eval(`(() => { window.axeSaid = undefined; window.axe.run(document, { resultTypes: ['violations'] }).then(
		found => { window.axeSaid = found.violations.map(v => v.id + ' (' + v.nodes.length + '): ' + v.help + '\n' + v.nodes.slice(0, 3).map(n => '    ' + n.html.slice(0, 200) + '\n      ' + n.failureSummary.replace(/\s+/g, ' ')).join('\n')).join('\n'); },
		fault => { window.axeSaid = 'axe failed: ' + fault; }); })()`)
	b.Until(`window.axeSaid !== undefined`)
	return strings.TrimSpace(b.Eval(`window.axeSaid`))
}
