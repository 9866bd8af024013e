package stateupdate

// Physics has the physical properties of a [Class], for programs that compute motion and combat or
// that check what a client reports.
//
//	lengths   game units, GU, of 175 m
//	times     seconds of game time
//	angles    radians
//	damage    points, as in MaxCondition
//	power     units, as in NormalPower
//	vectors   x to starboard, y forward, z up, in the frame of the ship
//
// Evidence: documented, in the scripts of the game. Measurements of the game
// confirm some values; the fields name them. Capacities of the
// hull and the shields are in [Subsystem], and the places of the parts in [PartPhysics].
type Physics struct {
	Mass float64 // without a unit; it decides only how ships rebound
	// Radius of the sphere around the ship. Evidence: observed for Galaxy, Sovereign, Bird of Prey,
	// Vor'cha, Warbird, Marauder, Cardassian Hybrid and Kessok Heavy. For other classes it is
	// inferred: 1.17 times the distance of the farthest part.
	Radius              float64
	MaxSpeed            float64 // per second, at full power; 0 for a station. Evidence: observed
	MaxAcceleration     float64 // per second². Evidence: observed
	MaxTurn             float64 // radians per second about each axis. Evidence: observed
	MaxTurnAcceleration float64 // radians per second². Evidence: observed
	// ShieldCharge is the regeneration of each face per second, by [ShieldFace]. A Galaxy was
	// observed to regain 0.85 times this value.
	ShieldCharge  [6]float64
	PowerOutput   float64 // of the reactor, per second
	MainConduit   float64 // the most that the main battery gives, per second
	BackupConduit float64 // the most that the backup battery gives, per second
}

// PartPhysics has the physical properties of a subsystem or a child. It is zero if the Class has no [Physics].
type PartPhysics struct {
	// Position of the centre. A phaser bank with a width and a length in its script is on an arc: its
	// centre is position + width·sin(a)·right + length·cos(a)·direction, with the middle of ArcWidth as
	// a. Evidence: observed for the Galaxy.
	Position         [3]float64
	Radius           float64 // a hit closer than this and the radius of the weapon damages the part
	Disabled         float64 // a condition below this fraction disables the part
	RepairComplexity float64 // divides the points of a repair
	Critical         bool    // a ship explodes if the part is destroyed
	Targetable       bool    // hits damage only targetable parts
}

// Weapon has the properties of a weapon. The [Kind] of its subsystem decides which of them it has.
type Weapon struct {
	Direction [3]float64 // the middle of the arcs
	// Up and the arcs belong to every weapon but a torpedo tube. The arcs are from the lowest angle
	// to the highest: the azimuth from Direction towards Direction × Up, and the elevation.
	Up        [3]float64
	ArcWidth  [2]float64
	ArcHeight [2]float64

	MaxDamage         float64 // of a beam, per second; the game does not use it for a pulse weapon
	MaxDamageDistance float64 // farther than this, the damage of a beam falls with 1 / distance
	DamageRadius      float64 // of a beam
	MaxCharge         float64
	MinFiringCharge   float64 // the least charge with which a weapon begins to fire
	RechargeRate      float64 // charge per second
	Cooldown          float64 // between two bolts of a pulse weapon

	Projectile *Projectile // of a pulse weapon; a torpedo tube fires the Ammunition of its system

	MaxReady       int     // torpedoes in a tube
	ImmediateDelay float64 // between two torpedoes of a tube
	ReloadDelay    float64 // until a tube has another torpedo
}

// Ammunition is a type of torpedoes of a torpedo system.
type Ammunition struct {
	Projectile *Projectile
	Max        int // torpedoes in the magazine
}

// Projectile has the properties of a torpedo or of a bolt of a pulse weapon.
type Projectile struct {
	Script              string // the name of its script, "PhotonTorpedo"
	Damage              float64
	Speed               float64 // per second
	Lifetime            float64 // of a bolt; 0 for a torpedo, whose lifetime is unknown
	Guided              float64 // seconds in which a torpedo follows its target; 0 for a bolt
	MaxTurnAcceleration float64 // of a torpedo, radians per second²
	DamageRadius        float64
}

// UnmarshalText sets the Script, by which a class of [ParseJSON] names a projectile.
func (p *Projectile) UnmarshalText(script []byte) error {
	p.Script = string(script)
	return nil
}
