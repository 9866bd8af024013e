package siege

import "runtime"

// HeapWithout returns how many bytes the heap has less when drop has dropped something.
func HeapWithout(drop func()) int64 {
	before := LiveHeap()
	drop()
	return before - LiveHeap()
}

// LiveHeap returns the bytes of the heap that are in use.
func LiveHeap() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
