package opcode

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"strings"

	"github.com/bcwire/bcwire/objectid"
)

// ErrInvalid is what [Validate] reports: a message that the layout can carry and that
// makes no sense.
var ErrInvalid = errors.New("invalid")

// Validate says whether a message makes sense. Decoding and encoding do not ask, because
// what a peer has sent is passed on as it is: a program that acts on a message may. All
// errors wrap [ErrInvalid] and name the field.
//
// It finds numbers that are infinite or none, and values out of their documented range.
func Validate(m Message) error {
	fields, err := wireFields(m)
	if err != nil {
		return err
	}
	for _, f := range fields {
		if !finite(f.Value) {
			return invalid(m, f.Path, "not a finite number")
		}
	}
	if v, ok := m.(interface{ validate() error }); ok {
		return v.validate()
	}
	return nil
}

func finite(v any) bool {
	switch v := v.(type) {
	case float32:
		return !math.IsNaN(float64(v)) && !math.IsInf(float64(v), 0)
	case []float32:
		for _, x := range v {
			if !finite(x) {
				return false
			}
		}
	}
	return true
}

func invalid(m Message, field, reason string) error {
	return fmt.Errorf("opcode: %w %v.%s: %s", ErrInvalid, m.Opcode(), field, reason)
}

func (m *Settings) validate() error {
	if m.PlayerSlot >= objectid.Slots {
		return invalid(m, "PlayerSlot", "no such slot")
	}
	return nil
}

func (m *MissionInit) validate() error {
	switch {
	case m.PlayerLimit < 2 || m.PlayerLimit > 8:
		return invalid(m, "PlayerLimit", "not 2 to 8")
	case m.TimeLimit == 0:
		return invalid(m, "TimeLimit", "no time")
	case m.FragLimit == 0:
		return invalid(m, "FragLimit", "no frags")
	}
	return nil
}

func (m *StateUpdate) validate() error {
	if m.Flags&StateSubsystems != 0 && m.Flags&StatePower != 0 {
		return invalid(m, "Flags", "subsystems and power")
	}
	return nil
}

func (m *ObjectCreate) validate() error { return m.Object.validate(m, m.OwnerSlot) }

func (m *ObjectCreateTeam) validate() error { return m.Object.validate(m, m.OwnerSlot) }

// validate says whether the object may be in the slot. Its ID tells another slot only if
// it is of a player.
func (o *Object) validate(m Message, slot int8) error {
	if slot < 0 || slot >= objectid.Slots {
		return invalid(m, "OwnerSlot", "no such slot")
	}
	if s, ok := o.ObjectID.Slot(); ok && s != int(slot) {
		return invalid(m, "ObjectID", "of another slot")
	}
	return nil
}

func (m *SetPhaserLevel) validate() error {
	if m.Value < 0 || m.Value > int32(PhaserHigh) {
		return invalid(m, "Value", "no such level")
	}
	return nil
}

func (m *FileTransfer) validate() error {
	if !localPath(m.Name.String()) {
		return invalid(m, "Name", "leaves the directory")
	}
	return nil
}

// localPath says whether a path with slashes stays below where it begins, on any system.
func localPath(path string) bool {
	return fs.ValidPath(path) && path != "." && !strings.ContainsAny(path, `\:`)
}
