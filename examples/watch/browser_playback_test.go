//go:build browser

package main

import (
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// testPlayback plays, pauses, and seeks with the pointer.
func testPlayback(t *testing.T, c *chrome) {
	p := c.open(t, c.serve(t, battle), desktop, theme("dark"))
	p.wait(`Object.keys(watch.state().ships).length >= 3 && watch.state().time < 12`) // it begins with most of its ships
	p.seek(1.5)

	p.click("#play")
	p.wait(`watch.state().playing && watch.state().time > 2`)
	p.eval(`(() => { const s = document.querySelector('#speed'); s.value = '16'; s.dispatchEvent(new Event('change')); })()`, nil)
	p.wait(`watch.state().time > 12 && Object.keys(watch.state().ships).length >= 4`)
	p.click("#play")
	p.wait(`!watch.state().playing`)
	stopped := p.number(`watch.state().time`)
	p.frame()
	require.Equal(t, stopped, p.number(`watch.state().time`))

	// A paused page draws nothing.
	frames := p.number(`watch.state().frames`)
	p.eval(`new Promise((done) => setTimeout(done, 300))`, nil)
	require.LessOrEqual(t, p.number(`watch.state().frames`)-frames, 1.0)

	// A click and a drag in the timeline.
	left, width := p.number(`document.querySelector('#track').getBoundingClientRect().left`), p.number(`document.querySelector('#track').getBoundingClientRect().width`)
	middle := p.number(`(() => { const r = document.querySelector('#track').getBoundingClientRect(); return r.top + r.height / 2; })()`)
	at := func(part float64) float64 { return left + part*width }
	p.run(chromedp.MouseClickXY(at(0.6), middle))
	p.wait(`Math.abs(watch.state().time - 0.6 * 79.57) < 1`)
	p.run(chromedp.MouseEvent(input.DispatchMouseEventTypeMousePressed, at(0.3), middle, chromedp.ButtonType(input.MouseButtonLeft)))
	for _, part := range []float64{0.32, 0.4, 0.45, 0.5} {
		p.run(chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, at(part), middle, chromedp.ButtonType(input.MouseButtonLeft)))
	}
	p.run(chromedp.MouseEvent(input.DispatchMouseEventTypeMouseReleased, at(0.5), middle, chromedp.ButtonType(input.MouseButtonLeft)))
	p.wait(`Math.abs(watch.state().time - 0.5 * 79.57) < 1`)

	// Playback stops at the end, and begins again from the start.
	p.seek(79)
	p.click("#play")
	p.wait(`!watch.state().playing && watch.state().time > 79.5`)
	p.click("#play")
	p.wait(`watch.state().playing && watch.state().time < 60`)
}

// testKeyboard uses the page without a pointer.
func testKeyboard(t *testing.T, c *chrome) {
	p := c.open(t, c.serve(t, battle), desktop)
	p.seek(20)
	p.key(keys.right)
	p.wait(`watch.state().time === 25`)
	p.key(keys.left, keys.left)
	p.wait(`watch.state().time === 15`)
	p.key(".")
	p.wait(`Math.abs(watch.state().time - 15.1) < 1e-9`)
	p.key("n")
	p.wait(`Math.abs(watch.state().time - 16.06) < 0.01`) // a line of chat
	p.key(keys.home)
	p.wait(`watch.state().time < 0.01`)
	p.key(keys.end)
	p.wait(`watch.state().time > 79.5`)
	p.seek(12)
	p.key("]", "]")
	p.wait(`watch.state().selectedShip === '0x4003ffff'`)
	p.key("f")
	p.wait(`watch.state().follow === '0x4003ffff'`)
	p.key("0")
	p.wait(`watch.state().follow === null`)
	p.key(keys.space)
	p.wait(`watch.state().playing`)
	p.key(">", keys.space)
	p.wait(`!watch.state().playing && watch.state().speed === 2`)
	for i, view := range views {
		p.key(string(rune('1' + i)))
		p.wait(`watch.state().view === '` + view + `'`)
	}
	p.key("/")
	p.wait(`document.activeElement.id === 'filter-text'`)
	p.eval(`(document.activeElement.value = '', 0)`, nil) // the protocol types the slash although the page prevents it
	p.key("1", keys.space)
	require.Equal(t, "1 ", p.text(`document.activeElement.value`), "keys in a field are text")
	require.Equal(t, "messages", p.text(`watch.state().view`))
	p.key("\t")
	p.wait(`document.activeElement.closest('#names')`)
	p.run(chromedp.Focus(chromedp.CSS("#tab-messages")))
	p.key(keys.right)
	p.wait(`watch.state().view === 'traffic' && document.activeElement.id === 'tab-traffic'`)
	p.key("?")
	p.wait(`document.querySelector('#help-dialog').open`)
	p.shoot("help-dark-1280")
	p.key(keys.escape)
	p.wait(`!document.querySelector('#help-dialog').open`)
	require.Equal(t, "2px", p.text(`getComputedStyle(document.activeElement).outlineWidth`), "the focus is visible")
}

// testStale reads that the shields of a match on an OpenBC server are unknown, and why.
func testStale(t *testing.T, c *chrome) {
	p := c.open(t, c.serve(t, "../../testdata/openbc/blocks.jsonl"), desktop)
	p.seek(4)
	p.wait(`document.querySelectorAll('.ship-row[data-id]').length > 0`)
	p.click(`.ship-row[data-id]`)
	p.wait(`document.querySelector('#ship-detail .stale')?.checkVisibility()`)
	require.Equal(t, "The shields are unknown: this server sends neither their facings nor their power.",
		p.text(`document.querySelector('#ship-detail .stale').textContent`))
	require.Equal(t, "unknown", p.text(`document.querySelector('[data-system="Shield Generator"] .power').textContent`))
	require.Equal(t, "–––––– Shields: unknown", p.text(`[...document.querySelectorAll('.face-text')].map((x) => x.textContent).join('') + ' ' + document.querySelector('.shields').ariaLabel`))
	require.Contains(t, p.text(`document.querySelector('.ship-row[data-id]').textContent`), "shields unknown, hull 100 %")
	require.Equal(t, "none", p.text(`document.querySelector('.shield-meter').dataset.level`), "the bar is broken, not empty or full")
	require.NotContains(t, p.text(`document.querySelector('[data-system="Hull"] .value').textContent`), "?")
}

// testShips selects and follows ships in the list and on the map.
func testShips(t *testing.T, c *chrome) {
	p := c.open(t, c.serve(t, battle), desktop, theme("dark"))
	p.seek(25)
	p.wait(`document.querySelectorAll('.ship-row[data-id]').length === 4`)
	p.click(`.ship-row[data-id="0x3fffffff"]`)
	p.wait(`watch.state().selectedShip === '0x3fffffff'`)
	require.Equal(t, "Ann", p.text(`document.querySelector('.detail-name').textContent`))
	hull := p.number(`watch.state().ships['0x3fffffff'].state[0].condition`)
	require.Less(t, hull, 1.0)
	shown := p.text(`document.querySelector('[data-system="Hull"] .value').textContent`)
	require.Regexp(t, `^\d+ %$`, shown)
	require.InDelta(t, hull*100, p.number(`parseInt(document.querySelector('[data-system="Hull"] .value').textContent)`), 0.6)
	require.Equal(t, 11.0, p.number(`document.querySelectorAll('.systems tbody tr').length`), "subsystems of a Sovereign")
	require.Equal(t, 8.0, p.number(`document.querySelectorAll('[data-system="Phasers"] .pip').length`))
	require.Contains(t, p.text(`document.querySelector('.battery').textContent`), "main 100 %")
	require.Equal(t, 6.0, p.number(`document.querySelectorAll('.face-text').length`))
	p.wait(`document.querySelectorAll('.detail .plot-line').length === 7`)
	target := `[...document.querySelectorAll('.facts div')].find((d) => d.textContent.startsWith('Target')).lastElementChild.textContent`
	require.Regexp(t, `^(Ben|Cid|Dee), \d+ units$`, p.text(target))

	p.click(".detail-head button")
	p.wait(`watch.state().follow === '0x3fffffff'`)
	p.seek(60)
	// The followed ship is in the middle of the map. A click there selects it.
	p.key(keys.escape)
	p.wait(`watch.state().selectedShip === null`)
	p.run(chromedp.MouseClickXY(p.number(`(() => { const r = document.querySelector('#map').getBoundingClientRect(); return r.left + r.width / 2; })()`),
		p.number(`(() => { const r = document.querySelector('#map').getBoundingClientRect(); return r.top + r.height / 2; })()`)))
	p.wait(`watch.state().selectedShip === '0x3fffffff'`)

	// The map shows the fight until the user moves it, and a kill stays over it for some seconds.
	p.key("a")
	p.wait(`document.querySelector('#action').getAttribute('aria-pressed') === 'true' && watch.state().follow === null`)
	p.seek(18)
	p.wait(`document.querySelector('#feed').textContent === 'Dee destroys Cid (collision)'`)
	p.shoot("action-dark-1280")
	p.key("+")
	p.wait(`document.querySelector('#action').getAttribute('aria-pressed') === 'false'`)
	p.seek(30)
	p.wait(`document.querySelector('#feed').textContent === ''`)

	// The shields and hulls of all ships.
	p.click("#tab-ships")
	p.wait(`document.querySelectorAll('#all-ships .plot-line').length === 8`)
	p.wait(`(() => {
		const shields = [...document.querySelector('#all-ships').querySelectorAll('.plot-box:first-child .legend li')].map((li) => li.textContent).join();
		return /^Ann\d+,Ben\d+,Cid\d+,Dee\d+$/.test(shields);
	})()`)
	p.click("#tab-radar")

	// The world of another client.
	p.eval(`(() => { const s = document.querySelector('#link'); s.value = '2'; s.dispatchEvent(new Event('change')); })()`, nil)
	p.wait(`watch.state().link === 2 && Object.keys(watch.state().ships).length > 0`)
	p.wait(`location.hash.includes('link=2')`)

	// The last shot may be in the window before.
	p = c.open(t, c.serve(t, battle)+"#t=61.9&ship=0x3fffffff", desktop)
	p.wait(target + ` === 'Cid, 123 units'`)
}

// testEvents filters the events and seeks with them.
func testEvents(t *testing.T, c *chrome) {
	p := c.open(t, c.serve(t, battle)+"#view=events", desktop)
	p.wait(`document.querySelectorAll('.event-row').length > 10`)
	p.eval(`(() => { const s = document.querySelector('#event-kind'); s.value = 'kills'; s.dispatchEvent(new Event('change')); })()`, nil)
	p.wait(`document.querySelectorAll('.event-row:not([hidden])').length === 3`) // also while the recording still loads
	require.Zero(t, p.number(`[...document.querySelectorAll('.event-row:not([hidden])')].filter((row) => !['kill', 'death'].includes(row.dataset.kind)).length`))
	p.click(`.event-row[data-index="0"]`)
	p.wait(`Math.abs(watch.state().time - 17.626) < 0.01`)
	require.Contains(t, p.text(`document.querySelector('.event-row[data-index="0"]').textContent`), "Dee destroys Cid (collision)")
	p.eval(`(() => { const s = document.querySelector('#event-kind'); s.value = 'chat'; s.dispatchEvent(new Event('change'));
		const player = document.querySelector('#event-player'); player.value = 'Ben'; player.dispatchEvent(new Event('change')); })()`, nil)
	p.wait(`document.querySelectorAll('.event-row:not([hidden])').length === 2`)
	p.run(chromedp.Focus(chromedp.CSS(`.event-row[data-index="0"]`)))
	p.key(keys.down, keys.enter)
	p.wait(`Math.abs(watch.state().time - 60.1) < 0.1`)

	// A list that was not shown while the time changed shows the event of that time.
	p = c.open(t, c.serve(t, battle)+"#t=70.5&view=messages", phone)
	p.click("#tab-events")
	p.wait(`document.querySelector('.event-row.latest')?.textContent.includes('Dee: bye')`)
	p.wait(`(() => {
		const row = document.querySelector('.event-row.latest').getBoundingClientRect();
		const list = document.querySelector('#event-list .scroller').getBoundingClientRect();
		return row.top >= list.top && row.bottom <= list.bottom;
	})()`)
}
