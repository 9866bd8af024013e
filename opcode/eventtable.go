package opcode

import (
	"slices"

	"github.com/bcwire/bcwire/objectid"
)

// eventFacts describes an event of an opcode, with the evidence grade of the opcode.
type eventFacts struct {
	class EventClass // 0 if it varies
	code  EventCode  // on the wire, 0 if it varies

	// Roles of the IDs in a client's event, for [Authorize]. TargetID may name any object.
	// PlayerID and FiringPlayerID are in classes that only the host sends.
	source, dest, object role
}

// role is the role of an object ID in a client's message, for [Authorize].
type role uint8

const (
	refers     role = iota // may name any object
	originates             // must be an object of the sender, or none
	acts                   // must be an object of the sender
	actsAsShip             // must be the sender's ship
)

// eventTable lists the known events on the wire, by opcode.
//
// Captured events of clients have no Source, except collisions, where Source is the other object.
// Constructed events may have the sender's own ship or subsystem there.
var eventTable = [...][]eventFacts{
	OpPythonEvent: {
		{class: ClassEvent, code: ETAddToRepairList},
		{class: ClassObjPtrEvent, code: ETRepairCompleted},
		{class: ClassObjPtrEvent, code: ETRepairCannotBeCompleted}, // inferred from ETRepairCompleted
		{class: ClassObjectExplodingEvent, code: ETObjectExploding},
	},
	OpStartFiring:        {{ClassStartFiringEvent, ETStartFiringNotify, originates, acts, refers}},
	OpStopFiring:         {{ClassEvent, ETStopFiringNotify, originates, acts, refers}},
	OpStopFiringAtTarget: {{class: ClassObjPtrEvent, code: ETStopFiringAtTargetNotify}},
	OpSubsystemStatus:    {{ClassBoolEvent, ETSubsystemStateChangedNotify, originates, acts, refers}},
	OpAddToRepairList:    {{ClassEvent, ETAddToRepairList, originates, acts, refers}},
	OpClientEvent:        {{source: originates, dest: acts}},
	OpPythonEvent2:       {{ClassObjPtrEvent, ETTargetWasChanged, originates, actsAsShip, refers}},
	OpStartCloaking:      {{ClassEvent, ETStartCloakingNotify, originates, acts, refers}},
	OpStopCloaking:       {{ClassEvent, ETStopCloakingNotify, originates, acts, refers}},
	OpStartWarp:          {{ClassWarpEvent, ETStartWarpNotify, originates, acts, refers}},
	OpRepairListPriority: {{ClassObjPtrEvent, ETRepairIncreasePriority, originates, acts, acts}},
	OpSetPhaserLevel:     {{ClassCharEvent, ETSetPhaserLevel, originates, acts, refers}},
	OpCollisionEffect:    {{ClassCollisionEvent, ETObjectCollision, refers, actsAsShip, refers}},
	OpDeletePlayerUI: {
		{class: ClassPlayerEvent, code: ETNewPlayerInGame},
		{class: ClassPlayerEvent, code: ETNetworkDeletePlayer},
	},
	OpTorpedoTypeChange: {{ClassCharEvent, ETNetTorpedoTypeChangedNotify, originates, acts, refers}},
}

// eventsOf returns the known events of an opcode.
func eventsOf(op Code) []eventFacts {
	if int(op) < len(eventTable) {
		return eventTable[op]
	}
	return nil
}

// The constructors of events take class and code from eventTable. If an argument can be out of
// range, the constructor returns the error of [Validate].

// newEvent returns an event with the class and the code of the only event of an opcode.
func newEvent(op Code, source, dest objectid.ID) Event {
	f := &eventTable[op][0]
	return Event{Class: f.class, Code: f.code, Source: source, Dest: dest}
}

// hostEvent returns an event with one of the codes of an opcode and the class of that code.
func hostEvent(op Code, code EventCode, source, dest objectid.ID) Event {
	m := Event{Code: code, Source: source, Dest: dest}
	for _, f := range eventTable[op] {
		if f.code == code {
			m.Class = f.class
		}
	}
	return m
}

// classOf returns the class of all events of an opcode, 0 if it varies.
func classOf(op Code) (class EventClass) {
	for i, f := range eventsOf(op) {
		if i > 0 && f.class != class {
			return 0
		}
		class = f.class
	}
	return class
}

// is reports whether the event has the given code of an opcode and the class of that code.
func (m *Event) is(op Code, code EventCode) bool {
	return m.Code == code && slices.ContainsFunc(eventTable[op], func(f eventFacts) bool {
		return f.code == code && f.class == m.Class
	})
}
