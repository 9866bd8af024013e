package timeline

import (
	"math"
	"net/netip"

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

// sample adds the state of a ship to its plot.
func (l *link) sample(ship *stateupdate.Ship) {
	info := l.world.ships[ship.ID]
	if info == nil || ship.Class == nil {
		return
	}
	p := l.plots[info.key]
	if p == nil {
		if len(l.plots) >= maxPlots {
			l.dropPlot()
		}
		p = &plot{}
		l.plots[info.key] = p
	}
	p.add(l.world.header.Time, ship, !ship.OpenBC)
}

// dropPlot removes the plot that has been the same for longest.
func (l *link) dropPlot() {
	oldest, first := "", math.Inf(1)
	for key, p := range l.plots {
		if t := p.points[len(p.points)-1].Time; t <= first {
			oldest, first = key, t
		}
	}
	delete(l.plots, oldest)
}
