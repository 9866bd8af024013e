package main

import (
	"context"
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
	return startMaster(ctx, servers)
}

// startMaster runs a master that lists servers until the context ends. It returns the address of the master.
func startMaster(ctx context.Context, servers []netip.AddrPort) (string, error) {
	conn, err := net.ListenPacket("udp4", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		conn.Close()
		return "", err
	}
	master, now := new(gamespy.Master), time.Now()
	for _, server := range servers { // without waiting for the first heartbeats
		beacon, info := gamespy.Beacon{Port: server.Port()}, new(gamespy.ServerInfo)
		challenge, _, _ := master.Receive(now, server, beacon.Due(now, info))
		answers, _ := new(gamespy.Responder).Answer(now, server, challenge, info)
		for _, answer := range answers {
			_, _, _ = master.Receive(now, server, answer)
		}
	}
	go func() {
		defer conn.Close()
		query.ServeMaster(ctx, conn, l, master)
	}()
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
