package udp_test

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/join"
	"github.com/bcwire/bcwire/transport"
	"github.com/bcwire/bcwire/transport/udp"
)

// A client that has timed out joins again in one call, with its name and password, but not within 2 s.
func TestRejoin(t *testing.T) {
	bubble(t, func(t *testing.T, n *network) {
		session := transport.Options{PeerTimeout: 10 * time.Second}
		host, loop := n.hostMatch(t, join.HostOptions{Hub: transport.HubOptions{Session: session}})
		sockets := 0
		o := udp.Options{Conn: n.listen(t, annAddr), Session: session}
		c, err := udp.Dial(t.Context(), hostAddr, o.Reopen(func() udp.PacketConn {
			sockets++
			return n.listen(t, fmt.Sprintf("10.0.1.1:%d", 5000+sockets))
		}))
		require.NoError(t, err)
		require.NoError(t, c.Join(t.Context(), join.Options{Name: "Ann"}))
		n.loss = 1
		_, err = c.Receive(t.Context())
		for err == nil {
			_, err = c.Receive(t.Context())
		}
		require.ErrorIs(t, err, join.ErrTimeout)
		ended := time.Now()
		_, err = c.Rejoin(t.Context())
		require.ErrorIs(t, err, join.ErrTimeout)
		requireTook(t, 17*time.Second, time.Since(ended)) // 5 s for the Disconnect, 2 s of pause, 10 s without an answer
		cancelled, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err = c.Rejoin(cancelled)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.Equal(t, 1, sockets, "it waits before it opens another")

		n.loss = 0
		again, err := c.Rejoin(t.Context())
		require.NoError(t, err)
		defer again.Close()
		require.Equal(t, []any{join.StageInGame, "Ann", 2}, []any{again.State().Stage, again.State().Self.Name, sockets})
		require.NoError(t, loop.Do(t.Context(), func() {
			require.NotNil(t, host.Hub().Session(again.PeerID()))
			require.Len(t, host.Members(), 1, "the host has ended the first one, too")
		}))

		// A Conn that has not ended is closed.
		ended = time.Now()
		third, err := again.Rejoin(t.Context())
		require.NoError(t, err)
		defer third.Close()
		require.Error(t, again.Err())
		require.Less(t, 2*time.Second, time.Since(ended))
		synctest.Wait()
	})
}

// A Conn that has not joined, or whose socket the program has made, cannot rejoin.
func TestRejoinRefused(t *testing.T) {
	bubble(t, func(t *testing.T, n *network) {
		n.hostMatch(t, join.HostOptions{})
		c := n.dial(t, annAddr, udp.Options{})
		_, err := c.Rejoin(t.Context())
		require.ErrorContains(t, err, "Rejoin without Join")
		c, err = n.join(t, bobAddr, join.Options{Name: "Bob"})
		require.NoError(t, err)
		_, err = c.Rejoin(t.Context())
		require.ErrorContains(t, err, "new socket")
	})
}
