package stateupdate

import "github.com/bcwire/bcwire/stream"

// walkBlock goes through the fields of a block, named within the subsystem.
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

// walkCreate goes through the fields of a create blob, likewise.
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
	if kind.Weapon() {
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
		stream.Show(c, s.Parts)
	}
}

func (s *Status) walkPower(c *stream.Codec) {
	raw := s.Power.Percent()
	c.Field("Power").Uint8(&raw)
	switch {
	case c.Decoding():
		s.Power = PowerPercent(raw)
	case s.Power > 256*percent-1:
		c.Fail(stream.ErrRange)
	}
	stream.Show(c, s.Power)
}

// walkSignedPower is walkPower where a negative number says that the subsystem is off.
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
		s.Power = PowerPercent(uint8(max(raw, -raw)))
	case int(raw) != want:
		c.Fail(stream.ErrRange)
	}
	stream.Show(c, SignedPower(raw))
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
		stream.Show(c, s.Parts)
	}
}

// facings is how many a shield has.
const facings = 6
