package stream_test

import (
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/stream"
)

// cp1252 is the code page's upper control block by code point. The bytes 81, 8D, 8F, 90 and
// 9D are undefined.
const cp1252 = "\u20AC\u0081\u201A\u0192\u201E\u2026\u2020\u2021\u02C6\u2030\u0160\u2039\u0152\u008D\u017D\u008F" +
	"\u0090\u2018\u2019\u201C\u201D\u2022\u2013\u2014\u02DC\u2122\u0161\u203A\u0153\u009D\u017E\u0178"

func TestText(t *testing.T) {
	all := make(stream.Text, 256)
	var want []rune
	for i := range all {
		all[i] = byte(i)
		want = append(want, rune(i))
	}
	copy(want[0x80:], []rune(cp1252))
	require.Equal(t, string(want), all.String())
	back, err := stream.NewText(all.String())
	require.NoError(t, err)
	require.Equal(t, all, back)
	seen := map[string]bool{}
	for i := range all {
		s := all[i : i+1].String()
		require.Equal(t, string(want[i]), s)
		require.True(t, utf8.ValidString(s))
		require.False(t, seen[s], "%q", s)
		seen[s] = true
	}
}

func TestNewText(t *testing.T) {
	for s, want := range map[string]string{
		"": "", "Multi\x00player": "Multi\x00player", "Größe": "Gr\xF6\xDFe", "€ 5": "\x80 5", "ÿ": "\xFF", "\u00A0": "\xA0",
	} {
		got, err := stream.NewText(s)
		require.NoError(t, err)
		require.Equal(t, want, string(got))
		require.Equal(t, s, got.String())
	}
	for _, s := range []string{"Ā", "naïve 日本", "\u0080", "\u009F", "\xFF", "a\uFFFD", "\U0001F596"} {
		got, err := stream.NewText(s)
		require.ErrorIs(t, err, stream.ErrText, "%q", s)
		require.Nil(t, got)
	}
	require.Empty(t, stream.Text(nil).String())
}

// Texts and tails are parts of the payload that cannot grow into what follows; the bytes of
// an array are copies.
func TestAliasing(t *testing.T) {
	payload := unhex("a701610200626301ffeeee")
	var a, b text8
	array := [2]byte{9, 9}
	var tail []byte
	var wide text16
	m := walk(func(c *stream.Codec) {
		c.String8(&a.Text)
		c.String16(&wide.Text)
		c.String8(&b.Text)
		c.Bytes(array[:1])
		c.Rest(&tail, nil)
	})
	require.NoError(t, stream.Unmarshal(payload, anyOp, m))
	require.Equal(t, "a bc \xFF", a.String()+" "+wide.String()+" "+string(b.Text))
	require.Equal(t, [2]byte{0xEE, 9}, array)
	_ = append(a.Text, '!')
	_ = append(wide.Text, '!')
	_ = append(tail, '!')
	require.Equal(t, unhex("a701610200626301ffeeee"), payload)
	payload[2], payload[9], payload[10] = 'A', 0, 1
	require.Equal(t, "A", a.String())
	require.Equal(t, [2]byte{0xEE, 9}, array)
	require.Equal(t, []byte{1}, tail)
}

// A text or an array that the payload does not hold leaves nothing of the old value.
func TestBytesTooShort(t *testing.T) {
	const eof = ": unexpected EOF"
	for _, v := range []struct{ wire, text string }{
		{"", "F0 at offset 0" + eof},
		{"05", "F0 at offset 0" + eof},
		{"0561", "F0 at offset 0" + eof},
		{"00", "F1 at offset 1" + eof},
		{"0000", "F1 at offset 1" + eof},
		{"00ffff61", "F1 at offset 1" + eof},
		{"000000", "F2 at offset 3" + eof},
		{"000000aa", "F2 at offset 3" + eof},
		{"000000aabb000000", "F3 at offset 5" + eof},
		{"000000aabb02000000cc", "F3 at offset 5" + eof},
		{"000000aabbffffffffcc", "F3 at offset 5" + eof},
	} {
		p := program{&text8{stream.Text("old")}, &text16{stream.Text("old")}, &fixed{[]byte{1, 2}}, &text32{stream.Text("old")}}
		require.EqualError(t, decodeBare(unhex(v.wire), p), "stream: decode bare."+v.text, v.wire)
		if len(v.wire) > 8 {
			p = p[3:] // the array has been read
		}
		require.Equal(t, fresh(p), p)
	}
}
