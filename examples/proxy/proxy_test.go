package main

import (
	"bytes"
	"crypto/rand"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestBytesPassUnchanged sends all kinds of datagrams in both directions.
func TestBytesPassUnchanged(t *testing.T) {
	server := listen(t)
	p := startProxy(t, server.LocalAddr().String(), "-quiet")
	player := dial(t, p.addr)
	random := make([]byte, 1400)
	_, _ = rand.Read(random)
	for name, datagram := range map[string][]byte{
		"game": chat(t, 2, "hello"), "GameSpy": []byte(`\status\`), "empty": {}, "one byte": {0xFF},
		"random": random, "largest": bytes.Repeat([]byte{7, 1, 2}, 65507/3),
	} {
		send(t, player, datagram)
		got, from := receive(t, server)
		require.True(t, bytes.Equal(datagram, got), name)
		_, err := server.WriteToUDP(datagram, from)
		require.NoError(t, err)
		got, _ = receive(t, player)
		require.True(t, bytes.Equal(datagram, got), name)
	}
	require.Zero(t, p.stop())
	require.Empty(t, p.stdout.String())
	require.Contains(t, p.log.String(), "1 client, 0 datagrams refused\n")
}

func TestEachClientHasASocket(t *testing.T) {
	server := listen(t)
	p := startProxy(t, server.LocalAddr().String(), "-quiet")
	ann, bob := dial(t, p.addr), dial(t, p.addr)
	send(t, ann, []byte("ann"))
	_, annAt := receive(t, server)
	send(t, bob, []byte("bob"))
	_, bobAt := receive(t, server)
	require.NotEqual(t, annAt.Port, bobAt.Port, "the server identifies clients by their addresses")

	for range 3 {
		_, err := server.WriteToUDP([]byte("to bob"), bobAt)
		require.NoError(t, err)
		got, _ := receive(t, bob)
		require.Equal(t, "to bob", string(got))
	}
	requireSilence(t, ann)
	_, err := server.WriteToUDP([]byte("to ann"), annAt)
	require.NoError(t, err)
	got, _ := receive(t, ann)
	require.Equal(t, "to ann", string(got))
	send(t, ann, nil)
	_, again := receive(t, server)
	require.Equal(t, annAt.Port, again.Port, "a client has one socket")
	require.Zero(t, p.stop())
}

// Only the server can send to a client.
func TestForgedRepliesAreDropped(t *testing.T) {
	server, forger := listen(t), listen(t)
	p := startProxy(t, server.LocalAddr().String(), "-quiet")
	player := dial(t, p.addr)
	send(t, player, []byte("hello"))
	_, at := receive(t, server)
	_, err := forger.WriteToUDP([]byte("forged"), at)
	require.NoError(t, err)
	requireSilence(t, player)
	require.Zero(t, p.stop())
}

func TestDropFlag(t *testing.T) {
	for flag, reaches := range map[string]bool{"100%": false, "c2s=100%": false, "s2c=100%": true} {
		t.Run(flag, func(t *testing.T) {
			server := listen(t)
			p := startProxy(t, server.LocalAddr().String(), "-quiet", "-drop", flag)
			player := dial(t, p.addr)
			for range 20 {
				send(t, player, []byte("hello"))
			}
			if !reaches {
				requireSilence(t, server)
				require.Zero(t, p.stop())
				require.Regexp(t, `(?m)^ *c2s +20 +100 +20 +0 +0 +0 +0 +0 +0$`, p.log.String())
				return
			}
			for range 20 {
				_, at := receive(t, server)
				_, err := server.WriteToUDP([]byte("world"), at)
				require.NoError(t, err)
			}
			requireSilence(t, player)
			require.Zero(t, p.stop())
			require.Regexp(t, `(?m)^ *c2s +20 +100 +0 +0 +0 +0 +20 +0 +0$`, p.log.String())
			require.Regexp(t, `(?m)^ *s2c +20 +100 +20 +0 +0 +0 +0 +0 +0$`, p.log.String())
		})
	}
}

func TestDuplicateAndDelay(t *testing.T) {
	p := startProxy(t, echo(t, '>'), "-quiet", "-duplicate", "c2s=100%", "-delay", "30ms")
	player := dial(t, p.addr)
	send(t, player, []byte("x"))
	for range 2 {
		got, _ := receive(t, player)
		require.Equal(t, ">x", string(got))
	}
	requireSilence(t, player)
	require.Zero(t, p.stop())
}

// TestReorderOvertakes holds back half of the datagrams, and the others overtake them.
func TestReorderOvertakes(t *testing.T) {
	server := listen(t)
	p := startProxy(t, server.LocalAddr().String(), "-quiet", "-reorder", "50%", "-hold", "100ms", "-seed", "1")
	player := dial(t, p.addr)
	for n := range byte(40) {
		send(t, player, []byte{n})
	}
	var order, sorted []byte
	for n := range byte(40) {
		got, _ := receive(t, server)
		order, sorted = append(order, got...), append(sorted, n)
	}
	require.ElementsMatch(t, sorted, order)
	require.NotEqual(t, sorted, order)
	require.Zero(t, p.stop())
}
