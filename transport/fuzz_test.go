package transport_test

import (
	"bytes"
	"io"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/transport"
)

func FuzzDatagram(f *testing.F) {
	for _, d := range append(stock(f), allHeaders) {
		f.Add(d)
	}
	for _, d := range [][]byte{
		from(1, "32 03 80", ackWire, "32 05 20 01 55", "04 04 C0 01", "33"),
		from(1, "32 9C A1 02 00 00 03 21 02"),
		from(1, "02 03 00", "00 02", "06 02", "01 05 00 80"),
		[]byte(`\status\`),
	} {
		f.Add(d)
	}
	f.Fuzz(func(t *testing.T, d []byte) {
		requireDissected(t, d)
		if transport.IsGameSpy(d) {
			require.Equal(t, []result{{err: transport.ErrGameSpy}}, readAll(d))
			return
		}
		results := readAll(d)
		var good []transport.Message
		var bad []*transport.Error
		offset, known := 2, true
		for i, r := range results {
			require.Equal(t, len(r.m.Body), cap(r.m.Body), "appending to it would write into the next message")
			if r.err != nil {
				e := r.err.(*transport.Error)
				require.Equal(t, i, e.Index)
				require.LessOrEqual(t, e.Offset, len(d))
				require.Equal(t, r.m.Type, e.Type)
				require.Contains(t, []error{
					io.ErrUnexpectedEOF, transport.ErrBadLength, transport.ErrBadFragment, transport.ErrUnknownType,
				}, e.Err)
				bad = append(bad, e)
				known = false
				continue
			}
			if known {
				again, err := r.m.AppendBinary(nil)
				require.NoError(t, err)
				require.Equal(t, d[offset:offset+r.m.Len()], again)
				if body, err := r.m.Decode(); err == nil {
					m := transport.NewMessage(r.m.Seq, body)
					require.True(t, bytes.Equal(r.m.Body, m.Body))
					require.True(t, m.HighPriority != r.m.HighPriority || same(r.m, m))
				}
			}
			offset += r.m.Len()
			good = append(good, r.m)
			requireOneLine(t, r.m.String())
		}

		p := transport.Packet{Messages: make([]transport.Message, 1), Trailing: []byte("stale")}
		err := p.UnmarshalBinary(d)
		require.Equal(t, bad, errorsOf(err))
		require.True(t, slices.EqualFunc(good, p.Messages, same))
		if err != nil {
			require.Nil(t, p.Trailing)
			return
		}
		require.Equal(t, len(d), offset+len(p.Trailing))
		again, err := p.AppendBinary([]byte("before"))
		require.NoError(t, err)
		require.Equal(t, "before"+string(d), string(again))
	})
}

// requireOneLine checks that a text fits into a line of a log.
func requireOneLine(t *testing.T, text string) {
	require.NotEmpty(t, text)
	require.Less(t, len(text), 400)
	require.Equal(t, -1, strings.IndexFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }), "%q", text)
}

// same compares messages; bodies that are empty are the same.
func same(a, b transport.Message) bool {
	bodies := bytes.Equal(a.Body, b.Body)
	a.Body, b.Body = nil, nil
	return bodies && reflect.DeepEqual(a, b)
}

// model is a simple, slow Reassembler. It stores all sequence numbers, without wrapping them.
type model struct {
	maxPayloads, maxBytes int
	maxAge                time.Duration

	partial []*modelPayload // in the order of their first fragments
	newest  int64           // the sequence number, not wrapped
	done    map[int64]bool
}

type modelPayload struct {
	seq       uint16
	since     time.Time
	fragments map[int]string
	total     int
}

// unwrapped returns the unwrapped number that is nearest to the newest, for a sequence number.
func (o *model) unwrapped(seq uint16) int64 { return o.newest + int64(int16(seq-uint16(o.newest))) }

func (o *model) finish(seq uint16) {
	n := o.unwrapped(seq)
	if o.done == nil {
		o.done = map[int64]bool{}
		n = int64(seq)
		o.newest = n
	}
	o.done[n] = true
	o.newest = max(o.newest, n)
}

func (o *model) pending() (payloads, bytes int) {
	for _, s := range o.partial {
		for _, p := range s.fragments {
			bytes += len(p)
		}
	}
	return len(o.partial), bytes
}

func (o *model) drop(s *modelPayload) {
	o.partial = slices.DeleteFunc(o.partial, func(x *modelPayload) bool { return x == s })
}

func (o *model) add(now time.Time, m transport.Message) (string, transport.Verdict) {
	if !m.Reliable {
		if m.Fragment {
			return "", transport.VerdictRefused
		}
		return string(m.Body), transport.VerdictComplete
	}
	if n := o.unwrapped(m.Seq); o.done[n] && n <= o.newest {
		return "", transport.VerdictDuplicate
	}
	var s *modelPayload
	for _, x := range o.partial {
		if x.seq == m.Seq {
			s = x
		}
	}
	if !m.Fragment {
		if s != nil {
			return "", transport.VerdictDuplicate
		}
		o.finish(m.Seq)
		return string(m.Body), transport.VerdictComplete
	}
	payloads, bytes := o.pending()
	if s == nil {
		if payloads >= o.maxPayloads {
			return "", transport.VerdictDropped
		}
		s = &modelPayload{seq: m.Seq, since: now, fragments: map[int]string{}}
	}

	index := int(m.FragIndex)
	old, have := s.fragments[index]
	total := s.total
	if index == 0 {
		total = int(m.FragTotal)
	}
	contradiction := index == 255 || index == 0 && total == 0 ||
		s.total != 0 && total != s.total || index == 0 && have && old != string(m.Body)
	for i := range s.fragments {
		contradiction = contradiction || total != 0 && i >= total
	}
	if contradiction || total != 0 && index >= total {
		if len(s.fragments) == 0 {
			return "", transport.VerdictRefused
		}
		o.drop(s)
		return "", transport.VerdictDiscarded
	}
	if have {
		return "", transport.VerdictDuplicate
	}
	if bytes+len(m.Body) > o.maxBytes {
		return "", transport.VerdictDropped
	}
	if len(s.fragments) == 0 {
		o.partial = append(o.partial, s)
	}
	s.fragments[index], s.total = string(m.Body), total
	var payload strings.Builder
	for i := range total {
		p, ok := s.fragments[i]
		if !ok {
			return "", transport.VerdictStored
		}
		payload.WriteString(p)
	}
	if total == 0 {
		return "", transport.VerdictStored
	}
	o.drop(s)
	o.finish(m.Seq)
	return payload.String(), transport.VerdictComplete
}

func (o *model) expire(now time.Time) (seqs []uint16) {
	for _, s := range slices.Clone(o.partial) {
		if now.Sub(s.since) > o.maxAge {
			seqs = append(seqs, s.seq)
			o.drop(s)
		}
	}
	return seqs
}

// FuzzReassembler reads instructions of five bytes: operation, sequence number, index, total,
// length. The fragments go to a Reassembler and to the model.
func FuzzReassembler(f *testing.F) {
	f.Add([]byte{0, 1, 0, 3, 9, 0, 1, 2, 0, 9, 0, 1, 1, 0, 9, 0, 1, 1, 0, 9})    // in any order, one twice
	f.Add([]byte{0, 1, 0, 3, 9, 0, 1, 0, 4, 9, 0, 1, 5, 0, 9, 0, 1, 0, 5, 9})    // contradictions
	f.Add([]byte{0, 1, 1, 0, 9, 0, 2, 1, 0, 9, 0, 3, 1, 0, 9, 0, 4, 1, 0, 9})    // too many partial payloads
	f.Add([]byte{0, 1, 1, 0, 200, 0, 2, 1, 0, 200, 0, 1, 2, 0, 200, 0, 1, 0, 3}) // too many bytes
	f.Add([]byte{4, 1, 0, 0, 9, 0, 1, 0, 1, 9, 0, 2, 1, 0, 9, 4, 2, 0, 0, 9})    // whole and in fragments
	f.Add([]byte{0, 1, 1, 0, 9, 6, 9, 0, 0, 0, 0, 2, 1, 0, 9, 6, 99, 0, 0, 0})   // too old, the first of two
	f.Add([]byte{4, 9, 0, 0, 1, 7, 127, 255, 0, 0, 4, 9, 0, 0, 1, 7, 127, 255, 0, 0, 4, 9, 0, 0, 1})
	f.Fuzz(func(t *testing.T, program []byte) {
		r := new(transport.Reassembler).Limit(3, 500, 100*time.Second)
		o := model{maxPayloads: 3, maxBytes: 500, maxAge: 100 * time.Second}
		now, base := start, uint16(0)
		for ; len(program) >= 5; program = program[5:] {
			op := program[:5]
			m := transport.Message{
				Type: transport.TypeData, Reliable: true, Fragment: true,
				Seq: base + uint16(op[1]%8), FragIndex: op[2], FragTotal: op[3],
				Body: bytes.Repeat(op[4:5], int(op[4])),
			}
			switch op[0] % 8 {
			case 0, 1, 2:
			case 3: // a small payload, which may well get complete
				m.FragIndex %= 4
				m.FragTotal = 1 + m.FragTotal%4
			case 4:
				m.Fragment = false
			case 5:
				m.Reliable, m.Fragment = false, m.FragIndex%2 == 0
			case 6:
				now = now.Add(time.Duration(int8(op[1])) * time.Second)
				require.Equal(t, o.expire(now), r.Expire(now))
				continue
			case 7: // the number moves on, by less than half a round
				base += uint16(op[1]&0x7F)<<8 | uint16(op[2])
				continue
			}
			want, verdict := o.add(now, m)
			got, v := add(t, r, now, m)
			require.Equal(t, verdict, v, "%+v is %v", m, v)
			require.Equal(t, want, string(got))
			partial, size := o.pending()
			payloads, bytes := r.Pending()
			require.Equal(t, []int{partial, size}, []int{payloads, bytes})
			require.True(t, payloads <= 3 && bytes <= 500)
		}
	})
}
