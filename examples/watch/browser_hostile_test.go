//go:build browser

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/cipher"
	"github.com/bcwire/bcwire/examples/internal/terminal/terminaltest"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
	"github.com/bcwire/bcwire/stream"
	"github.com/bcwire/bcwire/transport"
	"github.com/bcwire/bcwire/transport/recording"
)

// hostileNames are names and lines of chat that try to leave their place in the page.
var hostileNames = []string{
	`<img src=x onerror="window.hacked=1">`,
	`</script><script>window.hacked=1</script>`,
	"\u202e\u2066" + `evil "&amp;` + "\u2069\u2069\u202e",
	strings.Repeat("W", 255),
	strings.Repeat("\u0645\u0631\u062d\u0628\u0627 ", 12),
	"line\nbreak\x00\x1b[31m\x7f",
	"{{.Title}} ${window.hacked=1} %s",
	"' onfocus=alert(1) autofocus='",
	"Ann\u200b\u3164\ufe0f",
}

// testHostilePage shows names and chat that are markup, direction marks, long or not text.
func testHostilePage(t *testing.T, c *chrome) {
	file := filepath.Join(t.TempDir(), `<b onclick=x>&"hostile.jsonl`)
	writeHostile(t, file)
	url := c.serve(t, file)
	for _, s := range []size{desktop, phone} {
		p := c.open(t, url, s, theme("dark"))
		p.seek(5)
		p.wait(fmt.Sprintf(`Object.keys(watch.state().ships).length === %d`, len(hostileNames)))
		p.eval(`watch.seek(0.5)`, nil)
		p.seek(5)
		for _, view := range views {
			p.click("#tab-" + view)
			p.frame()
			p.shoot(fmt.Sprintf("hostile-%s-%d", view, s.width))
			require.LessOrEqual(t, p.number(`document.documentElement.scrollWidth`), float64(s.width), view)
		}
		p.click("#tab-ships")
		for range hostileNames {
			p.key("]")
			p.wait(`document.querySelector('.detail-name')?.checkVisibility()`)
		}
		p.click("#tab-messages")
		p.wait(`document.querySelectorAll('.message-row:not(.pending)').length > 5`)
		p.eval(`(location.hash = '#view=messages&m=20', 0)`, nil)
		p.wait(`document.querySelectorAll('.field').length > 2`)

		require.False(t, truth(p, `'hacked' in window`))
		require.False(t, truth(p, `document.querySelector('img, script:not([src]), b, [onerror], [onclick], [onfocus]')`))
		// Each text of the match is isolated and cannot turn its neighbours.
		require.False(t, truth(p, `[...document.querySelectorAll('.foreign, bdi')].find((e) => getComputedStyle(e).unicodeBidi !== 'isolate')`))
		names := p.text(`[...document.querySelectorAll('#roster li')].map((li) => li.textContent).join('|')`)
		require.Contains(t, names, hostileNames[0])
		terminaltest.RequirePlain(t, names)
		p.click("#tab-events")
		p.wait(`document.querySelectorAll('.event-row').length > 5`)
		// Names that differ look different.
		events := p.text(`[...document.querySelectorAll('.event-row .foreign, .event-row bdi')].map((e) => e.textContent).join('|')`)
		require.Contains(t, events, `Ann\u200b\u3164\ufe0f`)
		terminaltest.RequirePlain(t, events)
		require.True(t, truth(p, `[...document.querySelectorAll('.event-row')].every((row) => row.getBoundingClientRect().height === 26 && row.getBoundingClientRect().right <= innerWidth)`))
	}
}

func truth(p *tab, expression string) (ok bool) {
	p.t.Helper()
	p.eval(`!!(`+expression+`)`, &ok)
	return ok
}

// writeHostile writes a recording of one client in which every player has a hostile name.
func writeHostile(t *testing.T, file string) {
	t.Helper()
	out, err := os.Create(file)
	require.NoError(t, err)
	now := 0.0
	write := func(dir recording.Direction, peer objectid.PeerID, m transport.Message) {
		packet := transport.Packet{PeerID: peer, Messages: []transport.Message{m}}
		data, err := packet.MarshalBinary()
		require.NoError(t, err)
		cipher.Encrypt(data)
		line, err := recording.Append(nil, recording.Datagram{Seconds: now, Direction: dir, Client: 1, Data: data})
		require.NoError(t, err)
		_, err = out.Write(line)
		require.NoError(t, err)
		now += 0.05
	}
	var seq uint16
	send := func(m opcode.Message) {
		payload, err := opcode.Marshal(m)
		require.NoError(t, err)
		write(recording.ToClient, objectid.Host, transport.NewData(seq, payload))
		seq++
	}
	write(recording.ToServer, objectid.NoPeer, transport.NewMessage(0, &transport.ConnectRequest{ConnID: 7}))
	write(recording.ToClient, objectid.Host, transport.NewMessage(0, &transport.ConnectReply{PeerID: 2}))
	for i, name := range hostileNames {
		peer := objectid.PeerID(i + 2)
		long, err := transport.NewUTF16Z(strings.ReplaceAll(name, "\x00", "?"))
		require.NoError(t, err)
		write(recording.ToClient, objectid.Host, transport.NewMessage(uint16(i+1), &transport.NameChange{PeerID: peer, Name: long}))
		base, ok := objectid.Base(objectid.Slot(i))
		require.True(t, ok)
		ship := stateupdate.NewShip(base, stateupdate.Stock().Named("akira"))
		ship.OwnerSlot, ship.PeerID, ship.SetName = objectid.Slot(i), peer, "Multi1"
		ship.PlayerName = strings.ToValidUTF8(string(stream.Lossy(name)), "?")
		ship.Position = [3]float32{float32(40 * i), float32(30 * (i % 3)), float32(10 * i)}
		creation, err := ship.Creation()
		require.NoError(t, err)
		send(creation)
		send(&opcode.ChatMessage{SenderID: peer, Text: stream.Lossy(name)})
	}
	// Bytes that are not UTF-8.
	raw, err := opcode.Marshal(&opcode.ChatMessage{SenderID: 2, Text: stream.Lossy("xxxx")})
	require.NoError(t, err)
	copy(raw[len(raw)-4:], "\xff\xfe\x80\xed")
	write(recording.ToClient, objectid.Host, transport.NewData(seq, raw))
	now = 10
	write(recording.ToServer, 2, transport.NewMessage(0, &transport.Disconnect{PeerID: 2}))
	require.NoError(t, out.Close())
}
