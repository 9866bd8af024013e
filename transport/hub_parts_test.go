package transport

import (
	"crypto/rand"
	"io"
	"net/netip"
	"testing"
	"testing/iotest"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/testdata"
)

// The tests in this file are about the parts of a Hub, each by itself.

// A Hub remembers the Connects of the last 256 ended sessions.
func TestRecentConnects(t *testing.T) {
	var r recentConnects
	addr := netip.MustParseAddrPort("10.0.0.1:1")
	has := func(connID uint32) bool {
		return r.has(addr, 0, func(c clientIdentity) bool { return c.connID == connID })
	}
	for i := range uint32(1000) {
		r.add(addr, clientIdentity{connID: i}, 0)
		require.True(t, has(i) && has(i-min(i, 255)), i)
		require.False(t, i >= 256 && has(i-256), i)
	}
	require.Len(t, r.list, 256)
}

// A client has a valid, free ID. No other free one is shared by fewer half-open sessions.
func TestPeerIDs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := peerIDs{random: rand.Reader}
		random := rapid.Bool().Draw(t, "random")
		var waiting, open []objectid.PeerID
		now := time.Duration(0)
		take := func(list *[]objectid.PeerID) objectid.PeerID {
			i := rapid.IntRange(0, len(*list)-1).Draw(t, "which")
			id := (*list)[i]
			*list = append((*list)[:i:i], (*list)[i+1:]...)
			return id
		}
		for range rapid.IntRange(1, 300).Draw(t, "steps") {
			now += time.Second
			switch what := rapid.IntRange(0, 5).Draw(t, "what"); {
			case what == 0 && len(waiting) > 0:
				p.reserved[take(&waiting)]--
			case what == 1 && len(waiting) > 0:
				id := take(&waiting)
				if p.open[id] {
					p.reserved[id]--
				} else {
					p.hold(id)
					open = append(open, id)
				}
			case what == 2 && len(open) > 0:
				p.release(take(&open), now+time.Minute)
			default:
				id, ok := p.choose(now, random)
				require.Equal(t, len(open) < peerIDCount, ok)
				if !ok {
					break
				}
				require.True(t, validPeer(id))
				require.NotContains(t, open, id)
				if !random {
					for other := objectid.Host + 1; other < 127; other++ {
						if validPeer(other) && !p.open[other] && p.reserved[id] > p.reserved[other] {
							require.LessOrEqual(t, p.reserved[id], p.reserved[other])
						}
					}
				}
				p.reserved[id]++
				waiting = append(waiting, id)
			}
		}
	})
}

// everyByte is a source of the bytes 0 to 255, again and again.
type everyByte byte

func (e *everyByte) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = byte(*e)
		*e++
	}
	return len(b), nil
}

// While at most 62 sessions are open, a random ID is one of at least 62, however many IDs half-open
// sessions have reserved.
func TestPeerIDsAreHardToGuess(t *testing.T) {
	for _, open := range []int{0, 30, 62} {
		for reserved := 0; reserved < peerIDCount-open; reserved += testdata.Either(1, 7) {
			p := peerIDs{random: new(everyByte)}
			for i, n := objectid.Host+1, 0; i < 127; i++ {
				switch {
				case !validPeer(i):
					continue
				case n < open:
					p.open[i] = true
				case n < open+reserved:
					p.reserved[i] = 1
				}
				n++
			}
			ids := map[objectid.PeerID]bool{}
			for range 256 {
				id, ok := p.choose(0, true)
				require.True(t, ok)
				ids[id] = true
			}
			require.GreaterOrEqual(t, len(ids), 62, "%d open, %d reserved", open, reserved)
		}
	}
}

// A source that fails makes nothing easy to guess.
func TestFailingSourceOfRandomness(t *testing.T) {
	failing := iotest.ErrReader(io.ErrUnexpectedEOF)
	seen := map[[probeCount]uint16]bool{}
	for range 100 {
		var v validation
		v.begin(failing, 0)
		seen[[probeCount]uint16(v.probes)] = true
	}
	require.Len(t, seen, 100)
}

// If open sessions hold all IDs, choose returns false.
func TestPeerIDsAreExhausted(t *testing.T) {
	for _, random := range []bool{false, true} {
		p := peerIDs{random: rand.Reader}
		for range peerIDCount {
			id, ok := p.choose(0, random)
			require.True(t, ok)
			p.reserved[id]++
			p.hold(id)
		}
		_, ok := p.choose(0, random)
		require.False(t, ok)
	}
}
