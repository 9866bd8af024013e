package testdata

import "os"

// Long reports whether the tests run in their long form. The environment variable
// BCWIRE_LONG=1 selects it.
func Long() bool { return os.Getenv("BCWIRE_LONG") != "" }

// Either returns the first value in the long form of the tests, and the second one in the
// default form.
func Either[T any](long, short T) T {
	if Long() {
		return long
	}
	return short
}
