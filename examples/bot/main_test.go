package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/checksum"
	"github.com/bcwire/bcwire/cipher"
	"github.com/bcwire/bcwire/examples/bot/internal/hosttest"
	"github.com/bcwire/bcwire/examples/internal/terminal"
	"github.com/bcwire/bcwire/join"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stream"
	"github.com/bcwire/bcwire/testdata"
	"github.com/bcwire/bcwire/transport"
)

func TestMain(m *testing.M) {
	testdata.Overlap(16)
	m.Run()
}

// listener is a host on a socket.
type listener struct {
	addr string
	host *hosttest.Host // owned by the goroutine of serve; use do
	todo chan func(*hosttest.Host)
	conn *net.UDPConn
	deaf atomic.Bool // what arrives is lost
}

// listen starts a host that runs until the end of the test.
func listen(t *testing.T, o hosttest.Options) *listener {
	conn, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	require.NoError(t, err)
	l := &listener{
		addr: conn.LocalAddr().String(), host: hosttest.New(time.Now(), o),
		todo: make(chan func(*hosttest.Host)), conn: conn,
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		l.serve()
	}()
	t.Cleanup(func() {
		conn.Close()
		<-done
	})
	return l
}

func (l *listener) serve() {
	buf := make([]byte, 2048)
	for {
		l.conn.SetReadDeadline(time.Now().Add(10 * time.Millisecond))
		n, from, err := l.conn.ReadFromUDPAddrPort(buf)
		if errors.Is(err, net.ErrClosed) {
			return
		}
		now := time.Now()
		if err == nil && !l.deaf.Load() {
			cipher.Decrypt(buf[:n])
			l.host.Receive(now, from, buf[:n])
		}
		select {
		case f := <-l.todo:
			f(l.host)
		default:
		}
		l.flush(now)
	}
}

func (l *listener) flush(now time.Time) {
	l.host.Datagrams(now)(func(to netip.AddrPort, d []byte) bool {
		cipher.Encrypt(d)
		l.conn.WriteToUDPAddrPort(d, to) // lost datagrams are retransmitted
		return true
	})
}

// do runs a function on the goroutine of the host, and waits for it.
func (l *listener) do(f func(*hosttest.Host)) {
	done := make(chan struct{})
	l.todo <- func(h *hosttest.Host) { f(h); close(done) }
	<-done
}

// output is a buffer that is safe for concurrent use.
type output struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (o *output) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(b)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

// bot is a run of the program.
type bot struct {
	stdout, stderr output
	stop           context.CancelFunc
	status         chan int
}

// start runs the program against a host.
func start(l *listener, args ...string) *bot {
	ctx, stop := context.WithTimeout(context.Background(), 20*time.Second)
	b := &bot{stop: stop, status: make(chan int, 1)}
	go func() { b.status <- run(ctx, append([]string{"-addr", l.addr}, args...), &b.stdout, &b.stderr) }()
	return b
}

func (b *bot) until(t *testing.T, text string) {
	t.Helper()
	require.Eventually(t, func() bool { return bytes.Contains([]byte(b.stdout.String()), []byte(text)) },
		10*time.Second, 5*time.Millisecond, "%s", text)
}

func (b *bot) wait(t *testing.T) int {
	t.Helper()
	defer b.stop()
	select {
	case status := <-b.status:
		return status
	case <-time.After(25 * time.Second):
		require.Fail(t, "still running", b.stdout.String())
		return -1
	}
}

// The bot joins, sends and receives chat, and leaves when it is interrupted.
func TestMatch(t *testing.T) {
	t.Parallel()
	l := listen(t, hosttest.Options{})
	b := start(l, "-name", "Ann", "-say", "hello", "-fire", "-v")
	b.until(t, "Ann: hello\n")
	l.do(func(h *hosttest.Host) {
		h.Last().Send(&opcode.ChatMessage{SenderID: 1, Text: stream.Text("\x1b[2Jcleared\nAnn: \x07I give up\x9b")})
	})
	b.until(t, `the host: \x1b[2Jcleared\nAnn: \aI give up`)
	b.stop()
	require.Equal(t, 0, b.wait(t))
	require.Regexp(t, `^Ann connects to 127.0.0.1:\d+
accepted as player 2 in slot 0 of Multiplayer.Episode.Mission1.Mission1
plays in Multi1, at most 8 players
Ann has Akira 0x3fffffff
Ann: hello
the host: .*
left
$`, b.stdout.String())
	require.Contains(t, b.stderr.String(), "chat=2 malformed=0")
	l.do(func(h *hosttest.Host) {
		require.True(t, h.Last().Ended)
		require.Equal(t, transport.EndLeft, h.Last().End)
	})
}

func TestDuration(t *testing.T) {
	t.Parallel()
	b := start(listen(t, hosttest.Options{}), "-ship", "none", "-duration", "1s")
	require.Equal(t, 0, b.wait(t))
	require.Contains(t, b.stdout.String(), "accepted")
	require.Empty(t, b.stderr.String())
}

// The player leaves when the reader of its output closes it.
func TestOutputClosed(t *testing.T) {
	t.Parallel()
	l := listen(t, hosttest.Options{})
	r, w := io.Pipe()
	go func() {
		io.ReadFull(r, make([]byte, 100))
		r.Close()
	}()
	var stderr output
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	require.Equal(t, 0, run(ctx, []string{"-addr", l.addr}, w, &stderr))
	l.do(func(h *hosttest.Host) { require.Equal(t, transport.EndLeft, h.Last().End) })
}

// fullDisk is a file on a disk that has no space after some writes.
type fullDisk struct{ writes int }

func (d *fullDisk) Write(b []byte) (int, error) {
	if d.writes--; d.writes < 0 {
		return 0, syscall.ENOSPC
	}
	return len(b), nil
}

// The bot leaves if it cannot write its output, and fails.
func TestOutputOnFullDisk(t *testing.T) {
	for writes := range 4 {
		t.Run(fmt.Sprint(writes), func(t *testing.T) {
			t.Parallel()
			l := listen(t, hosttest.Options{})
			var stderr output
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
			defer cancel()
			require.Equal(t, terminal.ExitFailed, run(ctx, []string{"-addr", l.addr}, &fullDisk{writes}, &stderr))
			require.NoError(t, ctx.Err())
			require.Equal(t, "bot: "+syscall.ENOSPC.Error()+"\n", stderr.String())
			l.do(func(h *hosttest.Host) { require.Equal(t, transport.EndLeft, h.Last().End) })
		})
	}
}

// Each failure is reported with its reason.
func TestFailures(t *testing.T) {
	t.Parallel()
	first := func(messages ...opcode.Message) func(*hosttest.Client, opcode.Message) bool {
		return func(c *hosttest.Client, m opcode.Message) bool {
			if m.Opcode() == opcode.OpChecksumResponse {
				c.Send(messages...)
			}
			return m.Opcode() == opcode.OpChecksumResponse
		}
	}
	manifest := checksum.Vanilla()
	manifest.Rounds[0].Tree.Files[0].Content = []opcode.Hash{0x12345678}
	for name, c := range map[string]struct {
		host hosttest.Options
		want string
	}{
		"wrong password": {hosttest.Options{Refuse: transport.BootPassword}, `bot: dial udp \S+: wrong password.*; give the password of the match with -password`},
		"full":           {hosttest.Options{Refuse: transport.BootTooManyPlayers}, `bot: dial udp \S+: the server is full.*`},
		"version": {
			hosttest.Options{Hook: first(&opcode.VersionMismatch{Name: stream.Text("61")})},
			`bot: join: comparing files: the server has another version of the game: "61"`,
		},
		"file": {
			hosttest.Options{Files: checksum.Server{Manifest: manifest}},
			`bot: join: comparing files: the server has other files: "scripts/App.pyc"`,
		},
		"kicked": {
			hosttest.Options{Hook: func(c *hosttest.Client, m opcode.Message) bool {
				if m.Opcode() == opcode.OpObjectCreateTeam {
					c.Session.Boot(transport.BootRemoved)
				}
				return false
			}},
			`bot: join: in the game: refused by the server: removed by host`,
		},
		"shut down": {
			hosttest.Options{Hook: func(c *hosttest.Client, _ opcode.Message) bool {
				c.Session.Close()
				return true
			}},
			`bot: join: comparing files: the server has disconnected`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := start(listen(t, c.host), "-password", "guess")
			require.Equal(t, terminal.ExitFailed, b.wait(t))
			require.Regexp(t, "^"+c.want+"\n$", b.stderr.String())
		})
	}
}

// A bot that is interrupted before it has joined fails.
func TestInterruptedEarly(t *testing.T) {
	t.Parallel()
	b := start(listen(t, hosttest.Options{Silent: true}), "-duration", "100ms")
	require.Equal(t, terminal.ExitFailed, b.wait(t))
	require.Regexp(t, `^bot: dial udp \S+: context deadline exceeded \(nothing received\)\n$`, b.stderr.String())
}

// runShort returns the reason for the end of a run with short timeouts.
func runShort(t *testing.T, addr string, timeout time.Duration) error {
	o, err := parseOptions([]string{"-addr", addr, "-v"}, io.Discard)
	require.NoError(t, err)
	o.player.Choose = 10 * time.Millisecond
	o.udp.Session.PeerTimeout = timeout
	o.udp.Session.CloseTimeout = 100 * time.Millisecond
	var stdout, stderr output
	return takePart(context.Background(), o, &stdout, &stderr)
}

// A bot whose host falls silent joins again.
func TestRejoin(t *testing.T) {
	t.Parallel()
	l := listen(t, hosttest.Options{})
	flying := func() (c *hosttest.Client) {
		l.do(func(h *hosttest.Host) {
			if last := h.Last(); last != nil && len(last.Updates) > 0 {
				c = last
			}
		})
		return c
	}
	o, err := parseOptions([]string{"-addr", l.addr}, io.Discard)
	require.NoError(t, err)
	o.player.Choose = 10 * time.Millisecond
	o.udp.Session.PeerTimeout, o.udp.Session.CloseTimeout = time.Second, 100*time.Millisecond
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var stdout, stderr output
	done := make(chan error, 1)
	go func() { done <- takePart(ctx, o, &stdout, &stderr) }()
	var first *hosttest.Client
	require.Eventually(t, func() bool { first = flying(); return first != nil }, 10*time.Second, 10*time.Millisecond)
	l.deaf.Store(true)
	require.Eventually(t, func() bool { return strings.Contains(stdout.String(), "joins again") }, 10*time.Second, 10*time.Millisecond)
	l.deaf.Store(false)
	require.Eventually(t, func() bool { c := flying(); return c != nil && c != first }, 10*time.Second, 10*time.Millisecond)
	stop()
	require.NoError(t, <-done)
}

// requireSilence requires that a run has ended because the host is silent, or because the
// system reports that the port is closed.
func requireSilence(t *testing.T, err error) {
	t.Helper()
	require.True(t, errors.Is(err, join.ErrTimeout) || errors.Is(err, syscall.ECONNREFUSED), "%v", err)
}

func TestSilentHost(t *testing.T) {
	t.Parallel()
	t.Run("silent", func(t *testing.T) {
		t.Parallel()
		err := runShort(t, listen(t, hosttest.Options{Silent: true}).addr, time.Second/2)
		require.ErrorIs(t, err, join.ErrTimeout)
		require.ErrorContains(t, err, "(nothing received)")
	})
	t.Run("closed port", func(t *testing.T) {
		t.Parallel()
		conn, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
		require.NoError(t, err)
		require.NoError(t, conn.Close())
		requireSilence(t, runShort(t, conn.LocalAddr().String(), time.Second/2))
	})
	t.Run("stopped", func(t *testing.T) {
		t.Parallel()
		l := listen(t, hosttest.Options{})
		done := make(chan error, 1)
		go func() { done <- runShort(t, l.addr, 2*time.Second) }()
		joined := func() (yes bool) {
			l.do(func(h *hosttest.Host) { yes = h.Last() != nil && len(h.Last().Updates) > 0 })
			return yes
		}
		require.Eventually(t, joined, 10*time.Second, 10*time.Millisecond)
		l.conn.Close()
		requireSilence(t, <-done)
	})
}
