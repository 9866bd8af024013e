package show

import (
	"github.com/bcwire/bcwire/match"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/stateupdate"
)

// fleet holds the ships of a link whose parts have names, in the order of their IDs. It does not change, so that
// messages which are printed later share it.
type fleet []vessel

type vessel struct {
	id    objectid.ID
	class *stateupdate.Class
}

// maxFleets is the number of links whose fleets are kept.
const maxFleets = 256

// fleets holds the fleet of each link.
type fleets map[*match.Link]fleet

// follow forgets the fleet of a link if a step has changed it.
func (all fleets) follow(step *match.Step) {
	if step.Message.NewConnection || step.Change.Created || len(step.Change.Removed) > 0 {
		delete(all, step.Link)
	}
}

// of returns the fleet of the link after a step.
func (all *fleets) of(step *match.Step) fleet {
	f, known := (*all)[step.Link]
	if known {
		return f
	}
	if *all == nil || len(*all) >= maxFleets {
		*all = fleets{}
	}
	for s := range step.Link.Ships.Ships() {
		if s.Life != stateupdate.Unknown && s.Class != nil {
			f = append(f, vessel{s.ID, s.Class})
		}
	}
	(*all)[step.Link] = f
	return f
}

// part returns the class and the part with an object ID, such as "Akira Torpedoes / Forward Torp 1", or "" if
// no ship has such a part. A ship with a larger ID comes first, as in [stateupdate.Tracker.Part].
func (f fleet) part(id objectid.ID) string {
	for i := len(f) - 1; i >= 0 && f[i].id != id; i-- {
		if part, ok := f[i].class.Part(f[i].id, id); ok {
			return f[i].class.Name + " " + part.String()
		}
	}
	return ""
}
