package stateupdate

import (
	"fmt"
	"strconv"
)

// Level is the remaining part of a condition, a shield facing or a battery, in 255ths of its
// capacity. The game truncates when it encodes a level.
type Level uint8

// full is the level of an undamaged part.
const full Level = 255

// LevelOf returns the level of a fraction. A fraction below 0 or NaN gives 0, and a fraction
// above 1 gives 255. LevelOf(l.Fraction()) is l, although the product with 255 may be slightly below
// l.
func LevelOf(fraction float32) Level {
	switch {
	case !(fraction > 0):
		return 0
	case fraction >= 1:
		return full
	}
	l := Level(fraction * 255)
	if (l + 1).Fraction() == fraction {
		l++
	}
	return l
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

// Power is a power setting in 5100ths of normal power. The maximum of the game's sliders is 125 %. 5100 is a multiple of 100 and 204, so both
// units of the wire are exact: percent in blocks and create blobs, 204ths in power settings.
type Power uint16

const (
	percent   = 51 // 5100 / 100
	setting   = 25 // 5100 / 204
	fullPower = 100 * Power(percent)
	maxPower  = 125 * Power(percent) // of the game's sliders
)

// PowerPercent returns the power of a percent byte in a block.
func PowerPercent(raw uint8) Power { return Power(raw) * percent }

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
