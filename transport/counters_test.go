package transport_test

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/transport"
)

// The counters of a Hub are the sums of each counter of its sessions.
func TestCountersAreAdded(t *testing.T) {
	var one, sum transport.Counters
	n := uint64(0)
	fields := reflect.ValueOf(&one).Elem()
	for i := range fields.NumField() {
		switch f := fields.Field(i); f.Kind() {
		case reflect.Array:
			for k := range f.Len() {
				n++
				f.Index(k).SetUint(n)
			}
		default:
			n++
			f.SetUint(n)
		}
	}
	sum.Add(one)
	require.Equal(t, one, sum)
	sum.Add(one)
	require.Equal(t, 2*one.Dropped(), sum.Dropped())
	require.Equal(t, 2*one.StrayAcks, sum.StrayAcks)
}
