// SPDX-License-Identifier: GPL-3.0-or-later

// A service as many are: HTTP in front, Redis behind, a goroutine for each connection.
//
//	service LISTEN REDIS      service 127.0.0.1:8000 127.0.0.1:6379
//
// GET /item/00000123 answers with what Redis has under item:00000123.
package main

import (
	"bufio"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"strings"
)

type connection struct {
	net.Conn
	reader *bufio.Reader
}

// Connections to Redis that nobody uses at the moment.
var idle = make(chan *connection, 64)

func take(redis string) (*connection, error) {
	select {
	case c := <-idle:
		return c, nil
	default:
	}
	c, err := net.Dial("tcp", redis)
	if err != nil {
		return nil, err
	}
	return &connection{c, bufio.NewReader(c)}, nil
}

func give(c *connection) {
	select {
	case idle <- c:
	default:
		c.Close()
	}
}

func (c *connection) get(key string) ([]byte, error) {
	if _, err := fmt.Fprintf(c, "*2\r\n$3\r\nGET\r\n$%d\r\n%s\r\n", len(key), key); err != nil {
		return nil, err
	}
	var length int
	if _, err := fmt.Fscanf(c.reader, "$%d\r\n", &length); err != nil || length < 0 {
		return nil, fmt.Errorf("no %s: %v", key, err)
	}
	value := make([]byte, length+2)
	_, err := io.ReadFull(c.reader, value)
	return value[:length], err
}

func main() {
	redis := os.Args[2]
	http.HandleFunc("/item/", func(w http.ResponseWriter, r *http.Request) {
		c, err := take(redis)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
			return
		}
		value, err := c.get("item:" + strings.TrimPrefix(r.URL.Path, "/item/"))
		if err != nil {
			c.Close()
			http.Error(w, err.Error(), http.StatusNotFound)
			return
		}
		give(c)
		w.Write(value)
	})
	log.Fatal(http.ListenAndServe(os.Args[1], nil))
}
