//go:build browser

package main

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

var views = []string{"radar", "ships", "events", "messages", "traffic", "report"}

// fight is a place in the battle where much happens.
const fight = "#t=61.9&ship=0x3fffffff&m=2776"

// show opens a view and waits until it has its data.
func (p *tab) show(view string) {
	p.t.Helper()
	p.click("#tab-" + view)
	p.wait(map[string]string{
		"radar":    `watch.state().frames > 0`,
		"ships":    `document.querySelectorAll('.detail .plot-line').length === 7`,
		"events":   `document.querySelectorAll('.event-row').length > 5`,
		"messages": `document.querySelectorAll('.field').length > 5 && document.querySelector('.message-row[aria-selected="true"]')`,
		"traffic":  `document.querySelectorAll('#plots .plot-line').length > 10`,
		"report":   `document.querySelectorAll('#report .report-line').length > 5`,
	}[view])
	p.frame()
}

// testAccessible runs axe-core on each view in both themes, and on the dialog.
func testAccessible(t *testing.T, c *chrome) {
	axe := axeCore(t)
	url := c.serve(t, battle)
	for _, s := range append(sizes, zoomed) {
		p := c.open(t, url+fight, s, theme("dark"))
		p.run(chromedp.Evaluate[chromedp.Void](axe))
		audit := func(name string) {
			for _, look := range []string{"dark", "light"} {
				p.run(theme(look))
				p.wait(`watch.state().theme === '` + look + `'`)
				p.shoot(fmt.Sprintf("%s-%s-%d", name, look, s.width))
				p.audit(name, look == "light")
			}
		}
		for _, view := range views {
			p.show(view)
			audit(view)
		}
		p.eval(`[...document.querySelectorAll('#plots details')].forEach((d) => { d.open = true; })`, nil)
		p.frame()
		audit("tables")
		p.click("#help")
		audit("help")
	}
}

// axeCore returns the source of axe-core, which npm fetches once.
func axeCore(t *testing.T) string {
	t.Helper()
	source, err := fetchAxe()
	require.NoError(t, err)
	return source
}

var fetchAxe = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "axe-core")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	out, err := exec.Command("npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix", dir, "axe-core@4").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%w: %s", err, out)
	}
	source, err := os.ReadFile(filepath.Join(dir, "node_modules", "axe-core", "axe.min.js"))
	return string(source), err
})

// audit fails the test if axe-core finds a violation. Of a page that has other colours than before, it may look at the
// contrast alone.
func (p *tab) audit(name string, contrast bool) {
	p.t.Helper()
	type violation struct {
		ID, Impact, Help string
		Nodes            []struct {
			HTML           string
			FailureSummary string
		}
	}
	var found struct {
		Passes     int
		Violations []violation
	}
	rules := "{}"
	if contrast {
		rules = `{ runOnly: ['color-contrast'] }`
	}
	p.eval(`axe.run(document, `+rules+`).then((r) => ({
		passes: r.passes.length, violations: r.violations
	}))`, &found)
	for _, v := range found.Violations {
		for _, node := range v.Nodes[:min(3, len(v.Nodes))] {
			p.t.Errorf("%s: %s (%s): %.300s\n%s", name, v.ID, v.Impact, node.HTML, node.FailureSummary)
		}
	}
	require.True(p.t, contrast || found.Passes > 0, "the rules have run")
}

// testThemes uses the theme of the system until the button chooses one, which a reload keeps.
func testThemes(t *testing.T, c *chrome) {
	url := c.serve(t, battle)
	p := c.open(t, url, desktop, theme("light"))
	require.Equal(t, "light", p.text(`watch.state().theme`))
	light := p.text(`getComputedStyle(document.body).backgroundColor`)
	p.run(theme("dark"))
	p.wait(`watch.state().theme === 'dark'`)
	require.NotEqual(t, light, p.text(`getComputedStyle(document.body).backgroundColor`))
	p.click("#theme")
	p.wait(`watch.state().theme === 'light'`)
	p = c.open(t, url, desktop, theme("dark"))
	require.Equal(t, "light", p.text(`watch.state().theme`), "the choice is kept")
}

// testNarrow uses the page on a phone, upright and on its side. Nothing lies outside the window, or on
// another control.
func testNarrow(t *testing.T, c *chrome) {
	url := c.serve(t, battle) + fight
	for _, s := range []size{phone, onSide, tablet} {
		p := c.open(t, url, s)
		requireRoom(t, p, s)
		p.show("messages")
		p.wait(`document.querySelector('#message-list .grid').getBoundingClientRect().bottom + 24 <= document.querySelector('#message-list').getBoundingClientRect().bottom + 1`)
		require.Equal(t, "visible", p.text(`getComputedStyle(document.querySelector('#message-list'), '::after').visibility`), "a line tells of further columns")
		p.shoot(fmt.Sprintf("messages-more-%d", s.width))
	}
}

func requireRoom(t *testing.T, p *tab, s size) {
	for _, view := range views {
		p.show(view)
		require.Equal(t, view, p.text(`[...document.querySelectorAll('[role="tabpanel"]')].filter((e) => e.checkVisibility()).map((e) => e.id.slice(6)).join()`))
		require.LessOrEqual(t, p.number(`document.documentElement.scrollWidth`), float64(s.width), "%s is not wider than the window", view)
		outside := p.text(`[...document.querySelectorAll('button, select, input')].filter((e) => e.checkVisibility() && !e.closest('.scroller, .report-scroll')).
			filter((e) => { const r = e.getBoundingClientRect(); return r.left < 0 || r.top < 0 || r.right > innerWidth + 0.5 || r.bottom > innerHeight + 0.5; }).filter((e) => !e.closest('#message-detail, .ships-main, #all-ships, #plots, #report')).map((e) => e.id || e.textContent).join()`)
		require.Empty(t, outside, "%s: controls outside the window", view)
		over := p.text(`(() => {
			const all = [...document.querySelectorAll('button, select, input, #track, #map-layers, .scroller')].filter((e) => e.checkVisibility() && !e.closest('#message-detail, .ships-main, #all-ships, #plots, #report, [role="rowgroup"] *')).map((e) => [e, e.getBoundingClientRect()]);
			return all.flatMap(([a, p], i) => all.slice(i + 1).filter(([b, q]) => !a.contains(b) && !b.contains(a) && p.left < q.right - 1 && q.left < p.right - 1 && p.top < q.bottom - 1 && q.top < p.bottom - 1)
				.map(([b]) => (a.id || a.textContent) + ' and ' + (b.id || b.textContent))).join();
		})()`)
		require.Empty(t, over, "%s: controls overlap", view)
		require.Greater(t, p.number(`document.querySelector('main').clientHeight`), float64(s.height)*0.6, "%s: room for the view", view)
	}
}

// testPicture takes the picture of the README from the sample, if a file for it is given. See doc.go for the
// command.
func testPicture(t *testing.T, c *chrome) {
	p := c.open(t, c.serve(t, "fight.jsonl")+"#t=61.5", desktop, theme("dark"))
	p.wait(`[...document.querySelectorAll('.ship-row[data-id]')].find((row) => row.textContent.startsWith('Ann'))?.click() === undefined && watch.state().selectedShip`)
	p.show("radar")
	p.eval(`document.fonts.ready.then(() => new Promise((done) => setTimeout(done, 2000)))`, nil) // also the traffic of the timeline
	data := quantise(t, p.png())
	require.LessOrEqual(t, len(data), 200_000)
	if *picture != "" {
		require.NoError(t, os.WriteFile(*picture, data, 0o644))
	}
}

// quantise reduces a picture to the 256 colours that it has most often, so that its file is small.
func quantise(t *testing.T, data []byte) []byte {
	t.Helper()
	src, err := png.Decode(bytes.NewReader(data))
	require.NoError(t, err)
	require.Equal(t, image.Rect(0, 0, 1280, 800), src.Bounds())
	count := map[color.RGBA]int{}
	for y := range 800 {
		for x := range 1280 {
			count[color.RGBAModel.Convert(src.At(x, y)).(color.RGBA)]++
		}
	}
	all := slices.SortedFunc(maps.Keys(count), func(a, b color.RGBA) int {
		return cmp.Or(count[b]-count[a], int(a.R)-int(b.R), int(a.G)-int(b.G), int(a.B)-int(b.B))
	})
	const near = 6 // colours that are nearer than this count as one
	var colours color.Palette
	taken := map[[3]uint8]bool{}
	for _, c := range all {
		key := [3]uint8{c.R / near, c.G / near, c.B / near}
		if !taken[key] && len(colours) < 256 {
			taken[key] = true
			colours = append(colours, c)
		}
	}
	dst := image.NewPaletted(src.Bounds(), colours)
	draw.Draw(dst, dst.Bounds(), src, image.Point{}, draw.Src)
	var b bytes.Buffer
	require.NoError(t, (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&b, dst))
	return b.Bytes()
}

// testPrint prints views, also from a phone. The map is on one page, upright and on its side.
func testPrint(t *testing.T, c *chrome) {
	url := c.serve(t, battle)
	for _, s := range []size{desktop, phone} {
		p := c.open(t, url+"#t=20&ship=0x3fffffff", s)
		require.Equal(t, 1, p.pages(false), s)
		require.Equal(t, 1, p.pages(true), s)
		printList(c.open(t, url+"#t=20&view=messages", s), "messages", 500, `get('messages', { at: 20, count: 1 }).then(async ({ from }) => {
			const pages = [0, 1, 2].map((i) => get('messages', { from: from + 200 * i, count: 200 }));
			return (await Promise.all(pages)).flatMap(({ rows }) => rows.map((row) => row.summary)).slice(0, 500);
		})`)
		printList(c.open(t, url+"#t=20&view=events", s), "events", 40, `get('events', { link: 1, count: 500 }).then(({ events }) => events.map(eventText))`)
	}
	p := c.open(t, url+"#view=messages&text=nothing+like+this", desktop)
	p.wait(`document.querySelector('#messages-empty').checkVisibility()`)
	require.Empty(t, p.text(`(dispatchEvent(new Event('beforeprint')), document.querySelector('#message-list .paper').textContent)`))
}

// printList prints the rows of a list. They have all of their texts, whether they are on the screen or not, and the list
// stays where it is.
func printList(p *tab, view string, rows int, texts string) {
	p.t.Helper()
	panel := "#panel-" + view
	shown := `[...document.querySelectorAll('` + panel + ` [data-index]:not([hidden])')].map((r) => r.textContent + r.style.transform).join()`
	p.wait(shown + `.includes('0:20.') && !document.querySelector('` + panel + ` .pending:not([hidden])')`)
	before := p.text(shown)
	p.run(media("print"))
	p.wait(fmt.Sprintf(`(() => {
		for (const when of ['after', 'before']) dispatchEvent(new Event(when + 'print'));
		window.printed = [...document.querySelectorAll('%s [role="row"]:not(.message-head)')].filter((row) => row.checkVisibility());
		return printed.length === %d;
	})()`, panel, rows))
	var wrong []string
	p.eval(`Promise.all([import('./backend/api.js'), import('./backend/log.js')]).then(async ([{ get }, { eventText }]) => {
		const bare = (text) => text.replace(/[\u2068\u2069]/g, '');
		const texts = await `+texts+`;
		const clipped = (e) => getComputedStyle(e).overflowX !== 'visible' && e.scrollWidth > e.clientWidth + 1;
		return printed.flatMap((row, i) => (row.textContent.endsWith(bare(texts[i])) && ![...row.querySelectorAll('*')].some(clipped) ? [] : [row.textContent, texts[i]]));
	})`, &wrong)
	require.Empty(p.t, wrong)
	p.run(media(""))
	require.Greater(p.t, p.pages(false), rows/60)
	p.wait(`!document.querySelector('.paper *')`)
	p.frame()
	require.True(p.t, before == p.text(shown), "the list has moved")
}

// pages prints the view and returns the number of pages.
func (p *tab) pages(onSide bool) int {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	pdf, err := chromedp.Run(ctx, func(ctx context.Context, target *chromedp.Target) ([]byte, error) {
		pdf, err := cdp.Call(ctx, target, page.PrintToPDF, page.PrintToPDFParams{Landscape: &onSide, PaperWidth: 8.27, PaperHeight: 11.69})
		return pdf.Data, err
	})
	require.NoError(p.t, err)
	return len(regexp.MustCompile(`/Type /Page\b`).FindAll(pdf, -1))
}
