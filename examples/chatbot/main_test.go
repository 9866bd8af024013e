package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/examples/lab/simulated"
	"github.com/bcwire/bcwire/join"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stream"
	"github.com/bcwire/bcwire/testdata"
	"github.com/bcwire/bcwire/transport"
	"github.com/bcwire/bcwire/transport/udp"
)

const hostAddr = "10.0.0.1:22101"

// server is a server in a bubble.
type server struct {
	t       *testing.T
	network simulated.Network
	host    *join.Host
	loop    udp.Loop
	stop    context.CancelFunc
	clients int
}

// bubble runs a test with a server in virtual time.
func bubble(t *testing.T, test func(*testing.T, *server)) {
	synctest.Test(t, func(t *testing.T) {
		s := &server{t: t, host: join.NewHost(time.Now(), join.HostOptions{Hub: transport.HubOptions{Rand: testdata.LowestIDs}})}
		ctx, stop := context.WithCancel(context.Background())
		s.stop = stop
		served := make(chan error, 1)
		socket := s.network.Listen(hostAddr)
		go func() {
			served <- udp.Serve(ctx, socket, s.host.Hub(), udp.Handler{Event: s.host.Handle, Tick: s.host.Tick, Loop: &s.loop})
		}()
		t.Cleanup(func() {
			stop()
			require.NoError(t, <-served)
		})
		test(t, s)
	})
}

// join lets a player join.
func (s *server) join(name string) *udp.Conn {
	s.t.Helper()
	s.clients++
	socket := s.network.Listen(fmt.Sprintf("10.0.1.%d:22101", s.clients))
	conn, err := udp.Dial(s.t.Context(), hostAddr, udp.Options{Conn: socket})
	require.NoError(s.t, err)
	s.t.Cleanup(func() { _ = conn.Close() })
	require.NoError(s.t, conn.Join(s.t.Context(), join.Options{Name: name}))
	return conn
}

// bot lets a bot join. The function end interrupts it and returns the reason of its end.
func (s *server) bot(name string) (end func() error) {
	s.t.Helper()
	p := s.join(name)
	ctx, interrupt := context.WithCancel(s.t.Context())
	ended := make(chan error, 1)
	go func() { ended <- newBot(p).run(ctx) }()
	return func() error {
		interrupt()
		return <-ended
	}
}

// send sends a payload to all players.
func (s *server) send(payload []byte) {
	s.t.Helper()
	require.NoError(s.t, s.loop.Do(s.t.Context(), func() {
		for _, m := range s.host.Members() {
			_ = m.Session.Send(payload, transport.Reliable)
		}
	}))
}

func say(t *testing.T, p *udp.Conn, text string) {
	t.Helper()
	require.NoError(t, p.Send(&opcode.ChatMessage{SenderID: p.PeerID(), Text: stream.Text(text)}))
}

// hear returns the lines of chat that a player receives in a time. If react is not nil, it is called with each.
func hear(t *testing.T, p *udp.Conn, d time.Duration, react func(line string)) (lines []string) {
	ctx, cancel := context.WithTimeout(t.Context(), d)
	defer cancel()
	for m := range p.Messages(ctx) {
		if chat, ok := m.(*opcode.ChatMessage); ok {
			line := p.State().NameOf(p.Speaker(m)) + ": " + chat.Text.String()
			if lines = append(lines, line); react != nil {
				react(line)
			}
		}
	}
	return lines
}

func TestGreetsAndAnswers(t *testing.T) {
	bubble(t, func(t *testing.T, s *server) {
		ann := s.join("Ann")
		end := s.bot("Computer")
		bob := s.join("Bob")
		require.Equal(t, []string{"Computer: Welcome, Bob! Say !help for help."}, hear(t, ann, time.Second, nil))
		for _, c := range [][2]string{
			{" Hello ", "Good to see you, Bob."},
			{"!help", "I know !help, !players and !ping."},
			{"!PLAYERS", "3 players: Computer, Ann, Bob"},
			{"well done", ""},
		} {
			say(t, bob, c[0])
			want := []string{"Bob: " + c[0]}
			if c[1] != "" {
				want = append(want, "Computer: "+c[1])
			}
			require.Equal(t, want, hear(t, ann, 5*time.Second, nil))
		}
		say(t, ann, "!ping")
		require.Regexp(t, `^Computer: My round trip to the server is [1-9]\d+ms\.$`, hear(t, ann, time.Second, nil)[1])
		require.ErrorIs(t, end(), context.Canceled)
	})
}

// A player who asks the same at once is answered once, and other players are answered.
func TestSameQuestion(t *testing.T) {
	bubble(t, func(t *testing.T, s *server) {
		s.bot("Computer")
		ann, bob := s.join("Ann"), s.join("Bob")
		hear(t, ann, time.Second, nil)
		say(t, ann, "hi")
		say(t, ann, "hi")
		say(t, bob, "hi")
		require.ElementsMatch(t, []string{
			"Ann: hi", "Ann: hi", "Bob: hi", "Computer: Good to see you, Ann.", "Computer: Good to see you, Bob.",
		}, hear(t, ann, pause+time.Second, nil))
		say(t, ann, "hi")
		require.Len(t, hear(t, ann, time.Second, nil), 2)
	})
}

// Two chatbots greet each other and are then silent. A bot that answers each of their lines with a question is soon
// not answered any more.
func TestOtherBots(t *testing.T) {
	bubble(t, func(t *testing.T, s *server) {
		s.bot("Computer")
		s.bot("Spock")
		ann := s.join("Ann")
		require.ElementsMatch(t, []string{
			"Computer: Welcome, Ann! Say !help for help.", "Spock: Welcome, Ann! Say !help for help.",
		}, hear(t, ann, time.Hour, nil))
		questions := []string{"hello", "hi", "!help", "!players", "!ping"}
		asked := 0
		say(t, ann, "hello")
		hear(t, ann, time.Hour, func(line string) {
			if !strings.HasPrefix(line, "Ann: ") {
				asked++
				say(t, ann, questions[asked%len(questions)])
			}
		})
		require.LessOrEqual(t, asked, 2*len(questions), "each bot answers each question once")
	})
}

// A host sends garbage, and messages about players who do not exist. The bot goes on.
func TestHostile(t *testing.T) {
	bubble(t, func(t *testing.T, s *server) {
		ann := s.join("Ann")
		end := s.bot("Computer")
		r := rand.New(rand.NewPCG(1, 2))
		hello, err := opcode.Marshal(&opcode.ChatMessage{SenderID: 99, Text: stream.Text("hello")})
		require.NoError(t, err)
		own, err := opcode.Marshal(&opcode.ChatMessage{SenderID: 0, Text: stream.Text("!help")})
		require.NoError(t, err)
		joined, err := opcode.Marshal(opcode.NewPlayerJoined(77))
		require.NoError(t, err)
		for range 200 {
			for _, payload := range [][]byte{hello[:r.IntN(len(hello))], joined[:1+r.IntN(len(joined)-1)], append(hello, 0), own} {
				s.send(payload)
			}
			garbage := make([]byte, 1+r.IntN(40))
			for i := range garbage {
				garbage[i] = byte(r.Uint32())
			}
			if garbage[0] != byte(opcode.OpBootPlayer) { // ends the session
				s.send(garbage)
			}
			time.Sleep(100 * time.Millisecond)
		}
		for _, id := range []objectid.PeerID{-128, -1, 0, 1, 77, 127} {
			joined := opcode.NewPlayerJoined(2)
			joined.PlayerID = id
			payload, err := opcode.Marshal(joined)
			require.NoError(t, err)
			s.send(payload)
		}
		hear(t, ann, time.Minute, nil)
		say(t, ann, "!help")
		require.Equal(t, []string{"Ann: !help", "Computer: I know !help, !players and !ping."}, hear(t, ann, time.Second, nil))
		require.ErrorIs(t, end(), context.Canceled)
	})
}

// The bot ends with the server, and knows the reason.
func TestServerEnds(t *testing.T) {
	bubble(t, func(t *testing.T, s *server) {
		p := s.join("Computer")
		s.stop()
		require.ErrorIs(t, newBot(p).run(t.Context()), join.ErrLeft)
	})
}
