package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"golang.org/x/term"

	"github.com/bcwire/bcwire/examples/internal/terminal"
)

// watch scans repeatedly until the context ends.
func watch(ctx context.Context, o *options, stdout, stderr io.Writer) int {
	out := o.output(stdout)
	show := func(f *found) error { return report(out, f, stdout, stderr) }
	table, isTable := out.(*tableOutput)
	if f, ok := terminal.File(stdout); ok && isTable {
		s := &screen{w: stdout, size: func() (int, int, error) { return term.GetSize(int(f.Fd())) }}
		s.open()
		defer s.close()
		show = func(f *found) error { return s.show(table, f) }
	}
	for {
		f := o.find(ctx)
		if ctx.Err() != nil {
			return 0
		}
		if err := show(&f); err != nil {
			if !terminal.Closed(err) {
				terminal.Complain(stderr, "browse", err)
			}
			return exitFailed
		}
		select {
		case <-ctx.Done():
			return 0
		case <-time.After(o.every):
		}
	}
}

// screen is a terminal on which each table replaces the one before.
type screen struct {
	w    io.Writer
	size func() (width, height int, err error)
}

// Commands of terminals.
const (
	enterScreen = "\x1b[?1049h\x1b[?25l\x1b[H" // switches to the alternate screen, without a cursor
	leaveScreen = "\x1b[?25h\x1b[?1049l"
	home        = "\x1b[H"
	clearLine   = "\x1b[K"
	clearRest   = "\x1b[J"
)

func (s *screen) open() { io.WriteString(s.w, enterScreen+"scanning for servers...") }

func (s *screen) close() { io.WriteString(s.w, leaveScreen) }

// show replaces the content of the screen. It truncates lines, which must not wrap. To avoid
// flicker, it clears the rest of each line instead of the whole screen.
func (s *screen) show(out *tableOutput, f *found) error {
	width, height, err := s.size()
	if err != nil || width < 1 || height < 2 {
		width, height = 80, 24
	}
	text, err := out.format(f)
	if err != nil {
		return err
	}
	if f.err != nil {
		var b strings.Builder
		terminal.Complain(&b, "browse", f.err)
		text += b.String()
	}
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	if len(lines) > height {
		more := fmt.Sprintf("... %d more lines", len(lines)-height+1)
		lines = append(lines[:height-1], more)
	}
	for i := range lines {
		lines[i] = terminal.Shorten(lines[i], width) + clearLine
	}
	_, err = io.WriteString(s.w, home+strings.Join(lines, "\r\n")+clearRest)
	return err
}
