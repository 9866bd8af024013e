package transport

// window remembers which sequence numbers are done, out of the newest and the 32,768
// before it.
type window struct {
	bits   *[1 << 16 / 64]uint64
	newest uint16
}

func (w *window) has(seq uint16) bool {
	return w.bits != nil && int16(seq-w.newest) <= 0 && w.bits[seq/64]>>(seq%64)&1 != 0
}

func (w *window) add(seq uint16) {
	if w.bits == nil {
		w.bits = new([1 << 16 / 64]uint64)
		w.newest = seq
	}
	for ahead := int16(seq - w.newest); ahead > 0; ahead = int16(seq - w.newest) {
		// What the new numbers did before the wrap is long past.
		if w.newest++; w.newest%64 == 0 && ahead >= 64 {
			w.bits[w.newest/64] = 0
			w.newest += 63
		} else {
			w.bits[w.newest/64] &^= 1 << (w.newest % 64)
		}
	}
	w.bits[seq/64] |= 1 << (seq % 64)
}
