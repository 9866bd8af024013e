package transport

// What the stock game fragments, and how.
const (
	// MaxUnfragmented is the length of the largest Data message that is not split.
	MaxUnfragmented = 412
	// MaxUnfragmentedPayload is the length of the largest payload of a reliable one: 407
	// bytes.
	MaxUnfragmentedPayload = MaxUnfragmented - 5
	// MaxFragments is the largest number of pieces of a payload.
	MaxFragments = 255
	// MaxPayload is the length of the largest payload that can be sent: 103,529 bytes.
	MaxPayload = firstPiece + (MaxFragments-1)*nextPiece

	firstPiece = MaxUnfragmented - 7 // with the index and the total
	nextPiece  = MaxUnfragmented - 6 // with the index

	wholeUnreliable = MaxUnfragmented - 3
)

// AppendFragments appends to dst the reliable messages that carry a payload: one, or the
// fewest pieces if it is longer than
// [MaxUnfragmentedPayload]. All pieces have the same sequence number;
// they alias the payload. It fails with [ErrTooLong] for more than [MaxPayload] bytes.
func AppendFragments(dst []Message, seq uint16, payload []byte) ([]Message, error) {
	if len(payload) <= MaxUnfragmentedPayload {
		return append(dst, NewData(seq, payload)), nil
	}
	if len(payload) > MaxPayload {
		return dst, alone(TypeData, ErrTooLong)
	}
	total := 1 + (len(payload)-firstPiece+nextPiece-1)/nextPiece
	for i, size := 0, firstPiece; i < total; i, size = i+1, nextPiece {
		m := NewData(seq, payload[:min(size, len(payload))])
		payload = payload[len(m.Body):]
		m.Fragment = true
		m.FragIndex = uint8(i)
		if i == 0 {
			m.FragTotal = uint8(total)
		}
		dst = append(dst, m)
	}
	return dst, nil
}
