package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/checksum"
	"github.com/bcwire/bcwire/join"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stream"
	"github.com/bcwire/bcwire/transport"
	"github.com/bcwire/bcwire/transport/udp"
)

// asProgram makes the test binary be the server.
const asProgram = "BCWIRE_TEST_MINIMAL"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

// The server has no arguments: an address without -addr would be ignored.
func TestArguments(t *testing.T) {
	t.Parallel()
	cmd := exec.Command(os.Args[0], "127.0.0.1:0")
	cmd.Env = append(os.Environ(), asProgram+"=1")
	text, err := cmd.CombinedOutput()
	require.EqualError(t, err, "exit status 2")
	require.Equal(t, "minimal: \"127.0.0.1:0\": unexpected argument; -h lists the flags\n", string(text))
}

// server is the program in a process of its own.
type server struct {
	cmd  *exec.Cmd
	addr string
}

// start starts the program on a free port.
func start(t *testing.T) *server {
	file := filepath.Join(t.TempDir(), "log")
	log, err := os.Create(file)
	require.NoError(t, err)
	s := &server{cmd: exec.Command(os.Args[0], "-addr", "127.0.0.1:0")}
	s.cmd.Env = append(os.Environ(), asProgram+"=1")
	s.cmd.Stderr = log
	require.NoError(t, s.cmd.Start())
	require.NoError(t, log.Close())
	t.Cleanup(func() {
		_ = s.cmd.Process.Kill()
		_ = s.cmd.Wait()
		if text, err := os.ReadFile(file); err == nil && t.Failed() {
			t.Logf("the server: %s", text)
		}
	})
	require.Eventually(t, func() bool {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		_, addr, ok := strings.Cut(string(text), "listening at ")
		s.addr = strings.TrimSpace(addr)
		return ok && strings.HasSuffix(addr, "\n")
	}, 10*time.Second, 10*time.Millisecond)
	return s
}

// Two bots join, see each other's ships, talk and leave. The server ends at an interrupt, and
// tells the player who is left.
func TestTwoBotsPlay(t *testing.T) {
	t.Parallel()
	s := start(t)
	bot := filepath.Join(t.TempDir(), "bot.exe")
	out, err := exec.Command("go", "build", "-o", bot, "../bot").CombinedOutput()
	require.NoError(t, err, "%s", out)

	var ann, ben bytes.Buffer
	first := exec.Command(bot, "-addr", s.addr, "-name", "Ann", "-ship", "akira", "-duration", "30s")
	first.Stdout, first.Stderr = &ann, &ann
	require.NoError(t, first.Start())
	second := exec.Command(bot, "-addr", s.addr, "-name", "Ben", "-ship", "birdofprey", "-fire", "-say", "hello", "-duration", "3s")
	second.Stdout, second.Stderr = &ben, &ben
	require.NoError(t, second.Run(), "%s", &ben)
	if runtime.GOOS == "windows" { // a process cannot interrupt another one
		require.NoError(t, s.cmd.Process.Kill())
	} else {
		require.NoError(t, s.cmd.Process.Signal(os.Interrupt))
		require.NoError(t, s.cmd.Wait(), "the server ends cleanly")
	}
	_ = first.Wait() // it has lost its host

	for _, line := range []string{
		"Ann has Akira 0x", "Ben has BirdOfPrey 0x", "Ben: hello", "Ben is in the game", "Ben leaves", "Ben loses 0x",
	} {
		require.Contains(t, ann.String(), line)
	}
	for _, line := range []string{"Ann has Akira 0x", "Ben has BirdOfPrey 0x", "Ben: hello"} {
		require.Contains(t, ben.String(), line)
	}
	require.Regexp(t, regexp.MustCompile(`host|server`), ann.String(), "Ann learns the end")
}

// guest is a client that a test plays.
type guest struct {
	t        *testing.T
	conn     *udp.Conn
	messages chan opcode.Message
}

// dialAs connects a client, which sends a name.
func dialAs(ctx context.Context, t *testing.T, addr, name string) *udp.Conn {
	conn, err := udp.Dial(ctx, addr, udp.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	text, err := join.NewName(name)
	require.NoError(t, err)
	require.NoError(t, conn.SendSystem(&transport.NameChange{PeerID: conn.PeerID(), Name: text}))
	return conn
}

// joinAs lets a client join under a name.
func joinAs(ctx context.Context, t *testing.T, addr, name string) *guest {
	conn := dialAs(ctx, t, addr, name)
	g := &guest{t, conn, make(chan opcode.Message, 100)}
	files := new(checksum.Client)
	go func() {
		for m, err := range conn.Messages(ctx) {
			if err != nil {
				continue
			}
			switch m.(type) {
			case *opcode.ChecksumRequest:
				reply, _ := files.Receive(m)
				_ = conn.Send(reply)
			case *opcode.GameInit:
				_ = conn.Send(&opcode.NewPlayerInGame{})
			default:
				g.messages <- m
			}
		}
	}()
	joined := receive[*opcode.DeletePlayerUI](ctx, g)
	require.Equal(t, conn.PeerID(), objectid.PeerID(joined.PlayerID))
	return g
}

// receive returns the next message of a type.
func receive[M opcode.Message](ctx context.Context, g *guest) (found M) {
	g.t.Helper()
	for {
		select {
		case m := <-g.messages:
			if found, ok := m.(M); ok {
				return found
			}
		case <-ctx.Done():
			require.Fail(g.t, "no message", "%T", found)
		}
	}
}

// OpenBC's client writes its slot into chat. All players receive each line with the peer ID of the
// player who said it, whatever the SenderID was. A line with trailing bytes is dropped.
func TestChatOfOpenBC(t *testing.T) {
	t.Parallel()
	s := start(t)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	ann := joinAs(ctx, t, s.addr, "Ann")
	ben := joinAs(ctx, t, s.addr, "Ben")
	const annSlot, benSlot = 0, 1
	annPeer, benPeer := ann.conn.PeerID(), ben.conn.PeerID()

	say := func(g *guest, sender objectid.PeerID, text string) {
		require.NoError(t, g.conn.Send(&opcode.ChatMessage{SenderID: sender, Text: stream.Text(text)}))
	}
	long, err := opcode.Marshal(&opcode.ChatMessage{SenderID: benPeer, Text: stream.Text("dropped")})
	require.NoError(t, err)
	require.NoError(t, ben.conn.SendPayload(append(long, 0), transport.Reliable))
	for _, v := range []struct {
		from         *guest
		sender, want objectid.PeerID
	}{
		{ann, annSlot, annPeer}, {ann, annPeer, annPeer}, {ben, benSlot, benPeer}, {ben, annPeer, benPeer}, {ben, -1, benPeer},
	} {
		text := fmt.Sprintf("sender %d", v.sender)
		say(v.from, v.sender, text)
		for _, g := range []*guest{ann, ben} {
			require.Equal(t, &opcode.ChatMessage{SenderID: v.want, Text: stream.Text(text)}, receive[*opcode.ChatMessage](ctx, g))
		}
		team := &opcode.TeamChatMessage{SenderID: v.sender, Text: stream.Text(text)}
		require.NoError(t, v.from.conn.Send(team))
		for _, g := range []*guest{ann, ben} {
			require.Equal(t, v.want, receive[*opcode.TeamChatMessage](ctx, g).SenderID)
		}
	}
}

// The server survives clients that send garbage in every stage, and one that sends nothing.
func TestHostileClients(t *testing.T) {
	t.Parallel()
	s := start(t)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	for range 3 {
		conn, err := udp.Dial(ctx, s.addr, udp.Options{})
		require.NoError(t, err)
		for op := range 256 {
			_ = conn.SendPayload([]byte{byte(op)}, transport.Reliable)
			_ = conn.SendPayload(append([]byte{byte(op)}, bytes.Repeat([]byte{0xFF}, 30)...), transport.Unreliable)
		}
		require.NoError(t, conn.Close())
	}
	conn, err := udp.Dial(ctx, s.addr, udp.Options{})
	require.NoError(t, err, "the server still accepts clients")
	_, err = conn.Receive(ctx)
	require.NoError(t, err, "and asks for their files")
	require.NoError(t, conn.Close())
}

// visitor is a client of the server.
type visitor struct {
	t    *testing.T
	conn *udp.Conn
}

// load connects a client, which then has the files compared and loads the mission.
func load(t *testing.T, s *server, name string) *visitor {
	conn := dialAs(t.Context(), t, s.addr, name)
	g, files := &visitor{t, conn}, &checksum.Client{Manifest: checksum.Vanilla()}
	for {
		switch m := g.receive(5 * time.Second).(type) {
		case *opcode.GameInit:
			return g
		case *opcode.ChecksumRequest:
			response, err := files.Receive(m)
			require.NoError(t, err)
			require.NoError(t, conn.Send(response))
		}
	}
}

// enter brings a client that has loaded the mission into the game.
func (g *visitor) enter() {
	g.t.Helper()
	g.send(&opcode.NewPlayerInGame{})
	require.IsType(g.t, &opcode.MissionInit{}, g.receive(5*time.Second), "the first message since GameInit")
	for {
		if m, ok := g.receive(5 * time.Second).(*opcode.DeletePlayerUI); ok {
			joined, _ := m.Joined()
			require.Equal(g.t, g.conn.PeerID(), joined)
			return
		}
	}
}

func (g *visitor) send(m opcode.Message) {
	g.t.Helper()
	require.NoError(g.t, g.conn.Send(m))
}

// receive returns the next message, or nil if there is none for a time.
func (g *visitor) receive(wait time.Duration) opcode.Message {
	g.t.Helper()
	ctx, cancel := context.WithTimeout(g.t.Context(), wait)
	defer cancel()
	for {
		e, err := g.conn.Receive(ctx)
		if err != nil {
			require.ErrorIs(g.t, err, context.DeadlineExceeded)
			return nil
		}
		if e.Kind == transport.EventPayload {
			m, err := opcode.Decode(e.Payload)
			require.NoError(g.t, err)
			return m
		}
	}
}

// A forwarded message goes to all other clients in the game, and chat also to its sender. A client
// that loads the mission is in no group yet: it gets neither, not even later.
func TestGroups(t *testing.T) {
	t.Parallel()
	s := start(t)
	ann, ben, late := load(t, s, "Ann"), load(t, s, "Ben"), load(t, s, "Late")
	ann.enter()
	ben.enter()
	joined, _ := ann.receive(5 * time.Second).(*opcode.DeletePlayerUI).Joined()
	require.Equal(t, ben.conn.PeerID(), joined)
	require.Equal(t, &opcode.Score{PlayerID: joined}, ann.receive(5*time.Second))

	base, ok := objectid.Base(objectid.Slot(ann.conn.PeerID() - 2))
	require.True(t, ok)
	fire := opcode.NewStartFiring(base+6, objectid.None) // a weapon of her slot
	ann.send(fire)
	chat := &opcode.ChatMessage{SenderID: ann.conn.PeerID(), Text: stream.Text("hello")}
	ann.send(chat)
	require.Equal(t, fire, ben.receive(5*time.Second))
	require.Equal(t, chat, ben.receive(5*time.Second))
	require.Equal(t, chat, ann.receive(5*time.Second), "not its own shot")
	require.Nil(t, late.receive(500*time.Millisecond))
	late.enter() // which requires that MissionInit is next
	_, ok = ann.receive(5 * time.Second).(*opcode.DeletePlayerUI)
	require.True(t, ok)
}
