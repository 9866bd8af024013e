package game

import (
	"cmp"
	"net/netip"
	"strings"
	"time"

	"github.com/bcwire/bcwire/gamespy"
	"github.com/bcwire/bcwire/opcode"
)

// browsers is the state of the replies to browsers and of the heartbeats for a master server.
type browsers struct {
	responder gamespy.Responder
	beacon    gamespy.Beacon
	info      *gamespy.ServerInfo // of this tick; nil before the first query
}

// Query returns the replies to a query.
func (m *Match) Query(now time.Time, from netip.AddrPort, query []byte) [][]byte {
	m.beacon.Queried()
	if m.info == nil {
		m.info = m.serverInfo()
	}
	replies, err := m.responder.Answer(now, from, query, m.info)
	if err != nil {
		m.options.Dropped("query")
		m.log.Debug("query", "addr", from, "error", err)
	}
	return replies
}

// heartbeat sends a datagram to the master server, if there is one.
func (m *Match) heartbeat(datagram []byte) {
	if len(datagram) > 0 {
		m.options.Heartbeat(datagram)
	}
}

// serverInfo returns the state of the match for browsers.
func (m *Match) serverInfo() *gamespy.ServerInfo {
	info := gamespy.NewServerInfo(m.options.Name)
	info.MissionScript, info.MapName = m.mission, m.missionName()
	if info.MapName == "Mission1" {
		info.MapName = "DM" // as captured; the texts of other missions are not known
	}
	info.System = cmp.Or(m.limits.System, opcode.SystemMulti1).String()
	info.MaxPlayers, info.GameMode, info.Password = int(m.limits.PlayerLimit), gamespy.ModePlaying, m.options.Host.Password != ""
	info.TimeLimit, info.FragLimit = cmp.Or(int(m.limits.TimeLimit), -1), cmp.Or(int(m.limits.FragLimit), -2) // as captured
	players := m.Members()
	info.NumPlayers = len(players) // without the host, which is the first of info.Players
	for _, p := range players {
		info.Players = append(info.Players, p.Name)
	}
	return &info
}

// missionName returns the last part of the name of the mission's script, "Mission1".
func (m *Match) missionName() string { return m.mission[strings.LastIndex(m.mission, ".")+1:] }
