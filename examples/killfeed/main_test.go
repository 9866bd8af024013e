package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

const (
	battle = "../../testdata/battle.jsonl"
	kills  = "   17.626  Dee destroys Cid (collision)\n   20.208  Cid destroys Dee (collision)\n"
)

func TestPrintsKills(t *testing.T) {
	file, err := os.Open(battle)
	require.NoError(t, err)
	defer file.Close()
	var out bytes.Buffer
	require.True(t, feed(&out, file))
	require.Equal(t, kills, out.String())
}

// A malformed line costs that line only. The log names it.
func TestCutLine(t *testing.T) {
	text, err := os.ReadFile(battle)
	require.NoError(t, err)
	lines := bytes.SplitAfter(text, []byte("\n"))
	lines[100] = append(lines[100][:40], '\n')
	cut := bytes.Join(lines, nil)
	cut = cut[:len(cut)-30]
	var out, logged bytes.Buffer
	log.SetOutput(&logged)
	defer log.SetOutput(os.Stderr)
	require.False(t, feed(&out, bytes.NewReader(cut)))
	require.Equal(t, kills, out.String())
	require.Equal(t, 2, strings.Count(logged.String(), "\n"))
	require.Contains(t, logged.String(), "recording: line 101: ")
}

func TestReadError(t *testing.T) {
	var logged bytes.Buffer
	log.SetOutput(&logged)
	defer log.SetOutput(os.Stderr)
	require.False(t, feed(io.Discard, iotest.ErrReader(errors.New("disk on fire"))))
	require.Contains(t, logged.String(), "disk on fire")
}

// A name cannot control the terminal.
func TestPrintable(t *testing.T) {
	require.Equal(t, "Zoë\uFFFD[2J\uFFFD", printable("Zoë\x1b[2J\u202e"))
}

// The feed follows a file that another program appends to, also in the middle of a line, until an interrupt.
func TestFollow(t *testing.T) {
	text, err := os.ReadFile(battle)
	require.NoError(t, err)
	name := filepath.Join(t.TempDir(), "growing.jsonl")
	writer, err := os.Create(name)
	require.NoError(t, err)
	defer writer.Close()
	reader, err := os.Open(name)
	require.NoError(t, err)
	defer reader.Close()
	synctest.Test(t, func(t *testing.T) {
		ctx, interrupt := context.WithCancel(t.Context())
		var out bytes.Buffer
		ended := make(chan bool, 1)
		go func() { ended <- feed(&out, growing{ctx, reader}) }()
		var shown []string
		for len(text) > 0 {
			n := min(len(text), 10_007)
			_, err := writer.Write(text[:n])
			require.NoError(t, err)
			text = text[n:]
			time.Sleep(time.Second)
			synctest.Wait()
			if out.Len() > 0 && (len(shown) == 0 || shown[len(shown)-1] != out.String()) {
				shown = append(shown, out.String())
			}
		}
		first, _, _ := strings.Cut(kills, "\n")
		require.Equal(t, []string{first + "\n", kills}, shown)
		_, err := writer.WriteString(`{"t":90.5,"dir":"c2s","cli`)
		require.NoError(t, err)
		time.Sleep(time.Second)
		interrupt()
		require.True(t, <-ended, "the program that writes has not completed the last line yet")
	})
}
