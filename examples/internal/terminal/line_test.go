package terminal

import (
	"bytes"
	"cmp"
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

const hostile = "a\x00\x1b[2J\r\n\t\x7f\x9b\u009b\u202e\u00a0\ufeff\\\"é…\ufffd"

func TestLine(t *testing.T) {
	require.Equal(t, `a\x00\x1b[2J\r\n\t\x7f\x9b\u009b\u202e\u00a0\ufeff\"é…`+"\ufffd", Line(hostile))
	require.Empty(t, Line(""))
}

// Texts that are not equal do not look equal, and none turns its neighbours.
func TestInvisibleCharacters(t *testing.T) {
	for r := range rune(unicode.MaxRune + 1) {
		line := Line(string(r))
		if unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Bidi_Control, unicode.Join_Control, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point) {
			require.Contains(t, line, `\`, "%U", r)
		}
		require.True(t, line == string(r) || r == utf8.RuneError || strings.HasPrefix(line, `\`), "%U", r)
	}
	require.Equal(t, `Ann\u200b, \u3164, \U000e0101`, Line("Ann\u200b, \u3164, \U000e0101"))
	for _, plain := range []string{"Ann Müller", "Æon – “x”…", "Ἀχιλλεύς", "日本語", "🚀", "مرحبا", "e\u0301"} {
		require.Equal(t, plain, Line(plain))
	}
}

// Each joined error has a line. A line feed in a text is escaped.
func TestComplain(t *testing.T) {
	one, two := errors.New("one\nfake: line"), errors.New("two\x1b")
	for want, err := range map[string]error{
		"p: one\\nfake: line\n":                        one,
		"p: one\\nfake: line\np: two\\x1b\n":           errors.Join(one, two),
		"p: one\\nfake: line\np: two\\x1b\np: three\n": errors.Join(errors.Join(one, two), errors.New("three")),
		"p: one\\nfake: line: two\\x1b\n":              fmt.Errorf("%w: %w", one, two),
		"p: file: one\\nfake: line\\ntwo\\x1b\n":       fmt.Errorf("file: %w", errors.Join(one, two)),
	} {
		var b bytes.Buffer
		Complain(&b, "p", err)
		require.Equal(t, want, b.String())
	}
}

func TestParseFlags(t *testing.T) {
	var b bytes.Buffer
	var n int
	program := func() *flag.FlagSet {
		fs := flag.NewFlagSet("p", flag.ContinueOnError)
		fs.SetOutput(&b)
		fs.IntVar(&n, "n", 0, "a number")
		fs.Func("f", "a file", func(name string) error { return &os.PathError{Op: "open", Path: name, Err: os.ErrNotExist} })
		fs.Usage = func() { fs.Output().Write([]byte("usage\n")) }
		return fs
	}
	fs := program()
	require.NoError(t, ParseFlags(fs, []string{"-n", "5", "rest"}))
	require.Equal(t, 5, n)
	require.Equal(t, []string{"rest"}, fs.Args())
	require.Empty(t, b.String())
	for arg, want := range map[string]string{
		"-h":         "usage\n",
		"-n=\x1b":    `p: invalid value "\x1b" for flag -n: parse error; -h lists the flags` + "\n",
		"-\nf: \x1b": `p: flag provided but not defined: -\nf: \x1b; -h lists the flags` + "\n",
		"-f=a\nb":    `p: invalid value "a\nb" for flag -f: open a\nb: file does not exist; -h lists the flags` + "\n",
	} {
		b.Reset()
		require.Error(t, ParseFlags(program(), []string{arg}))
		require.Equal(t, want, b.String())
	}
}

// A flag may need a value, or another flag.
func TestFlagsThatNeed(t *testing.T) {
	for args, want := range map[string]string{
		"":             "",
		"-file=a":      "",
		"-file=":       "-file: empty; give FILE",
		"-n=1":         "-n needs -file",
		"-n=1 -file=x": "",
	} {
		fs := flag.NewFlagSet("p", flag.ContinueOnError)
		fs.String("file", "", "write to `FILE`")
		fs.Int("n", 1, "")
		require.NoError(t, fs.Parse(strings.Fields(args)))
		err := cmp.Or(NotEmpty(fs, "file"), Needs(fs, "n", "file"))
		if want == "" {
			require.NoError(t, err, args)
		} else {
			require.EqualError(t, err, want)
		}
	}
}

func TestFlagsThatExclude(t *testing.T) {
	for args, want := range map[string]string{
		"":               "",
		"-a":             "",
		"-a=false -b=x":  "",
		"-b=x -c=y -a":   "-a, -b: give only one of these flags",
		"-a -b= rest -c": `"rest": unexpected argument; -h lists the flags`,
	} {
		fs := flag.NewFlagSet("p", flag.ContinueOnError)
		fs.Bool("a", false, "")
		fs.String("b", "", "")
		fs.String("c", "", "")
		require.NoError(t, fs.Parse(strings.Fields(args)))
		err := cmp.Or(OnlyOne(fs, "a", "b"), NoArguments(fs))
		if want == "" {
			require.NoError(t, err, args)
		} else {
			require.EqualError(t, err, want)
		}
	}
}
