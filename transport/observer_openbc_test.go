package transport_test

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/transport"
)

const openBCAckFlag = "80"

// The forms of OpenBC are not duplicates, although their number is always 0.
func TestObserverReadsOpenBC(t *testing.T) {
	w := newObserverHarness()
	require.Equal(t, []string{"Connect, 6 bytes: complete, new connection"}, w.From(noPeer, openBCConnect))
	require.Equal(t, []string{"Connect #0, peer 2 is accepted: complete"}, w.FromHost(reply))
	for range 3 {
		require.Equal(t, []string{`NameChange #0, peer 0 is "Cady": complete`, "NameChange, 0 bytes: complete"}, w.From(2, openBCName, "00 02"))
	}
	require.Equal(t, []string{"Connect #0, peer 2 is accepted: duplicate"}, w.FromHost(reply))
	leave := wire(transport.NewMessage(0, &transport.Disconnect{PeerID: 2}))
	require.Equal(t, []string{"Disconnect #0, peer 2: complete"}, w.FromHost(leave), "under the number of the reply")
	require.Equal(t, []string{"Disconnect #0, peer 2: duplicate"}, w.FromHost(leave))
}

// A Connect without a ConnID begins a connection only if the one before it is over.
func TestObserverOpenBCReconnects(t *testing.T) {
	connects := func(w *observerHarness) bool {
		return strings.HasSuffix(w.From(noPeer, openBCConnect)[0], "new connection")
	}
	for name, end := range map[string]func(w *observerHarness){
		"Disconnect of OpenBC": func(w *observerHarness) { w.From(2, "06 02") },
		"stock Disconnect":     func(w *observerHarness) { w.From(2, "05 0A C0 02 00 02 0A 0A 0A EF") },
		"Boot":                 func(w *observerHarness) { w.FromHost("04 07 C0 02 00 04 02") },
		"silence":              func(w *observerHarness) { w.Advance(2 * time.Second) },
		"a stock Connect":      func(w *observerHarness) { w.From(noPeer, connect(7)) },
	} {
		t.Run(name, func(t *testing.T) {
			w := newObserverHarness()
			require.True(t, connects(w))
			w.Advance(time.Minute)
			require.False(t, connects(w), "the client has not used its peer ID")
			w.From(2, text(0, "x"))
			w.FromHost("05 0A C0 02 00 03 0A 0A 0A EF")     // about another client
			w.From(noPeer, "05 0A C0 02 00 02 0A 0A 0A EF") // of a client that is not connected
			w.Advance(time.Second)
			require.False(t, connects(w))
			end(w)
			require.True(t, connects(w))
			require.Equal(t, []string{`Data #0, 1 bytes: complete "x"`}, w.From(2, text(0, "x")))
		})
	}
}

// A session and an OpenBC peer count in one byte. An Observer of their link sees each of
// thousands of payloads once, though a tenth of the datagrams are lost.
func TestObserverOpenBCNumbers(t *testing.T) {
	t.Parallel()
	for name, isHost := range map[string]bool{"host": true, "client": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			const total = 3000
			random := rand.New(rand.NewPCG(7, 1))
			s, peer := openClient(t, transport.Options{}), &openBC{peer: 1, flagged: true}
			if isHost {
				s, peer.peer = openHost(t, transport.Options{}), 2
			}
			var o transport.Observer
			seen := map[bool]map[uint32]int{true: {}, false: {}} // by direction, times of each payload
			now := start
			observe := func(fromHost bool, d []byte) {
				for m, err := range o.Receive(now, fromHost, d) {
					require.NoError(t, err)
					if m.Payload != nil {
						n := binary.LittleEndian.Uint32(m.Payload)
						seen[fromHost][n]++
						require.Equal(t, uint16(n), m.Number)
					}
				}
			}
			sent, queued, delivered := 0, 0, 0
			for step := 0; delivered < total || len(peer.delivered) < total || !s.Flushed(); step++ {
				require.Less(t, step, 100_000)
				now = now.Add(tick)
				for ; sent < total && sent < len(peer.delivered)+40; sent++ {
					s.Queue(reliable, string(binary.LittleEndian.AppendUint32(nil, uint32(sent))))
				}
				for ; queued < total && len(peer.inFlight) < 40; queued++ {
					peer.send(string(binary.LittleEndian.AppendUint32(nil, uint32(queued))))
				}
				if d := peer.datagram(now); random.IntN(10) > 0 {
					observe(!isHost, d)
					s.Session.Receive(now, d)
				}
				delivered += len(s.Events())
				for d := range s.Datagrams(now) {
					if random.IntN(10) > 0 {
						observe(isHost, d)
						peer.receive(t, d)
					}
				}
			}
			for fromHost, payloads := range seen {
				require.Len(t, payloads, total, "from host: %v", fromHost)
				for n, times := range payloads {
					require.Equal(t, 1, times, "%d, from host: %v", n, fromHost)
				}
			}
		})
	}
}

// A stock client sends numbers of two bytes to OpenBC's server, whose Acks have the low byte. It
// sends its first fragments repeatedly.
func TestObserverStockClientOfOpenBC(t *testing.T) {
	w := newObserverHarness()
	fragments := []string{fragment(2, 0, 2, "a"), fragment(2, 1, 0, "b")}
	w.From(2, fragments...)
	for seq := range uint16(1000) {
		if seq == 2 {
			continue
		}
		require.Equal(t, []string{fmt.Sprintf(`Data #%d, 1 bytes: complete "x"`, seq)}, w.From(2, text(seq, "x")))
		w.Advance(time.Millisecond)
		require.Equal(t, []string{fmt.Sprintf("Ack of game #%d: complete after 1ms", seq&0xFF)}, w.FromHost(fmt.Sprintf("01 %02X00 %s", byte(seq), openBCAckFlag)))
		require.Equal(t, []string{"Data #2, fragment 1 of 2, 1 bytes: duplicate of 2", "Data #2, fragment 2, 1 bytes: duplicate"}, w.From(2, fragments...))
	}
}

// An OpenBC server sends a client that looks like the stock game numbers of one byte in stock forms.
// An Observer recognises it by a number with another payload. Before, only a payload that is equal to
// the earlier one with its number is taken for a duplicate. A stock sender's duplicates remain
// duplicates.
func TestObserverRecognisesNumbersOfOneByte(t *testing.T) {
	for name, v := range map[string]struct {
		equal int // payloads after the first 256 that are equal to the earlier ones
		want  int // duplicates
	}{"other payloads": {0, 0}, "equal payloads first": {3, 3}} {
		t.Run(name, func(t *testing.T) {
			w := newObserverHarness()
			duplicates := 0
			for i := range 2000 {
				n := i
				if i >= 256 && i < 256+v.equal {
					n -= 256
				}
				for m, err := range w.Observer.Receive(start, true, from(objectid.Host, text(uint16(i)&0xFF, fmt.Sprint("payload ", n)))) {
					require.NoError(t, err)
					if m.Verdict == transport.VerdictDuplicate {
						duplicates++
					}
				}
			}
			require.Equal(t, v.want, duplicates)
		})
	}
	w := newObserverHarness()
	for i := range 2000 {
		for times := range 2 {
			for m := range w.Observer.Receive(start, true, from(objectid.Host, text(uint16(i), fmt.Sprint("payload ", i)))) {
				require.Equal(t, times == 1, m.Verdict == transport.VerdictDuplicate)
			}
		}
	}
}
