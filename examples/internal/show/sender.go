package show

import (
	"github.com/bcwire/bcwire/match"
	"github.com/bcwire/bcwire/objectid"
)

// Player is a player of a match as a datagram shows it. The values are from the datagrams until then.
type Player struct {
	Name string        // "" if unknown
	Slot objectid.Slot // NoSlot if unknown
	Ship objectid.ID   // the living ship, or objectid.None
}

// noPlayer is an unknown player.
var noPlayer = Player{Slot: objectid.NoSlot}

// playerOf returns a player of package match, which may be nil.
func playerOf(p *match.Player) Player {
	if p == nil {
		return noPlayer
	}
	return Player{p.Name, p.Slot, p.Ship}
}
