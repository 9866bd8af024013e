package transport_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/stream"
	"github.com/bcwire/bcwire/transport"
)

// The host replies to the datagrams of a captured join with the captured bytes.
func TestJoinTranscriptOfHost(t *testing.T) {
	s := newHost(t, transport.Options{})
	now := start
	receive := func(datagram []byte) {
		now = now.Add(time.Second / 2)
		s.Session.Receive(now, datagram)
		s.Events()
	}
	leaves := func(vector string) {
		t.Helper()
		require.Equal(t, []string{fmt.Sprintf("%X", vectorHex(t, vector))}, s.Sent(now))
	}
	receive(vectorHex(t, "connect-request"))
	s.QueueVector("ack-connect-reply-checksum-request-0")
	leaves("ack-connect-reply-checksum-request-0")

	receive(from(2, "01 0000 02", "01 0000 00", wire(transport.NewMessage(1, nameChange(2, "Cady2")))))
	require.NoError(t, s.SendSystem(&transport.NameChange{PeerID: 2, IP: [4]byte{10, 10, 10, 239}, Name: newText("Cady2")}))
	require.Equal(t, hexStrings("01 02 01 0100 02"+fmt.Sprintf("%X", vectorHex(t, "name-change"))), s.Sent(now))

	receive(from(2, "01 0100 02"))
	receive(vectorHex(t, "checksum-response-0-datagram"))
	s.QueueVector("ack-checksum-request-1")
	leaves("ack-checksum-request-1")

	receive(from(2, "01 0100 00"))
	receive(vectorHex(t, "checksum-response-1-datagram"))
	now = now.Add(tick)
	require.Equal(t, hexStrings("01 01 01 0100 00"), s.Sent(now))
	now = now.Add(tick)
	s.QueueVector("checksum-request-2-datagram")
	leaves("checksum-request-2-datagram")

	fragments := fragments(2, make([]byte, 832))
	receive(from(2, "01 0200 00", wire(fragments[0])))
	now = now.Add(tick)
	require.Equal(t, hexStrings("01 01 01 0200 01 00"), s.Sent(now))
	receive(from(2, wire(fragments[1]), wire(fragments[2])))
	s.QueueVector("fragment-acks-checksum-request-3")
	leaves("fragment-acks-checksum-request-3")

	receive(vectorHex(t, "ack-checksum-response-3"))
	s.QueueVector("ack-checksum-request-ff")
	leaves("ack-checksum-request-ff")

	receive(from(2, "01 0400 00"))
	receive(vectorHex(t, "checksum-response-ff-datagram"))
	s.QueueVector("ack-checksum-complete-settings-game-init")
	leaves("ack-checksum-complete-settings-game-init")

	receive(from(2, "01 0500 00", "01 0600 00", "01 0700 00"))
	receive(vectorHex(t, "new-player-in-game-datagram"))
	s.QueueVector("ack-mission-init-delete-player-ui")
	leaves("ack-mission-init-delete-player-ui")

	receive(from(2, "01 0800 00", "01 0900 00"))
	require.True(t, s.Flushed())
	disconnect := vectorHex(t, "disconnect-two-acks")
	now = now.Add(time.Second / 2)
	s.Session.Receive(now, disconnect)
	require.Equal(t, []string{"ended left {2 [10 10 10 239]}"}, s.Events())
	now = now.Add(tick)
	leaves("ack-of-disconnect")
	require.Zero(t, s.Counters().Dropped())
}

// The client sends the captured bytes of a join.
func TestJoinTranscriptOfClient(t *testing.T) {
	s := newClient(t, transport.ConnectRequest{
		LocalIP: [4]byte{10, 10, 10, 239}, ConnID: 0x78F9, Password: newText(""),
	}, transport.Options{})
	now := start
	leaves := func(want string) {
		t.Helper()
		now = now.Add(time.Second / 2)
		require.Equal(t, hexStrings(want), s.Sent(now))
	}
	vector := func(name string) string { return fmt.Sprintf("%X", vectorHex(t, name)) }
	leaves(vector("connect-request"))
	s.Session.Receive(now, vectorHex(t, "ack-connect-reply-checksum-request-0"))
	require.Len(t, s.Events(), 2)
	require.NoError(t, s.SendSystem(&transport.NameChange{PeerID: s.PeerID(), IP: [4]byte{10, 10, 10, 239}, Name: newText("Cady2")}))
	leaves("02 03 01000002 01000000" + vector("name-change"))
	s.Receive(now, "01 0100 02")
	s.QueueVector("checksum-response-0-datagram")
	leaves(vector("checksum-response-0-datagram"))
	s.Session.Receive(now, vectorHex(t, "ack-checksum-request-1"))
	require.Len(t, s.Events(), 1)
	leaves("02 01 01 0100 00")
	s.QueueVector("checksum-response-1-datagram")
	leaves(vector("checksum-response-1-datagram"))
	for seq := range 3 { // those between are not captured whole
		s.Queue(reliable, "x")
		leaves("02 01 " + text(uint16(2+seq), "x"))
		s.Receive(now, "01 0"+string(rune('1'+seq))+"00 00")
	}
	s.QueueVector("new-player-in-game-datagram")
	s.Receive(now, "01 0400 00")
	leaves(vector("new-player-in-game-datagram"))
	s.Close()
	leaves("02 01" + vector("disconnect-two-acks")[4:24]) // less the two old Acks
	s.Session.Receive(now, vectorHex(t, "ack-of-disconnect"))
	require.True(t, s.Flushed())
	require.Zero(t, s.Counters().Dropped())
}

// A Connect is retransmitted every second until the reply, whatever else arrives.
func TestConnectIsRetransmitted(t *testing.T) {
	for _, steps := range []int{1, 5} {
		s := newClient(t, transport.ConnectRequest{ConnID: 1}, transport.Options{}.With(transport.Limits{RetransmitSteps: steps}))
		connect := s.Sent(start)
		require.Len(t, connect, 1)
		s.Receive(start, "01 0000 02", text(0, "early"), wire(transport.NewMessage(1, nameChange(2, "x"))), "05 0A C0 0000 01 00000000", "06 02")
		require.Nil(t, s.Events())
		require.Equal(t, map[string]int{"early": 3}, s.Dropped())
		require.Equal(t, objectid.NoPeer, s.PeerID())
		for second := 1; second < 45; second++ {
			due := after(time.Duration(second) * time.Second)
			require.Equal(t, due, s.NextDeadline())
			require.Equal(t, connect, s.Sent(due))
		}
		require.Empty(t, s.Sent(after(45*time.Second)))
		require.Equal(t, []string{"ended handshake not completed"}, s.Events())
		require.Empty(t, s.Sent(after(50*time.Second)))
		require.True(t, s.Flushed())
	}
}

// A reply with an impossible peer ID is ignored.
func TestConnectReplyPeerID(t *testing.T) {
	for id := -128; id < 128; id++ {
		s := newClient(t, transport.ConnectRequest{}, transport.Options{})
		s.Sent(start)
		s.Receive(start, wire(transport.NewMessage(0, &transport.ConnectReply{PeerID: objectid.PeerID(id)})))
		if id >= 2 && id <= 126 && id != '\\' {
			require.Len(t, s.Events(), 1)
			require.Equal(t, objectid.PeerID(id), s.PeerID())
		} else {
			require.Nil(t, s.Events())
			require.Equal(t, map[string]int{"forged": 1}, s.Dropped())
		}
	}
}

// Each duplicate of a Connect gets an Ack. The reply is sent again at once until the client uses
// its peer ID, and twice without a duplicate. Until then the host sends only the messages of the
// first reply.
func TestDuplicateConnects(t *testing.T) {
	s := newHost(t, transport.Options{})
	require.Empty(t, s.Sent(start))
	s.Receive(start, text(0, "who is this"))
	require.Equal(t, transport.ErrNotOpen, s.Send(nil, reliable))
	connect := from(objectid.NoPeer, connectMessage)
	s.Session.Receive(start, connect)
	s.Queue(reliable, "first")
	require.Equal(t, hexStrings("01 03 01000002 0306C0000002"+text(0, "first")), s.Sent(start))
	s.Queue(reliable, "second")
	for second := range 5 {
		now := after(time.Duration(second)*time.Second + 300*time.Millisecond)
		s.Session.Receive(now, connect)
		again := hexStrings("01 04 01000002 0306C0000002" + text(0, "first") + text(1, "second"))
		require.Equal(t, again, s.Sent(now))
		now = now.Add(tick)
		s.Session.Receive(now, connect)
		s.Session.Receive(now, connect)
		require.Equal(t, again, s.Sent(now))
	}
	now := after(4*time.Second + 350*time.Millisecond)
	require.Equal(t, after(30*time.Second), s.NextDeadline(), "the reply has been sent three times and more")
	require.Nil(t, s.Events())
	other := from(objectid.NoPeer, "03 0F C0 00 00 0A 0A 0A EF F9 79 00 00 00 00")
	s.Session.Receive(now.Add(time.Second), other)
	require.Equal(t, map[string]int{"early": 1, "busy_connect": 1}, s.Dropped())

	now = now.Add(2 * time.Second)
	s.Receive(now, "01 0000 02", "01 0000 00")
	require.Equal(t, []string{"connected"}, s.Events())
	require.Equal(t, hexStrings("01 01"+text(1, "second")), s.Sent(now))
	s.Session.Receive(now.Add(tick), connect)
	require.Equal(t, hexStrings("01 01 01000002"), s.Sent(now.Add(2*tick)), "a late copy")
	require.Nil(t, s.Events())
}

// A host ends the session of a client that does not use its peer ID, without a message: the address
// may be forged.
func TestHandshakeTimeout(t *testing.T) {
	for _, connect := range []bool{false, true} {
		s := newHost(t, transport.Options{})
		if connect {
			s.Session.Receive(start, from(objectid.NoPeer, connectMessage))
		}
		var now time.Time
		for now = start; now.Before(after(30 * time.Second)); now = s.NextDeadline() {
			require.Len(t, s.Sent(now), map[bool]int{false: 0, true: 1}[connect])
			require.Nil(t, s.Events())
		}
		require.Equal(t, after(30*time.Second), now)
		require.Empty(t, s.Sent(now))
		require.Equal(t, []string{"ended handshake not completed"}, s.Events())
		require.True(t, s.Flushed())
	}
}

// A datagram without the peer ID of the peer is dropped unread.
func TestSourceCheck(t *testing.T) {
	for id := range 256 {
		host, client := openHost(t, transport.Options{}), openClient(t, transport.Options{})
		d := from(objectid.PeerID(int8(id)), text(0, "x"))
		host.Session.Receive(start, d)
		client.Session.Receive(after(tick), d)
		require.Equal(t, id == 2, len(host.Events()) == 1)
		require.Equal(t, id == 1, len(client.Events()) == 1)
		for s, ok := range map[*harness]bool{host: id == 2, client: id == 1} {
			reason := map[string]int{"wrong_peer": 1}
			switch {
			case ok:
				reason = map[string]int{}
			case id == '\\':
				reason = map[string]int{"malformed": 1}
			case id == 255 && s == host:
				reason = map[string]int{"no_connect": 1}
			}
			require.Equal(t, reason, s.Dropped(), "%d", id)
			require.Equal(t, ok, len(s.Sent(after(2*tick))) == 1)
		}
	}
}

// A session sends a keepalive after five seconds without sending, and ends after 45 seconds of
// silence of the peer.
func TestKeepAlive(t *testing.T) {
	for _, v := range []struct {
		s       *harness
		want    string
		closing string
	}{
		{openHost(t, transport.Options{}), "01 01 02", "01 01 04 07C0 0100 01 02"},
		{openClient(t, transport.Options{}), "02 01 02", "02 01 05 0AC0 0100 02 0A0A0AEF"},
	} {
		s := v.s
		heard := after(time.Second)
		s.Receive(heard, "02")
		sent := s.NextDeadline().Add(-5 * time.Second)
		n := 0
		for now := s.NextDeadline(); now.Before(heard.Add(45 * time.Second)); now = s.NextDeadline() {
			n++
			require.Equal(t, sent.Add(time.Duration(n)*5*time.Second), now)
			require.Equal(t, hexStrings(v.want), s.Sent(now))
		}
		require.Equal(t, 9, n)
		require.Equal(t, heard.Add(45*time.Second), s.NextDeadline())
		s.Sent(s.NextDeadline().Add(-1))
		require.Nil(t, s.Events())
		d := s.Sent(s.NextDeadline())
		require.Equal(t, []string{"ended timed out"}, s.Events())
		require.Equal(t, hexStrings(v.closing), d)
	}
}

// The longest request that fits a datagram is sent. A longer one is refused.
func TestLongPassword(t *testing.T) {
	request := transport.ConnectRequest{Password: make(transport.UTF16Z, 497)}
	client := newClient(t, request, transport.Options{})
	want := from(objectid.NoPeer, wire(transport.NewMessage(0, &request)))
	require.Len(t, want, transport.MaxDatagram)
	for second := range 45 {
		require.Equal(t, []string{fmt.Sprintf("%X", want)}, client.Sent(after(time.Duration(second)*time.Second)))
	}
	for n, text := range map[int]string{498: "498", 0x3FFF - 13: "16,370", 0x4000 - 13: "16,371", 18_000: "18,000", 1 << 16: "65,536"} {
		request.Password = make(transport.UTF16Z, n)
		s, err := transport.NewClient(start, request, transport.Options{})
		require.ErrorIs(t, err, stream.ErrTooLong)
		require.EqualError(t, err, "transport: Connect: too long: password of "+text+" bytes, at most 497")
		require.Nil(t, s)
	}
}

// A keepalive is sent only if nothing else is. It does not replace a retransmission.
func TestKeepAliveOnlyInSilence(t *testing.T) {
	s := openHost(t, transport.Options{}.With(transport.Limits{Window: 1}))
	name := &transport.NameChange{PeerID: 3, Name: make(transport.UTF16Z, 400)}
	want := hexStrings("01 01" + wire(transport.NewMessage(1, name)))
	require.NoError(t, s.SendSystem(name))
	require.Equal(t, want, s.Sent(after(tick)))
	now := after(tick + time.Second)
	s.Queue(unreliable, strings.Repeat("x", 300))
	require.Equal(t, want[0], fmt.Sprintf("%X", s.AppendDatagram(nil, now)), "without room for the other")
	s.Close() // the closing waits for the window
	require.Nil(t, s.Sent(now))
	require.Equal(t, want, s.Sent(now.Add(time.Second)))
}

// An Ack never leads to an Ack: two idle sessions exchange keepalives and nothing else.
func TestAcksAreNotAcknowledged(t *testing.T) {
	n := newNetwork(1)
	n.loss, n.duplicate = 0.3, 0.3
	client, host := n.connect(transport.Options{})
	n.run(5 * time.Second)
	for range 20 {
		require.NoError(t, client.session.Send([]byte("x"), reliable))
		require.NoError(t, host.session.Send([]byte("y"), reliable))
	}
	n.serve(client)
	n.serve(host)
	n.run(time.Minute)
	require.True(t, client.session.Flushed() && host.session.Flushed())
	n.sent = 0
	n.run(time.Hour)
	require.InDelta(t, 2*3600/5, n.sent, 4)
}

// A message that is not acknowledged for 360 seconds ends the session, although the peer
// is there.
func TestSendTimeout(t *testing.T) {
	for _, steps := range []int{1, 5, 1000} {
		s := openHost(t, transport.Options{}.With(transport.Limits{RetransmitSteps: steps}))
		s.Queue(reliable, "never acknowledged")
		s.Sent(after(tick))
		for now := s.NextDeadline(); ; now = s.NextDeadline() {
			s.Receive(now, "02")
			d := s.Sent(now)
			if now.Equal(after(tick + 360*time.Second)) {
				require.Equal(t, hexStrings("0101 0407C0 0100 01 02"), d)
				break
			}
			require.Len(t, d, 1)
			require.Nil(t, s.Events())
		}
		require.Equal(t, []string{"ended not acknowledged"}, s.Events())
	}
}

// The closing message follows the earlier messages of its channel, and the other channel is
// discarded. The message is retransmitted until it is acknowledged. Then retransmissions of the
// peer are acknowledged for a time.
func TestClose(t *testing.T) {
	s := openClient(t, transport.Options{})
	require.NoError(t, s.SendSystem(nameChange(2, "me")))
	s.Queue(reliable, "lost")
	s.Receive(after(tick), text(0, "got"))
	s.Events()
	name := wire(transport.NewMessage(1, nameChange(2, "me")))
	bye := "050AC00200020A0A0AEF"
	s.Close()
	s.Close()
	s.Boot(transport.BootRemoved)
	require.Equal(t, []string{"ended closed"}, s.Events())
	require.Equal(t, hexStrings("02 03 01000000"+bye+name), s.Sent(after(2*tick)))
	require.False(t, s.Flushed())
	s.Receive(after(2*tick), text(0, "got"), text(1, "new"), wire(transport.NewUnreliable(nil)), wire(transport.NewMessage(1, nameChange(2, "you"))))
	require.Nil(t, s.Events())
	require.Equal(t, map[string]int{"late": 2}, s.Dropped())
	require.Equal(t, hexStrings("02 02 01000000 01010002"), s.Sent(after(3*tick)))
	now := after(time.Second + 2*tick)
	require.Equal(t, hexStrings("02 01"+bye, "02 01"+name), s.Sent(now))
	s.Receive(now, "01 0100 02", "01 0200 02")
	require.True(t, s.Flushed())
	s.Receive(now, text(0, "got"))
	require.Equal(t, hexStrings("02 01 01000000"), s.Sent(now.Add(tick)))
	require.Equal(t, after(2*tick+15*time.Second), s.NextDeadline())
	require.Empty(t, s.Sent(s.NextDeadline()))
	require.True(t, s.NextDeadline().IsZero())
	s.Receive(now, text(0, "got"))
	require.Equal(t, 3, s.Dropped()["late"])
	require.Empty(t, s.Sent(after(time.Hour)))
	require.True(t, s.Ended())
	require.Equal(t, transport.EndClosed, transport.EndOf(s.Session))
}

// The Disconnect is retransmitted for five seconds.
func TestCloseTimeout(t *testing.T) {
	s := openHost(t, transport.Options{})
	s.Boot(transport.BootPassword)
	require.Equal(t, []string{"ended closed {wrong password 2}"}, s.Events())
	for second := range 5 {
		require.Equal(t, hexStrings("0101 0407C0 0100 02 02"), s.Sent(after(tick+time.Duration(second)*time.Second)))
		require.False(t, s.Flushed())
	}
	require.Equal(t, after(tick+5*time.Second), s.NextDeadline())
	require.Empty(t, s.Sent(s.NextDeadline()))
	require.True(t, s.Flushed())

	s = openHost(t, transport.Options{CloseTimeout: time.Second}.With(transport.Limits{Linger: time.Second}))
	s.Close()
	require.Equal(t, hexStrings("0101 050AC0 0100 01 00000000"), s.Sent(after(tick)))
	require.Empty(t, s.Sent(after(time.Hour)))
	require.True(t, s.NextDeadline().IsZero() == false, "the event is not taken")
	s.Events()
	require.True(t, s.NextDeadline().IsZero())

	s = newClient(t, transport.ConnectRequest{}, transport.Options{})
	s.Sent(start)
	s.Close()
	require.Equal(t, []string{"ended closed"}, s.Events())
	require.True(t, s.Flushed())
	require.Empty(t, s.SentAt(0, time.Minute), "before the reply, nothing is sent")
}

// Only a host may send a Boot. A Disconnect is about its sender or comes from the host.
func TestSystemMessages(t *testing.T) {
	boot := func(peer objectid.PeerID) transport.Body {
		return &transport.Boot{Reason: transport.BootRemoved, PeerID: peer}
	}
	bye := func(peer objectid.PeerID) transport.Body { return &transport.Disconnect{PeerID: peer} }
	for _, v := range []struct {
		body         transport.Body
		host, client string
	}{
		{boot(2), "", "ended booted {removed by host 2}"},
		{boot(-1), "", "ended booted {removed by host none}"},
		{boot(3), "", "system {removed by host 3}"},
		{boot(1), "", "system {removed by host 1}"},
		{bye(2), "ended left {2 [0 0 0 0]}", "ended left {2 [0 0 0 0]}"}, // as OpenBC's server leaves
		{bye(3), "", "system {3 [0 0 0 0]}"},
		{bye(1), "", "ended left {1 [0 0 0 0]}"},
		{nameChange(2, ""), "system {2 [0 0 0 0] }", "system {2 [0 0 0 0] }"},
		{&transport.ConnectReply{PeerID: 3}, "", ""},
		{&transport.ConnectRequest{}, "", ""},
	} {
		host, client := openHost(t, transport.Options{}), openClient(t, transport.Options{})
		transport.SetExpected(client.Session, client.Session, true, 1)
		host.Receive(after(tick), wire(transport.NewMessage(1, v.body)))
		client.Receive(after(tick), wire(transport.NewMessage(1, v.body)))
		for s, want := range map[*harness]string{host: v.host, client: v.client} {
			events := s.Events()
			if want == "" {
				require.Nil(t, events)
				require.Equal(t, map[string]int{"forged": 1}, s.Dropped())
			} else {
				require.Equal(t, []string{want}, events)
				require.Zero(t, s.Counters().Dropped())
			}
			// Otherwise it would be retransmitted for ever, and block later messages.
			d := s.Sent(after(2 * tick))
			require.Len(t, d, 1)
			require.Equal(t, "0101010002", d[0][2:])
		}
	}
}

// A message whose body does not match its type is acknowledged and dropped. A message without a
// number is dropped.
func TestMalformedSystemMessages(t *testing.T) {
	s := openHost(t, transport.Options{})
	s.Receive(start, "05 09 C0 0100 02 0A0A0A", "04 05 40 04 02", wire(transport.NewMessage(2, nameChange(2, ""))))
	require.Equal(t, []string{"system {2 [0 0 0 0] }"}, s.Events())
	require.Equal(t, map[string]int{"malformed": 2}, s.Dropped())
	require.Equal(t, hexStrings("01 02 01010002 01020002"), s.Sent(after(tick)))
}

// Both sides close at the same time.
func TestCloseTogether(t *testing.T) {
	n := newNetwork(1)
	client, host := n.connect(transport.Options{})
	n.run(time.Second)
	client.session.Close()
	host.session.Close()
	n.serve(client)
	n.serve(host)
	n.run(time.Second)
	for _, e := range n.endpoints {
		require.True(t, e.session.Flushed())
	}
}

// The clock may go back: no time passes for the session until it advances.
func TestClockGoesBack(t *testing.T) {
	s := openHost(t, transport.Options{})
	s.Queue(reliable, "x")
	require.Len(t, s.Sent(after(tick)), 1)
	back := after(-time.Hour)
	require.Empty(t, s.Sent(back))
	require.Equal(t, back.Add(time.Second), s.NextDeadline())
	require.Empty(t, s.Sent(back.Add(time.Second-1)))
	require.Len(t, s.Sent(back.Add(time.Second)), 1)
	// A small step back has no effect: the caller may have read the clock earlier.
	for range 1000 {
		require.Empty(t, s.Sent(back.Add(time.Second)))
		require.Empty(t, s.Sent(back.Add(time.Second-10*time.Millisecond)))
	}
	require.Equal(t, back.Add(2*time.Second), s.NextDeadline())
	// Forward: the peer has been silent.
	s.Sent(after(100 * 365 * 24 * time.Hour))
	require.Equal(t, []string{"ended timed out"}, s.Events())
	for _, extreme := range []time.Time{{}, time.Unix(1<<62, 0), time.Unix(-1<<62, 0), start} {
		for range 4000 {
			s.Sent(extreme)
			s.Sent(start)
		}
	}
	require.True(t, s.NextDeadline().IsZero())
}

// Unread events make the session drop datagrams, so they take limited memory. The loop can end
// early.
func TestUnreadEvents(t *testing.T) {
	s := openHost(t, transport.Options{})
	many := make([]string, 255)
	for i := range many {
		many[i] = wire(transport.NewUnreliable([]byte{byte(i)}))
	}
	for range 10 {
		s.Receive(start, many...)
		require.NoError(t, transport.CheckSession(s.Session))
	}
	require.Equal(t, map[string]int{"unread": 10 - 5}, s.Dropped())
	require.Equal(t, start, s.NextDeadline())
	n := 0
	for e := range s.Session.Events() {
		require.Equal(t, []byte{byte(n % 255)}, e.Payload)
		if n++; n == 100 {
			break
		}
	}
	for e := range s.Session.Events() {
		require.Equal(t, []byte{byte(n % 255)}, e.Payload)
		n++
		if n == 200 {
			s.Close()
		}
		if e.Kind == transport.EventEnded {
			n--
		}
		if n == 5*255 {
			break
		}
	}
	require.Equal(t, []string{"ended closed"}, s.Events())
	require.True(t, s.NextDeadline().After(start))
}

// A loop that often ends early takes memory for its unread events only, and unread events are not
// overwritten.
func TestEventLoopsThatEndEarly(t *testing.T) {
	s := openHost(t, transport.Options{})
	received, taken := 0, 0
	receive := func() { // the first is early: its memory is the session's
		a, b := text(uint16(received), fmt.Sprint(received)), text(uint16(received+1), fmt.Sprint(received+1))
		s.Receive(start, b, a)
		received += 2
	}
	for range 50 {
		receive()
	}
	before := heapBytes()
	for range 3_000 {
		receive()
		next := taken + 2
		for e := range s.Session.Events() {
			require.Equal(t, fmt.Sprint(taken), string(e.Payload))
			if taken++; taken == next {
				break
			}
		}
		require.NoError(t, transport.CheckSession(s.Session))
	}
	require.Less(t, heapBytes()-before, int64(256<<10))
	require.Len(t, s.Events(), 100)
}

// A loop over Events also passes the events that its body causes.
func TestEventsCausedInTheLoop(t *testing.T) {
	s := openHost(t, transport.Options{})
	s.Receive(start, text(0, "x"))
	var kinds []transport.EventKind
	for e := range s.Session.Events() {
		kinds = append(kinds, e.Kind)
		s.Close()
	}
	require.Equal(t, []transport.EventKind{transport.EventPayload, transport.EventEnded}, kinds)
}

func TestMalformedDatagrams(t *testing.T) {
	s := openHost(t, transport.Options{})
	for _, d := range [][]byte{nil, {2}, []byte(`\status\`), from(2, "06"), from(2, "32 03 80", "32 03 80", "33")} {
		s.Session.Receive(after(20*time.Second), d)
	}
	require.Equal(t, map[string]int{"malformed": 3 + 1 + 3}, s.Dropped())
	s.Sent(after(50 * time.Second))
	require.Equal(t, []string{"ended timed out"}, s.Events(), "malformed datagrams do not reset the timeout")
	s = openHost(t, transport.Options{})
	s.Session.Receive(after(20*time.Second), []byte{2, 0})
	s.Sent(after(50 * time.Second))
	require.Nil(t, s.Events(), "an empty datagram is one")
}

func TestNames(t *testing.T) {
	seen := map[string]bool{}
	for i := range (transport.Counters{}).Drops {
		r := transport.DropReason(i)
		require.Regexp(t, "^[a-z_]+$", r.String())
		require.False(t, seen[r.String()])
		seen[r.String()] = true
	}
	require.Equal(t, "200", transport.DropReason(200).String())
	require.Equal(t, "replaced", transport.EndReplaced.String())
	require.Equal(t, "none", transport.EndReason(0).String())
	require.Equal(t, "limit reached", transport.EndLimit.String())
	require.Equal(t, "12", transport.EndReason(12).String())
}

// A flood of Connects gets one Ack and the reply.
func TestConnectFlood(t *testing.T) {
	s := newHost(t, transport.Options{})
	for range 127 {
		s.Session.Receive(start, from(objectid.NoPeer, connectMessage))
	}
	require.Equal(t, hexStrings("01 02 01000002 0306C0000002"), s.Sent(start))
}

// A session with contradicting timers does not send without a pause.
func TestShortSendTimeout(t *testing.T) {
	o := transport.Options{SendTimeout: time.Millisecond, CloseTimeout: time.Minute}
	client := newClient(t, transport.ConnectRequest{}, o)
	host := openHost(t, o)
	host.Queue(reliable, "x")
	require.Len(t, host.Sent(after(tick)), 1)
	n := 0
	for now := after(tick); now.Before(after(30 * time.Second)); now = now.Add(time.Millisecond) {
		n += len(client.Sent(now)) + len(host.Sent(now))
	}
	require.Equal(t, 30+30, n)
}

// A host that closes before the Connect sends nothing.
func TestCloseBeforeConnect(t *testing.T) {
	s := newHost(t, transport.Options{})
	s.Boot(transport.BootRemoved)
	require.Equal(t, []string{"ended closed"}, s.Events())
	require.True(t, s.Flushed())
	require.Empty(t, s.Sent(after(time.Minute)))
}

// An idle session that closes sends its Disconnect for the whole CloseTimeout, although Close does
// not know the time.
func TestCloseOfIdleSession(t *testing.T) {
	s := openHost(t, transport.Options{KeepAlive: time.Hour})
	s.Close()
	require.Equal(t, []string{"ended closed"}, s.Events())
	idle := 20 * time.Second // longer than CloseTimeout and Linger
	for second := range 5 {
		require.Len(t, s.Sent(after(idle+time.Duration(second)*time.Second)), 1, second)
		require.False(t, s.Flushed())
	}
	require.Empty(t, s.Sent(after(idle+5*time.Second)))
	require.True(t, s.Flushed())
	require.NotZero(t, s.NextDeadline(), "lingers")
}
