package opcode

import (
	"io/fs"
	"strings"
)

func (f *FileTransfer) validate(m Message) error {
	return require(localPath(f.Name.String()), m, "Name", "not a path below a directory")
}

// localPath says whether a path with slashes stays below where it begins and names a
// file, on Windows, too.
func localPath(path string) bool {
	if !fs.ValidPath(path) || path == "." || strings.ContainsAny(path, `\:`) {
		return false
	}
	for _, element := range strings.Split(path, "/") {
		if strings.TrimRight(element, ". ") != element || device(element) {
			return false
		}
	}
	return !strings.ContainsFunc(path, func(r rune) bool { return r < ' ' })
}

// device says whether Windows takes an element of a path for a device.
func device(element string) bool {
	name, _, _ := strings.Cut(strings.ToUpper(element), ".")
	name = strings.TrimRight(name, " ")
	switch name {
	case "CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$":
		return true
	}
	port, number := strings.TrimRight(name, "0123456789¹²³"), strings.TrimLeft(name, "COMLPT")
	return (port == "COM" || port == "LPT") && len([]rune(number)) == 1
}
