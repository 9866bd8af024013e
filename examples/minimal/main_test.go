package main

import (
	"bytes"
	"context"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/transport"
	"github.com/bcwire/bcwire/transport/udp"
)

// asProgram makes the test binary be the server.
const asProgram = "BCWIRE_TEST_MINIMAL"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

// The server has no arguments: an address without -addr would be ignored.
func TestArguments(t *testing.T) {
	t.Parallel()
	cmd := exec.Command(os.Args[0], "127.0.0.1:0")
	cmd.Env = append(os.Environ(), asProgram+"=1")
	text, err := cmd.CombinedOutput()
	require.EqualError(t, err, "exit status 2")
	require.Equal(t, "minimal: \"127.0.0.1:0\": unexpected argument; -h lists the flags\n", string(text))
}

// server is the program in a process of its own.
type server struct {
	cmd  *exec.Cmd
	addr string
}

// start starts the program on a free port.
func start(t *testing.T) *server {
	file := filepath.Join(t.TempDir(), "log")
	log, err := os.Create(file)
	require.NoError(t, err)
	s := &server{cmd: exec.Command(os.Args[0], "-addr", "127.0.0.1:0")}
	s.cmd.Env = append(os.Environ(), asProgram+"=1")
	s.cmd.Stderr = log
	require.NoError(t, s.cmd.Start())
	require.NoError(t, log.Close())
	t.Cleanup(func() {
		_ = s.cmd.Process.Kill()
		_ = s.cmd.Wait()
		if text, err := os.ReadFile(file); err == nil && t.Failed() {
			t.Logf("the server: %s", text)
		}
	})
	require.Eventually(t, func() bool {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		_, addr, ok := strings.Cut(string(text), "listening at ")
		s.addr = strings.TrimSpace(addr)
		return ok && strings.HasSuffix(addr, "\n")
	}, 10*time.Second, 10*time.Millisecond)
	return s
}

// Two bots join, see each other's ships, talk and leave. The server ends at an interrupt, and
// tells the player who is left.
func TestTwoBotsPlay(t *testing.T) {
	t.Parallel()
	s := start(t)
	bot := filepath.Join(t.TempDir(), "bot.exe")
	out, err := exec.Command("go", "build", "-o", bot, "../bot").CombinedOutput()
	require.NoError(t, err, "%s", out)

	var ann, ben bytes.Buffer
	first := exec.Command(bot, "-addr", s.addr, "-name", "Ann", "-ship", "akira", "-duration", "30s")
	first.Stdout, first.Stderr = &ann, &ann
	require.NoError(t, first.Start())
	second := exec.Command(bot, "-addr", s.addr, "-name", "Ben", "-ship", "birdofprey", "-fire", "-say", "hello", "-duration", "5s")
	second.Stdout, second.Stderr = &ben, &ben
	require.NoError(t, second.Run(), "%s", &ben)
	require.NoError(t, s.cmd.Process.Signal(os.Interrupt))
	require.NoError(t, s.cmd.Wait(), "the server ends cleanly")
	_ = first.Wait() // it has lost its host

	for _, line := range []string{
		"Ann has Akira 0x", "Ben has BirdOfPrey 0x", "Ben: hello", "Ben is in the game", "Ben leaves", "of Ben is removed",
	} {
		require.Contains(t, ann.String(), line)
	}
	for _, line := range []string{"Ann has Akira 0x", "Ben has BirdOfPrey 0x", "Ben: hello"} {
		require.Contains(t, ben.String(), line)
	}
	require.Regexp(t, regexp.MustCompile(`host|server`), ann.String(), "Ann learns the end")
}

// The server survives clients that send garbage in every stage, and one that sends nothing.
func TestHostileClients(t *testing.T) {
	t.Parallel()
	s := start(t)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	for range 3 {
		conn, err := udp.Dial(ctx, s.addr, udp.Options{Name: "Mallory"})
		require.NoError(t, err)
		for op := range 256 {
			_ = conn.Send([]byte{byte(op)}, transport.Reliable)
			_ = conn.Send(append([]byte{byte(op)}, bytes.Repeat([]byte{0xFF}, 30)...), transport.Unreliable)
		}
		require.NoError(t, conn.Close())
	}
	conn, err := udp.Dial(ctx, s.addr, udp.Options{})
	require.NoError(t, err, "the server still accepts clients")
	_, err = conn.Receive(ctx)
	require.NoError(t, err, "and asks for their files")
	require.Equal(t, netip.MustParseAddrPort(s.addr), conn.RemoteAddr())
	require.NoError(t, conn.Close())
}
