package recording

// MaxRecent is the number of addresses after which a Writer forgets silent ones.
const MaxRecent = maxRecent

// Canonical reads a line without encoding/json, if it can.
func Canonical(line []byte) (d Datagram, ok bool) {
	ok = new(reader).canonical(line, &d)
	return d, ok
}

// Remembered returns the number of addresses that a Writer remembers.
func (w *Writer) Remembered() int { return len(w.numbers.recent) + len(w.numbers.earlier) }
