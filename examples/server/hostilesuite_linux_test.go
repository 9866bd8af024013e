package main

import (
	"fmt"
	"net"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/cipher"
	bot "github.com/bcwire/bcwire/examples/bot/player"
	"github.com/bcwire/bcwire/examples/lab/siege"
	"github.com/bcwire/bcwire/testdata"
	"github.com/bcwire/bcwire/transport"
)

// Churn on real sockets: 450 clients a second join and leave, from one address or from 200
// addresses of 127.0.0.0/8. Four bots stay in the match, and one joins meanwhile. Only Linux
// has all addresses of this network without configuration.
func TestHostileSuiteChurnOnSockets(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		ips  int
		name string
	}{
		{1, strings.Repeat("x", 32)},
		{200, strings.Repeat("x", 32)},
		{1, ""},
		{200, ""},
	} {
		t.Run(fmt.Sprintf("%d addresses, name of %d", c.ips, len(c.name)), func(t *testing.T) {
			t.Parallel()
			churnOnSockets(t, c.ips, c.name)
		})
	}
}

// churnOnSockets attacks a server with clients that have a name and come from so many addresses.
func churnOnSockets(t *testing.T, ips int, name string) {
	p := start(t, "-perip", "8")
	addr := p.addr()
	var all seats
	for i := range 4 {
		all = append(all, sit(t, addr, i, bot.Options{Fire: true, Choose: choose}))
	}
	all.untilAllSee(t, 3)

	logged := len(p.stderr.String())
	seconds := testdata.Either(5, 1)
	least := 100 * seconds
	attack := churnFor(t, addr, ips, name, time.Duration(seconds)*time.Second, least)
	time.Sleep(500 * time.Millisecond)
	all = append(all, sit(t, addr, 4, bot.Options{Choose: choose}))
	all.untilAllSee(t, 4)
	took, rounds := attack()
	lines := len(p.stderr.String()) - logged
	t.Logf("%d joined and left in %v; %d bytes of log", rounds, took, lines)

	require.True(t, all.seeAll(4))
	require.GreaterOrEqual(t, rounds, least, "the attack")
	require.Less(t, lines, 6000+int(1000*took.Seconds()))
	all.leave(t)
	p.stop()
	p.exits(0)
}

// churnFor begins the attack. It goes on until at least so many clients have sent their second
// datagram, which a slow machine needs more time for. The function that it returns waits for the
// end, and returns the number of these clients.
func churnFor(t *testing.T, to netip.AddrPort, ips int, name string, lasts time.Duration, least int) (wait func() (time.Duration, int)) {
	const workers, perSecond = 16, 450
	var group sync.WaitGroup
	var rounds, next atomic.Int64
	began := time.Now()
	for range workers {
		group.Go(func() {
			for time.Since(began) < lasts || int(rounds.Load()) < least && time.Since(began) < 20*lasts {
				n := next.Add(1)
				time.Sleep(time.Until(began.Add(time.Duration(n) * time.Second / perSecond)))
				from := net.IPv4(127, 0, 1, byte(1+int(n)%ips))
				if churnOnce(t, from, to, uint32(n), name) {
					rounds.Add(1)
				}
			}
		})
	}
	return func() (time.Duration, int) {
		group.Wait()
		return time.Since(began), int(rounds.Load())
	}
}

// churnOnce joins and leaves once, and reports whether the host has answered the Connect.
func churnOnce(t *testing.T, from net.IP, to netip.AddrPort, connID uint32, name string) bool {
	conn, err := net.DialUDP("udp4", &net.UDPAddr{IP: from}, net.UDPAddrFromAddrPort(to))
	if err != nil {
		t.Error(err)
		return false
	}
	defer conn.Close()
	send := func(p transport.Packet) {
		b, _ := p.MarshalBinary()
		cipher.Encrypt(b)
		_, _ = conn.Write(b)
	}
	send(siege.ConnectPacket(connID))
	var buf [2048]byte
	_ = conn.SetReadDeadline(time.Now().Add(200 * time.Millisecond))
	n, err := conn.Read(buf[:])
	if err != nil {
		return false
	}
	cipher.Decrypt(buf[:n])
	reply, ok := siege.ReplyIn(buf[:n])
	if ok {
		send(siege.ChurnPacket(t, reply, name))
	}
	return ok
}
