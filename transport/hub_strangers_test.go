package transport_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/transport"
)

// The tests in this file are about clients whose addresses may be forged.

// halfOpen accepts a Connect and takes the reply.
func halfOpen(t testing.TB, h *transport.Hub, now time.Time, ip, port int, connID uint32) *transport.Session {
	t.Helper()
	h.Receive(now, addrOf(ip, port), connectOf(connID))
	sessions, errs := accept(h)
	require.Equal(t, []error{nil}, errs)
	flushed(h, now)
	return sessions[0]
}

// A wrong peer ID is a guess and ends a half-open session, unless the address had the ID
// before: then it is a late datagram.
func TestWrongPeerIDEndsHalfOpenSession(t *testing.T) {
	h := transport.NewHub(start, transport.HubOptions{})
	a := addrOf(1, 1000)
	old := join(t, h, start, a, 1)
	h.Receive(start, a, from(2, wire(transport.NewMessage(1, transport.Disconnect{PeerID: 2}))))
	require.Len(t, heard(h), 1)
	require.True(t, endOf(old) == transport.EndLeft)

	s := halfOpen(t, h, after(time.Second), 1, 1000, 2)
	require.Equal(t, int8(3), s.PeerID())
	h.Receive(after(time.Second), a, from(2, text(7, "late")))
	require.Nil(t, heard(h))
	require.Equal(t, map[string]int{"wrong_peer": 1}, dropped(h.Counters()))
	h.Receive(after(time.Second), a, from(4, text(0, "guess")))
	require.Equal(t, []string{"10.0.0.1:1000 ended handshake not completed"}, heard(h))
	require.NoError(t, transport.CheckHub(h))

	// Nothing is left of it: the client's next Connect is accepted at once.
	s = halfOpen(t, h, after(time.Second), 1, 1000, 2)
	require.Equal(t, int8(3), s.PeerID())
}

// The reply is sent three times to an address that does not answer, and once more for each
// Connect from there. The other Connect takes over the session.
func TestReplyIsRepeatedTwice(t *testing.T) {
	h := transport.NewHub(start, transport.HubOptions{})
	halfOpen(t, h, start, 1, 1000, 1)
	n := 0
	for now := start; now.Before(after(29 * time.Second)); now = now.Add(tick) {
		n += len(flushed(h, now))
	}
	require.Equal(t, 2, n)
	h.Receive(after(29*time.Second), addrOf(1, 1000), connectOf(2))
	require.Nil(t, heard(h))
	require.Len(t, flushed(h, after(29*time.Second)), 1)
	h.Receive(after(29*time.Second), addrOf(1, 1000), from(2, "02"))
	require.Equal(t, []string{"10.0.0.1:1000 connected"}, heard(h))
	h.Receive(after(33*time.Second), addrOf(1, 1000), connectOf(2))
	require.Nil(t, heard(h), "a late copy of the second Connect, which counts")
	require.Equal(t, 1, h.Len())
}

// A client at 100 ms is let in while 400 forged Connects a second come, some of them from
// its own IP address.
func TestFloodOfConnectsKeepsNobodyOut(t *testing.T) {
	t.Parallel()
	for try := range 20 {
		n := newNetwork(uint64(try))
		n.delay = func() time.Duration { return 50 * time.Millisecond }
		h := transport.NewHub(start, transport.HubOptions{})
		host := &endpoint{hub: h, addr: addrOf(0, 22101)}
		host.onEvent = func(e transport.Event) {
			if e.Kind == transport.EventConnect {
				s, err := h.Accept(e)
				require.NoError(t, err)
				require.NoError(t, s.Send([]byte{0x20}, reliably))
			}
		}
		n.ends = append(n.ends, host)
		random := rand.New(rand.NewPCG(uint64(try), 9))
		flood := func(seconds int) {
			for range 400 * seconds {
				forged := addrOf(random.IntN(3)*random.IntN(5000), 1+random.IntN(60000))
				h.Receive(n.clock(host), forged, connectOf(random.Uint32()))
				n.serve(host)
				n.run(time.Second / 400)
			}
		}
		flood(4) // the table is full
		client := &endpoint{addr: addrOf(0, 7), peer: host}
		client.session = newClient(n.clock(client), transport.ConnectRequest{ConnID: 7}, transport.Options{})
		connected, payloads := time.Duration(0), 0
		client.onEvent = func(e transport.Event) {
			switch e.Kind {
			case transport.EventConnected:
				connected = n.now
			case transport.EventPayload:
				payloads++
			}
		}
		n.ends = append(n.ends, client)
		began := n.now
		n.serve(client)
		flood(1)
		require.Equal(t, 1, payloads)
		require.Less(t, connected-began, 200*time.Millisecond)
		require.Equal(t, 1, h.Len())
		sessions, _, _ := h.Remembered()
		require.LessOrEqual(t, sessions, 1024+1)
		require.NoError(t, transport.CheckHub(h))
	}
}

// One address opens at most 32 sessions at once and one a second after that. A client
// beyond the limit is let in when it asks again.
func TestOpenSessionsAreRateLimited(t *testing.T) {
	h := transport.NewHub(start, transport.HubOptions{})
	opened := 0
	for i := range 450 * 10 {
		now := after(time.Duration(i) * time.Second / 450)
		port := 1 + i%60000
		s := halfOpen(t, h, now, 1, port, uint32(i))
		leave := wire(transport.NewMessage(1, transport.Disconnect{PeerID: s.PeerID()}))
		h.Receive(now, addrOf(1, port), from(s.PeerID(), leave))
		for e := range h.Events() {
			if e.Kind == transport.EventConnected {
				opened++
			}
		}
	}
	require.InDelta(t, 32+10, opened, 1)
	require.NoError(t, transport.CheckHub(h))

	for port := 60000; ; port++ {
		last := halfOpen(t, h, after(10*time.Second), 1, port, 1)
		h.Receive(after(10*time.Second), last.Addr(), from(last.PeerID(), "02"))
		if heard(h) == nil {
			h.Receive(after(11*time.Second), last.Addr(), from(last.PeerID(), "02"))
			require.Equal(t, []string{fmt.Sprint(last.Addr(), " connected")}, heard(h))
			break
		}
		require.Less(t, port, 60002)
	}
	require.NotEmpty(t, heardFrom(t, h, 2, after(11*time.Second)), "other addresses have their own limit")
}

func heardFrom(t testing.TB, h *transport.Hub, ip int, now time.Time) []string {
	s := halfOpen(t, h, now, ip, 1, 1)
	h.Receive(now, s.Addr(), from(s.PeerID(), "02"))
	return heard(h)
}

// An Ack of a message that was never sent ends the session of a client that is not proven.
// It has no effect on one that is.
func TestForgedAck(t *testing.T) {
	for _, forged := range []string{"01 0100 00", "01 0500 00", "01 FFFF 00", "01 0100 02", "01 0000 01 00"} {
		h := transport.NewHub(start, transport.HubOptions{})
		s := halfOpen(t, h, start, 1, 1, 1)
		h.Receive(start, s.Addr(), from(s.PeerID(), "02"))
		require.NoError(t, s.Send([]byte{0x20}, reliably))
		flushed(h, after(tick))
		h.Receive(after(tick), s.Addr(), from(s.PeerID(), "01 0000 02", forged))
		if forged == "01 0000 01 00" { // the message is no fragment: a stray Ack, and a number that was sent
			require.Equal(t, []string{"10.0.0.1:1 connected"}, heard(h), forged)
			continue
		}
		require.Equal(t, []string{"10.0.0.1:1 connected", "10.0.0.1:1 ended forged"}, heard(h), forged)
		require.Empty(t, flushed(h, after(time.Minute)), "nothing more is sent there")

		s = joinProven(t, h, after(2*time.Minute), addrOf(2, 2), 1)
		h.Receive(after(2*time.Minute), s.Addr(), from(s.PeerID(), forged))
		require.Nil(t, heard(h))
	}
	// One that waits in the queue has not been sent either.
	h := transport.NewHub(start, transport.HubOptions{})
	s := join(t, h, start, addrOf(1, 1), 1)
	require.NoError(t, s.Send([]byte{0x20}, reliably))
	h.Receive(start, s.Addr(), from(s.PeerID(), "01 0000 00"))
	require.Equal(t, []string{"10.0.0.1:1 ended forged"}, heard(h))
}

// After a challenge only the Ack of a later payload counts.
func TestChallenge(t *testing.T) {
	h := transport.NewHub(start, transport.HubOptions{})
	s := joinProven(t, h, start, addrOf(1, 1), 1)
	require.NoError(t, s.Send([]byte{0x20}, reliably))
	flushed(h, after(tick))
	s.Challenge()
	require.False(t, s.Proven())
	h.Receive(after(tick), s.Addr(), from(s.PeerID(), "01 0000 00", "01 0100 00", "01 0000 02"))
	require.Nil(t, heard(h))
	require.NoError(t, s.Send([]byte{0x35}, reliably))
	flushed(h, after(2*tick))
	h.Receive(after(2*tick), s.Addr(), from(s.PeerID(), "01 0200 00"))
	require.Equal(t, []string{"10.0.0.1:1 proven"}, heard(h))
	require.True(t, s.Proven())

	// An earlier payload that is not acknowledged is not retransmitted for SendTimeout.
	require.NoError(t, s.Send([]byte{0x28}, reliably))
	s.Challenge()
	require.NoError(t, s.Send([]byte{0x00}, reliably))
	flushed(h, after(3*tick))
	h.Receive(after(3*tick), s.Addr(), from(s.PeerID(), "01 0400 00"))
	require.False(t, s.Proven())
	h.Receive(after(3*tick), s.Addr(), from(s.PeerID(), "01 0300 00"))
	require.Equal(t, []string{"10.0.0.1:1 proven"}, heard(h))

	// The session of a client needs none.
	client := newClient(start, transport.ConnectRequest{}, transport.Options{})
	client.Challenge()
	require.True(t, client.Proven())
}

// A client that acknowledges nothing is given up after 20 seconds, and has got each message
// eight times at most by then.
func TestProofTimeout(t *testing.T) {
	h := transport.NewHub(start, transport.HubOptions{})
	s := join(t, h, start, addrOf(1, 1), 1)
	require.NoError(t, s.Send([]byte{0x20, 1, 2, 3}, reliably))
	copies := 0
	for now := start; now.Before(after(time.Minute)); now = now.Add(tick) {
		h.Receive(now, s.Addr(), from(s.PeerID(), text(0, "still here")))
		for _, d := range h.Datagrams(now) {
			copies += bytes.Count(d, []byte{0x20, 1, 2, 3})
		}
		if _, ended := s.Ended(); ended {
			require.InDelta(t, 20, now.Sub(start).Seconds(), 0.2)
			break
		}
	}
	require.Equal(t, transport.EndUnacknowledged, endOf(s))
	require.Equal(t, 8, copies, "after 0, 1, 3, 6, 9, 12, 15 and 18 seconds")
}

// A client that is given up gets no more than its share afterwards. System messages that are
// not acknowledged are still retransmitted with the Boot.
func TestProofTimeoutEndsRetransmission(t *testing.T) {
	h := transport.NewHub(start, transport.HubOptions{})
	s := join(t, h, start, addrOf(1, 1), 1)
	require.NoError(t, s.Send([]byte{0x20, 1, 2, 3}, reliably))
	require.NoError(t, s.SendSystem(transport.NameChange{PeerID: s.PeerID()}))
	n, after20 := 0, 0
	for now := start; now.Before(after(time.Minute)); now = now.Add(10 * time.Millisecond) {
		sent := len(flushed(h, now))
		if n += sent; !now.Before(after(20 * time.Second)) {
			after20 += sent
		}
	}
	require.Equal(t, transport.EndUnacknowledged, endOf(s))
	require.Equal(t, 19, n)
	require.Equal(t, 4, after20, "three copies of the Boot, and one of the NameChange")
}

// The lowest free peer ID is not for ever that of a half-open session.
func TestHalfOpenReservesNothing(t *testing.T) {
	h := transport.NewHub(start, transport.HubOptions{MaxHalfOpen: 3})
	for i := range 10 {
		s := halfOpen(t, h, start, 1+i, 1, 1)
		require.Equal(t, int8(2+i%4), s.PeerID(), fmt.Sprint(i))
	}
	for range h.Events() {
	}
	flushed(h, after(time.Minute))
	require.Equal(t, int8(2), halfOpen(t, h, after(time.Minute), 99, 1, 1).PeerID())
}
