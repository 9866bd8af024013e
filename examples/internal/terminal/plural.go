package terminal

import "fmt"

// Plural returns a count with its noun, such as "1 file" or "2 files".
func Plural(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}
