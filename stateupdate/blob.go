package stateupdate

import (
	"iter"

	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stream"
)

// created iterates over the subsystems of a create blob, as [Class.Block] does over those of a StateUpdate. The offset of
// an error is that in the blob.
func (c *Class) created(raw []byte) iter.Seq2[Status, error] {
	return func(yield func(Status, error) bool) {
		w := new(stream.Codec)
		cloak := c.cloakBools(w, raw)
		if c.blob(w, raw, cloak, yield) {
			err := w.Decode(raw, -1, blobName, func(w *stream.Codec) { c.walkBlob(w, cloak) })
			yield(Status{}, err)
		}
	}
}

// AppendStatuses appends the subsystems in a StateUpdate, an ObjectCreate or an ObjectCreateTeam of a ship of this
// class to dst. Other messages have none. The Parts of a Status alias the message. With an error, which is as in
// [Class.Block], AppendStatuses appends the subsystems before the error. Its offset is that in the create blob of a
// creation.
func (c *Class) AppendStatuses(dst []Status, m opcode.Message) (_ []Status, err error) {
	each := func(s Status, failed error) bool {
		if err = failed; err == nil {
			dst = append(dst, s)
		}
		return err == nil
	}
	switch m := m.(type) {
	case *opcode.StateUpdate:
		c.Block(m)(each)
	case *opcode.ObjectCreateTeam:
		c.created(m.SubsystemsRaw)(each)
	case *opcode.ObjectCreate:
		c.created(m.SubsystemsRaw)(each)
	}
	return dst, err
}

const blobName = "stateupdate.Blob"

// cloakBools reports whether a blob has the bools of cloaking devices. They share a byte with
// the bools of weapons, and no field indicates their presence. With the wrong form, decoding
// fails before the end or leaves bools.
func (c *Class) cloakBools(w *stream.Codec, raw []byte) bool {
	return c.canCloak() && c.fits(w, raw, true) >= c.fits(w, raw, false)
}

// fits returns the number of valid statuses in a blob, plus one if the whole blob is valid.
func (c *Class) fits(w *stream.Codec, raw []byte, cloak bool) (n int) {
	wrong := c.blob(w, raw, cloak, func(Status, error) bool {
		n++
		return true
	})
	if !wrong {
		n++
	}
	return n
}

// blob passes the statuses of a blob to yield and reports whether the blob is malformed.
func (c *Class) blob(w *stream.Codec, raw []byte, cloak bool, yield func(Status, error) bool) bool {
	more := true
	fits := w.Fits(raw, -1, func(w *stream.Codec) {
		for i := range c.Subsystems {
			s := c.createdStatus(i, cloak)
			s.walkCreate(w, cloak)
			if w.Offset() > len(raw) { // the walk has failed
				return
			}
			if more = yield(s, nil); !more {
				return
			}
		}
	})
	return more && !fits
}

func (c *Class) createdStatus(i int, cloak bool) Status {
	sub := &c.Subsystems[i]
	return Status{Index: uint8(i), Subsystem: sub, HasCloak: cloak && sub.Kind == KindCloak}
}

// walkBlob decodes a blob.
func (c *Class) walkBlob(w *stream.Codec, cloak bool) {
	for i := range c.Subsystems {
		s := c.createdStatus(i, cloak)
		s.walkCreate(w, cloak)
	}
}

// first returns the index of the first status, or 0.
func first(all []Status) uint8 {
	if len(all) == 0 {
		return 0
	}
	return all[0].Index
}

// AppendBlob appends the create blob of a ship of this class to dst. It needs one [Status] for
// each element of c.Subsystems, in order; otherwise the error wraps [ErrOrder]. On error,
// AppendBlob returns dst unchanged.
func (c *Class) AppendBlob(dst []byte, all []Status) ([]byte, error) {
	if len(all) != len(c.Subsystems) || len(all) > 0 && all[0].Index != 0 {
		return dst, errOrder("%d statuses from index %d, but the class has %d subsystems", len(all), first(all), len(c.Subsystems))
	}
	if err := c.consecutive(all); err != nil {
		return dst, err
	}
	return new(stream.Codec).Append(dst, -1, blobName, func(w *stream.Codec) {
		for i := range all {
			all[i].walkCreate(w, all[i].HasCloak)
		}
	})
}
