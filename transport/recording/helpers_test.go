package recording_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/transport/recording"
)

// read returns the datagrams of a recording, and the errors of its lines.
func read(text string) (all []recording.Datagram, errs []error) {
	for d, err := range recording.Read(strings.NewReader(text)) {
		if err != nil {
			errs = append(errs, err)
			continue
		}
		d.Data = bytes.Clone(d.Data)
		all = append(all, d)
	}
	return all, errs
}

// readOne returns the datagram of a line.
func readOne(t *testing.T, line string) recording.Datagram {
	t.Helper()
	all, errs := read(line)
	require.Empty(t, errs)
	require.Len(t, all, 1)
	return all[0]
}

// write returns the recording of some datagrams.
func write(t testing.TB, all ...recording.Datagram) string {
	t.Helper()
	var b []byte
	for _, d := range all {
		var err error
		b, err = recording.Append(b, d)
		require.NoError(t, err)
	}
	return string(b)
}

// lineOf returns the line of an error, or 0.
func lineOf(err error) int {
	if located, ok := errors.AsType[*recording.Error](err); ok {
		return located.Line
	}
	return 0
}
