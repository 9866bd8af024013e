package main

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/examples/internal/show/showtest"
	"github.com/bcwire/bcwire/examples/internal/terminal/terminaltest"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/transport"
)

// testTimeout is the longest time that a test waits.
const testTimeout = 10 * time.Second

// running is a running proxy.
type running struct {
	t         *testing.T
	addr      string
	interrupt func()
	status    chan int
	stdout    bytes.Buffer
	log       terminaltest.Buffer
}

// startProxy runs a proxy in front of a server.
func startProxy(t *testing.T, server string, args ...string) *running {
	t.Helper()
	r := &running{t: t}
	r.start(&r.stdout, server, args...)
	return r
}

func (r *running) start(stdout io.Writer, server string, args ...string) {
	r.t.Helper()
	ctx, interrupt := context.WithCancel(context.Background())
	r.interrupt, r.status = interrupt, make(chan int, 1)
	r.t.Cleanup(interrupt)
	reader, stderr := io.Pipe()
	go func() {
		r.status <- run(ctx, append([]string{"-listen", "127.0.0.1:0", "-server", server}, args...), stdout, io.MultiWriter(stderr, &r.log))
		stderr.Close()
	}()
	lines := bufio.NewReader(reader)
	first, err := lines.ReadString('\n')
	require.NoError(r.t, err)
	go func() { _, _ = io.Copy(io.Discard, lines) }()
	fields := strings.Fields(first)
	require.Len(r.t, fields, 4, first)
	r.addr = fields[1]
}

// stop interrupts the proxy and waits until it has ended.
func (r *running) stop() (status int) {
	r.t.Helper()
	r.interrupt()
	select {
	case status = <-r.status:
	case <-time.After(testTimeout):
		r.t.Fatal("the proxy does not end")
	}
	return status
}

// eventually waits until the proxy has printed a text on standard error.
func (r *running) eventually(text string) {
	r.t.Helper()
	require.Eventually(r.t, func() bool { return strings.Contains(r.log.String(), text) }, testTimeout, time.Millisecond, text)
}

// system returns an enciphered datagram with a system message.
func system(t *testing.T, sender objectid.PeerID, body transport.Body) []byte {
	t.Helper()
	return showtest.Enciphered(showtest.Pack(t, sender, transport.NewMessage(0, body)))
}

// chat returns an enciphered datagram with a ChatMessage.
func chat(t *testing.T, peer objectid.PeerID, text string) []byte {
	t.Helper()
	return showtest.Enciphered(showtest.Pack(t, peer, transport.NewUnreliable(showtest.Chat(text))))
}
