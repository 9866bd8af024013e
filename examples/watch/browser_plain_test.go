//go:build browser

package main

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// visibleRows are the rows of the table that lie wholly in it, from above.
const visibleRows = `[...document.querySelectorAll('#message-list .message-row[data-index]:not([hidden]):not(.pending)')].
	map((row) => ({ row, r: row.getBoundingClientRect() })).sort((a, b) => a.r.top - b.r.top).
	filter(({ r }) => { const s = document.querySelector('#message-list .scroller').getBoundingClientRect(); return r.top >= s.top - 1 && r.bottom <= s.bottom + 1; }).
	map(({ row }) => row)`

// testFilterPlace filters the table in the middle of the match. The table stays at that time.
func testFilterPlace(t *testing.T, c *chrome) {
	p := c.open(t, c.serve(t, battle)+"#view=messages", desktop)
	p.seek(40)
	p.click("#to-time")
	p.wait(visibleRows + `[0]?.textContent.startsWith('0:40.')`)
	for _, view := range []string{"radar", "messages"} {
		p.click("#tab-" + view)
		p.frame()
	}
	p.wait(visibleRows + `[0]?.textContent.startsWith('0:40.')`) // as before
	p.click("#names summary")
	for _, name := range []string{"StateUpdate", "StartFiring"} {
		p.click(`#name-list input[value="` + name + `"]`)
		p.wait(`document.querySelector('#name-summary').textContent.includes('name') || document.querySelector('#name-summary').textContent === 'StateUpdate'`)
		p.wait(`/^0:4[01]\./.test(` + visibleRows + `[0]?.textContent)`)
	}
	// A filter that lets a selected message through stays at the message.
	p.wait(`watch.state().message !== null || (` + visibleRows + `[3]?.click(), false)`)
	p.eval(`(() => { const s = document.querySelector('#filter-dir'); s.value = document.querySelector('[aria-selected="true"] [data-dir]').dataset.dir; s.dispatchEvent(new Event('change')); })()`, nil)
	p.wait(visibleRows + `.some((row) => row.getAttribute('aria-selected') === 'true')`)
	p.click("#filter-clear")
	p.wait(`document.querySelector('#message-total').textContent === '13,086 messages'`)
	p.wait(visibleRows + `.some((row) => row.getAttribute('aria-selected') === 'true')`)
}

// testClickedRow clicks the lowest row of the table, which the detail of the message then covers.
func testClickedRow(t *testing.T, c *chrome) {
	for _, s := range sizes {
		p := c.open(t, c.serve(t, battle)+"#view=messages&t=40", s)
		p.wait(visibleRows + `[0]?.textContent.startsWith('0:40.')`)
		p.wait(`watch.state().message !== null || (` + visibleRows + `.at(-1)?.click(), false)`)
		p.wait(`document.querySelectorAll('.field').length > 2`)
		p.wait(visibleRows + `.some((row) => row.getAttribute('aria-selected') === 'true')`)
	}
}

// testLinks opens links to a time of the table, and to filters, which the page keeps in its address.
func testLinks(t *testing.T, c *chrome) {
	url := c.serve(t, battle)
	p := c.open(t, url+"#t=20&view=messages", desktop)
	p.wait(visibleRows + `[0]?.textContent.startsWith('0:20.1')`)

	require.Equal(t, 62.5, c.open(t, url+"#t=1:02.5", desktop).number(`watch.state().time`), "a time as the report shows it")
	p = c.open(t, url+"#t=20&view=messages&name=TorpedoFire&dir=c2s&client=2&kind=kills&player=Dee&hide=chat", desktop)
	p.wait(visibleRows + `.every((row) => row.textContent.includes('TorpedoFire') && row.textContent.includes('Ben → server'))`)
	const total = "8 messages"
	p.wait(fmt.Sprintf(`document.querySelector('#message-total').textContent === %q`, total)) // the last ones come while the recording loads
	require.Equal(t, "Ben", p.text(`document.querySelector('#filter-link').selectedOptions[0].textContent`))
	require.Equal(t, "TorpedoFire", p.text(`document.querySelector('#name-summary').textContent`))
	require.Equal(t, "false", p.text(`document.querySelector('[data-marks="chat"]').getAttribute('aria-pressed')`))
	p.click("#tab-events")
	p.wait(`document.querySelectorAll('.event-row:not([hidden])').length > 0`)
	require.True(t, truth(p, `[...document.querySelectorAll('.event-row:not([hidden])')].every((row) => ['kill', 'death'].includes(row.dataset.kind) && row.textContent.includes('Dee'))`))
	p.eval(`(() => { const s = document.querySelector('#event-kind'); s.value = 'chat'; s.dispatchEvent(new Event('change')); })()`, nil)
	p.wait(`location.hash.includes('kind=chat') && location.hash.includes('name=TorpedoFire') && location.hash.includes('hide=chat')`)
	link := p.text(`location.href`)
	p.eval(`(location.hash = '#t=30&view=messages', 0)`, nil)
	p.wait(`document.querySelector('#message-total').textContent === '13,086 messages'`)
	p.eval(fmt.Sprintf(`(location.href = %q, 0)`, link), nil)
	p.wait(fmt.Sprintf(`document.querySelector('#message-total').textContent === %q`, total))
}

// testColours compares the colours of each player in all views, before and after joining again.
func testColours(t *testing.T, c *chrome) {
	p := c.open(t, c.serve(t, battle)+"#view=radar", desktop)
	p.wait(`document.querySelectorAll('.event-row').length > 5`)
	p.eval(`(window.seen = {}, window.see = (name, node) => (seen[name] ??= new Set()).add(getComputedStyle(node).getPropertyValue('--own').trim()), 0)`, nil)
	for _, at := range []float64{3, 15, 30, 47, 50, 70, 79} {
		p.seek(at)
		p.eval(`(() => {
			for (const li of document.querySelectorAll('#roster li')) see(li.textContent, li);
			for (const row of document.querySelectorAll('.ship-row[data-id]')) see(row.querySelector('.ship-name').textContent, row);
			for (const name of document.querySelectorAll('.event-player')) see(name.textContent, name);
		})()`, nil)
	}
	p.click("#tab-messages")
	p.wait(visibleRows + `.length > 5`)
	p.eval(`(() => { for (const cell of document.querySelectorAll('.message-row[data-index] .c-player:not(.nobody)')) see(cell.textContent, cell); })()`, nil)
	p.click("#tab-traffic")
	p.wait(`document.querySelectorAll('#plots .plot-line').length > 10`)
	p.eval(`(() => { for (const li of document.querySelector('#plots .plot-box').querySelectorAll('.legend li')) see(li.querySelector('.foreign').textContent, li.firstElementChild); })()`, nil)
	require.Equal(t, 4.0, p.number(`document.querySelector('#plots .plot-box').querySelectorAll('.legend li').length`), "Cid has joined twice")
	var seen map[string][]string
	p.eval(`Object.fromEntries(Object.entries(seen).map(([name, colours]) => [name, [...colours]]))`, &seen)
	require.Len(t, seen, 4)
	all := map[string]bool{}
	for name, colours := range seen {
		require.Len(t, colours, 1, "%s: %v", name, colours)
		all[colours[0]] = true
	}
	require.Len(t, all, 4, "players have different colours: %v", seen)
}

// testLegend compares the legend of the plot of a ship with its gauges.
func testLegend(t *testing.T, c *chrome) {
	p := c.open(t, c.serve(t, "fight.jsonl")+"#view=ships", desktop)
	for at := 20.0; at < 70; at += 3.3 {
		p.seek(at)
		p.wait(`document.querySelectorAll('.detail .legend-value').length === 7`)
		p.wait(`(() => {
			const legend = [...document.querySelectorAll('.detail .legend-value')].map((v) => v.textContent);
			const gauge = [document.querySelector('[data-system="Hull"] .value'), ...document.querySelectorAll('.face-text')].map((v) => v.textContent);
			return legend.join() === gauge.join() && /\d/.test(legend[0]);
		})()`)
	}
}

// testFirstShip shows a ship in the view of the ships without a choice, all ships in the list beside
// the map, and the names of the parts of a subsystem, which need no pointer.
func testFirstShip(t *testing.T, c *chrome) {
	p := c.open(t, c.serve(t, "fight.jsonl")+"#view=ships&t=30", desktop)
	p.wait(`document.querySelectorAll('.systems tbody tr').length > 5`)
	require.Equal(t, "true", p.text(`document.querySelector('.ship-row[data-id]').getAttribute('aria-selected')`))
	require.Equal(t, "Player and ship|Kills / deaths|Speed|Shields, hull", p.text(`[...document.querySelectorAll('#ship-head span')].map((s) => s.textContent).filter(Boolean).join('|')`))
	p.click(`[data-system="Torpedoes"] .pips`)
	p.wait(`document.querySelector('[data-system="Torpedoes"] .part-name').checkVisibility()`)
	require.Regexp(t, `^F(orward|wd) Torp.*\s*100 %$`, p.text(`document.querySelector('[data-system="Torpedoes"] .part').textContent`))
	require.False(t, truth(p, `document.querySelector('#panel-ships [title]')`), "no meaning is in a tooltip only")
	p.click("#tab-radar")
	p.wait(`document.querySelectorAll('.ship-row[data-id]').length === 8`)
	require.True(t, truth(p, `[...document.querySelectorAll('.ship-row[data-id]')].every((row) => row.getBoundingClientRect().bottom <= document.querySelector('.ships-side').getBoundingClientRect().bottom)`))
}

// testOpening opens a match with most of its ships, not with the first one alone.
func testOpening(t *testing.T, c *chrome) {
	p := c.open(t, c.serve(t, "fight.jsonl"), desktop)
	p.wait(`Object.keys(watch.state().ships).length >= 6`)
	require.Less(t, p.number(`watch.state().time`), 10.0)
}

// testZoom zooms the timeline with the wheel, keys and buttons, and leaves out kinds of marks.
func testZoom(t *testing.T, c *chrome) {
	p := c.open(t, c.serve(t, battle)+"#t=40", desktop)
	shown := func() (low, high float64) {
		var r [2]float64
		p.eval(`import('./playback/marks.js').then((m) => m.range())`, &r)
		return r[0], r[1]
	}
	_, end := shown()
	p.click("#time-in")
	p.key("z")
	low, high := shown()
	require.InDelta(t, end/4, high-low, 0.1)
	require.True(t, low < 40 && 40 < high)
	p.key(keys.end)
	p.wait(`watch.state().time > 79`)
	low, high = shown()
	require.InDelta(t, end, high, 0.1, "the timeline follows the playback")
	require.InDelta(t, end/4, high-low, 0.1)
	// A click seeks in the part that is shown.
	p.run(chromedp.MouseClickXY(p.number(`(() => { const r = document.querySelector('#track').getBoundingClientRect(); return r.left + r.width / 2; })()`),
		p.number(`(() => { const r = document.querySelector('#track').getBoundingClientRect(); return r.bottom - 4; })()`)))
	p.wait(fmt.Sprintf(`Math.abs(watch.state().time - %g) < 0.5`, (low+high)/2))
	p.eval(`(document.querySelector('#track').dispatchEvent(new WheelEvent('wheel', { deltaY: 5000, cancelable: true })), 0)`, nil)
	low, high = shown()
	require.InDelta(t, end, high-low, 0.01)

	p.seek(40)
	p.key("n") // a kill
	p.wait(`Math.abs(watch.state().time - 43.9) < 0.2`)
	for _, marks := range []string{"kills", "joins"} {
		p.click(`[data-marks="` + marks + `"]`)
	}
	p.seek(40)
	p.key("n")
	p.wait(`Math.abs(watch.state().time - 52) < 0.2`) // a line of chat
	p.wait(`location.hash.includes('hide=kills%2Cjoins')`)
	require.Contains(t, p.text(`document.querySelector('#help-signs').textContent`), "a ship is destroyed")
}
