package capture

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"net/netip"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/transport/recording"
)

// counts reads a whole recording and returns the number of its datagrams.
func counts(t *testing.T, name string, text []byte) (n int) {
	t.Helper()
	if strings.HasSuffix(name, ".pcapng") {
		return len(written(t, text))
	}
	for _, err := range recording.Read(bytes.NewReader(text)) {
		require.NoError(t, err)
		n++
	}
	return n
}

// Recordings hold passwords, so only their owner can read them, also if the file was there before.
func TestRecordingsArePrivate(t *testing.T) {
	if runtime.GOOS == "windows" {
		return // files have no such modes
	}
	for _, name := range []string{"x.jsonl", "x.pcapng"} {
		for _, before := range []bool{false, true} {
			file := filepath.Join(t.TempDir(), name)
			if before {
				require.NoError(t, os.WriteFile(file, []byte("before"), 0o644))
				require.NoError(t, os.Chmod(file, 0o644))
			}
			r, err := NewRecorder(file, DefaultLimit, time.Unix(1000, 0), client4)
			require.NoError(t, err)
			info, err := os.Stat(file)
			require.NoError(t, err)
			require.Equal(t, os.FileMode(0o600), info.Mode())
			require.NoError(t, r.Close())
		}
	}
}

// record writes datagrams of random lengths, and returns the errors of Flush.
func record(r *Recorder, n int) (errs []error) {
	random := rand.New(rand.NewPCG(1, 2))
	for i := range n {
		data := make([]byte, random.IntN(1500))
		if i%2 == 0 {
			r.WriteAddrPort(r.start.Add(time.Second), recording.ToServer, client4, data)
		} else {
			r.Write(recording.Datagram{Direction: recording.ToClient, Client: 3, Data: data})
		}
		if i%100 == 0 {
			errs = append(errs, r.Flush())
		}
	}
	return append(errs, r.Flush())
}

// At its limit, a recording ends with a whole datagram. The limit is no failure of Close.
func TestLimitOfRecording(t *testing.T) {
	for _, name := range []string{"x.jsonl", "x.pcapng"} {
		for _, limit := range []Size{1, 300, 5000, 100_000, 1_000_000} {
			file := filepath.Join(t.TempDir(), name)
			r, err := NewRecorder(file, limit, time.Unix(1000, 0), netip.MustParseAddrPort("127.0.0.1:22101"))
			require.NoError(t, err)
			errs := record(r, 2000)
			err = errs[len(errs)-1]
			require.ErrorIs(t, err, ErrLimit)
			require.EqualError(t, err, "the recording has reached its limit of "+limit.String()+" and ends")
			require.NoError(t, r.Close())
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			require.LessOrEqual(t, len(text), int(limit))
			if limit >= 5000 {
				require.Greater(t, len(text), int(limit)-4000)
				require.Greater(t, counts(t, name, text), int(limit)/4000)
			}
		}
		file := filepath.Join(t.TempDir(), name)
		r, err := NewRecorder(file, 0, time.Unix(1000, 0), client4)
		require.NoError(t, err)
		require.NoError(t, errors.Join(record(r, 2000)...))
		require.NoError(t, r.Close())
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		require.Equal(t, 2000, counts(t, name, text))
	}
}

// smallDisk is a file on a disk with room for some bytes.
type smallDisk struct {
	*os.File
	room int
}

func (d *smallDisk) Write(b []byte) (int, error) {
	n, err := d.File.Write(b[:min(len(b), d.room)])
	if d.room -= n; err == nil && n < len(b) {
		err = syscall.ENOSPC
	}
	return n, err
}

// On a full disk, the recording ends, and what was written is a recording. The error stays the same.
func TestRecordingOnFullDisk(t *testing.T) {
	for _, name := range []string{"x.jsonl", "x.pcapng"} {
		for _, room := range []int{0, 1, 5000, 70_000, 150_001} {
			file := filepath.Join(t.TempDir(), name)
			f, err := os.Create(file)
			require.NoError(t, err)
			r := newRecorder(&smallDisk{f, room}, strings.HasSuffix(name, ".pcapng"), DefaultLimit, time.Unix(1000, 0))
			r.server = client4
			var failed []error
			for _, err := range record(r, 2000) {
				if err != nil {
					failed = append(failed, err)
				}
			}
			require.Greater(t, len(failed), 10)
			for _, err := range failed {
				require.Equal(t, failed[0], err)
			}
			require.ErrorIs(t, r.Close(), syscall.ENOSPC)
			require.ErrorIs(t, f.Close(), os.ErrClosed)
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			require.LessOrEqual(t, len(text), room)
			if room >= 5000 {
				require.Greater(t, len(text), room-4000, "only the last datagram is lost")
				require.Greater(t, counts(t, name, text), room/4000)
			}
		}
	}
}

func TestSize(t *testing.T) {
	for text, want := range map[string]Size{
		"0": 0, "1": 1, "1000": 1000, "500M": 500 << 20, "500m": 500 << 20, "2G": 2 << 30, "2GB": 2 << 30, "2GiB": 2 << 30, "1k": 1024, "3T": 3 << 40,
		"7B": 7,
	} {
		var s Size
		require.NoError(t, s.Set(text), text)
		require.Equal(t, want, s)
		var again Size
		require.NoError(t, again.Set(s.String()))
		require.Equal(t, s, again)
	}
	for _, text := range []string{"", "G", "-1", "1.5G", "1 G", "9999999T", "1X", "0x10", "99999999999999999999"} {
		s := Size(5)
		require.ErrorContains(t, s.Set(text), "such as 500M or 2G", text)
		require.EqualValues(t, 5, s)
	}
	require.Equal(t, "1G", DefaultLimit.String())
	require.Equal(t, "1000", Size(1000).String())
	require.Equal(t, "0", Size(0).String())
}
