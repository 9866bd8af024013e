package main

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTooManyClients(t *testing.T) {
	p := startProxy(t, echo(t, '>'), "-quiet", "-clients", "1")
	ann, bob := dial(t, p.addr), dial(t, p.addr)
	send(t, ann, []byte("ann"))
	receive(t, ann)
	for range 5 {
		send(t, bob, []byte("bob"))
	}
	requireSilence(t, bob)
	require.Zero(t, p.stop())
	require.Contains(t, p.log.String(), "1 client, 5 datagrams refused\n")
}

// A client that returns after it was removed is a new client.
func TestIdleClientIsRemoved(t *testing.T) {
	server := listen(t)
	p := startProxy(t, server.LocalAddr().String(), "-quiet", "-idle", "10ms")
	player := dial(t, p.addr)
	send(t, player, []byte("x"))
	_, first := receive(t, server)
	p.eventually("proxy: client 1 is silent and removed\n")
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
