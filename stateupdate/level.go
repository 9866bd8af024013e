package stateupdate

import (
	"fmt"
	"strconv"
)

// Level is the remaining part of a condition, a shield facing or a battery, in 255ths of its
// capacity. The game truncates when it encodes a level.
type Level uint8

// Full is the level of an undamaged part.
const Full Level = 255

// LevelOf returns the level of a fraction. A fraction below 0 or NaN gives 0, and a fraction
// above 1 gives [Full]. LevelOf(l.Fraction()) is l.
func LevelOf(fraction float32) Level { return Level(truncate(fraction, 255, 255)) }

// Fraction returns the level as a fraction from 0 to 1.
func (l Level) Fraction() float32 { return float32(l) / 255 }

// Points returns the remaining points of a capacity.
func (l Level) Points(capacity float32) float32 { return l.Fraction() * capacity }

// String returns the nearest whole percentage, "37%". Only [Full] gives "100%", and only level
// 0 gives "0%".
func (l Level) String() string { return strconv.Itoa(l.percentage()) + "%" }

func (l Level) percentage() int {
	if l == 0 || l == Full {
		return int(l) * 100 / 255
	}
	return min(max((200*int(l)+255)/510, 1), 99)
}

// Levels is a list of levels, one byte each.
type Levels []byte

// At returns the i-th level, or 0 if there is none.
func (l Levels) At(i int) Level {
	if i < 0 || i >= len(l) {
		return 0
	}
	return Level(l[i])
}

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

// Power is a power setting in 5100ths of normal power. 5100 is a multiple of 100 and 204, so both
// units of the wire are exact: percent in blocks and create blobs, 204ths in power settings.
type Power uint16

// Common values of a [Power].
const (
	percent   = 51                   // 5100 / 100
	setting   = 25                   // 5100 / 204
	FullPower = 100 * Power(percent) // 5100
	MaxPower  = 125 * Power(percent) // 6375, the maximum of the game's sliders
)

// PowerOf returns the power of a fraction of normal power. A fraction below 0 or NaN gives 0,
// and a fraction above 2.55 gives 2.55.
func PowerOf(fraction float32) Power { return Power(truncate(fraction, 5100, 255*percent)) }

// PowerPercent returns the power of a percent byte in a block.
func PowerPercent(raw uint8) Power { return Power(raw) * percent }

// PowerSetting returns the power of a Value in an [opcode.PowerEntry].
func PowerSetting(raw uint8) Power { return Power(raw) * setting }

// Fraction returns the fraction of normal power.
func (p Power) Fraction() float32 { return float32(p) / 5100 }

// Percent returns the percent byte for a block, truncated as in the game, at most 255.
func (p Power) Percent() uint8 { return uint8(min(p/percent, 255)) }

// Setting returns the Value for an [opcode.PowerEntry], truncated as in the game, at most 255.
func (p Power) Setting() uint8 { return uint8(min(p/setting, 255)) }

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

// truncate returns the code of a fraction in steps. If a code represents the fraction exactly,
// truncate returns that code, although the product with steps may be slightly below it.
func truncate(fraction, steps float32, most int) int {
	scaled := float32(fraction * steps)
	if !(scaled > 0) {
		return 0
	}
	if scaled >= float32(most) {
		return most
	}
	code := int(scaled)
	if float32(code+1)/steps == fraction {
		code++
	}
	return code
}
