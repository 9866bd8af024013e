package zerovalue

import (
	"io"
	"iter"
	"net"
	"reflect"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// total is a type whose methods do not panic.
type total struct{ calls int }

func (t *total) Numbers(int8, uint64, float32, string, bool, []byte, [3]int, struct{ X int }) {
	t.calls++
}

func (*total) Values(p *int, f func() int, r io.Reader, conn net.PacketConn, v ...shape) {
	*p = f()
	_, _ = r.Read(nil)
	_ = conn.Close()
	for _, s := range v {
		s.Area()
	}
}

func (*total) Each() iter.Seq[int] {
	return func(yield func(int) bool) {
		for i := 0; yield(i); i++ {
		}
	}
}

// shape is an interface that some of the types implement.
type shape interface{ Area() int }

type square struct{}

func (*square) Area() int { return 1 }

type circle struct{ r *int }

func (c *circle) Area() int { return *c.r } // panics

// partial is a type that has methods that panic.
type partial struct {
	list []int
	used bool
}

func (p partial) At(i int) int    { return p.list[i] }
func (p *partial) Good() int      { return len(p.list) }
func (p *partial) Shape(s shape)  { s.Area() }
func (p *partial) Bytes(b []byte) { _ = b[:min(1, len(b))] }
func (p *partial) Each() iter.Seq[int] {
	return func(yield func(int) bool) { yield(p.list[3]) }
}

// Twice panics when it is called again.
func (p *partial) Twice() {
	if p.used {
		panic("again")
	}
	p.used = true
}

func TestTry(t *testing.T) {
	good := &Trier{Types: []reflect.Type{reflect.TypeFor[total](), reflect.TypeFor[shape](), reflect.TypeFor[square]()}}
	require.Empty(t, good.Try())

	bad := &Trier{Types: []reflect.Type{reflect.TypeFor[partial](), reflect.TypeFor[circle](), reflect.TypeFor[square]()}}
	var texts []string
	for _, err := range bad.Try() {
		texts = append(texts, err.Error())
	}
	for _, want := range []string{
		"*zerovalue.partial.At: panic: runtime error: index out of range [0] with length 0 at ",
		"*zerovalue.partial.At: panic: runtime error: index out of range [-1] at ",
		"*zerovalue.partial.Each: panic: runtime error: index out of range [3] with length 0 at ",
		"*zerovalue.partial.Shape: panic: ", "*zerovalue.circle.Area: panic: ", "*zerovalue.partial.Twice: panic: again at ",
	} {
		require.True(t, slices.ContainsFunc(texts, func(s string) bool { return len(s) > len(want) && s[:len(want)] == want }), "%s in %q", want, texts)
	}
	for _, s := range texts {
		require.NotContains(t, s, "Good")
		require.NotContains(t, s, "Bytes")
		require.NotContains(t, s, "square")
	}
}
