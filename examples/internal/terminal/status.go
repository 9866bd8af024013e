package terminal

import (
	"errors"
	"flag"
	"io"
)

// Exit statuses of programs.
const (
	ExitFailed = 1
	ExitUsage  = 2
)

// Status runs a program whose flags were parsed with an error, or nil, and returns its exit status. It prints an error of
// run; that of the flags was printed.
func Status(parsed error, name string, stderr io.Writer, run func() error) int {
	switch {
	case errors.Is(parsed, flag.ErrHelp):
		return 0
	case parsed != nil:
		return ExitUsage
	}
	if err := run(); err != nil {
		Complain(stderr, name, err)
		return ExitFailed
	}
	return 0
}
