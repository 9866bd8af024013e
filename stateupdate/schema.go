package stateupdate

import "github.com/bcwire/bcwire/opcode"

// schema is the version of ships.json.
const schema = 1

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
	Subsystems []jsonSubsystem `json:"subsystems"`
	jsonClassNotes
}

type jsonSubsystem struct {
	Index         *int        `json:"index"`
	Name          string      `json:"name"`
	Kind          string      `json:"kind"`
	Format        string      `json:"format"`
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
	Name         string  `json:"name"`
	Kind         string  `json:"kind"`
	Format       string  `json:"format"`
	MaxCondition float32 `json:"maxCondition"`
}

// What ships.json says for people and tests, or what follows from the rest: such keys are
// known and not read.
type (
	jsonClassNotes struct {
		CanCloak unread `json:"canCloak"`
		LayoutOf unread `json:"layoutOf"`
		Note     unread `json:"note"`
		Totals   unread `json:"totals"`
	}
	jsonSubsystemNotes struct {
		Powered             unread `json:"powered"`
		Bools               unread `json:"bools"`
		BytesOwn            unread `json:"bytesOwn"`
		BytesRemote         unread `json:"bytesRemote"`
		BytesCreate         unread `json:"bytesCreate"`
		CreateBools         unread `json:"createBools"`
		MaxConditionAlt     unread `json:"maxConditionAlt"`
		MaxConditionSource  unread `json:"maxConditionSource"`
		MaxConditionUnknown unread `json:"maxConditionUnknown"`
		ChildOrderAlt       unread `json:"childOrderAlt"`
	}
	unread struct{}
)

// UnmarshalJSON takes anything.
func (*unread) UnmarshalJSON([]byte) error { return nil }
