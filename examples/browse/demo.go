package main

import (
	"context"
	"math/rand/v2"
	"net"
	"net/netip"
	"time"

	"github.com/bcwire/bcwire/gamespy"
	"github.com/bcwire/bcwire/gamespy/query"
)

// startDemo runs two servers and a master on the loopback interface until the context ends. It
// returns the address of the master.
func startDemo(ctx context.Context) (string, error) {
	var servers []netip.AddrPort
	for _, info := range demoServers() {
		conn, err := net.ListenPacket("udp4", "127.0.0.1:0")
		if err != nil {
			return "", err
		}
		servers = append(servers, conn.LocalAddr().(*net.UDPAddr).AddrPort())
		go func() {
			defer conn.Close()
			query.Serve(ctx, conn, new(gamespy.Responder), func() *gamespy.ServerInfo { return &info })
		}()
	}
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	context.AfterFunc(ctx, func() { l.Close() })
	go serveList(l, servers)
	return l.Addr().String(), nil
}

func demoServers() []gamespy.ServerInfo {
	night := gamespy.NewServerInfo("Friday Night")
	night.NumPlayers = 2
	night.Players = append(night.Players, "Ann", "Bob")
	clan := gamespy.NewServerInfo("Clan War")
	clan.Password, clan.MapName, clan.GameMode = true, "Team DM", gamespy.ModeSettings
	clan.System, clan.TimeLimit = "Poseidon", 30
	return []gamespy.ServerInfo{night, clan}
}

// serveList runs a master that sends the same list to all clients.
func serveList(l net.Listener, servers []netip.AddrPort) {
	for {
		conn, err := l.Accept()
		if err != nil {
			return
		}
		go func() {
			defer conn.Close()
			conn.SetDeadline(time.Now().Add(query.ListTimeout))
			master := gamespy.ListServer{Challenge: gamespy.NewChallenge(rand.Uint32())}
			if list, err := converse(conn, &master, servers); err == nil {
				conn.Write(list)
			}
		}()
	}
}

// converse passes bytes between a client and the master until the client requests the list,
// and returns the list.
func converse(conn net.Conn, master *gamespy.ListServer, servers []netip.AddrPort) ([]byte, error) {
	if _, err := conn.Write(master.Greeting()); err != nil {
		return nil, err
	}
	buf := make([]byte, 1024)
	for {
		n, err := conn.Read(buf)
		if err != nil {
			return nil, err
		}
		if list, err := master.Receive(buf[:n], servers); list != nil || err != nil {
			return list, err
		}
	}
}
