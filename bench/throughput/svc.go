// SPDX-License-Identifier: GPL-3.0-or-later

// A service on Go's net/http for scripts/evaluate_throughput_real.py: works for each request, then asks others.
package main

import (
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"sync"
	"syscall"
	"time"
	"unsafe"
)

var (
	port     = flag.Int("port", 0, "of this service on the loopback interface")
	work     = flag.Duration("work", 0, "of each request")
	mode     = flag.String("mode", "sleep", "work is sleep, spin (until the time is over) or sum (arithmetic, 1 ns an addition or so)")
	workers  = flag.Int("workers", 1000, "requests that work at one time")
	lockWork = flag.Duration("lockwork", 0, "more work, one request at a time")
	next     = flag.String("next", "", "URLs to ask, with commas")
	parallel = flag.Bool("parallel", false, "ask them all at once")
	timeout  = flag.Duration("timeout", 0, "of each such request; 0: none")
	retries  = flag.Int("retries", 0, "how often a failed one is asked again")
)

var sink float64

// Timers of the system that nobody waits for. time.Sleep rounds up to whole milliseconds where there is nothing else to do.
var timers = make(chan *os.File, 1024)

func timer() *os.File {
	select {
	case one := <-timers:
		return one
	default:
	}
	fd, _, failed := syscall.Syscall(syscall.SYS_TIMERFD_CREATE, 1, syscall.O_NONBLOCK|syscall.O_CLOEXEC, 0) // 1: CLOCK_MONOTONIC
	if failed != 0 {
		fmt.Fprintln(os.Stderr, "timerfd_create:", failed)
		os.Exit(1)
	}
	return os.NewFile(fd, "timer")
}

func sleep(d time.Duration) {
	one := timer()
	setting := [4]int64{0, 0, int64(d / time.Second), int64(d % time.Second)}
	connection, _ := one.SyscallConn()
	connection.Control(func(fd uintptr) {
		syscall.Syscall6(syscall.SYS_TIMERFD_SETTIME, fd, 0, uintptr(unsafe.Pointer(&setting)), 0, 0, 0)
	})
	var expired [8]byte
	one.Read(expired[:])
	timers <- one
}

func busy(d time.Duration) {
	if d <= 0 {
		return
	}
	switch *mode {
	case "sleep":
		sleep(d)
	case "spin":
		for begin := time.Now(); time.Since(begin) < d; {
		}
	case "sum":
		x := 1.1
		for i := int64(0); i < d.Nanoseconds(); i++ {
			x = x*1.0000001 + 1e-9
		}
		sink = x
	}
}

type service struct {
	client *http.Client
	urls   []string
	pool   chan struct{}
	lock   sync.Mutex
}

func (s *service) ask(url string) error {
	var err error
	for i := 0; i <= *retries; i++ {
		var answer *http.Response
		answer, err = s.client.Get(url)
		if err != nil {
			continue
		}
		io.Copy(io.Discard, answer.Body)
		answer.Body.Close()
		if answer.StatusCode == http.StatusOK {
			return nil
		}
		err = fmt.Errorf("%s: status %d", url, answer.StatusCode)
	}
	return err
}

func (s *service) askAll() error {
	failures := make([]error, len(s.urls))
	var all sync.WaitGroup
	for i, url := range s.urls {
		one := func(i int, url string) {
			failures[i] = s.ask(url)
			all.Done()
		}
		all.Add(1)
		if *parallel {
			go one(i, url)
		} else {
			one(i, url)
		}
	}
	all.Wait()
	for _, err := range failures {
		if err != nil {
			return err
		}
	}
	return nil
}

func (s *service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.pool <- struct{}{}
	busy(*work)
	<-s.pool
	if *lockWork > 0 {
		s.lock.Lock()
		busy(*lockWork)
		s.lock.Unlock()
	}
	if err := s.askAll(); err != nil {
		http.Error(w, err.Error(), http.StatusServiceUnavailable)
		return
	}
	io.WriteString(w, "ok\n")
}

func main() {
	flag.Parse()
	s := &service{pool: make(chan struct{}, *workers)}
	s.client = &http.Client{Timeout: *timeout, Transport: &http.Transport{MaxIdleConnsPerHost: 256, MaxIdleConns: 1024, MaxConnsPerHost: 256}}
	if *next != "" {
		s.urls = strings.Split(*next, ",")
	}
	fmt.Fprintln(os.Stderr, http.ListenAndServe(fmt.Sprintf("127.0.0.1:%d", *port), s))
	os.Exit(1)
}
