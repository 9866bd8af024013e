package capture

import (
	"bufio"
	"os"

	"github.com/bcwire/bcwire/examples/internal/replace"
)

// File is a capture that takes its name when it is complete. Until then a file that had the name
// before stays. Only its owner can read it, because datagrams have passwords.
type File struct {
	*Writer
	name string
	temp *os.File
	buf  *bufio.Writer
}

// Create begins a capture in the directory of the name.
func Create(name string) (*File, error) {
	temp, err := replace.Temp(name)
	if err != nil {
		return nil, err
	}
	f := &File{name: name, temp: temp, buf: bufio.NewWriter(temp)}
	if f.Writer, err = NewWriter(f.buf); err != nil {
		f.Discard()
		return nil, err
	}
	return f, nil
}

// Close completes the capture and gives it its name.
func (f *File) Close() error {
	err := f.Flush()
	if err == nil {
		err = f.buf.Flush()
	}
	if closing := f.temp.Close(); err == nil {
		err = closing
	}
	if err == nil {
		err = os.Rename(f.temp.Name(), f.name)
	}
	if err != nil {
		os.Remove(f.temp.Name())
	}
	return err
}

// Discard removes a capture that is not complete.
func (f *File) Discard() {
	f.temp.Close()
	os.Remove(f.temp.Name())
}
