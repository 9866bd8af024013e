package main

import (
	"bytes"
	"io"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/examples/internal/relay"
	"github.com/bcwire/bcwire/examples/internal/terminal"
)

func TestOptions(t *testing.T) {
	o, err := parseOptions([]string{
		"-drop", "5%", "-delay", "50ms", "-jitter", "20ms", "-duplicate", "c2s=1%", "-reorder", "c2s=2,s2c=0.5%",
		"-drop", "s2c=100%", "-hold", "s2c=1s", "-seed", "7",
	}, io.Discard)
	require.NoError(t, err)
	require.Equal(t, [2]relay.Conditions{
		{Drop: 0.05, Duplicate: 0.01, Reorder: 0.02, Delay: 50 * time.Millisecond, Jitter: 20 * time.Millisecond, Hold: 100 * time.Millisecond},
		{Drop: 1, Reorder: 0.005, Delay: 50 * time.Millisecond, Jitter: 20 * time.Millisecond, Hold: time.Second},
	}, o.Conditions)
	require.EqualValues(t, 7, o.Seed)

	o, err = parseOptions(nil, io.Discard)
	require.NoError(t, err)
	require.Equal(t, "127.0.0.1:22102", o.Listen, "loopback only")
	require.Equal(t, relay.Conditions{Hold: 100 * time.Millisecond}, o.Conditions[relay.ToClient])
}

func TestWrongOptions(t *testing.T) {
	for name, c := range map[string]struct {
		args []string
		want string
	}{
		"share":      {[]string{"-drop", "101%"}, `"101%" is not between 0% and 100%`},
		"negative":   {[]string{"-drop", "-1%"}, `"-1%" is not between`},
		"NaN":        {[]string{"-drop", "NaN"}, `"NaN" is not between`},
		"no number":  {[]string{"-reorder", "often"}, `"often" is not a share, such as 5%`},
		"direction":  {[]string{"-drop", "up=1%"}, `"up" is neither c2s nor s2c`},
		"empty part": {[]string{"-drop", "1%,"}, `"" is not a share`},
		"time":       {[]string{"-delay", "5"}, "missing unit"},
		"long":       {[]string{"-delay", "11s"}, `"11s" is not between 0s and 10s`},
		"back":       {[]string{"-jitter", "-1s"}, `"-1s" is not between`},
		"two":        {[]string{"-json", "-quiet"}, "-json, -quiet: give only one of these flags"},
		"arguments":  {[]string{"x"}, `"x": unexpected argument`},
		"limit":      {[]string{"-recordlimit", "big"}, `invalid value "big" for flag -recordlimit: give a number of bytes, such as 500M or 2G`},
		"clients":    {[]string{"-clients", "0"}, "-clients 0 is not between 1 and 1024"},
		"idle":       {[]string{"-idle", "0s"}, "-idle 0s: must be more than 0"},
		"server":     {[]string{"-server", ""}, "-server: empty; give HOST[:PORT]"},
		"listen":     {[]string{"-listen", ""}, "-listen: empty; give [IP]:PORT"},
		"record":     {[]string{"-record", ""}, "-record: empty; give FILE"},
		"no record":  {[]string{"-recordlimit", "1G"}, "-recordlimit needs -record"},
		"unknown":    {[]string{"-nonsense"}, "not defined"},
	} {
		t.Run(name, func(t *testing.T) {
			var stderr bytes.Buffer
			require.Equal(t, terminal.ExitUsage, run(t.Context(), c.args, io.Discard, &stderr))
			require.Contains(t, stderr.String(), c.want)
		})
	}
}

func TestHelp(t *testing.T) {
	var stderr bytes.Buffer
	require.Zero(t, run(t.Context(), []string{"-h"}, io.Discard, &stderr))
	require.Contains(t, stderr.String(), "Usage: proxy")
}
