package main

import (
	"os"
	"syscall"
)

// memoryOf returns the most memory of a program that has ended.
func memoryOf(s *os.ProcessState) int64 {
	usage, ok := s.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	return usage.Maxrss << 10
}
