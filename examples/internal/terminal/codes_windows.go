package terminal

import (
	"os"

	"golang.org/x/sys/windows"
)

// enableCodes makes a console execute escape codes. It reports whether the console can.
func enableCodes(f *os.File) bool {
	console, mode := windows.Handle(f.Fd()), uint32(0)
	return windows.GetConsoleMode(console, &mode) == nil &&
		windows.SetConsoleMode(console, mode|windows.ENABLE_PROCESSED_OUTPUT|windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING) == nil
}
