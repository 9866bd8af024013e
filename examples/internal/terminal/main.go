//go:build !js

package terminal

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// Main runs a program and exits with the status that it returns. An interrupt or SIGTERM ends the context, and a second
// one ends the program at once. If the reader of a pipe closes it, the next write returns an error, for which [Closed]
// is true; the signal would end the program.
func Main(run func(ctx context.Context) (status int)) {
	signal.Ignore(syscall.SIGPIPE)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	os.Exit(run(ctx))
}
