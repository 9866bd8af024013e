package udp_test

import (
	"context"
	"net"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/checksum"
	"github.com/bcwire/bcwire/join"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stream"
	"github.com/bcwire/bcwire/testdata"
	"github.com/bcwire/bcwire/transport"
	"github.com/bcwire/bcwire/transport/udp"
)

// hostMatch runs a join.Host at hostAddr.
func (n *network) hostMatch(t *testing.T, o join.HostOptions) (*join.Host, *udp.Loop) {
	o.Hub.Rand = testdata.LowestIDs
	h, loop := join.NewHost(time.Now(), o), &udp.Loop{}
	conn := n.listen(t, hostAddr)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	t.Cleanup(func() {
		cancel()
		<-ended
	})
	go func() {
		defer close(ended)
		_ = udp.Serve(ctx, conn, h.Hub(), udp.Handler{Event: h.Handle, Tick: h.Tick, Loop: loop})
	}()
	return h, loop
}

// join lets a client join from an address.
func (n *network) join(t *testing.T, from string, o join.Options) (*udp.Conn, error) {
	t.Helper()
	conn, err := udp.Dial(t.Context(), hostAddr, udp.Options{Conn: n.listen(t, from), Password: o.Password})
	if err != nil {
		return nil, err
	}
	t.Cleanup(func() { _ = conn.Close() })
	return conn, conn.Join(t.Context(), o)
}

// read receives until a context ends, and returns the messages.
func read(t *testing.T, p *udp.Conn, d time.Duration) (all []opcode.Message) {
	ctx, cancel := context.WithTimeout(t.Context(), d)
	defer cancel()
	for m, err := range p.Messages(ctx) {
		if m == nil {
			require.ErrorIs(t, err, context.DeadlineExceeded)
			return all
		}
		require.NoError(t, err)
		all = append(all, m)
	}
	return all
}

// Two players with one name join, talk, and follow the names and scores of each other.
func TestJoin(t *testing.T) {
	bubble(t, func(t *testing.T, n *network) {
		n.loss = 0.1
		host, loop := n.hostMatch(t, join.HostOptions{})
		ann, err := n.join(t, annAddr, join.Options{Name: "Ann", Manifest: checksum.Vanilla()})
		require.NoError(t, err)
		bob, err := n.join(t, bobAddr, join.Options{Name: "Ann"})
		require.NoError(t, err)
		require.Equal(t, join.StageInGame, ann.State().Stage)
		require.Equal(t, "Ann (2)", bob.State().Self.Name)
		require.EqualValues(t, 3, bob.PeerID())
		require.EqualValues(t, 1, bob.State().Self.Slot)

		// The messages that arrived during Join are not lost.
		all := read(t, bob, 5*time.Second)
		var codes []string
		for _, m := range all {
			codes = append(codes, m.Opcode().String())
		}
		require.Equal(t, "GameInit MissionInit Score DeletePlayerUI", strings.Join(codes, " "))
		read(t, ann, 5*time.Second)
		require.Equal(t, []join.Player{{PeerID: 3, Slot: objectid.NoSlot, Name: "Ann (2)", Team: opcode.TeamNone}}, ann.State().Other)

		require.NoError(t, bob.Send(&opcode.ChatMessage{Text: stream.Text("hello")}))
		line := read(t, ann, 5*time.Second)[0]
		require.Equal(t, objectid.PeerID(3), ann.Speaker(line))
		state := ann.State()
		require.Equal(t, "Ann (2)", state.NameOf(ann.Speaker(line)))

		link := ann.Quality() // see TestConnQuality, too
		require.InDelta(t, 80, link.RoundTrip.Milliseconds(), 50)
		require.Less(t, time.Since(link.Heard), 10*time.Second)
		require.Less(t, link.Loss, 0.6)

		require.NoError(t, loop.Do(t.Context(), func() { host.Members()[0].Session.Boot(transport.BootRemoved) }))
		time.Sleep(5 * time.Second)
		for err == nil {
			_, err = ann.Receive(t.Context())
		}
		require.ErrorIs(t, err, join.ErrRefused)
		require.EqualError(t, err, "join: in the game: refused by the server: removed by host")
		require.Equal(t, err, ann.State().Err)
		require.Error(t, ann.Send(&opcode.HostMessage{}))

		require.NoError(t, bob.Close())
		_, err = bob.Receive(t.Context())
		require.ErrorIs(t, err, net.ErrClosed)
		require.EqualError(t, bob.State().Err, "join: in the game: closed")
	})
}

// The reasons for which a client cannot join.
func TestJoinRefused(t *testing.T) {
	for name, c := range map[string]struct {
		host join.HostOptions
		o    join.Options
		want error
		text string
	}{
		"password": {join.HostOptions{Password: "engage"}, join.Options{Password: "warp"}, join.ErrPassword, "join: comparing files: wrong password"},
		"files": {
			join.HostOptions{Files: &checksum.Server{Manifest: checksum.Vanilla()}},
			join.Options{},
			join.ErrFiles,
			`join: comparing files: the server has other files: "scripts/App.pyc"`,
		},
		"name": {join.HostOptions{}, join.Options{Name: "a\x00"}, stream.ErrText, ""},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T, n *network) {
				n.hostMatch(t, c.host)
				_, err := n.join(t, annAddr, c.o)
				require.ErrorIs(t, err, c.want)
				if c.text != "" {
					require.EqualError(t, err, c.text)
				}
			})
		})
	}
	bubble(t, func(t *testing.T, n *network) {
		n.hostMatch(t, join.HostOptions{Mission: opcode.MissionInit{PlayerLimit: 1}})
		_, err := n.join(t, annAddr, join.Options{})
		require.NoError(t, err)
		_, err = n.join(t, bobAddr, join.Options{})
		require.ErrorIs(t, err, join.ErrFull)
		require.ErrorIs(t, err, join.ErrFull)
	})
}

// A context ends Join. Nothing is left of the client.
func TestJoinWithContext(t *testing.T) {
	bubble(t, func(t *testing.T, n *network) {
		host, loop := n.hostMatch(t, join.HostOptions{})
		conn, err := udp.Dial(t.Context(), hostAddr, udp.Options{Conn: n.listen(t, annAddr)})
		require.NoError(t, err)
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		err = conn.Join(ctx, join.Options{})
		require.ErrorIs(t, err, context.DeadlineExceeded)
		time.Sleep(20 * time.Second)
		require.NoError(t, loop.Do(t.Context(), func() { require.Zero(t, host.Hub().Len()) }))

		// The host vanishes.
		conn, err = udp.Dial(t.Context(), hostAddr, udp.Options{Conn: n.listen(t, bobAddr)})
		require.NoError(t, err)
		n.fault(everything)
		err = conn.Join(t.Context(), join.Options{})
		require.ErrorIs(t, err, join.ErrTimeout)
		require.EqualError(t, err, "join: comparing files: the server does not answer")
	})
}

// A context ends Join at once, even if the host is silent.
func TestJoinEndsAtOnce(t *testing.T) {
	bubble(t, func(t *testing.T, n *network) {
		n.hostMatch(t, join.HostOptions{})
		conn, err := udp.Dial(t.Context(), hostAddr, udp.Options{Conn: n.listen(t, annAddr)})
		require.NoError(t, err)
		n.fault(everything)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		began := time.Now()
		err = conn.Join(ctx, join.Options{})
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.Equal(t, time.Second, time.Since(began))
		require.ErrorIs(t, conn.Send(&opcode.HostMessage{}), net.ErrClosed)
		require.NoError(t, conn.Close())
	})
}

// While a client waits for the game, many StateUpdates arrive. They do not end it, and the other messages
// are kept.
func TestJoinAmongUpdates(t *testing.T) {
	bubble(t, func(t *testing.T, n *network) {
		hub := transport.NewHub(time.Now(), transport.HubOptions{Rand: testdata.LowestIDs})
		var s *transport.Session
		send := func(all ...opcode.Message) {
			for _, m := range all {
				payload, err := opcode.Marshal(m)
				require.NoError(t, err)
				d := transport.Reliable
				if m.Opcode() == opcode.OpStateUpdate {
					d = transport.Unreliable
				}
				_ = s.Send(payload, d)
			}
		}
		ticks := 0
		ctx, cancel := context.WithCancel(t.Context())
		served := make(chan error)
		go func() {
			served <- udp.Serve(ctx, n.listen(t, hostAddr), hub, udp.Handler{
				Event: func(_ time.Time, e transport.Event) {
					if e.Kind == transport.EventConnect {
						s, _ = hub.Accept(e)
						send(&opcode.Settings{})
					}
				},
				Tick: func(time.Time) {
					if s == nil {
						return
					}
					for i := range 50 {
						send(&opcode.StateUpdate{ObjectID: objectid.ID(i), GameTime: float32(ticks), Flags: opcode.StateSpeed})
					}
					if ticks++; ticks == 200 {
						send(&opcode.GameInit{}, &opcode.MissionInit{}, opcode.NewPlayerJoined(2))
					}
				},
			})
		}()
		p, err := n.join(t, annAddr, join.Options{})
		require.NoError(t, err)
		require.Greater(t, ticks, 190)
		others, updates := 0, 0
		for m := range p.Messages(t.Context()) {
			if m.Opcode() == opcode.OpStateUpdate {
				updates++
			} else if others++; others == 3 {
				break
			}
		}
		require.InDelta(t, 2048, updates, 60)
		require.NoError(t, p.Close())
		cancel()
		require.NoError(t, <-served)
	})
}

// A client that nobody reads ends, and does not block its goroutine.
func TestJoinUnread(t *testing.T) {
	bubble(t, func(t *testing.T, n *network) {
		host, loop := n.hostMatch(t, join.HostOptions{Enter: func(*join.Member) {}})
		p, err := n.join(t, annAddr, join.Options{})
		require.NoError(t, err)
		for range 600 {
			require.NoError(t, loop.Do(t.Context(), func() {
				for range 10 {
					host.Broadcast(&opcode.ChatMessage{Text: stream.Text("news")})
				}
			}))
			time.Sleep(100 * time.Millisecond)
		}
		for err == nil {
			_, err = p.Receive(t.Context())
		}
		require.ErrorIs(t, err, udp.ErrUnread)
	})
}

// A client with a Decoder returns the messages that arrived during Join as they were, though the memory
// of its messages is used again. Names are in the State.
func TestJoinWithDecoder(t *testing.T) {
	bubble(t, func(t *testing.T, n *network) {
		n.hostMatch(t, join.HostOptions{})
		for _, from := range []string{bobAddr, annAddr} {
			_, err := n.join(t, from, join.Options{Name: from})
			require.NoError(t, err)
		}
		p, err := n.join(t, "10.0.0.9:22101", join.Options{Name: "Cid", Decoder: &opcode.Decoder{}})
		require.NoError(t, err)
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		var scores []objectid.PeerID
		for m := range p.Messages(ctx) {
			if score, ok := m.(*opcode.Score); ok {
				scores = append(scores, score.PlayerID)
			}
		}
		require.Equal(t, []objectid.PeerID{2, 3}, scores)
		state := p.State()
		require.Equal(t, bobAddr, state.NameOf(2))
		require.Equal(t, "Cid", state.NameOf(4))
	})
}

// Several goroutines use a client.
func TestJoinConcurrently(t *testing.T) {
	bubble(t, func(t *testing.T, n *network) {
		n.hostMatch(t, join.HostOptions{})
		p, err := n.join(t, annAddr, join.Options{Name: "Ann"})
		require.NoError(t, err)
		var wait sync.WaitGroup
		got := make(chan opcode.Message, 100)
		ctx, cancel := context.WithCancel(t.Context())
		for range 3 {
			wait.Go(func() {
				for m := range p.Messages(ctx) {
					if m != nil {
						got <- m
					}
				}
			})
			wait.Go(func() {
				for range 3 {
					_ = p.Send(&opcode.ChatMessage{Text: stream.Text("hello")})
					_ = p.State()
					time.Sleep(time.Second)
				}
			})
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		cancel()
		wait.Wait()
		require.Len(t, got, 3+9)
	})
}
