package transport_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/transport"
)

// randomDatagram returns a random datagram with whole messages, fragments, Acks and system messages, and
// sometimes a Connect.
func randomDatagram(rng *rand.Rand) (fromHost bool, datagram []byte) {
	fromHost = rng.IntN(2) == 0
	peer := objectid.PeerID(2 + rng.IntN(3))
	if fromHost {
		peer = objectid.Host
	}
	seq := uint16(rng.IntN(12))
	switch rng.IntN(12) {
	case 0:
		return false, from(noPeer, connect(uint32(rng.IntN(3))))
	case 1:
		return false, from(noPeer, openBCConnect)
	case 2, 3:
		return fromHost, from(peer, wire(transport.NewMessage(seq, nameChange(2, "x"))))
	case 4, 5:
		return fromHost, from(peer, wire(transport.NewMessage(0, &transport.Ack{Seq: seq})))
	case 6, 7, 8, 9:
		index := uint8(rng.IntN(3))
		return fromHost, from(peer, fragment(seq, index, []uint8{3, 0, 0}[index], string(rune('a'+index))))
	}
	return fromHost, from(peer, text(seq, "x"))
}

// A clone and its original observe the same in the same datagrams, and nothing of the datagrams
// that only the other one observes.
func TestObserverClone(t *testing.T) {
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 8))
		original := newObserverHarness()
		step := func(w *observerHarness, fromHost bool, datagram []byte) []string {
			w.Advance(10 * time.Millisecond)
			return w.Observe(fromHost, datagram)
		}
		for range rng.IntN(60) {
			fromHost, datagram := randomDatagram(rng)
			step(original, fromHost, datagram)
		}
		clone := &observerHarness{*original.Clone(), original.now}
		disturbed := &observerHarness{*original.Clone(), original.now}
		for range 30 {
			fromHost, datagram := randomDatagram(rng)
			step(disturbed, fromHost, datagram)
		}
		for range 60 {
			fromHost, datagram := randomDatagram(rng)
			require.Equal(t, step(original, fromHost, datagram), step(clone, fromHost, datagram), "seed %d", seed)
		}
	}
}

// A clone keeps the limits and completes the partial payloads of its original.
func TestObserverCloneOfFragments(t *testing.T) {
	w := newObserverHarness()
	w.Limit(1, 0, 0)
	w.From(2, fragment(1, 0, 2, "a"))
	clone := &observerHarness{*w.Clone(), w.now}
	payloads, bytes := clone.Pending()
	require.Equal(t, []int{1, 1}, []int{payloads, bytes})
	for _, x := range []*observerHarness{w, clone} {
		require.Equal(t, []string{`Data #1, fragment 2, 1 bytes: complete "ab" of 2`}, x.From(2, fragment(1, 1, 0, "b")))
		x.From(2, fragment(2, 1, 0, "b"))
		require.Contains(t, x.From(2, fragment(3, 1, 0, "b"))[0], "at most 1")
	}
	require.Equal(t, &transport.Observer{}, new(transport.Observer).Clone())
}
