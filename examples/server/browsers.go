package main

import (
	"cmp"
	"net/netip"
	"time"

	"github.com/bcwire/bcwire/gamespy"
	"github.com/bcwire/bcwire/transport/udp"
)

// browsers is the state of the replies to browsers and of the heartbeats for a master server.
type browsers struct {
	responder  gamespy.Responder
	beacon     gamespy.Beacon
	info       *gamespy.ServerInfo // of this tick; nil before the first query
	socket     udp.PacketConn      // for heartbeats
	masterAddr netip.AddrPort      // the zero AddrPort without a master server
}

// query returns the replies to a query.
func (m *match) query(now time.Time, from netip.AddrPort, query []byte) [][]byte {
	m.beacon.Queried()
	if m.info == nil {
		m.info = m.serverInfo()
	}
	replies, err := m.responder.Answer(now, from, query, m.info)
	if err != nil {
		m.stats.drop("query")
		m.log.Debug("query", "addr", from, "error", err)
	}
	return replies
}

// heartbeat sends a datagram to the master server, if there are both. An error has no consequence.
func (m *match) heartbeat(datagram []byte) {
	if len(datagram) > 0 && !m.closed && m.masterAddr.IsValid() {
		_, _ = m.socket.WriteToUDPAddrPort(datagram, m.masterAddr)
	}
}

// serverInfo returns the state of the match for browsers.
func (m *match) serverInfo() *gamespy.ServerInfo {
	info := gamespy.NewServerInfo(gamespyText(m.name))
	info.MissionScript, info.MapName = gamespyText(m.mission), gamespyText(m.missionName())
	if info.MapName == "Mission1" {
		info.MapName = "DM" // as captured; the texts of other missions are not known
	}
	info.System = gamespyText(m.system.String())
	info.MaxPlayers, info.GameMode, info.Password = m.maxPlayers, gamespy.ModePlaying, m.password != ""
	info.TimeLimit, info.FragLimit = cmp.Or(m.timeLimit, -1), cmp.Or(m.fragLimit, -2) // as captured
	players := m.players(nil)
	info.NumPlayers = len(players) // without the host, which is the first of info.Players
	for _, p := range players {
		info.Players = append(info.Players, gamespyText(p.name))
	}
	return &info
}

// gamespyText returns a string without the characters that the game cannot show.
func gamespyText(s string) string { return text(s).String() }
