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

func busy(d time.Duration) {
	if d <= 0 {
		return
	}
	switch *mode {
	case "sleep":
		// time.Sleep rounds up to whole milliseconds where nothing else is to do
		rest := syscall.NsecToTimespec(d.Nanoseconds())
		for syscall.Nanosleep(&rest, &rest) == syscall.EINTR {
		}
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
