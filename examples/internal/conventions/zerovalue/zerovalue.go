// Package zerovalue finds methods that panic on zero values.
package zerovalue

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"net"
	"reflect"
	"runtime/debug"
	"slices"
	"strings"
	"testing/fstest"
	"time"
)

// Variants is the number of argument lists for each method: zero values, small values, negative
// and malformed values, and large values.
const Variants = 4

// callTimeout is the longest time of a call.
const callTimeout = 10 * time.Second

// Trier calls the methods of Types. It also uses the types as arguments for interfaces that they
// implement.
type Trier struct{ Types []reflect.Type }

// Try calls every method of each type with each variant of the arguments: on a new zero value,
// and twice on a value that all methods share. It passes each implementation of an interface in
// turn, and runs the iterators that methods return. It returns an error for each method that
// panics or does not end.
func (t *Trier) Try() (errs []error) {
	seen := map[string]bool{}
	call := func(receiver reflect.Value, method, variant, turn int) {
		if err := t.call(receiver, method, variant, turn); err != nil && !seen[err.Error()] {
			seen[err.Error()] = true
			errs = append(errs, err)
		}
	}
	for _, typ := range t.Types {
		if typ.Kind() == reflect.Interface {
			continue
		}
		methods := reflect.PointerTo(typ).NumMethod()
		for variant := range Variants {
			one := reflect.New(typ)
			for i := range 2 * methods {
				for turn := range t.turns(one.Method(i % methods).Type()) {
					call(reflect.New(typ), i%methods, variant, turn)
					call(one, i%methods, variant, turn)
				}
			}
		}
	}
	return errs
}

// turns returns the largest number of implementations of an interface among the arguments.
func (t *Trier) turns(method reflect.Type) int {
	n := 1
	for in := range method.Ins() {
		if in.Kind() == reflect.Interface {
			n = max(n, len(t.implementations(in)))
		}
	}
	return n
}

// call calls a method.
func (t *Trier) call(receiver reflect.Value, i, variant, turn int) error {
	name := fmt.Sprintf("%v.%s", receiver.Type(), receiver.Type().Method(i).Name)
	done := make(chan error, 1)
	go func() {
		defer func() {
			if p := recover(); p != nil {
				done <- fmt.Errorf("%s: panic: %v at %s", name, p, place(string(debug.Stack())))
			}
		}()
		m := receiver.Method(i)
		var args []reflect.Value
		for in := range m.Type().Ins() {
			args = append(args, t.value(in, variant, turn, 0))
		}
		var out []reflect.Value
		if m.Type().IsVariadic() {
			out = m.CallSlice(args)
		} else {
			out = m.Call(args)
		}
		for _, v := range out {
			iterate(v)
		}
		done <- nil
	}()
	select {
	case err := <-done:
		return err
	case <-time.After(callTimeout):
		return fmt.Errorf("%s: does not end", name)
	}
}

// place returns the line that panicked.
func place(stack string) string {
	_, stack, _ = strings.Cut(stack, "panic(")
	lines := strings.Split(stack, "\n")
	for _, line := range lines[min(2, len(lines)):] {
		if strings.HasPrefix(line, "\t") && !strings.Contains(line, "/src/runtime/") {
			return strings.TrimSpace(line)
		}
	}
	return "?"
}

// maxIterations is the largest number of values taken from an iterator.
const maxIterations = 1000

// iterate runs a result that is an iterator.
func iterate(v reflect.Value) {
	typ := v.Type()
	if v.Kind() != reflect.Func || v.IsNil() || typ.NumIn() != 1 || typ.NumOut() != 0 || typ.In(0).Kind() != reflect.Func {
		return
	}
	for _, limit := range []int{0, maxIterations} {
		n := 0
		v.Call([]reflect.Value{reflect.MakeFunc(typ.In(0), func([]reflect.Value) []reflect.Value {
			n++
			return []reflect.Value{reflect.ValueOf(n < limit)}
		})})
	}
}

// maxDepth is the depth to which nested values are filled.
const maxDepth = 3

// value returns an argument. Pointers, functions and interfaces are never nil.
func (t *Trier) value(typ reflect.Type, variant, turn, depth int) reflect.Value {
	v := reflect.New(typ).Elem()
	switch {
	case v.CanInt():
		v.SetInt([]int64{0, 1, -1, math.MaxInt64 >> (64 - typ.Bits())}[variant])
	case v.CanUint():
		v.SetUint([]uint64{0, 1, math.MaxUint64, math.MaxUint64 >> 1}[variant] >> (64 - typ.Bits()))
	case v.CanFloat():
		v.SetFloat([]float64{0, 1, math.NaN(), math.Inf(1)}[variant])
	}
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(variant%2 > 0)
	case reflect.String:
		v.SetString([]string{"", "x", "\x00\xff\\", strings.Repeat("x", 70000)}[variant])
	case reflect.Slice:
		if n := []int{0, 1, 3, 300}[variant]; n > 0 && depth < maxDepth {
			v.Set(reflect.MakeSlice(typ, n, n))
			for i := range n {
				v.Index(i).Set(t.value(typ.Elem(), variant, turn, depth+1))
			}
		}
	case reflect.Array:
		for i := range v.Len() {
			v.Index(i).Set(t.value(typ.Elem(), variant, turn, depth+1))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if f := typ.Field(i); f.IsExported() && depth < maxDepth && !nilable(f.Type) {
				v.Field(i).Set(t.value(f.Type, variant, turn, depth+1))
			}
		}
		if typ == reflect.TypeFor[time.Time]() {
			v.Set(reflect.ValueOf([]time.Time{{}, time.Unix(1, 0), time.Unix(-1<<40, 0), time.Unix(1<<40, 0)}[variant]))
		}
	case reflect.Pointer:
		v.Set(reflect.New(typ.Elem()))
	case reflect.Func:
		v.Set(reflect.MakeFunc(typ, func([]reflect.Value) (out []reflect.Value) {
			for o := range typ.Outs() {
				out = append(out, t.value(o, variant, turn, maxDepth))
			}
			return out
		}))
	case reflect.Interface:
		all := t.implementations(typ)
		if len(all) == 0 {
			panic(fmt.Sprintf("no known type implements %v", typ))
		}
		v.Set(all[turn%len(all)])
	}
	return v
}

// nilable reports whether the zero value of a field is nil. Such fields stay nil, as in structs
// that callers write.
func nilable(t reflect.Type) bool {
	return slices.Contains([]reflect.Kind{reflect.Pointer, reflect.Func, reflect.Interface, reflect.Map, reflect.Chan}, t.Kind())
}

// implementations returns values of an interface.
func (t *Trier) implementations(typ reflect.Type) (all []reflect.Value) {
	for _, v := range known() {
		if reflect.TypeOf(v).Implements(typ) {
			return []reflect.Value{reflect.ValueOf(v)}
		}
	}
	for _, known := range t.Types {
		if p := reflect.PointerTo(known); known.Kind() != reflect.Interface && p.Implements(typ) {
			all = append(all, reflect.New(known))
		}
	}
	return all
}

// known returns implementations of interfaces of the standard library.
func known() []any {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	client, server := net.Pipe()
	server.Close()
	client.Close()
	return []any{
		ctx, client,
		packetConn{},
		fstest.MapFS{"scripts/x": &fstest.MapFile{}},
		errors.New("an error"),
		io.Discard, strings.NewReader("text"), fs.FileMode(0),
	}
}

// packetConn is a closed socket.
type packetConn struct{}

func (packetConn) ReadFrom([]byte) (int, net.Addr, error) { return 0, nil, net.ErrClosed }
func (packetConn) WriteTo([]byte, net.Addr) (int, error)  { return 0, net.ErrClosed }
func (packetConn) Close() error                           { return net.ErrClosed }
func (packetConn) LocalAddr() net.Addr                    { return &net.UDPAddr{} }
func (packetConn) SetDeadline(time.Time) error            { return net.ErrClosed }
func (packetConn) SetReadDeadline(time.Time) error        { return net.ErrClosed }
func (packetConn) SetWriteDeadline(time.Time) error       { return net.ErrClosed }
