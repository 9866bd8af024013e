package main

import (
	"fmt"
	"net"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/examples/internal/relay/relaytest"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/transport"
)

// A client counts when the server has acknowledged its name.
func TestTooManyClients(t *testing.T) {
	server := listen(t)
	p := startProxy(t, server.LocalAddr().String(), "-quiet", "-clients", "1")
	ann, bob, cid := dial(t, p.addr), dial(t, p.addr), dial(t, p.addr)
	send(t, bob, chat(t, 2, "I guess"))
	_, bobAt := receive(t, server)
	send(t, ann, []byte("ann"))
	_, annAt := receive(t, server)
	for _, at := range []*net.UDPAddr{annAt, bobAt} {
		_, err := server.WriteToUDP(system(t, objectid.Host, &transport.ConnectReply{PeerID: 2}), at)
		require.NoError(t, err)
	}
	receive(t, ann)
	receive(t, bob)
	accepted := system(t, objectid.Host, &transport.Ack{Flags: transport.AckSystem, Seq: 1})
	_, err := server.WriteToUDP(accepted, annAt)
	require.NoError(t, err)
	receive(t, ann)
	_, err = server.WriteToUDP(accepted, bobAt)
	require.NoError(t, err)
	p.eventually("proxy: client 1 is removed: too many clients\n")
	for range 5 {
		send(t, cid, []byte("cid"))
	}
	requireSilence(t, server)
	require.Zero(t, p.stop())
	require.Contains(t, p.log.String(), "2 clients, 5 datagrams refused\n")
}

// Connects from forged addresses keep no player out.
func TestForgedConnects(t *testing.T) {
	p := startProxy(t, relaytest.Server(t), "-quiet")
	relaytest.RequireOpen(t, p.addr)
	require.Zero(t, p.stop())
	require.Less(t, strings.Count(p.log.String(), "\n"), 30, "nor do they fill the log")
}

// A client that returns after it was removed is a new client.
func TestIdleClientIsRemoved(t *testing.T) {
	server := listen(t)
	p := startProxy(t, server.LocalAddr().String(), "-quiet", "-idle", "10ms")
	player := dial(t, p.addr)
	send(t, player, []byte("x"))
	_, first := receive(t, server)
	p.eventually("proxy: client 1 is removed: silent\n")
	_, err := server.WriteToUDP([]byte("late"), first)
	require.NoError(t, err)
	requireSilence(t, player)
	send(t, player, []byte("x"))
	receive(t, server)
	p.eventually(fmt.Sprintf("proxy: client 2 is %v\n", player.LocalAddr()))
	require.Zero(t, p.stop())
}

// TestServerStartsLate starts the server after the first datagram.
func TestServerStartsLate(t *testing.T) {
	before := listen(t)
	addr := before.LocalAddr().String()
	before.Close()
	p := startProxy(t, addr, "-quiet")
	player := dial(t, p.addr)
	for range 3 {
		send(t, player, []byte("early"))
	}
	p.eventually("proxy: client 1: ")
	server, err := listenAt(addr)
	require.NoError(t, err)
	defer server.Close()
	send(t, player, []byte("hello"))
	for got := ""; got != "hello"; { // the last of the earlier datagrams may arrive
		datagram, _ := receive(t, server)
		got = string(datagram)
	}
	require.Zero(t, p.stop())
}

// The end of the program does not wait for delayed datagrams.
func TestQueuedDatagramsAtTheEnd(t *testing.T) {
	p := startProxy(t, echo(t, '>'), "-quiet", "-delay", "c2s=10s")
	player := dial(t, p.addr)
	send(t, player, []byte("x"))
	p.eventually("client 1 is")
	require.Zero(t, p.stop())
	require.Regexp(t, `(?m)^ *c2s +1 +1 +0 +0 +0 +0 +0 +0 +1$`, p.log.String())
}
