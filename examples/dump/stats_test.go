package main

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/transport"
)

func TestStats(t *testing.T) {
	chatLine := func(at float64) string {
		return fmt.Sprintf(`{"t":%g,"dir":"c2s","hex":"%x"}`+"\n", at, pack(t, 2, transport.NewUnreliable(chat("hello"))))
	}
	res := runDump(t, chatLine(10)+chatLine(11)+chatLine(14), "-plain", "-stats", "-")
	require.Contains(t, res.stdout, "c2s      3     45      0.8     11.2  ChatMessage")
	require.Contains(t, res.stdout, "both      3     51      0.8     12.8  datagrams")
	require.Contains(t, res.stdout, "\n4.000 s\n")
	res = runDump(t, chatLine(10), "-plain", "-stats", "-")
	require.Contains(t, res.stdout, "c2s      1     15        -        -  ChatMessage")
	require.Contains(t, runDump(t, "", "-stats", "-").stdout, "0.000 s")
}
