package transport_test

import (
	"bytes"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/bcwire/bcwire/stream"
	"github.com/bcwire/bcwire/testdata"
	"github.com/bcwire/bcwire/transport"
)

// numbered returns a payload whose fragments all differ.
func numbered(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(i ^ i>>8*7)
	}
	return b
}

// Every length around the limits is compared with the simplest rule: a payload that does not fit
// one message is split after 405 bytes, and then every 406 bytes.
func TestAppendFragments(t *testing.T) {
	lengths := []int{}
	for n := range 3*412 + 1 {
		lengths = append(lengths, n)
	}
	for fragments := 4; fragments <= 255; fragments += 25 {
		last := 405 + (fragments-1)*406
		lengths = append(lengths, last-1, last, last+1)
	}
	lengths = append(lengths, transport.MaxPayload-406, transport.MaxPayload-405, transport.MaxPayload-1, transport.MaxPayload)
	for _, n := range lengths {
		if n > transport.MaxPayload {
			continue
		}
		payload := numbered(n)
		want := []int{n}
		if n > 407 {
			want = []int{405}
			for rest := n - 405; rest > 0; rest -= 406 {
				want = append(want, min(rest, 406))
			}
		}
		before := transport.NewUnreliable(nil)
		all, err := transport.AppendFragments([]transport.Message{before}, 0x1234, payload)
		require.NoError(t, err)
		require.Len(t, all, 1+len(want), "%d bytes", n)
		require.Equal(t, before, all[0])
		var joined []byte
		for i, m := range all[1:] {
			wire, err := m.AppendBinary(nil)
			require.NoError(t, err)
			require.LessOrEqual(t, len(wire), transport.MaxUnfragmented)
			require.Len(t, m.Body, want[i])
			if len(want) == 1 {
				require.Equal(t, transport.NewData(0x1234, payload), m)
			} else {
				require.Equal(t, []any{transport.TypeData, true, true, false, uint16(0x1234), uint8(i)},
					[]any{m.Type, m.Reliable, m.Fragment, m.HighPriority, m.Seq, m.FragIndex})
			}
			if i == 0 && len(want) > 1 {
				require.Equal(t, uint8(len(want)), m.FragTotal)
			} else {
				require.Zero(t, m.FragTotal)
			}
			joined = append(joined, m.Body...)
		}
		require.True(t, bytes.Equal(payload, joined), "%d bytes", n)
	}
	all, err := transport.AppendFragments(make([]transport.Message, 2), 0, make([]byte, transport.MaxPayload+1))
	require.ErrorIs(t, err, stream.ErrTooLong)
	require.Len(t, all, 2)
}

// The checksum response of the captures.
func TestAppendFragments832(t *testing.T) {
	all := fragments(2, numbered(832))
	require.Equal(t, []int{405, 406, 21}, []int{len(all[0].Body), len(all[1].Body), len(all[2].Body)})
	require.Equal(t, []int{412, 412, 27}, []int{all[0].Len(), all[1].Len(), all[2].Len()})
	wire, err := all[0].AppendBinary(nil)
	require.NoError(t, err)
	require.Equal(t, vectorHex(t, "checksum-response-2-fragment-0-head")[:7], wire[:7])
	wire, err = (&transport.Packet{Messages: all[1:]}).MarshalBinary()
	require.NoError(t, err)
	require.Len(t, wire, 441)
}

func fragments(seq uint16, payload []byte) []transport.Message {
	all, err := transport.AppendFragments(nil, seq, payload)
	if err != nil {
		panic(err)
	}
	return all
}

func newFragment(seq uint16, index, total uint8, body string) transport.Message {
	return transport.Message{
		Type: transport.TypeData, Reliable: true, Fragment: true,
		Seq: seq, FragIndex: index, FragTotal: total, Body: []byte(body),
	}
}

// step is a message and its expected result.
type step struct {
	m       transport.Message
	verdict transport.Verdict
	payload string
}

// add adds a message and checks what is true of every verdict.
func add(t require.TestingT, r *transport.Reassembler, now time.Time, m transport.Message) ([]byte, transport.Verdict) {
	payload, v, err := r.Add(now, &m)
	switch v {
	case transport.VerdictDropped:
		require.ErrorIs(t, err, transport.ErrLimit)
	case transport.VerdictRefused, transport.VerdictDiscarded:
		require.ErrorIs(t, err, transport.ErrBadFragment)
		require.EqualError(t, err, "transport: Data: bad fragment")
	default:
		require.NoError(t, err)
	}
	if v != transport.VerdictComplete {
		require.Nil(t, payload)
	}
	return payload, v
}

func TestReassembler(t *testing.T) {
	const (
		complete  = transport.VerdictComplete
		stored    = transport.VerdictStored
		duplicate = transport.VerdictDuplicate
		refused   = transport.VerdictRefused
		discarded = transport.VerdictDiscarded
	)
	for _, v := range []struct {
		name            string
		steps           []step
		payloads, bytes int // left
	}{
		{"in order", []step{
			{newFragment(7, 0, 3, "ab"), stored, ""}, {newFragment(7, 1, 0, "cd"), stored, ""}, {newFragment(7, 2, 0, "e"), complete, "abcde"},
		}, 0, 0},
		{"total last", []step{
			{newFragment(7, 2, 0, "e"), stored, ""}, {newFragment(7, 1, 0, "cd"), stored, ""}, {newFragment(7, 0, 3, "ab"), complete, "abcde"},
		}, 0, 0},
		{"total in the middle", []step{
			{newFragment(7, 1, 0, "cd"), stored, ""}, {newFragment(7, 0, 3, "ab"), stored, ""}, {newFragment(7, 2, 0, "e"), complete, "abcde"},
		}, 0, 0},
		{"two at a time", []step{
			{newFragment(8, 1, 0, "8"), stored, ""},
			{newFragment(7, 1, 0, "7"), stored, ""},
			{newFragment(8, 0, 2, "eight"), complete, "eight8"},
			{newFragment(7, 0, 2, "seven"), complete, "seven7"},
		}, 0, 0},
		{"same fragment twice", []step{
			{newFragment(7, 1, 0, "cd"), stored, ""},
			{newFragment(7, 1, 0, "cd"), duplicate, ""},
			{newFragment(7, 0, 3, "ab"), stored, ""},
			{newFragment(7, 0, 3, "ab"), duplicate, ""},
			{newFragment(7, 1, 0, "cd"), duplicate, ""},
		}, 1, 4},
		{"same index with another content", []step{
			{newFragment(7, 1, 0, "cd"), stored, ""}, {newFragment(7, 1, 0, "xyz"), duplicate, ""}, {newFragment(7, 0, 2, "ab"), complete, "abcd"},
		}, 0, 0},
		{"already delivered", []step{
			{newFragment(7, 0, 2, "ab"), stored, ""},
			{newFragment(7, 1, 0, "cd"), complete, "abcd"},
			{newFragment(7, 0, 2, "ab"), duplicate, ""},
			{newFragment(7, 1, 0, "cd"), duplicate, ""},
			{newFragment(7, 9, 0, "index out of range"), duplicate, ""},
			{newFragment(7, 0, 0, "total 0"), duplicate, ""},
			{transport.NewData(7, []byte("abcd")), duplicate, ""},
		}, 0, 0},
		{"whole", []step{
			{transport.NewData(7, []byte("abcd")), complete, "abcd"},
			{transport.NewData(7, []byte("abcd")), duplicate, ""},
			{newFragment(7, 0, 2, "ab"), duplicate, ""},
			{transport.NewData(6, []byte("")), complete, ""},
			{transport.NewData(8, []byte("x")), complete, "x"},
		}, 0, 0},
		{"fragments, then whole", []step{
			{newFragment(7, 1, 0, "cd"), stored, ""}, {transport.NewData(7, []byte("xyz")), duplicate, ""}, {newFragment(7, 0, 2, "ab"), complete, "abcd"},
		}, 0, 0},
		{"not reliable", []step{
			{transport.NewUnreliable([]byte("ab")), complete, "ab"},
			{transport.NewUnreliable([]byte("ab")), complete, "ab"},
			{transport.NewData(0, []byte("first")), complete, "first"}, // the other has no number
		}, 0, 0},
		{"not reliable, but a fragment", []step{
			{transport.Message{Type: transport.TypeData, Fragment: true, FragTotal: 1}, refused, ""},
		}, 0, 0},
		{"total 0", []step{{newFragment(7, 0, 0, "ab"), refused, ""}, {transport.NewData(7, []byte("abcd")), complete, "abcd"}}, 0, 0},
		{"total 0 of a payload", []step{{newFragment(7, 1, 0, "cd"), stored, ""}, {newFragment(7, 0, 0, "ab"), discarded, ""}}, 0, 0},
		{"total 1", []step{{newFragment(7, 0, 1, "ab"), complete, "ab"}, {newFragment(7, 0, 1, "ab"), duplicate, ""}}, 0, 0},
		{"total 1, second fragment", []step{{newFragment(7, 1, 0, "cd"), stored, ""}, {newFragment(7, 0, 1, "ab"), discarded, ""}}, 0, 0},
		{"index is the total", []step{{newFragment(7, 0, 2, "ab"), stored, ""}, {newFragment(7, 2, 0, "cd"), discarded, ""}}, 0, 0},
		{"total is an index", []step{
			{newFragment(7, 3, 0, "cd"), stored, ""}, {newFragment(7, 1, 0, "cd"), stored, ""}, {newFragment(7, 0, 3, "ab"), discarded, ""},
		}, 0, 0},
		{"total one above an index", []step{{newFragment(7, 3, 0, "cd"), stored, ""}, {newFragment(7, 0, 4, "ab"), stored, ""}}, 1, 4},
		{"two totals", []step{{newFragment(7, 0, 3, "ab"), stored, ""}, {newFragment(7, 0, 4, "ab"), discarded, ""}}, 0, 0},
		{"two first fragments", []step{{newFragment(7, 0, 3, "ab"), stored, ""}, {newFragment(7, 0, 3, "ax"), discarded, ""}}, 0, 0},
		{"two first fragments, one longer", []step{{newFragment(7, 0, 3, "ab"), stored, ""}, {newFragment(7, 0, 3, "abc"), discarded, ""}}, 0, 0},
		{"index 254", []step{
			{newFragment(7, 254, 0, "z"), stored, ""}, {newFragment(7, 254, 0, "z"), duplicate, ""}, {newFragment(7, 0, 255, "a"), stored, ""},
		}, 1, 2},
		{"index 254, total 254", []step{{newFragment(7, 254, 0, "z"), stored, ""}, {newFragment(7, 0, 254, "a"), discarded, ""}}, 0, 0},
		{"index 255", []step{{newFragment(7, 255, 0, "z"), refused, ""}}, 0, 0},
		{"index 255 of a payload", []step{{newFragment(7, 254, 0, "y"), stored, ""}, {newFragment(7, 255, 0, "z"), discarded, ""}}, 0, 0},
		{"discarding one leaves others", []step{
			{newFragment(7, 1, 0, "seven"), stored, ""},
			{newFragment(8, 1, 0, "8"), stored, ""},
			{newFragment(9, 1, 0, "nine"), stored, ""},
			{newFragment(8, 0, 1, "x"), discarded, ""},
			{newFragment(9, 0, 2, "9"), complete, "9nine"},
		}, 1, 5},
		{"again after a contradiction", []step{
			{newFragment(7, 0, 2, "ab"), stored, ""},
			{newFragment(7, 0, 3, "ab"), discarded, ""},
			{newFragment(7, 0, 3, "ab"), stored, ""},
			{newFragment(7, 1, 0, "cd"), stored, ""},
			{newFragment(7, 2, 0, "e"), complete, "abcde"},
		}, 0, 0},
		{"empty fragments", []step{
			{newFragment(7, 1, 0, ""), stored, ""},
			{newFragment(7, 1, 0, ""), duplicate, ""},
			{newFragment(7, 0, 3, ""), stored, ""},
			{newFragment(7, 0, 3, ""), duplicate, ""},
			{newFragment(7, 2, 0, ""), complete, ""},
			{newFragment(7, 1, 0, ""), duplicate, ""},
		}, 0, 0},
	} {
		t.Run(v.name, func(t *testing.T) {
			var r transport.Reassembler
			for i, s := range v.steps {
				payload, verdict := add(t, &r, start, s.m)
				require.Equal(t, s.verdict, verdict, "step %d is %v", i, verdict)
				require.Equal(t, s.payload, string(payload), "step %d", i)
			}
			payloads, bytes := r.Pending()
			require.Equal(t, []int{v.payloads, v.bytes}, []int{payloads, bytes})
		})
	}
}

// 255 fragments, the last first.
func TestReassemblerLargest(t *testing.T) {
	var r transport.Reassembler
	payload := numbered(transport.MaxPayload)
	all := fragments(9, payload)
	for i := len(all) - 1; i > 0; i-- {
		_, v := add(t, &r, start, all[i])
		require.Equal(t, transport.VerdictStored, v)
	}
	got, v := add(t, &r, start, all[0])
	require.Equal(t, transport.VerdictComplete, v)
	require.True(t, bytes.Equal(payload, got))
}

// A payload of fragments is not in the memory of the datagrams.
func TestReassemblerCopies(t *testing.T) {
	var r transport.Reassembler
	m := newFragment(7, 1, 0, "cd")
	add(t, &r, start, m)
	copy(m.Body, "xx")
	payload, _ := add(t, &r, start, newFragment(7, 0, 2, "ab"))
	require.Equal(t, "abcd", string(payload))
}

func TestReassemblerMaxPayloads(t *testing.T) {
	for _, limit := range []int{-1, 0, 1, 3} {
		r := new(transport.Reassembler).Limit(limit, 0, 0)
		if limit <= 0 {
			limit = 16
		}
		for i := range limit {
			_, v := add(t, r, start, newFragment(uint16(i), 1, 0, "x"))
			require.Equal(t, transport.VerdictStored, v)
		}
		for _, s := range []step{
			{newFragment(100, 1, 0, "x"), transport.VerdictDropped, ""},
			{newFragment(100, 0, 1, "x"), transport.VerdictDropped, ""},
			{newFragment(0, 1, 0, "x"), transport.VerdictDuplicate, ""},
			{newFragment(0, 2, 0, "y"), transport.VerdictStored, ""},
			{transport.NewData(200, []byte("whole")), transport.VerdictComplete, "whole"},
			{newFragment(0, 0, 3, "w"), transport.VerdictComplete, "wxy"},
			{newFragment(100, 1, 0, "x"), transport.VerdictStored, ""},
			{newFragment(101, 1, 0, "x"), transport.VerdictDropped, ""},
		} {
			payload, v := add(t, r, start, s.m)
			require.Equal(t, s.verdict, v)
			require.Equal(t, s.payload, string(payload))
		}
		payloads, _ := r.Pending()
		require.Equal(t, limit, payloads)
	}
}

func TestReassemblerMaxBytes(t *testing.T) {
	for _, limit := range []int{-1, 0, 1000} {
		r := new(transport.Reassembler).Limit(0, limit, 0)
		if limit <= 0 {
			limit = 128 << 10
		}
		half := strings.Repeat("x", limit/2)
		for _, s := range []step{
			{newFragment(1, 1, 0, half), transport.VerdictStored, ""},
			{newFragment(1, 2, 0, half+"y"), transport.VerdictDropped, ""},
			{newFragment(2, 1, 0, half), transport.VerdictStored, ""}, // filled exactly
			{newFragment(2, 2, 0, "y"), transport.VerdictDropped, ""},
			{newFragment(3, 1, 0, "y"), transport.VerdictDropped, ""},
			{newFragment(2, 2, 0, ""), transport.VerdictStored, ""},
			{newFragment(2, 1, 0, "a duplicate needs no room"), transport.VerdictDuplicate, ""},
			{transport.NewData(4, []byte("whole")), transport.VerdictComplete, "whole"},
			{newFragment(1, 0, 1, "contradicts"), transport.VerdictDiscarded, ""},
			{newFragment(3, 1, 0, half), transport.VerdictStored, ""},
		} {
			_, v := add(t, r, start, s.m)
			require.Equal(t, s.verdict, v, "%v", v)
		}
		payloads, bytes := r.Pending()
		require.Equal(t, []int{2, 2 * (limit / 2)}, []int{payloads, bytes})
	}
}

// The error of a dropped fragment gives the limit and the value.
func TestReassemblerLimitText(t *testing.T) {
	r := new(transport.Reassembler).Limit(1, 1000, 0)
	add(t, r, start, newFragment(1, 1, 0, strings.Repeat("x", 990)))
	for want, m := range map[string]transport.Message{
		"transport: limit of reassembly reached: 2 partial payloads, at most 1":           newFragment(2, 1, 0, "x"),
		"transport: limit of reassembly reached: 1,002 bytes of fragments, at most 1,000": newFragment(1, 2, 0, strings.Repeat("x", 12)),
	} {
		_, _, err := r.Add(start, &m)
		require.EqualError(t, err, want)
	}
}

func TestReassemblerExpire(t *testing.T) {
	for _, limit := range []time.Duration{-1, 0, time.Second} {
		r := new(transport.Reassembler).Limit(0, 0, limit)
		if limit <= 0 {
			limit = 360 * time.Second
		}
		for i := range 4 {
			add(t, r, start.Add(time.Duration(i)), newFragment(uint16(9-i), 1, 0, "ab"))
		}
		add(t, r, start.Add(limit), newFragment(9, 2, 0, "a later fragment does not help"))
		require.Nil(t, r.Expire(start.Add(-time.Hour)), "before")
		require.Nil(t, r.Expire(start.Add(limit)), "at the limit")
		require.Equal(t, []uint16{9}, r.Expire(start.Add(limit+1)))
		require.Nil(t, r.Expire(start.Add(limit+1)))
		require.Equal(t, []uint16{8, 7}, r.Expire(start.Add(limit+3)))
		payloads, bytes := r.Pending()
		require.Equal(t, []int{1, 2}, []int{payloads, bytes})
		payload, v := add(t, r, start, newFragment(6, 0, 2, "cd"))
		require.Equal(t, transport.VerdictComplete, v)
		require.Equal(t, "cdab", string(payload))
		require.Nil(t, r.Expire(start.Add(time.Hour)))
		add(t, r, start, newFragment(5, 1, 0, "ef"))
		require.Equal(t, []uint16{5}, r.Expire(start.Add(time.Hour)))
	}
}

// Sequence numbers start again after 65,536. No number is taken for the number 65,536 earlier, and
// all numbers of the window are recognised as duplicates.
func TestReassemblerWraps(t *testing.T) {
	const remembered = 32768
	for _, first := range []int{0, 63, 65000} {
		var r transport.Reassembler
		for n := first; n < first+2*65536+100; n++ {
			m := transport.Message{Type: transport.TypeData, Reliable: true, Seq: uint16(n)}
			if n%3 == 0 {
				m.Fragment, m.FragTotal = true, 1
			}
			if _, v, _ := r.Add(start, &m); v != transport.VerdictComplete {
				t.Fatalf("number %d is %v", n, v)
			}
			for _, back := range []int{0, 1, 63, 64, 65, 20000, remembered - 1, remembered} {
				if n-back < first {
					break
				}
				m.Seq = uint16(n - back)
				if _, v, _ := r.Add(start, &m); v != transport.VerdictDuplicate {
					t.Fatalf("number %d after %d is %v", n-back, n, v)
				}
			}
		}
	}
}

// Gaps of any width stay open until they are filled.
func TestReassemblerGaps(t *testing.T) {
	for _, gap := range []int{1, 2, 62, 63, 64, 65, 127, 128, 129, 1000, 16383, 32767} {
		for _, from := range []int{0, 1, 62, 63, 64, 65530} {
			var r transport.Reassembler
			add := func(n int, want transport.Verdict) {
				m := transport.Message{Type: transport.TypeData, Reliable: true, Seq: uint16(n)}
				if _, v, _ := r.Add(start, &m); v != want {
					t.Fatalf("%d, with a gap of %d after %d, is %v", n, gap, from, v)
				}
			}
			for n := from - 65536; n <= from; n++ { // 65,536 numbers earlier
				add(n, transport.VerdictComplete)
			}
			add(from+gap, transport.VerdictComplete)
			for n := from + 1; n < from+gap; n++ {
				add(n, transport.VerdictComplete)
			}
			for n := from; n <= from+gap; n++ {
				add(n, transport.VerdictDuplicate)
			}
		}
	}
}

// The limits hold for any input, and the memory is little more than the limits.
func TestReassemblerMemoryIsBounded(t *testing.T) {
	before := heapBytes()
	var r transport.Reassembler
	random := rand.New(rand.NewPCG(1, 2))
	body := make([]byte, 8184)
	for range 100_000 {
		m := newFragment(uint16(random.Uint32()), uint8(random.Uint32()), uint8(random.Uint32()), "")
		m.Body = body[:random.IntN(len(body)+1)]
		if random.IntN(4) == 0 {
			m.Seq %= 20
		}
		add(t, &r, start, m)
		payloads, bytes := r.Pending()
		if payloads > 16 || bytes > 128<<10 {
			t.Fatalf("%d payloads of %d bytes", payloads, bytes)
		}
	}
	require.Less(t, heapBytes()-before, int64(1<<20))
	runtime.KeepAlive(&r)
}

// With the default limits, a Reassembler takes about 220 KiB at most besides the bytes of the fragments,
// whatever their lengths are.
func TestReassemblerMemoryOfFragments(t *testing.T) {
	if testdata.UnderRace {
		t.Skip("the race detector needs memory, too")
	}
	for _, size := range []int{0, 1, 9, 17, 33, 412} {
		heapBytes()
		before := heapBytes()
		var r transport.Reassembler
		for page := range uint16(64) { // numbers that are far apart take the most memory
			add(t, &r, start, transport.NewData(page<<10, nil))
		}
		for seq := range uint16(16) {
			for index := 254; index > 0; index-- {
				add(t, &r, start, newFragment(1+seq, uint8(index), 0, strings.Repeat("x", size)))
			}
		}
		_, bytes := r.Pending()
		require.Less(t, heapBytes()-before-int64(bytes), int64(225<<10), size)
		runtime.KeepAlive(&r)
	}
}

// heapBytes returns the bytes in use.
func heapBytes() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// A flood beyond the limits allocates memory for its errors only.
func TestReassemblerAllocatesNothingBeyondLimits(t *testing.T) {
	var r transport.Reassembler
	for i := range uint16(16) {
		add(t, &r, start, newFragment(i, 1, 0, "x"))
	}
	m := newFragment(99, 1, 0, "x")
	require.LessOrEqual(t, testing.AllocsPerRun(100, func() {
		if _, v, _ := r.Add(start, &m); v != transport.VerdictDropped {
			panic(v)
		}
	}), 1.0)
}

// Messages other than Data are refused, because their numbers belong to another channel.
func TestReassemblerRefusesOtherTypes(t *testing.T) {
	var r transport.Reassembler
	boot := transport.NewMessage(7, &transport.Boot{})
	payload, v, err := r.Add(start, &boot)
	require.ErrorIs(t, err, transport.ErrWrongType)
	require.Equal(t, transport.VerdictRefused, v)
	require.Nil(t, payload)
	_, v = add(t, &r, start, transport.NewData(7, []byte("abcd")))
	require.Equal(t, transport.VerdictComplete, v)
}

func TestReassemblerDelivers(t *testing.T) { rapid.Check(t, propertyFragments) }

func FuzzFragmentsProperty(f *testing.F) { f.Fuzz(rapid.MakeFuzz(propertyFragments)) }

// propertyFragments checks that payloads arrive unchanged and once each, although their fragments
// are lost, duplicated and mixed until they are acknowledged.
func propertyFragments(t *rapid.T) {
	var r transport.Reassembler
	length := rapid.OneOf(rapid.IntRange(0, 900), rapid.IntRange(400, 3000))
	first := rapid.SampledFrom([]uint16{0, 100, 65534}).Draw(t, "first")
	want := map[uint16]string{}
	var queue []transport.Message
	for i, n := range rapid.SliceOfN(length, 1, 6).Draw(t, "lengths") {
		seq := first + uint16(i)
		payload := numbered(n + i)[i:]
		want[seq] = string(payload)
		queue = append(queue, fragments(seq, payload)...)
	}
	got := map[uint16]string{}
	for round := 0; len(queue) > 0; round++ {
		var unacknowledged []transport.Message
		for _, m := range rapid.Permutation(queue).Draw(t, "order") {
			fate := rapid.IntRange(0, 5).Draw(t, "fate")
			if fate == 0 && round < 5 { // the message is lost
				unacknowledged = append(unacknowledged, m)
				continue
			}
			payload, v := add(t, &r, start, m)
			if v == transport.VerdictComplete {
				require.NotContains(t, got, m.Seq, "delivered twice")
				got[m.Seq] = string(payload)
			}
			require.LessOrEqual(t, v, transport.VerdictDuplicate)
			if fate == 1 && round < 5 { // the Ack is lost
				unacknowledged = append(unacknowledged, m)
			}
			if fate == 2 {
				_, v := add(t, &r, start, m)
				require.Equal(t, transport.VerdictDuplicate, v)
			}
		}
		queue = unacknowledged
	}
	require.Equal(t, want, got)
	payloads, bytes := r.Pending()
	require.Zero(t, payloads+bytes)
}

// A payload in one fragment, of which a datagram has hundreds, takes little more memory than
// its bytes.
func TestRandomFragments(t *testing.T) {
	var r transport.Reassembler
	m := newFragment(0, 0, 1, "x")
	var before, now runtime.MemStats
	runtime.ReadMemStats(&before)
	const n = 10_000
	for range n {
		m.Seq++
		if _, v, _ := r.Add(start, &m); v != transport.VerdictComplete {
			t.Fatal(v)
		}
	}
	runtime.ReadMemStats(&now)
	require.Less(t, (now.TotalAlloc-before.TotalAlloc)/n, uint64(256))
}

// Numbers of any distance are recognised as duplicates among the 32,768 before the newest one.
func TestReassemblerDistantNumbers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var r transport.Reassembler
		var o model
		seq := rapid.Uint16().Draw(t, "first")
		steps := rapid.OneOf(rapid.SampledFrom([]int{0, 1, 2, 63, 64, 65, 1023, 1024, 1025, 32703, 32767, 32768}), rapid.IntRange(0, 40_000))
		for _, step := range rapid.SliceOfN(steps, 1, 200).Draw(t, "steps") {
			if rapid.Bool().Draw(t, "back") {
				step = -step
			}
			seq += uint16(step)
			_, want := o.add(start, transport.NewData(seq, nil))
			_, v := add(t, &r, start, transport.NewData(seq, nil))
			require.Equal(t, want, v, seq)
		}
	})
}

// The first number is the newest one, whichever it is.
func TestReassemblerFirstNumber(t *testing.T) {
	var r transport.Reassembler
	for _, v := range []struct {
		seq  uint16
		want transport.Verdict
	}{{40_000, transport.VerdictComplete}, {10_000, transport.VerdictComplete}, {40_000, transport.VerdictDuplicate}} {
		_, got := add(t, &r, start, transport.NewData(v.seq, nil))
		require.Equal(t, v.want, got, v.seq)
	}
}

// The time may go back between payloads. The one with the earliest time expires first.
func TestReassemblerExpireAfterTimeWentBack(t *testing.T) {
	r := new(transport.Reassembler).Limit(0, 0, time.Minute)
	for i, at := range []time.Duration{10, 5, 20, 5} {
		add(t, r, after(at*time.Second), newFragment(uint16(i), 1, 0, "ab"))
	}
	require.Nil(t, r.Expire(after(65*time.Second)))
	require.Equal(t, []uint16{1, 3}, r.Expire(after(66*time.Second)))
	require.Equal(t, []uint16{0}, r.Expire(after(71*time.Second)))
	payload, v := add(t, r, start, newFragment(2, 0, 2, "cd"))
	require.Equal(t, transport.VerdictComplete, v)
	require.Equal(t, "cdab", string(payload))
}

// With the memory of earlier payloads, empty fragments allocate nothing, also beyond the limit.
func TestReassemblerAllocatesNothingForEmptyFragments(t *testing.T) {
	var r transport.Reassembler
	second, first := newFragment(0, 1, 0, ""), newFragment(0, 0, 2, "")
	pass := func() {
		for i := range uint16(20) {
			second.Seq = first.Seq + i
			if _, _, err := r.Add(start, &second); (err == nil) != (i < 16) {
				t.Fatal(err)
			}
		}
		for range 16 {
			if _, v, _ := r.Add(start, &first); v != transport.VerdictComplete {
				t.Fatal(v)
			}
			first.Seq++
		}
		first.Seq += 4
	}
	for range 4096 {
		pass() // until all numbers have memory
	}
	require.Zero(t, testing.AllocsPerRun(100, pass))
}
