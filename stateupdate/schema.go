package stateupdate

import "github.com/bcwire/bcwire/opcode"

// Versions of the schema. A file of the first schema has no creation indices.
const (
	firstSchema = 1
	lastSchema  = 2 // that of ships.json
)

type jsonFile struct {
	Schema int         `json:"schema"`
	Ships  []jsonClass `json:"ships"`
}

type jsonClass struct {
	Species    opcode.Species  `json:"species"`
	Key        string          `json:"key"`
	Name       string          `json:"name"`
	Script     string          `json:"script"`
	Faction    string          `json:"faction"`
	Evidence   string          `json:"evidence"`
	Inherits   string          `json:"inherits"`
	Subsystems []jsonSubsystem `json:"subsystems"`
	jsonClassNotes
}

type jsonSubsystem struct {
	Index         *int        `json:"index"`
	Name          string      `json:"name"`
	Kind          string      `json:"kind"`
	Format        string      `json:"format"`
	CreationIndex *int        `json:"creationIndex"`
	MaxCondition  float32     `json:"maxCondition"`
	NormalPower   float32     `json:"normalPower"`
	PowerMode     PowerMode   `json:"powerMode"`
	Facings       []float32   `json:"facings"`
	MainBattery   float32     `json:"mainBatteryLimit"`
	BackupBattery float32     `json:"backupBatteryLimit"`
	Children      []jsonChild `json:"children"`
	jsonSubsystemNotes
}

type jsonChild struct {
	Name          string  `json:"name"`
	Kind          string  `json:"kind"`
	Format        string  `json:"format"`
	CreationIndex *int    `json:"creationIndex"`
	MaxCondition  float32 `json:"maxCondition"`
}

// Keys that are known and not read: notes for people and tests, values that follow from
// the rest, and keys of the first schema.
type (
	jsonClassNotes struct {
		CanCloak  unread `json:"canCloak"`
		Captures  unread `json:"captures"`
		Hardpoint unread `json:"hardpoint"`
		LayoutOf  unread `json:"layoutOf"` // first schema
		Note      unread `json:"note"`
		Totals    unread `json:"totals"`
	}
	jsonSubsystemNotes struct {
		Powered             unread `json:"powered"`
		Bools               unread `json:"bools"`
		BytesOwn            unread `json:"bytesOwn"`
		BytesRemote         unread `json:"bytesRemote"`
		BytesCreate         unread `json:"bytesCreate"`
		CreateBools         unread `json:"createBools"`
		MaxConditionAlt     unread `json:"maxConditionAlt"` // first schema, and the rest
		MaxConditionSource  unread `json:"maxConditionSource"`
		MaxConditionUnknown unread `json:"maxConditionUnknown"`
		ChildOrderAlt       unread `json:"childOrderAlt"`
	}
	unread struct{}
)

// UnmarshalJSON takes anything.
func (*unread) UnmarshalJSON([]byte) error { return nil }
