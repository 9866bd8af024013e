package match

import (
	"math"
	"net/netip"

	"github.com/bcwire/bcwire/examples/internal/show"
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
	kept        int // datagrams
	senders     int // of all time
	seen        map[sender]bool
	start, end  float64
	checkpoints []checkpoint // in the order of the datagrams
	since       int          // messages since the last checkpoint

	events  []Event
	dropped int // events before the first of events
	plots   map[string]*plot
	streams map[*Stream]bool
	pending pending // for the streams
}

// state is the state of decoding. It is cloned for checkpoints.
type state struct {
	decoder *show.Decoder
	world   *world
}

func (s *state) clone() state { return state{s.decoder.Clone(), s.world.clone()} }

// name returns the name of the link's player, or "".
func (l *link) name() string {
	if l.world == nil || !l.world.self.Valid() {
		return ""
	}
	if p := l.world.players[l.world.self]; p != nil {
		return p.Name
	}
	return ""
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
	p.add(l.world.header.Time, ship)
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

// log keeps an event, and forgets the oldest if there are too many.
func (l *link) log(e Event) {
	if len(l.events) >= 2*maxEvents {
		l.dropEvents(maxEvents)
	}
	e.Number = l.dropped + len(l.events)
	l.events = append(l.events, e)
}

func (l *link) dropEvents(n int) {
	l.dropped += n
	l.events = append([]Event(nil), l.events[n:]...)
}

// maxEvents is the number of events of a link that are always kept.
const maxEvents = 10_000
