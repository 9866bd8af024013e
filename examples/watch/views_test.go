//go:build browser

package main

import (
	"fmt"
	"testing"
)

var views = []string{"radar", "ships", "events", "messages", "traffic"}

// testViews takes a picture of each view in both themes, on a desktop and on a phone.
func testViews(t *testing.T, c *chrome) {
	url := serve(t, battle)
	for _, s := range []size{desktop, phone} {
		for _, look := range []string{"dark", "light"} {
			p := c.open(t, url+"#t=19.4&ship=0x4003ffff&m=2776", s, theme(look))
			for _, view := range views {
				p.click("#tab-" + view)
				p.wait(fmt.Sprintf(`watch.state().view === %q`, view))
				p.eval(`new Promise((done) => setTimeout(done, 400))`, nil)
				p.shoot(fmt.Sprintf("%s-%s-%d", view, look, s.width))
			}
		}
	}
}
