package transport

import (
	"time"

	"github.com/bcwire/bcwire/internal/clock"
)

// forever is later than any time of a clock. Adding a duration of Options does not overflow.
const forever = clock.Never

// strictly is added to an interval that must be exceeded.
const strictly = time.Nanosecond

// durationOr is [orDefault] for durations. It limits them so that sums do not overflow.
func durationOr(option, standard time.Duration) time.Duration {
	return min(orDefault(option, standard), forever/4)
}
