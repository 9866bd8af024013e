package main

import (
	"cmp"
	"net/netip"
	"time"

	"github.com/bcwire/bcwire/gamespy"
)

// discovery answers browsers, and tells a master of the match.
type discovery struct {
	responder gamespy.Responder
	master    netip.AddrPort // invalid: none
	beacon    gamespy.Beacon
	info      *gamespy.ServerInfo // as of this tick; nil: nobody has asked
}

// answer returns the datagrams that answer a query.
func (d *discovery) answer(now time.Time, from netip.AddrPort, query []byte, m *match) [][]byte {
	d.beacon.Queried()
	if d.info == nil {
		info := m.info()
		d.info = &info
	}
	replies, err := d.responder.Answer(now, from, query, d.info)
	if err != nil {
		m.stats.drop("query")
		m.log.Debug("query", "addr", from, "error", err)
	}
	return replies
}

// heartbeat returns the datagram that is due for the master, nil if none is.
func (d *discovery) heartbeat(now time.Time, m *match) []byte {
	if !d.master.IsValid() {
		return nil
	}
	return d.beacon.Due(now, &gamespy.ServerInfo{
		NumPlayers: len(m.everybody(nil)), GameMode: gamespy.ModePlaying,
	})
}

// exit returns the last datagram for the master, nil if it has not heard of the match.
func (d *discovery) exit() []byte { return d.beacon.Exit() }

// info is what browsers show.
func (m *match) info() gamespy.ServerInfo {
	info := gamespy.NewServerInfo(gamespyText(m.name))
	info.MissionScript = gamespyText(m.mission)
	info.MapName = gamespyText(m.missionName())
	if info.MapName.String() == "Mission1" {
		info.MapName = gamespy.Text("DM") // as captured; the texts of other missions are not known
	}
	info.System = gamespyText(m.system.String())
	info.NumPlayers, info.MaxPlayers = len(m.everybody(nil)), m.maxPlayers
	info.GameMode = gamespy.ModePlaying
	info.Password = m.password != ""
	info.TimeLimit, info.FragLimit = cmp.Or(m.timeLimit, -1), cmp.Or(m.fragLimit, -2) // as captured
	for _, p := range m.everybody(nil) {
		info.Players = append(info.Players, gamespyText(p.name))
	}
	return info
}

// gamespyText returns a string as browsers have texts: in the game's own characters.
func gamespyText(s string) gamespy.Text { return gamespy.Text(text(s)) }
