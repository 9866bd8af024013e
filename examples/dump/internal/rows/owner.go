package rows

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// hidden begins the names of the temporary files of a source. No source has "=".
func hidden(source string) string { return ".source=" + source + "=" }

// owner names this process: the host and the process ID.
func owner() string {
	host, _ := os.Hostname()
	return strings.ReplaceAll(host, "=", "_") + "-" + strconv.Itoa(os.Getpid())
}

// dead reports whether an owner is a process of this host that has ended. Processes of other hosts may live.
func dead(owner string) bool {
	i := strings.LastIndexByte(owner, '-')
	host, _ := os.Hostname()
	if i < 0 || owner[:i] != strings.ReplaceAll(host, "=", "_") {
		return false
	}
	pid, err := strconv.Atoi(owner[i+1:])
	if err != nil {
		return false
	}
	process, err := os.FindProcess(pid)
	if err != nil || runtime.GOOS == "windows" {
		return err != nil
	}
	return errors.Is(process.Signal(syscall.Signal(0)), os.ErrProcessDone) || zombie(pid)
}

// zombie reports whether a process has ended and waits until its parent asks for its status. Only Linux tells it.
func zombie(pid int) bool {
	stat, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid)) // such as "7 (dump) Z 1"; the name can have any characters
	return bytes.HasPrefix(stat[bytes.LastIndexByte(stat, ')')+1:], []byte(" Z "))
}

// lockName ends the name of the lock of a source.
const lockName = "lock"

// lockTime is the time after which a lock of another host is taken over. Its owner needs milliseconds.
const lockTime = 10 * time.Second

// lock creates a file that other processes wait for, and returns the function that removes it.
func lock(name string) (unlock func(), err error) {
	for began := time.Now(); ; time.Sleep(time.Millisecond) {
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if err == nil {
			_, err = f.WriteString(owner())
			if closing := f.Close(); err == nil {
				err = closing
			}
			return func() { os.Remove(name) }, err
		}
		if !errors.Is(err, os.ErrExist) {
			return nil, fmt.Errorf("lock: %w", err)
		}
		if by, _ := os.ReadFile(name); dead(string(by)) || time.Since(began) > lockTime {
			os.Remove(name)
		}
	}
}
