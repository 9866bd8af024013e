package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"

	"github.com/fatih/color"
	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/transport"
)

// brokenPipe takes some bytes and is then closed by its reader.
type brokenPipe struct {
	left int
	err  error
}

func (p *brokenPipe) Write(b []byte) (int, error) {
	if p.left -= len(b); p.left < 0 {
		return 0, p.err
	}
	return len(b), nil
}

func TestOutputFails(t *testing.T) {
	long := strings.Repeat(string(sample), 100)
	for _, flag := range []string{"-v", "-x", "-json", "-check", "-stats"} {
		var stderr bytes.Buffer
		status := run(context.Background(), []string{flag, "-"}, strings.NewReader(long), &brokenPipe{100, syscall.EPIPE}, &stderr)
		require.Equal(t, 0, status, flag)
		require.Empty(t, stderr.String(), flag)

		status = run(context.Background(), []string{flag, "-"}, strings.NewReader(long), &brokenPipe{100, errors.New("disk full")}, &stderr)
		require.Equal(t, exitFailed, status, flag)
		require.Equal(t, "dump: disk full\n", stderr.String(), flag)
	}
}

// TestInterrupt interrupts the program while it waits for input. What it has is printed.
func TestInterrupt(t *testing.T) {
	for flag, want := range map[string]string{
		"-v":     `"so far"`,
		"-json":  `"so far"`,
		"-check": "1 datagrams, 1 messages",
		"-stats": "ChatMessage",
	} {
		synctest.Test(t, func(t *testing.T) {
			ctx, interrupt := context.WithCancel(t.Context())
			stdin, typist := io.Pipe()
			defer typist.Close()
			var stdout, stderr bytes.Buffer
			status := make(chan int)
			go func() { status <- run(ctx, []string{"-plain", flag, "-"}, stdin, &stdout, &stderr) }()
			_, err := fmt.Fprintf(typist, "%x\n", pack(t, 2, transport.NewData(0, chat("so far"))))
			require.NoError(t, err)
			synctest.Wait()
			interrupt()
			require.Equal(t, exitInterrupted, <-status, flag)
			require.Contains(t, stdout.String(), want, flag)
			require.Empty(t, stderr.String(), flag)
		})
	}
}

// TestShowsBeforeWaiting checks that what is decoded does not lie in a buffer while the
// program waits for more.
func TestShowsBeforeWaiting(t *testing.T) {
	stdin, typist := io.Pipe()
	screen, stdout := io.Pipe()
	done := make(chan int)
	go func() {
		done <- run(context.Background(), []string{"-plain", "-"}, stdin, stdout, io.Discard)
		stdout.Close()
	}()
	lines := bufio.NewScanner(screen)
	for _, text := range []string{"first", "second"} {
		_, err := fmt.Fprintf(typist, "%x\n", pack(t, 2, transport.NewUnreliable(chat(text))))
		require.NoError(t, err)
		require.True(t, lines.Scan())
		require.Contains(t, lines.Text(), text)
	}
	typist.Close()
	require.Equal(t, 0, <-done)
}

func TestCheckFails(t *testing.T) {
	good := pack(t, 2, transport.NewData(0, chat("good")))
	res := runDump(t, hexLines(good), "-plain", "-check", "-")
	require.Equal(t, 0, res.status)
	require.Contains(t, res.stdout, "1 datagrams, 1 messages: all decode, and encode to the same bytes")

	// A chat message whose text is longer than the payload.
	res = runDump(t, hexLines(good, unhex(t, "0101320f8001002c02000000050068656c")), "-plain", "-check", "-")
	require.Equal(t, exitFailed, res.status)
	require.Contains(t, res.stdout, "packet 2, message 0, ChatMessage: opcode: decode ChatMessage.Text at offset 5: unexpected EOF")
	require.Contains(t, res.stdout, "2 datagrams, 2 messages: 1 failures")

	// Only the input is at fault.
	res = runDump(t, hexLines(good)+"zz\n", "-plain", "-check", "-")
	require.Equal(t, exitFailed, res.status)
	require.Contains(t, res.stdout, "all decode")

	var many strings.Builder
	for range maxShown + 5 {
		many.WriteString("02\n")
	}
	require.Contains(t, runDump(t, many.String(), "-plain", "-check", "-").stdout, "and 5 more")
}

// TestCheckCompares checks that other bytes do not pass.
func TestCheckCompares(t *testing.T) {
	encode := func(b []byte, err error) func() ([]byte, error) {
		return func() ([]byte, error) { return b, err }
	}
	require.NoError(t, same([]byte{1}, encode([]byte{1}, nil)))
	require.ErrorIs(t, same([]byte{1, 2}, encode([]byte{1, 3}, nil)), errDiffers)
	require.EqualError(t, same([]byte{1, 2}, encode([]byte{1, 3}, nil)), "encoding gives other bytes: 0x03 instead of 0x02 at offset 1")
	require.EqualError(t, same([]byte{1, 2}, encode([]byte{1}, nil)), "encoding gives other bytes: 1 bytes instead of 2")
	require.ErrorIs(t, same(nil, encode(nil, io.EOF)), io.EOF)
}

func TestStats(t *testing.T) {
	chatLine := func(at float64) string {
		return fmt.Sprintf(`{"t":%g,"dir":"c2s","hex":"%x"}`+"\n", at, pack(t, 2, transport.NewUnreliable(chat("hello"))))
	}
	res := runDump(t, chatLine(10)+chatLine(11)+chatLine(14), "-plain", "-stats", "-")
	require.Contains(t, res.stdout, "c2s      3     45      0.8     11.2  ChatMessage")
	require.Contains(t, res.stdout, "both      3     51      0.8     12.8  datagrams")
	require.Contains(t, res.stdout, "\n4.000 s\n")
	res = runDump(t, chatLine(10), "-plain", "-stats", "-")
	require.Contains(t, res.stdout, "c2s      1     15        -        -  ChatMessage")
	require.Contains(t, runDump(t, "", "-stats", "-").stdout, "0.000 s")
}

func TestColour(t *testing.T) {
	require.False(t, colourful(new(bytes.Buffer)))
	require.Contains(t, newStyle(true).bad.Sprint("x"), "\x1b[31m")
	require.Equal(t, "x", newStyle(false).bad.Sprint("x"))
	before := color.NoColor
	color.NoColor = true
	defer func() { color.NoColor = before }()
	require.Contains(t, newStyle(true).bad.Sprint("x"), "\x1b[31m", "the library's guess does not count")
}

func TestSessionsAreBounded(t *testing.T) {
	var s sessions
	first := &datagram{client: "first", dir: c2s}
	kept := &datagram{client: "kept", dir: c2s}
	a, b := s.find(first), s.find(kept)
	for i := range 2 * maxSessions {
		s.find(&datagram{client: fmt.Sprint(i), dir: c2s})
		require.Same(t, b, s.find(kept))
	}
	require.LessOrEqual(t, len(s.open), maxSessions)
	require.NotSame(t, a, s.find(first))
	for i := range 2 * maxServers {
		s.find(&datagram{src: netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 0, byte(i >> 8), byte(i)}), 1), data: []byte{1, 0}})
	}
	require.LessOrEqual(t, len(s.servers), maxServers)
}

func TestGameSpyDirectionOfCaptures(t *testing.T) {
	server := netip.MustParseAddrPort("10.0.0.1:30000")
	player := netip.MustParseAddrPort("10.0.0.2:50000")
	stock := netip.MustParseAddrPort("10.0.0.3:22101")
	var s sessions
	s.find(&datagram{src: server, dst: player, data: []byte{1, 0}})
	for _, c := range []struct {
		src, dst netip.AddrPort
		want     direction
	}{{server, player, s2c}, {player, server, c2s}, {stock, player, s2c}, {player, stock, c2s}} {
		d := &datagram{src: c.src, dst: c.dst, data: []byte(`\x\`)}
		s.find(d)
		require.Equal(t, c.want, d.dir)
		require.Equal(t, player.String(), d.client)
	}
}
