//go:build unix

package main

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"syscall"
	"time"
)

func init() { programs["interrupted-twice"] = interruptedTwice }

// interruptedTwice interrupts itself again while it ends.
func interruptedTwice() {
	ctx, _ := untilSignal(context.Background()) // the last signal may come after the end
	interrupt := func() {
		if err := syscall.Kill(os.Getpid(), syscall.SIGINT); err != nil {
			panic(err)
		}
	}
	interrupt()
	<-ctx.Done()
	for start := time.Now(); time.Since(start) < oneWish/10; {
		runtime.Gosched()
		interrupt()
	}
	fmt.Println("it ended as it should")
}
