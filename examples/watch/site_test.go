package main

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

// The licenses are those of the program, of Go and of each library in the worker, and of no others.
func TestWorkerLicenses(t *testing.T) {
	t.Parallel()
	goroot, err := goCommand("env", "GOROOT")
	require.NoError(t, err)
	text, err := workerLicenses(goroot)
	require.NoError(t, err)
	own, err := os.ReadFile("../../LICENSE")
	require.NoError(t, err)
	for _, want := range []string{
		string(own), "Copyright 2009 The Go Authors", "github.com/gopacket/gopacket v", "Copyright (c) 2012 Google, Inc",
	} {
		require.Contains(t, string(text), want)
	}
	require.NotContains(t, string(text), "testify")
}
