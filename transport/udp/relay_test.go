package udp_test

import (
	"bytes"
	"context"
	"net"
	"net/netip"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/testdata"
	"github.com/bcwire/bcwire/transport"
	"github.com/bcwire/bcwire/transport/udp"
)

func portOf(conn *net.UDPConn) netip.AddrPort { return conn.LocalAddr().(*net.UDPAddr).AddrPort() }

// relayTo runs a relay at the loopback interface. It returns the address for the clients, and a function that ends the
// relay.
func relayTo(t *testing.T, upstream netip.AddrPort, h udp.RelayHandler) (address string, end func()) {
	t.Helper()
	conn := listen(t)
	ctx, cancel := context.WithCancel(context.Background())
	var ended sync.WaitGroup
	ended.Go(func() {
		if err := udp.Relay(ctx, conn, upstream, h); err != nil {
			t.Error(err)
		}
	})
	end = func() {
		cancel()
		ended.Wait()
	}
	t.Cleanup(end)
	return conn.LocalAddr().String(), end
}

// echoAt runs a server that sends payloads back, at a port or, with 0, at any. It returns its address, and a function
// that ends it at once.
func echoAt(t *testing.T, network, address string) (at netip.AddrPort, end func()) {
	t.Helper()
	to, err := net.ResolveUDPAddr(network, address)
	require.NoError(t, err)
	conn, err := net.ListenUDP(network, to)
	if err != nil {
		t.Skip(err) // without IPv6
	}
	hub := transport.NewHub(time.Now(), transport.HubOptions{})
	var ended sync.WaitGroup
	ended.Go(func() { _ = udp.Serve(context.Background(), conn, hub, echo(hub)) })
	end = func() {
		conn.Close()
		ended.Wait()
	}
	t.Cleanup(end)
	return portOf(conn), end
}

// say sends a payload, and returns the payload that the server sends back.
func say(t *testing.T, ctx context.Context, conn *udp.Conn, payload string) string {
	t.Helper()
	require.NoError(t, conn.SendPayload([]byte(payload), reliable))
	for {
		e, err := conn.Receive(ctx)
		require.NoError(t, err)
		if e.Kind == transport.EventPayload {
			return string(e.Payload)
		}
	}
}

// Two clients talk through a relay with a server. The relay changes what one of them says and what the server says, and
// has no place for a third.
func TestRelay(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	for network, local := range map[string]string{"udp4": "127.0.0.1:0", "udp6": "[::1]:0"} {
		t.Run(network, func(t *testing.T) {
			upstream, _ := echoAt(t, network, local)
			var states []udp.RelayState
			var datagrams, refused atomic.Int64
			address, end := relayTo(t, upstream, udp.RelayHandler{
				Edit: func(c *udp.RelayClient, _ time.Time, fromHost bool, payload []byte) []byte {
					switch {
					case c.Number == 1 && bytes.HasPrefix(payload, []byte("no")):
						return nil
					case fromHost && bytes.HasPrefix(payload, []byte("hello")):
						return bytes.Repeat(payload, 100)
					}
					return payload
				},
				Datagram: func(_ *udp.RelayClient, _ time.Time, _ bool, datagram []byte, send func([]byte) error) {
					datagrams.Add(1)
					_ = send(datagram)
				},
				Changed: func(c *udp.RelayClient) { states = append(states, c.State) },
				Refused: func(netip.AddrPort) { refused.Add(1) },
				Clients: 2,
			})
			ann, err := udp.Dial(ctx, address, udp.Options{})
			require.NoError(t, err)
			defer ann.Close()
			bob, err := udp.Dial(ctx, address, udp.Options{})
			require.NoError(t, err)
			defer bob.Close()
			require.Equal(t, "\x24", say(t, ctx, ann, "nonsense"), "what the server has got")
			require.Equal(t, "nonsense", say(t, ctx, bob, "nonsense"))
			require.Equal(t, string(bytes.Repeat([]byte("hello"), 100)), say(t, ctx, ann, "hello"))
			require.Greater(t, datagrams.Load(), int64(8))

			late, err := net.Dial("udp", address)
			require.NoError(t, err)
			defer late.Close()
			require.Eventually(t, func() bool {
				_, _ = late.Write([]byte("x"))
				return refused.Load() > 0
			}, 10*time.Second, time.Millisecond)

			require.NoError(t, ann.Close())
			require.NoError(t, bob.Close())
			end()
			require.ElementsMatch(t, []udp.RelayState{
				udp.RelayUnproven, udp.RelayProven, udp.RelayUnproven, udp.RelayProven, udp.RelayRemoved, udp.RelayRemoved,
			}, states)
		})
	}
}

// Strangers who receive nothing connect, guess all peer IDs, and keep sending. None of them takes a place.
func TestGuessedPeerIDsKeepNobodyOutOfRelay(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	upstream, _ := echoAt(t, "udp4", "127.0.0.1:0")
	var replies, proven atomic.Int64
	address, _ := relayTo(t, upstream, udp.RelayHandler{
		Clients: 4,
		Changed: func(c *udp.RelayClient) {
			if c.State == udp.RelayProven {
				proven.Add(1)
			}
		},
		Datagram: func(_ *udp.RelayClient, _ time.Time, fromHost bool, datagram []byte, send func([]byte) error) {
			if fromHost {
				replies.Add(1)
			}
			_ = send(datagram)
		},
	})
	for i := range 4 {
		stranger, err := net.Dial("udp", address)
		require.NoError(t, err)
		defer stranger.Close()
		before := replies.Load()
		_, err = stranger.Write(wire(objectid.NoPeer, transport.NewMessage(0, &transport.ConnectRequest{ConnID: uint32(i)})))
		require.NoError(t, err)
		require.Eventually(t, func() bool { return replies.Load() > before }, 10*time.Second, time.Millisecond)
		for id := objectid.PeerID(2); id <= 17; id++ {
			_, err = stranger.Write(wire(id, transport.NewMessage(0, &transport.DoNothing{})))
			require.NoError(t, err)
		}
	}
	ann, err := udp.Dial(ctx, address, udp.Options{})
	require.NoError(t, err)
	defer ann.Close()
	require.Equal(t, "hello", say(t, ctx, ann, "hello"))
	require.EqualValues(t, 1, proven.Load())
}

// A relay waits for a server that is not running, and a client keeps its place while it restarts.
func TestRelaySurvivesItsUpstream(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	upstream, stop := echoAt(t, "udp4", "127.0.0.1:0")
	stop()
	failed := make(chan error, 100)
	address, _ := relayTo(t, upstream, udp.RelayHandler{Failed: func(_ *udp.RelayClient, err error) {
		select {
		case failed <- err:
		default:
		}
	}})
	for range 2 { // the server stops, and starts again
		dialled := make(chan error, 1)
		var conn *udp.Conn
		go func() {
			var err error
			conn, err = udp.Dial(ctx, address, udp.Options{})
			dialled <- err
		}()
		require.True(t, udp.IsTransient(<-failed))
		_, stop := echoAt(t, "udp4", upstream.String())
		require.NoError(t, <-dialled)
		require.Equal(t, "hello", say(t, ctx, conn, "hello"))
		require.NoError(t, conn.Close())
		stop()
	}
}

// Only the host can send to a client, and a relay to itself is an error.
func TestRelayIsClosed(t *testing.T) {
	host, forger, client := listen(t), listen(t), listen(t)
	address, end := relayTo(t, portOf(host), udp.RelayHandler{})
	to, err := net.ResolveUDPAddr("udp", address)
	require.NoError(t, err)
	_, err = client.WriteToUDP([]byte("hello"), to)
	require.NoError(t, err)
	buf := make([]byte, 100)
	n, at, err := host.ReadFromUDP(buf)
	require.NoError(t, err)
	require.Equal(t, "hello", string(buf[:n]))
	_, err = forger.WriteToUDP([]byte("forged"), at)
	require.NoError(t, err)
	_, err = host.WriteToUDP([]byte("world"), at)
	require.NoError(t, err)
	n, _, err = client.ReadFromUDP(buf)
	require.NoError(t, err)
	require.Equal(t, "world", string(buf[:n]))
	end()
	require.ErrorContains(t, udp.Relay(t.Context(), host, portOf(host), udp.RelayHandler{}), "own address")
}

// A relay edits datagrams, enciphered or not. The texts of GameSpy pass.
func TestRelayEdits(t *testing.T) {
	for name, datagram := range map[string]func(objectid.PeerID, ...transport.Message) []byte{"enciphered": wire, "plain": plain} {
		t.Run(name, func(t *testing.T) {
			host, client := listen(t), listen(t)
			address, _ := relayTo(t, portOf(host), udp.RelayHandler{
				Plain: name == "plain",
				Edit:  func(*udp.RelayClient, time.Time, bool, []byte) []byte { return []byte("changed") },
			})
			to, err := net.ResolveUDPAddr("udp", address)
			require.NoError(t, err)
			relayed := func(d []byte) []byte {
				_, err := client.WriteToUDP(d, to)
				require.NoError(t, err)
				buf := make([]byte, 100)
				require.NoError(t, host.SetReadDeadline(time.Now().Add(10*time.Second)))
				n, _, err := host.ReadFromUDP(buf)
				require.NoError(t, err)
				return buf[:n]
			}
			require.Equal(t, datagram(objectid.NoPeer, transport.NewUnreliable([]byte("changed"))), relayed(datagram(objectid.NoPeer, transport.NewUnreliable([]byte("said")))))
			require.Equal(t, `\status\`, string(relayed([]byte(`\status\`))))
		})
	}
}

// A datagram that a handler delays does not reach a client that was removed, and one that Edit does not change allocates
// nothing.
func TestRelaySend(t *testing.T) {
	host, client := listen(t), listen(t)
	sends := make(chan func([]byte) error, 10)
	address, end := relayTo(t, portOf(host), udp.RelayHandler{
		Edit: func(_ *udp.RelayClient, _ time.Time, _ bool, payload []byte) []byte { return payload },
		Datagram: func(_ *udp.RelayClient, _ time.Time, _ bool, _ []byte, send func([]byte) error) {
			sends <- send
		},
	})
	to, err := net.ResolveUDPAddr("udp", address)
	require.NoError(t, err)
	update := wire(objectid.NoPeer, transport.NewUnreliable([]byte{1, 2, 3}))
	_, err = client.WriteToUDP(update, to)
	require.NoError(t, err)
	toHost := <-sends
	require.NoError(t, toHost(update))
	buf := make([]byte, 100)
	n, at, err := host.ReadFromUDP(buf)
	require.NoError(t, err)
	require.Equal(t, update, buf[:n])
	_, err = host.WriteToUDP(update, at)
	require.NoError(t, err)
	toClient := <-sends
	require.NoError(t, toClient(update))
	if !testdata.UnderRace {
		require.Zero(t, testing.AllocsPerRun(100, func() { _ = toHost(update) }))
	}
	end()
	require.ErrorIs(t, toClient(update), net.ErrClosed)
	require.ErrorIs(t, toHost(update), net.ErrClosed)
}
