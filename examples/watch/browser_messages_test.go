//go:build browser

package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/examples/capture"
	"github.com/bcwire/bcwire/examples/internal/show"
)

// testMessages filters the table and opens a message.
func testMessages(t *testing.T, c *chrome) {
	p := c.open(t, c.serve(t, battle)+"#view=messages", desktop)
	p.wait(`document.querySelector('#message-total').textContent === '13,086 messages'`)
	p.wait(`document.querySelector('.message-row[data-index="0"] .c-name').textContent === 'Connect'`)

	// The table keeps a screen of rows only, also at its end.
	p.run(chromedp.Focus(chromedp.CSS(`.message-row[data-index="0"]`)))
	p.key(keys.end)
	p.wait(`document.querySelector('.message-row[data-index="13085"]:not(.pending)') === document.activeElement`)
	require.Less(t, p.number(`document.querySelectorAll('.message-row').length`), 60.0)
	p.key(keys.home, keys.down)
	p.wait(`document.activeElement.dataset.index === '1'`)

	p.run(chromedp.SendKeys(chromedp.CSS("#filter-text"), "hi Ann"))
	p.wait(`document.querySelector('#message-total').textContent === '5 messages'`)
	p.wait(`[...document.querySelectorAll('.message-row[data-index]:not([hidden])')].every((r) => r.querySelector('.c-summary').textContent.includes('hi Ann'))`)
	p.run(chromedp.SendKeys(chromedp.CSS("#filter-text"), "nothing like this"))
	p.wait(`document.querySelector('#messages-empty').checkVisibility()`)
	p.click("#messages-unfilter")
	p.wait(`document.querySelector('#message-total').textContent === '13,086 messages'`)

	p.click("#names summary")
	p.click(`#name-list input[value="TorpedoFire"]`)
	p.wait(`document.querySelector('#message-total').textContent === '138 messages'`)
	p.eval(`(() => { const s = document.querySelector('#filter-dir'); s.value = 'c2s'; s.dispatchEvent(new Event('change')); })()`, nil)
	p.wait(`document.querySelector('#message-total').textContent === '37 messages'`)
	p.click("#filter-clear")

	// The current time, and a message there.
	p.seek(40.03)
	p.click("#to-time")
	p.wait(`[...document.querySelectorAll('.message-row .c-time')].some((c) => c.textContent.startsWith('0:40.0'))`)
	p.run(chromedp.Click(chromedp.CSS(`.message-row[data-index]:not([hidden]):not(.pending)`)))
	p.wait(`watch.state().message !== null && document.querySelectorAll('.field').length > 2`)
	p.wait(`location.hash.includes('m=' + watch.state().message)`)
}

// testFields compares the fields and bytes of some messages with the dissection.
func testFields(t *testing.T, c *chrome) {
	p := c.open(t, c.serve(t, battle)+"#view=messages", desktop)
	in, err := new(capture.Opener).Open(t.Context(), battle)
	require.NoError(t, err)
	defer in.Close()
	decoder := new(show.Decoder)
	n, wanted := 0, map[string]bool{"fragmented": true, "bit": true, "ack": true, "second": true, "chat": true}
	for d, err := range in.Datagrams() {
		require.NoError(t, err)
		packet := decoder.Decode(d)
		leaves := packet.Leaves()
		kind, index := interesting(packet, leaves)
		if wanted[kind] {
			delete(wanted, kind)
			t.Run(kind, func(t *testing.T) { compareFields(t, p, n+index, packet, leaves) })
		}
		n += len(packet.Messages)
		if len(wanted) == 0 {
			break
		}
	}
	require.Empty(t, wanted, "the recording has each kind of message")
}

// interesting returns the kind of a datagram for testFields and the index of its message.
func interesting(packet *show.Packet, leaves []show.Leaf) (kind string, index int) {
	only := len(packet.Messages) == 1
	for _, m := range packet.Messages {
		if m.Frame.Fragment && m.Whole {
			return "fragmented", m.Index
		}
	}
	for _, leaf := range leaves {
		switch {
		case leaf.Bit > 0 && only:
			return "bit", 0
		case only && leaf.Text == "ChatMessage":
			return "chat", 0
		}
	}
	if only && packet.Messages[0].Type == "Ack" {
		return "ack", 0
	}
	if len(packet.Messages) == 3 {
		return "second", 1
	}
	return "", 0
}

// pageField is a field in the page with the offsets of the bytes that it marks.
type pageField struct {
	Offset, Size int
	Path, Text   string
	Marked       []int
}

// compareFields opens a message by its address, points at each field and compares.
func compareFields(t *testing.T, p *tab, n int, packet *show.Packet, leaves []show.Leaf) {
	p.eval(fmt.Sprintf(`(location.hash = '#view=messages&m=%d&t=%v', 0)`, n, packet.Time), nil)
	p.wait(fmt.Sprintf(`watch.state().message === %d && document.querySelector('#message-detail').textContent.includes('datagram %d ')`, n, packet.Number))
	var panes [][]pageField
	p.eval(`[...document.querySelectorAll('.bytes-pair')].map((pair) => [...pair.querySelectorAll('.field')].map((row) => {
		row.focus();
		return {
			offset: parseInt(row.querySelector('.offset').textContent, 16),
			size: Number(row.dataset.size),
			path: row.querySelector('th').textContent,
			text: row.lastElementChild.textContent,
			marked: [...pair.querySelectorAll('.byte.on')].map((b) => Number(b.dataset.at)),
		};
	}))`, &panes)
	var rest []show.Leaf
	for pane, fields := range panes {
		rest = nil
		for _, leaf := range leaves {
			if min(leaf.Payload, 1) == pane {
				rest = append(rest, leaf)
			}
		}
		if len(packet.Messages) == 1 {
			require.Len(t, fields, len(rest))
		}
		require.NotEmpty(t, fields)
		for _, field := range fields {
			for len(rest) > 0 && (rest[0].Path != field.Path || rest[0].Offset != field.Offset) {
				rest = rest[1:]
			}
			require.NotEmpty(t, rest, "no field %s at %d", field.Path, field.Offset)
			leaf := rest[0]
			rest = rest[1:]
			require.Equal(t, len(leaf.Raw), field.Size, field.Path)
			require.True(t, strings.HasPrefix(field.Text, leaf.Text), "%s: %q, want %q", field.Path, field.Text, leaf.Text)
			if leaf.Bit >= 0 {
				require.Contains(t, field.Text, fmt.Sprintf("bit %d", leaf.Bit))
			}
			require.Len(t, field.Marked, field.Size, field.Path)
			for i, at := range field.Marked {
				require.Equal(t, leaf.Offset+i, at)
			}
		}
	}
	// The other way: each byte marks the fields that it is in.
	var wrong []string
	p.eval(`[...document.querySelectorAll('.bytes-pair')].flatMap((pair) => [...pair.querySelectorAll('.byte')].flatMap((byte) => {
		byte.dispatchEvent(new MouseEvent('mouseover', { bubbles: true }));
		const at = Number(byte.dataset.at);
		const marked = [...pair.querySelectorAll('.field.on')].map((f) => f.dataset.field).join();
		const within = [...pair.querySelectorAll('.field')].filter((f) => at >= f.dataset.offset && at < Number(f.dataset.offset) + Number(f.dataset.size)).map((f) => f.dataset.field).join();
		return marked === within ? [] : [at + ': ' + marked + ' not ' + within];
	}))`, &wrong)
	require.Empty(t, wrong)
	require.Equal(t, fmt.Sprintf("%x", packet.Data), p.text(`[...document.querySelectorAll('.bytes-pair')[0].querySelectorAll('.byte')].map((b) => b.textContent).join('')`))
}

// testPermalink opens an address of a place in the match.
func testPermalink(t *testing.T, c *chrome) {
	url := c.serve(t, battle)
	p := c.open(t, url+"#t=50.125&m=7777&ship=0x4003FFFF&view=messages&link=2", desktop)
	require.Equal(t, 50.125, p.number(`watch.state().time`))
	require.Equal(t, 7777.0, p.number(`watch.state().message`))
	require.Equal(t, "0x4003ffff", p.text(`watch.state().selectedShip`))
	require.Equal(t, "messages", p.text(`watch.state().view`))
	require.Equal(t, 2.0, p.number(`watch.state().link`))
	p.wait(`document.querySelector('.message-row[aria-selected="true"]')?.checkVisibility()`)
	p.click("#tab-radar")
	p.seek(30)
	p.wait(`location.hash.includes('t=30.000') && location.hash.includes('view=radar') && location.hash.includes('link=2')`)

	// An address without sense is an address without a place.
	p = c.open(t, url+"#t=NaN&m=-1e9&ship=<b>&view=nothing&link=99", desktop)
	require.Equal(t, "radar", p.text(`watch.state().view`))
	require.Equal(t, 1.0, p.number(`watch.state().link`))
	p = c.open(t, url+"#t=99999&m=99999999&view=messages", desktop)
	require.InDelta(t, 79.57, p.number(`watch.state().time`), 0.01)
	p.wait(`/no message|message/i.test(document.querySelector('#message-detail').textContent)`)
	p.expected = func(text string) bool { return strings.Contains(text, "/api/message?n=99999999") }
}
