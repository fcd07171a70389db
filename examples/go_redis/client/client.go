// SPDX-License-Identifier: GPL-3.0-or-later

// Asks the service for items at a rate, each when it is due, whether those before are answered or not:
//
//	client http://127.0.0.1:8000 REQUESTS RATE
package main

import (
	"fmt"
	"io"
	"log"
	"math/rand"
	"net/http"
	"os"
	"strconv"
	"sync"
	"time"
)

func ask(client *http.Client, url string) error {
	answer, err := client.Get(url)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	_, err = io.Copy(io.Discard, answer.Body)
	if err == nil && answer.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s", url, answer.Status)
	}
	return err
}

func main() {
	requests, _ := strconv.Atoi(os.Args[2])
	rate, _ := strconv.ParseFloat(os.Args[3], 64)
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64}}
	var all sync.WaitGroup
	due := time.Now()
	for i := 0; i < requests; i++ {
		time.Sleep(time.Until(due))
		due = due.Add(time.Duration(rand.ExpFloat64() / rate * 1e9))
		all.Add(1)
		go func(i int) {
			defer all.Done()
			if err := ask(client, fmt.Sprintf("%s/item/%08d", os.Args[1], i)); err != nil {
				log.Fatal(err)
			}
		}(i)
	}
	all.Wait()
}
