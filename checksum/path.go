package checksum

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/bcwire/bcwire/stream"
)

// maxName is the maximum length of a name or a path, as on the game's Windows.
const maxName = 255

// LocalPath returns the path, with slashes, of a file that a host has sent, within the installation. It returns an
// error wrapping [stream.ErrInvalid] for a name that could leave the installation, or that some operating system does not
// treat as the path of a file: an absolute path, a drive, "..", a device, control characters, a trailing dot or space,
// or a short name such as "MULTIP~1".
func LocalPath(name stream.Text) (string, error) {
	if len(name) > maxName {
		return "", nameError{}
	}
	p := strings.ReplaceAll(name.String(), `\`, "/")
	for element := range strings.SplitSeq(p, "/") {
		if checkName(element) != nil || shortForm(element) {
			return "", nameError{}
		}
	}
	return p, nil
}

// checkName returns an error if a file or directory of the game cannot have the name.
func checkName(name string) error {
	text, err := stream.NewText(name)
	switch {
	case err != nil, len(text) == 0, len(text) > maxName,
		strings.ContainsAny(name, `/\<>:"|?*`),
		strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r >= 0x7F && r < 0xA0 }),
		strings.HasSuffix(name, "."), strings.HasSuffix(name, " "),
		device(name):
		return nameError{}
	}
	return nil
}

// device reports whether Windows treats a name as a device, whatever its extension.
func device(name string) bool {
	base, _, _ := strings.Cut(strings.ToUpper(name), ".")
	base = strings.TrimRight(base, " ")
	if r := []rune(base); len(r) == 4 && strings.ContainsRune("0123456789¹²³", r[3]) {
		base = base[:3] + "#"
	}
	return slices.Contains([]string{"CON", "PRN", "AUX", "NUL", "COM#", "LPT#", "CONIN$", "CONOUT$"}, base)
}

// shortForm reports whether Windows may treat a name as the short form of another: at most
// eight characters that end in ~ and a number, and an extension of at most three.
func shortForm(name string) bool {
	base, extension, _ := strings.Cut(name, ".")
	start := strings.TrimRight(base, "0123456789")
	return len(start) > 1 && len(start) < len(base) && strings.HasSuffix(start, "~") &&
		utf8.RuneCountInString(base) <= 8 && utf8.RuneCountInString(extension) <= 3
}

// normalize returns the directory of a request in the form that is hashed.
func normalize(dir stream.Text) stream.Text {
	dir = bytes.ReplaceAll(dir, []byte{'\\'}, []byte{'/'})
	return bytes.TrimSuffix(bytes.TrimRight(dir, "\r\n"), []byte{'/'})
}

// text converts a checked string of a manifest.
func text(s string) stream.Text {
	t, err := stream.NewText(s)
	if err != nil {
		return stream.Text(s)
	}
	return t
}

// below returns the path of an element in a directory. The root of a tree is "".
func below(dir, element string) string {
	if dir == "" {
		return element
	}
	return dir + "/" + element
}
