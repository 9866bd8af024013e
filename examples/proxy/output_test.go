package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/bcwire/bcwire/cipher"
	"github.com/bcwire/bcwire/examples/internal/terminal"
	"github.com/bcwire/bcwire/transport"
	"github.com/stretchr/testify/require"
)

func listenAt(addr string) (*net.UDPConn, error) {
	at, err := net.ResolveUDPAddr("udp", addr)
	if err != nil {
		return nil, err
	}
	return net.ListenUDP("udp", at)
}

// A blocked terminal does not delay the players.
func TestBlockedTerminal(t *testing.T) {
	terminal, stdout := io.Pipe()
	p := &running{t: t}
	p.start(stdout, echo(t, '>'))
	player := dial(t, p.addr)
	const count = 3 * maxPrintQueue
	for range count {
		send(t, player, chat(t, 2, "hello"))
		receive(t, player)
	}
	p.interrupt()
	shown, err := bytesUntil(terminal, p.status, stdout)
	require.NoError(t, err)
	require.Regexp(t, `1 client, 0 datagrams refused, \d+ not printed\n$`, p.log.String())
	require.Less(t, strings.Count(shown, "\n"), 2*count)
	require.Greater(t, strings.Count(shown, "\n"), maxPrintQueue)
}

// bytesUntil reads a pipe until the program has ended.
func bytesUntil(r io.Reader, status <-chan int, w io.Closer) (string, error) {
	go func() {
		<-status
		w.Close()
	}()
	all, err := io.ReadAll(r)
	return string(all), err
}

// failingWriter is an output whose writes fail.
type failingWriter struct{ err error }

func (w failingWriter) Write([]byte) (int, error) { return 0, w.err }

// The proxy relays after its output has failed. The exit status reports the failure.
func TestOutputFails(t *testing.T) {
	for err, status := range map[error]int{syscall.EPIPE: 0, errors.New("disk full"): terminal.ExitFailed} {
		p := &running{t: t}
		p.start(failingWriter{err}, echo(t, '>'))
		player := dial(t, p.addr)
		for range 5 {
			send(t, player, chat(t, 2, "hello"))
			receive(t, player)
		}
		require.Equal(t, status, p.stop())
		require.Equal(t, status != 0, strings.HasSuffix(p.log.String(), "proxy: disk full\n"))
	}
}

func TestCannotStart(t *testing.T) {
	taken := listen(t)
	addr := taken.LocalAddr().String()
	for name, c := range map[string]struct {
		args []string
		want string
	}{
		"port in use":  {[]string{"-listen", addr}, "-listen " + addr + ": "},
		"no port name": {[]string{"-listen", "127.0.0.1:0", "-server", "127.0.0.1:bc"}, "-server 127.0.0.1:bc: "},
		"no port":      {[]string{"-server", "127.0.0.1:0"}, "-server 127.0.0.1:0: the port must be"},
		"wrong port":   {[]string{"-listen", "127.0.0.1:70000"}, "-listen 127.0.0.1:70000: "},
		"record":       {[]string{"-listen", "127.0.0.1:0", "-record", filepath.Join(t.TempDir(), "no", "file")}, filepath.Join("no", "file") + ": "},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
			defer cancel()
			var stderr bytes.Buffer
			require.Equal(t, terminal.ExitFailed, run(ctx, c.args, io.Discard, &stderr))
			require.Contains(t, stderr.String(), c.want)
		})
	}
	taken.Close()
	var stderr bytes.Buffer
	require.Equal(t, terminal.ExitFailed, run(t.Context(), []string{"-listen", addr, "-server", addr}, io.Discard, &stderr))
	require.Contains(t, stderr.String(), `relay to its own address`)
}

// The password of a player is printed only with -passwords. The recording has it.
func TestPasswordsAreMasked(t *testing.T) {
	password, err := transport.NewUTF16Z("Geheim7")
	require.NoError(t, err)
	connect, err := (&transport.Packet{PeerID: -1, Messages: []transport.Message{
		transport.NewMessage(0, &transport.ConnectRequest{ConnID: 7, Password: password}),
	}}).MarshalBinary()
	require.NoError(t, err)
	cipher.Encrypt(connect)
	for _, flag := range []string{"-v", "-x", "-json"} {
		for _, args := range [][]string{nil, {"-passwords"}} {
			path := filepath.Join(t.TempDir(), "match.jsonl")
			p := startProxy(t, echo(t, '>'), append([]string{flag, "-record", path}, args...)...)
			player := dial(t, p.addr)
			send(t, player, bytes.Clone(connect))
			receive(t, player)
			require.Zero(t, p.stop())
			require.Equal(t, args != nil, strings.Contains(p.stdout.String(), "Geheim7"), "%s\n%s", flag, p.stdout.String())
			require.Equal(t, args == nil, strings.Contains(p.stdout.String(), "***"), flag)
			require.Equal(t, connect, readRecording(t, path)[0].Data)
		}
	}
}
