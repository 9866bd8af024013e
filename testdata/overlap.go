package testdata

import (
	"flag"
	"strconv"
)

// Overlap lets n tests that call t.Parallel run at once, unless the flag -parallel is set.
// Call it in TestMain of a package whose parallel tests wait for sockets and timers: the
// default, the number of processors, leaves the processors idle.
func Overlap(n int) {
	flag.Parse()
	set := false
	flag.Visit(func(f *flag.Flag) { set = set || f.Name == "test.parallel" })
	if !set {
		_ = flag.Set("test.parallel", strconv.Itoa(n)) // it is a number
	}
}
