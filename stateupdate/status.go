package stateupdate

import (
	"fmt"
	"strconv"

	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stream"
)

// Status is the state of one subsystem in a block, a create blob or a [Ship].
//
//	block           size  field
//	any             1     Condition
//	                n     Parts, one for each child
//	powered               HasPower, packed
//	                1     Power, percent, if HasPower
//	reactor         1+1   MainBattery, BackupBattery
//	shield          6     Parts, one for each facing
//
//	create blob     size  field
//	any             1     Condition
//	                n     Parts, one for each child
//	powered         1     Power, percent; negative if Off
//	reactor         1+1   MainBattery, BackupBattery
//	shield          6     Parts, one for each facing
//	weapon                Flag, packed
//	phaser          1     Mode, an opcode.PhaserLevel
//	torpedo         1     Mode, the index of the loaded type
//	tractor         1     Mode, an opcode.TractorMode
//	cloak                 Cloaked, packed, if HasCloak
//
// Evidence: observed. Cloaked is inferred; no capture has a cloaking device in a blob.
//
// # Blocks of OpenBC
//
// OpenBC servers send another form. A block begins a bit group, although the HasHash of a position
// has begun one. A shield generator has only its Condition. A hull, a reactor or a shield generator
// ends the bit group, so that the next HasPower begins a new one.
//
// A block has this form if it is malformed in the form of the game, fits this form exactly, and
// follows all rules of OpenBC:
//
//   - Either all subsystems have power, or none has. No power exceeds 125 %, the maximum of the game's sliders.
//   - A block has at least two subsystems. It ends with the one that fills ten bytes, StartIndex
//     included.
//
// A block that follows an open bit group without further bools may also have the form of the game
// except for the first HasPower, which begins a bit group. Such a block needs to follow no other rule, because
// no block of the game has this form, not even a truncated one.
//
// Evidence: observed, in matches on an OpenBC server of February 2026.
type Status struct {
	Subsystem *Subsystem // nil only in the zero value
	Index     uint8      // in Class.Subsystems

	Condition     Level
	Parts         Levels // of Subsystem.Children; of a shield generator, by ShieldFace
	HasPower      bool   // false in a block for the owner of the ship
	Power         Power
	MainBattery   Level
	BackupBattery Level
	// OpenBC reports that the status has the form of OpenBC. The status then begins
	// a bit group, or is that of a shield generator, which then has neither power nor Parts.
	OpenBC bool

	Off bool // in create blobs, and set by SubsystemStatus: Power applies when the subsystem is switched on

	// In create blobs only:
	Flag     bool // unknown meaning, false in all captures
	Mode     uint8
	HasCloak bool // the blob has Cloaked
	Cloaked  bool
}

// Points returns the remaining condition in points, or 0 if the capacity is unknown or s is nil.
func (s *Status) Points() float32 {
	if s == nil || s.Subsystem == nil {
		return 0
	}
	return s.Condition.Fraction() * s.Subsystem.MaxCondition
}

// String returns the state in one line: "Shield Generator 100% power 100% facings
// 100/100/98/100/100/100%". The zero value gives "no subsystem".
func (s Status) String() string {
	if s.Subsystem == nil {
		return "no subsystem"
	}
	kind := s.Subsystem.Kind
	b := append(make([]byte, 0, 128), s.Subsystem.Name...)
	b = append(append(b, ' '), s.Condition.String()...)
	if kind.Powered() && s.HasPower {
		b = append(append(b, " power "...), s.Power.String()...)
	}
	if s.Off {
		b = append(b, " off"...)
	}
	switch {
	case kind == KindReactor:
		b = append(append(b, " main "...), s.MainBattery.String()...)
		b = append(append(b, " backup "...), s.BackupBattery.String()...)
	case kind == KindShield && (!s.OpenBC || len(s.Parts) > 0):
		b = s.Parts.append(append(b, " facings "...))
	case len(s.Parts) > 0:
		b = s.Parts.append(append(b, " children "...))
	}
	b = append(b, s.mode()...)
	if s.Flag {
		b = append(b, " flag"...)
	}
	if s.Cloaked {
		b = append(b, " cloaked"...)
	}
	return string(b)
}

// mode returns the mode of a weapon as text, with a space before it.
func (s *Status) mode() string {
	switch {
	case s.Mode == 0:
		return ""
	case s.Subsystem.Kind == KindPhaser:
		return " level " + opcode.PhaserLevel(s.Mode).String()
	case s.Subsystem.Kind == KindTractor:
		return " mode " + opcode.TractorMode(s.Mode).String()
	case s.Subsystem.Kind == KindTorpedo:
		return " type " + strconv.Itoa(int(s.Mode))
	}
	return ""
}

// walk encodes or decodes the fields of a block. A bare shield generator has only its Condition.
func (s *Status) walk(c *stream.Codec, bare bool) {
	if s.OpenBC {
		c.CloseBits()
	}
	if bare {
		c.Group(s.Subsystem.Name)
		s.walkCondition(c)
		c.End()
		return
	}
	s.walkBlock(c)
}

// walkBlock encodes or decodes the fields of a block of the game.
func (s *Status) walkBlock(c *stream.Codec) {
	c.Group(s.Subsystem.Name)
	s.walkCondition(c)
	if s.Subsystem.Kind.Powered() {
		c.Field("HasPower").Bool(&s.HasPower)
		if s.HasPower {
			s.walkPower(c)
		}
	}
	s.walkStores(c)
	c.End()
}

// walkCreate encodes or decodes the fields of a create blob.
func (s *Status) walkCreate(c *stream.Codec, cloak bool) {
	c.Group(s.Subsystem.Name)
	s.walkCondition(c)
	kind := s.Subsystem.Kind
	if kind.Powered() {
		if c.Decoding() {
			s.HasPower = true
		}
		s.walkSignedPower(c)
	}
	s.walkStores(c)
	if kind.weapon() {
		c.Field("Flag").Bool(&s.Flag)
	}
	if kind.hasMode() {
		c.Field("Mode").Uint8(&s.Mode)
	}
	if kind == KindCloak && cloak {
		c.Field("Cloaked").Bool(&s.Cloaked)
	}
	c.End()
}

func (s *Status) walkCondition(c *stream.Codec) {
	c.Field("Condition").Uint8((*uint8)(&s.Condition))
	stream.Show(c, s.Condition)
	if n := len(s.Subsystem.Children); n > 0 {
		c.Field("Children").Slice((*[]byte)(&s.Parts), n)
		stream.ShowBytes(c, s.Parts)
	}
}

func (s *Status) walkPower(c *stream.Codec) {
	raw := s.Power.Percent()
	c.Field("Power").Uint8(&raw)
	switch {
	case c.Decoding():
		s.Power = powerPercent(raw)
	case s.Power > 256*percent-1:
		c.Fail(stream.ErrRange)
	}
	stream.Show(c, s.Power)
}

// walkSignedPower is like walkPower, with a negative byte for a subsystem that is off.
func (s *Status) walkSignedPower(c *stream.Codec) {
	want := int(s.Power / percent)
	if s.Off {
		want = -want
	}
	raw := int8(want)
	c.Field("Power").Int8(&raw)
	switch {
	case c.Decoding():
		s.Off = raw < 0
		s.Power = powerPercent(uint8(max(raw, -raw)))
	case int(raw) != want:
		c.Fail(stream.ErrRange)
	}
	stream.Show(c, signedPower(raw))
}

func (s *Status) walkStores(c *stream.Codec) {
	switch s.Subsystem.Kind {
	case KindReactor:
		c.Field("MainBattery").Uint8((*uint8)(&s.MainBattery))
		stream.Show(c, s.MainBattery)
		c.Field("BackupBattery").Uint8((*uint8)(&s.BackupBattery))
		stream.Show(c, s.BackupBattery)
	case KindShield:
		c.Field("Facings").Slice((*[]byte)(&s.Parts), facings)
		stream.ShowBytes(c, s.Parts)
	}
}

// facings is the number of shield facings.
const facings = 6

// Level is the remaining part of a condition, a shield facing or a battery, in 255ths of its
// capacity. The game truncates when it encodes a level.
type Level uint8

// full is the level of an undamaged part.
const full Level = 255

// LevelOf returns the level of a fraction. A fraction below 0 or NaN gives 0, and a fraction
// above 1 gives 255. LevelOf(l.Fraction()) is l.
func LevelOf(fraction float32) Level {
	switch {
	case !(fraction > 0):
		return 0
	case fraction >= 1:
		return full
	}
	return Level(fraction * 255)
}

// Fraction returns the level as a fraction from 0 to 1.
func (l Level) Fraction() float32 { return float32(l) / 255 }

// String returns the nearest whole percentage, "37%". Only level 255 gives "100%", and only level
// 0 gives "0%".
func (l Level) String() string { return strconv.Itoa(l.percentage()) + "%" }

func (l Level) percentage() int {
	if l == 0 || l == full {
		return int(l) * 100 / 255
	}
	return min(max((200*int(l)+255)/510, 1), 99)
}

// Levels is a list of levels, one byte each.
type Levels []byte

// String returns "100/94/0%".
func (l Levels) String() string {
	var memory [64]byte
	return string(l.append(memory[:0]))
}

func (l Levels) append(b []byte) []byte {
	if len(l) == 0 {
		return b
	}
	for i := range l {
		if i > 0 {
			b = append(b, '/')
		}
		b = strconv.AppendInt(b, int64(Level(l[i]).percentage()), 10)
	}
	return append(b, '%')
}

// Power is a power setting in 5100ths of normal power. The maximum of the game's sliders is 125 %. 5100 is a multiple
// of 100 and 204, so both units of the wire are exact: percent in blocks and create blobs, 204ths in power settings.
type Power uint16

const (
	percent   = 51 // 5100 / 100
	setting   = 25 // 5100 / 204
	fullPower = 100 * Power(percent)
	maxPower  = 125 * Power(percent) // of the game's sliders
)

// powerPercent returns the power of a percent byte in a block.
func powerPercent(raw uint8) Power { return Power(raw) * percent }

// PowerSetting returns the power of a Value in an [opcode.PowerEntry].
func PowerSetting(raw uint8) Power { return Power(raw) * setting }

// Percent returns the percent byte for a block, truncated as in the game, at most 255.
func (p Power) Percent() uint8 { return uint8(min(p/percent, 255)) }

// setting returns the Value for an [opcode.PowerEntry], truncated as in the game, at most 255.
func (p Power) setting() uint8 { return uint8(min(p/setting, 255)) }

// String returns the nearest whole percentage, "100%".
func (p Power) String() string { return strconv.Itoa((int(p)+percent/2)/percent) + "%" }

// signedPower is the power byte of a create blob in percent, for dissections. It is negative
// if the subsystem is off.
type signedPower int8

// String returns "100%", or "100% off".
func (p signedPower) String() string {
	if p < 0 {
		return fmt.Sprintf("%d%% off", -int(p))
	}
	return fmt.Sprintf("%d%%", p)
}
