package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
	"unicode"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/cipher"
	"github.com/bcwire/bcwire/examples/dump/internal/rows"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/transport"
)

// brokenPipe is an output that fails after some bytes.
type brokenPipe struct {
	left int
	err  error
}

func (p *brokenPipe) Write(b []byte) (int, error) {
	if p.left -= len(b); p.left < 0 {
		return 0, p.err
	}
	return len(b), nil
}

func TestOutputFails(t *testing.T) {
	long := strings.Repeat(string(sample), 100)
	for _, flag := range []string{"-v", "-x", "-json", "-check", "-stats"} {
		var stderr bytes.Buffer
		status := run(context.Background(), []string{flag, "-"}, strings.NewReader(long), &brokenPipe{100, syscall.EPIPE}, &stderr)
		require.Equal(t, 0, status, flag)
		require.Empty(t, stderr.String(), flag)

		status = run(context.Background(), []string{flag, "-"}, strings.NewReader(long), &brokenPipe{100, errors.New("disk full")}, &stderr)
		require.Equal(t, exitFailed, status, flag)
		require.Equal(t, "dump: disk full\n", stderr.String(), flag)
	}
}

// TestInterrupt interrupts the program while it waits for input. The datagrams before are
// printed.
func TestInterrupt(t *testing.T) {
	for flag, want := range map[string]string{
		"-v":     `"so far"`,
		"-json":  `"so far"`,
		"-check": "1 datagram, 1 message",
		"-stats": "ChatMessage",
	} {
		synctest.Test(t, func(t *testing.T) {
			ctx, interrupt := context.WithCancel(t.Context())
			stdin, typist := io.Pipe()
			defer typist.Close()
			var stdout, stderr bytes.Buffer
			status := make(chan int)
			go func() { status <- run(ctx, []string{"-plain", flag, "-"}, stdin, &stdout, &stderr) }()
			_, err := fmt.Fprintf(typist, "%x\n", pack(t, 2, transport.NewData(0, chat("so far"))))
			require.NoError(t, err)
			synctest.Wait()
			interrupt()
			require.Equal(t, exitInterrupted, <-status, flag)
			require.Contains(t, stdout.String(), want, flag)
			require.Empty(t, stderr.String(), flag)
		})
	}
}

// The program flushes its output before it waits for more input.
func TestFlushesBeforeWaiting(t *testing.T) {
	stdin, typist := io.Pipe()
	screen, stdout := io.Pipe()
	done := make(chan int)
	go func() {
		done <- run(context.Background(), []string{"-plain", "-"}, stdin, stdout, io.Discard)
		stdout.Close()
	}()
	lines := bufio.NewScanner(screen)
	for _, text := range []string{"first", "second"} {
		_, err := fmt.Fprintf(typist, "%x\n", pack(t, 2, transport.NewUnreliable(chat(text))))
		require.NoError(t, err)
		require.True(t, lines.Scan())
		require.Contains(t, lines.Text(), text)
	}
	typist.Close()
	require.Equal(t, 0, <-done)
}

// With -follow, the program prints what another one appends to the file, also in two parts, until an interrupt.
func TestFollow(t *testing.T) {
	name := filepath.Join(t.TempDir(), "growing.hex")
	require.NoError(t, os.WriteFile(name, []byte("# a match\n"), 0o600))
	synctest.Test(t, func(t *testing.T) {
		ctx, interrupt := context.WithCancel(t.Context())
		screen, stdout := io.Pipe()
		status := make(chan int, 1)
		go func() {
			status <- run(ctx, []string{"-plain", "-follow", name}, strings.NewReader(""), stdout, io.Discard)
			stdout.Close()
		}()
		lines := bufio.NewScanner(screen)
		for _, text := range []string{"first", "second"} {
			file, err := os.OpenFile(name, os.O_APPEND|os.O_WRONLY, 0)
			require.NoError(t, err)
			line := fmt.Sprintf("%x\n", pack(t, 2, transport.NewUnreliable(chat(text))))
			for _, part := range []string{line[:10], line[10:]} {
				_, err := file.WriteString(part)
				require.NoError(t, err)
				time.Sleep(time.Minute)
			}
			require.NoError(t, file.Close())
			require.True(t, lines.Scan())
			require.Contains(t, lines.Text(), text)
		}
		interrupt()
		require.Equal(t, exitInterrupted, <-status)
	})
}

// Control characters in texts of players do not reach the terminal. JSON escapes them, and a
// reader gets the original text.
func TestControlCharacters(t *testing.T) {
	var text []byte
	for b := byte(0); b < 0x20; b++ {
		text = append(text, b)
	}
	text = append(text, "\x7f\x81\x8d\x8f\x90\x9d\xa0\xad[2J"...)
	name := "\x1b\x7f\u0080\u009b2J\u009f\u202e\ufeff"
	systemName, err := transport.NewUTF16Z(name)
	require.NoError(t, err)
	input := hexLines(
		pack(t, 2, transport.NewData(0, chat(string(text)))),
		pack(t, 2, transport.NewMessage(1, &transport.NameChange{PeerID: 2, Name: systemName})),
		append([]byte(`\hostname\`), text...),
	)
	for _, flag := range []string{"-v=false", "-v", "-x", "-json", "-check", "-stats"} {
		res := runDump(t, input, "-plain", flag, "-")
		require.Equal(t, 0, res.status, flag)
		for i, r := range res.stdout {
			require.True(t, r == '\n' || unicode.IsPrint(r), "%s: %U in %q", flag, r, res.stdout[max(0, i-20):i])
		}
	}
	records, _ := runJSON(t, input, "-plain", "-")
	require.Equal(t, name, records[1].Fields["Name"].(map[string]any)["text"])
	require.Contains(t, records[0].Fields["Text"].(map[string]any)["text"], "\x1f\x7f\u0081\u008d\u008f\u0090\u009d\u00a0\u00ad[2J")
}

// The password of a player is in no output, unless -passwords is given: then only the owner can read the tables.
func TestPasswordsAreMasked(t *testing.T) {
	password, err := transport.NewUTF16Z("Geheim7")
	require.NoError(t, err)
	connect, err := (&transport.Packet{PeerID: objectid.NoPeer, Messages: []transport.Message{
		transport.NewMessage(0, &transport.ConnectRequest{ConnID: 7, Password: password}),
	}}).MarshalBinary()
	require.NoError(t, err)
	cipher.Encrypt(connect)
	input := fmt.Sprintf("c2s %x\n", connect)
	code := hex.EncodeToString(password[:6])
	for _, passwords := range [][]string{nil, {"-passwords"}} {
		requireShown := func(name, text string) {
			t.Helper()
			require.Equal(t, passwords != nil, strings.Contains(text, "Geheim7"), "%s\n%s", name, text)
			require.Equal(t, passwords == nil, strings.Contains(text, "***"), "%s\n%s", name, text)
		}
		for _, flag := range []string{"", "-v", "-x", "-json"} {
			args := append([]string{"-"}, passwords...)
			slices.Reverse(args)
			if flag != "" {
				args = append([]string{flag}, args...)
			}
			res := runDump(t, input, args...)
			require.Zero(t, res.status, res.stderr)
			requireShown(flag, res.stdout)
			if flag != "" && flag != "-v" {
				require.Equal(t, passwords != nil, strings.Contains(strings.ReplaceAll(res.stdout, " ", ""), code), "%s\n%s", flag, res.stdout)
			}
		}
		for _, target := range []string{"x.parquet", "all" + string(filepath.Separator)} {
			dir := t.TempDir()
			res := runDump(t, input, append(slices.Clone(passwords), "-parquet", filepath.Join(dir, "")+string(filepath.Separator)+target, "-")...)
			require.Zero(t, res.status, res.stderr)
			var row rows.Message
			require.NoError(t, filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
				if filepath.Ext(name) != ".parquet" {
					return err
				}
				info, err := d.Info()
				require.True(t, runtime.GOOS == "windows" || passwords == nil || info.Mode().Perm() == 0o600, "%v", info.Mode())
				if !strings.Contains(name, "events") && !strings.Contains(name, "states") {
					row = readMessages(t, name)[0]
				}
				return err
			}))
			requireShown(target, string(row.Fields))
			require.False(t, passwords == nil && bytes.Contains(row.Bytes, password[:6]), "%x", row.Bytes)
		}
	}
	require.Zero(t, runDump(t, input, "-check", "-").status, "all bytes are compared")
}
