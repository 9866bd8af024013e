package checksum

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/bcwire/bcwire/stream"
)

// maxName is the length of the longest name or path, as on the Windows of the game.
const maxName = 255

// LocalPath returns the path of a file in the installation that a peer has named, such
// as the Name of an [opcode.FileTransfer], with slashes. It fails with [ErrName] for all
// that could lead out of the installation, or to something that is no file, on any
// system: absolute paths, drives, "..", names of devices, control characters, and names
// that Windows would read as another, with a point or space at the end or in the short
// form, "MULTIP~1".
func LocalPath(name stream.Text) (string, error) {
	if len(name) > maxName {
		return "", ErrName
	}
	p := strings.ReplaceAll(name.String(), `\`, "/")
	for element := range strings.SplitSeq(p, "/") {
		if checkName(element) != nil || shortForm(element) {
			return "", ErrName
		}
	}
	return p, nil
}

// checkName says whether a file or directory of the game can have the name.
func checkName(name string) error {
	text, err := stream.NewText(name)
	switch {
	case err != nil, len(text) == 0, len(text) > maxName,
		strings.ContainsAny(name, `/\<>:"|?*`),
		strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r >= 0x7F && r < 0xA0 }),
		strings.HasSuffix(name, "."), strings.HasSuffix(name, " "),
		device(name):
		return ErrName
	}
	return nil
}

// device says whether Windows takes a name for that of a device, whatever its extension.
func device(name string) bool {
	base, _, _ := strings.Cut(strings.ToUpper(name), ".")
	base = strings.TrimRight(base, " ")
	if r := []rune(base); len(r) == 4 && strings.ContainsRune("0123456789¹²³", r[3]) {
		base = base[:3] + "#"
	}
	return slices.Contains([]string{"CON", "PRN", "AUX", "NUL", "COM#", "LPT#", "CONIN$", "CONOUT$"}, base)
}

// shortForm says whether Windows may take a name for another that is longer: eight
// characters at most, which end in ~ and a number, and an extension of three.
func shortForm(name string) bool {
	base, extension, _ := strings.Cut(name, ".")
	start := strings.TrimRight(base, "0123456789")
	return len(start) > 1 && len(start) < len(base) && strings.HasSuffix(start, "~") &&
		utf8.RuneCountInString(base) <= 8 && utf8.RuneCountInString(extension) <= 3
}

// normalize returns the directory of a request as it is hashed.
func normalize(dir stream.Text) stream.Text {
	dir = bytes.ReplaceAll(dir, []byte{'\\'}, []byte{'/'})
	return bytes.TrimSuffix(bytes.TrimRight(dir, "\r\n"), []byte{'/'})
}

// text returns a string of a manifest, whose characters have been checked, as on the
// wire.
func text(s string) stream.Text {
	t, err := stream.NewText(s)
	if err != nil {
		return stream.Text(s)
	}
	return t
}

// below returns the path of an element of a directory, which is "" for the root of a tree.
func below(dir, element string) string {
	if dir == "" {
		return element
	}
	return dir + "/" + element
}
