package timeline

import (
	"cmp"
	"maps"
	"net/netip"
	"slices"

	"github.com/bcwire/bcwire/examples/internal/show"
	"github.com/bcwire/bcwire/match"
	"github.com/bcwire/bcwire/stateupdate"
	"github.com/bcwire/bcwire/transport/recording"
)

// maxLinks is the largest number of links at a time.
const maxLinks = 256

// flow is the key of a link.
type flow struct {
	client         string
	player, server netip.AddrPort
}

func flowOf(d *show.Datagram) flow {
	f := flow{d.Client, d.Src, d.Dst}
	if d.Dir == recording.ToClient {
		f.player, f.server = d.Dst, d.Src
	}
	return f
}

// link is the connection of one client with the server. Link 0 has the datagrams of programs that
// do not take part in a match, such as queries of server browsers; it has no world.
type link struct {
	id int
	flow
	state

	messages    int // of all time
	senders     map[sender]bool
	start, end  float64
	checkpoints []checkpoint // in the order of the datagrams
	since       int          // messages since the last checkpoint

	history *history
	match   *match.Link      // nil for link 0
	person  *match.Player    // the last player on the link, or nil
	counted [2]match.Traffic // of both sides, until the last datagram

	plots map[string]*plot
}

// sender is the direction and the peer ID of datagrams. The decoder of a link has a state for each.
type sender struct {
	dir  uint8
	peer int8
}

// state is the state of decoding. It is cloned for checkpoints.
type state struct {
	decoder *show.Decoder
	world   *world
}

func (s *state) clone() state { return state{s.decoder.Clone(), s.world.clone()} }

// name returns the name of the link's player, or "".
func (l *link) name() string {
	if l.person == nil {
		return ""
	}
	return text(l.person.Name)
}

// sample adds the state of a ship to its plot. At the limit, the plot that has been the same for longest is removed.
func (l *link) sample(ship *stateupdate.Ship) {
	if ship.Class == nil {
		return
	}
	key := l.world.ships[ship.ID].key
	p := l.plots[key]
	if p == nil {
		if len(l.plots) >= maxPlots {
			byTime := func(a, b string) int { return cmp.Compare(l.plots[a].end(), l.plots[b].end()) }
			delete(l.plots, slices.MinFunc(slices.Collect(maps.Keys(l.plots)), byTime))
		}
		p = &plot{}
		l.plots[key] = p
	}
	p.add(l.world.header.Time, ship)
}
