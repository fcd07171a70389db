// A node of the lock's ring in Go: node NUMBER NODES TURNS. Packets come from standard input and go to standard
// output; what happens is said on standard error. It ends when it has passed the lock on TURNS times.
package main

// #include "lock_node_step.h"
import "C"

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
)

// What C writes is in Go's memory: it holds no pointers, and C keeps none to it.
type ring struct {
	i      C.int32_t
	params C.struct_lock_params
	self   C.struct_node
	out    C.struct_node_sends
	action C.enum_node_action
	packet [C.TP_BYTES]byte
}

func (r *ring) bytes() *C.uint8_t { return (*C.uint8_t)(&r.packet[0]) }

// pass passes the lock on if this node has it.
func (r *ring) pass() (bool, error) {
	switch C.node_act(&r.self, &r.params, r.i, &r.out, &r.action) {
	case C.TP_DISABLED:
		return false, nil
	case C.TP_RANGE:
		return false, errors.New("the number of the next hop does not fit")
	}
	if r.out.Transfer_to != C.tp_next(r.i, r.params.n) {
		return false, errors.New("the pipe leads to another node")
	}
	message := C.struct_tp_message{kind: C.lock_Transfer}
	message.field[0] = r.out.Transfer_epoch
	C.tp_message_encode(r.bytes(), &message)
	if _, err := os.Stdout.Write(r.packet[:]); err != nil {
		return false, errors.New("the next node is gone")
	}
	fmt.Fprintf(os.Stderr, "node %d, Go: passes the lock on, epoch %d\n", r.i, r.out.Transfer_epoch)
	return true, nil
}

// receive waits for a packet and takes the step that it asks for.
func (r *ring) receive() error {
	var message C.struct_tp_message
	if _, err := io.ReadFull(os.Stdin, r.packet[:]); err != nil {
		return errors.New("the node before is gone")
	}
	if !C.tp_message_decode(&message, r.bytes(), C.TP_BYTES) || !C.lock_message_valid(&message, &r.params) {
		fmt.Fprintf(os.Stderr, "node %d, Go: refuses what is no message\n", r.i)
		return nil
	}
	if C.node_take(&r.self, &r.params, r.i, &r.out, &r.action, &message) == C.TP_DONE {
		fmt.Fprintf(os.Stderr, "node %d, Go: has the lock, epoch %d\n", r.i, r.self.epoch)
	} else {
		fmt.Fprintf(os.Stderr, "node %d, Go: takes no step for an old token\n", r.i)
	}
	return nil
}

func number(text string, low, high int) (int, error) {
	value, err := strconv.Atoi(text)
	if err != nil || value < low || value > high {
		return 0, fmt.Errorf("%s: a whole number from %d to %d", text, low, high)
	}
	return value, nil
}

func run(arguments []string) error {
	if len(arguments) != 4 {
		return errors.New("usage: node NUMBER NODES TURNS")
	}
	n, err := number(arguments[2], 1, C.TP_NODES)
	if err != nil {
		return err
	}
	i, err := number(arguments[1], 0, n-1)
	if err != nil {
		return err
	}
	left, err := number(arguments[3], 1, 1000000)
	if err != nil {
		return err
	}
	r := &ring{i: C.int32_t(i), params: C.struct_lock_params{n: C.int32_t(n)}}
	C.node_init(&r.self, &r.params, r.i)
	for left > 0 {
		passed, err := r.pass()
		if err == nil && !passed {
			err = r.receive()
		}
		if err != nil {
			return err
		}
		if passed {
			left--
		}
	}
	return nil
}

func main() {
	if err := run(os.Args); err != nil {
		fmt.Fprintf(os.Stderr, "node: %v\n", err)
		os.Exit(1)
	}
}
