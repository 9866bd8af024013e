package terminal

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/bcwire/bcwire/examples/internal/version"
)

// Visible reports whether a character shows something, or is a space. It returns false for control
// characters, for characters that turn the direction of text, and for characters of no width or
// without a picture, with which texts that differ look the same.
func Visible(r rune) bool {
	const blankBraille = 0x2800
	return unicode.IsPrint(r) && r != blankBraille && !unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}

// Plain reports whether a text has visible ASCII characters only.
func Plain[T string | []byte](s T) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] >= 0x7F {
			return false
		}
	}
	return true
}

// Line returns a text in one line, without characters that a terminal executes. Characters that are
// not visible, and bytes that are not UTF-8, are escaped as in Go strings.
func Line(s string) string {
	if Plain(s) {
		return s
	}
	return string(AppendLine(nil, s))
}

// AppendLine appends a text as [Line] returns it.
func AppendLine(dst []byte, s string) []byte {
	if Plain(s) {
		return append(dst, s...)
	}
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		char := s[i : i+n]
		if r == utf8.RuneError && n == 1 || !Visible(r) {
			quoted := strconv.QuoteToASCII(char)
			char = quoted[1 : len(quoted)-1]
		}
		dst = append(dst, char...)
		i += n
	}
	return dst
}

// Clip returns the beginning of a text with at most so many bytes, and an ellipsis if there is more.
func Clip(s string, most int) string {
	if len(s) <= most {
		return s
	}
	end := most
	for end > 0 && !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end] + "…"
}

// Quote returns a text in quotes, as in Go, with the escapes of [Line].
func Quote(s string) string { return Line(strconv.Quote(s)) }

// AppendPrintable appends a text. It quotes a text with invisible characters, of which a terminal would
// execute some.
func AppendPrintable(dst []byte, s string) []byte {
	if Plain(s) || strings.IndexFunc(s, func(r rune) bool { return !Visible(r) }) < 0 {
		return append(dst, s...)
	}
	return append(dst, Quote(s)...)
}

// Lines returns the text of an error. Each of several joined errors has a line.
func Lines(err error) (lines []string) {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		var texts []string
		for _, e := range joined.Unwrap() {
			texts = append(texts, e.Error())
			lines = append(lines, Lines(e)...)
		}
		if err.Error() == strings.Join(texts, "\n") { // as by errors.Join, not by fmt.Errorf
			return lines
		}
	}
	return []string{Line(err.Error())}
}

// Complain prints an error of a program. Each of several joined errors has a line.
func Complain(stderr io.Writer, program string, err error) {
	for _, line := range Lines(err) {
		fmt.Fprintf(stderr, "%s: %s\n", program, line)
	}
}

// ParseFlags parses the arguments of a program. It prints an error as [Complain] does, and
// refers to -h for the usage. For -h it prints the usage and returns [flag.ErrHelp]. The flag
// -version prints the version and ends the program.
func ParseFlags(fs *flag.FlagSet, args []string) error {
	version.Flag(fs)
	stderr, usage := fs.Output(), fs.Usage
	fs.SetOutput(io.Discard)
	fs.Usage = func() {}
	err := fs.Parse(args)
	fs.SetOutput(stderr)
	fs.Usage = usage
	if err == nil {
		return nil
	}
	if errors.Is(err, flag.ErrHelp) {
		usage()
		return err
	}
	Complain(stderr, fs.Name(), fmt.Errorf("%w; -h lists the flags", err))
	return err
}

// NoArguments returns an error if arguments follow the flags.
func NoArguments(fs *flag.FlagSet) error {
	if fs.NArg() > 0 {
		return fmt.Errorf("%q: unexpected argument; -h lists the flags", fs.Arg(0))
	}
	return nil
}

// NotEmpty returns an error if one of some flags is given with an empty value, as by a variable of a
// shell that is not set. The usage of each has the name of its value in back quotes.
func NotEmpty(fs *flag.FlagSet, names ...string) (err error) {
	fs.Visit(func(f *flag.Flag) {
		if err == nil && f.Value.String() == "" && slices.Contains(names, f.Name) {
			value, _ := flag.UnquoteUsage(f)
			err = fmt.Errorf("-%s: empty; give %s", f.Name, value)
		}
	})
	return err
}

// Needs returns an error if a flag is given without another one, without which it does nothing.
func Needs(fs *flag.FlagSet, name, other string) error {
	given := map[string]bool{}
	fs.Visit(func(f *flag.Flag) { given[f.Name] = true })
	if given[name] && !given[other] {
		return fmt.Errorf("-%s needs -%s", name, other)
	}
	return nil
}

// OnlyOne returns an error if several of some flags differ from their defaults.
func OnlyOne(fs *flag.FlagSet, names ...string) error {
	var chosen []string
	for _, name := range names {
		if f := fs.Lookup(name); f.Value.String() != f.DefValue {
			chosen = append(chosen, "-"+name)
		}
	}
	if len(chosen) > 1 {
		return fmt.Errorf("%s: give only one of these flags", strings.Join(chosen, ", "))
	}
	return nil
}
