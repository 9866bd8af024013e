package transport_test

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/transport"
)

// logged returns a session as a log with text has it.
func logged(s *transport.Session) string {
	var b bytes.Buffer
	slog.New(slog.NewTextHandler(&b, nil)).Info("", "s", s)
	_, text, _ := strings.Cut(b.String(), `msg="" `)
	return strings.TrimSpace(text)
}

// String has the role, the peer ID, the address, the state and the numbers of queued messages.
func TestSessionString(t *testing.T) {
	client := newClient(t, transport.ConnectRequest{}, transport.Options{})
	require.Equal(t, "client session, peer ID none, connecting, 0 in flight, 1 queued", client.String())
	client.Sent(start)
	require.Equal(t, "client session, peer ID none, connecting, 1 in flight, 0 queued", client.String())
	require.Equal(t, "s.role=client s.peer=-1 s.state=connecting s.in_flight=1 s.queued=0", logged(client.Session))

	host := openHost(t, transport.Options{}.With(transport.Limits{Window: 1}))
	host.Queue(reliable, "first", "second")
	host.Queue(unreliable, "third")
	require.Equal(t, "host session, peer ID 2, open, 0 in flight, 3 queued", host.String())
	host.Sent(after(time.Second))
	require.Equal(t, "host session, peer ID 2, open, 1 in flight, 1 queued", host.String(), "the second is beyond the window")
	host.Receive(after(time.Second), wire(transport.NewMessage(1, &transport.Disconnect{PeerID: 2})))
	require.Equal(t, "host session, peer ID 2, lingering (left), 0 in flight, 0 queued", host.String())
	require.Equal(t, "s.role=host s.peer=2 s.state=lingering s.end=left s.in_flight=0 s.queued=0", logged(host.Session))

	hub := newHub(t, transport.HubOptions{})
	member := hub.Join(start, addrOf(1, 5000), 7)
	require.Equal(t, "host session, peer ID 2, 10.0.0.1:5000, open, 0 in flight, 0 queued", member.String())
	require.Equal(t, "s.role=host s.peer=2 s.addr=10.0.0.1:5000 s.state=open s.in_flight=0 s.queued=0", logged(member.Session))
}

func TestSessionStringOfZeroValue(t *testing.T) {
	require.Equal(t, "client session, peer ID none, over (closed), 0 in flight, 0 queued", new(transport.Session).String())
	require.Equal(t, "s.role=client s.peer=-1 s.state=over s.end=closed s.in_flight=0 s.queued=0", logged(new(transport.Session)))
	require.Equal(t, "s=<nil>", logged(nil))
}
