// SPDX-License-Identifier: GPL-3.0-or-later

// Services of a shop, recorded by OpenTelemetry's SDK for Go: services REQUESTS OUT. Each service writes OUT/SERVICE.json with
// the SDK's stdout exporter, a span on each line; that of `pay` is indented. OUT.truth has a line of JSON for each request: how
// many ns each service had of it for itself, by the clock of the process and by what the program waits for.
//
// `front` asks `store`, which makes three queries over a pool of two connections, one of them slow in each tenth request; then
// it asks `pay`, which it gives up after `timeout` in each fifteenth and asks once more; then it puts a message into a queue.
// `mailer` takes messages one by one, and its spans begin traces of their own with a link to the span that sent the message.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log"
	"math/rand"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/exporters/stdout/stdouttrace"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/resource"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

const (
	timeout     = 60 * time.Millisecond
	clients     = 3
	connections = 2
)

var propagator = propagation.TraceContext{}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

// The same times in each run, in an order that the scheduler decides.
var random = struct {
	sync.Mutex
	*rand.Rand
}{Rand: rand.New(rand.NewSource(1))}

func between(least, most int) time.Duration {
	random.Lock()
	defer random.Unlock()
	return time.Duration(least*1000+random.Intn((most-least)*1000)) * time.Microsecond
}

// A service's tracer, and what ends its file.
func tracer(folder, service string, options ...stdouttrace.Option) (trace.Tracer, func()) {
	file, err := os.Create(filepath.Join(folder, service+".json"))
	check(err)
	exporter, err := stdouttrace.New(append(options, stdouttrace.WithWriter(file))...)
	check(err)
	provider := sdk.NewTracerProvider(sdk.WithBatcher(exporter), sdk.WithResource(resource.NewSchemaless(
		attribute.String("service.name", service), attribute.String("host.name", "shop-1"))))
	return provider.Tracer("shop"), func() {
		check(provider.Shutdown(context.Background()))
		check(file.Close())
	}
}

// What a request waited for, in ns.
type truth struct {
	Front   int64 `json:"front"`   // until the message is sent, without the next four
	After   int64 `json:"after"`   // from then to the answer
	Store   int64 `json:"store"`   // as it says itself
	Pay     int64 `json:"pay"`     // when it answered
	GaveUp  int64 `json:"gave_up"` // for pay, which did not answer in time
	Network int64 `json:"network"` // calls, without what their servers say of themselves
	Queue   int64 `json:"queue"`   // the message, from sending to taking
	Mailer  int64 `json:"mailer"`
}

// A server: the answer is how many ns its work took.
func serve(tracer trace.Tracer, work func(context.Context, *http.Request)) string {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	check(err)
	go http.Serve(listener, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// The server's work goes on when the client has gone.
		parent := propagator.Extract(context.Background(), propagation.HeaderCarrier(r.Header))
		ctx, span := tracer.Start(parent, "GET "+r.URL.Path, trace.WithSpanKind(trace.SpanKindServer))
		start := time.Now()
		work(ctx, r)
		took := time.Since(start)
		span.End()
		io.WriteString(w, strconv.FormatInt(int64(took), 10))
	}))
	return "http://" + listener.Addr().String()
}

// A call: what the server says it took, and what the call took.
func call(ctx context.Context, tracer trace.Tracer, url, path string, limit time.Duration) (int64, int64, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	ctx, span := tracer.Start(ctx, "GET", trace.WithSpanKind(trace.SpanKindClient))
	defer span.End()
	start := time.Now()
	request, err := http.NewRequestWithContext(ctx, "GET", url+path, nil)
	check(err)
	propagator.Inject(ctx, propagation.HeaderCarrier(request.Header))
	response, err := http.DefaultClient.Do(request)
	var body []byte
	if err == nil {
		body, err = io.ReadAll(response.Body)
		response.Body.Close()
	}
	if err != nil {
		span.RecordError(err)
		span.SetStatus(codes.Error, "no answer")
		return 0, int64(time.Since(start)), err
	}
	took, err := strconv.ParseInt(string(body), 10, 64)
	check(err)
	return took, int64(time.Since(start)), nil
}

// Three queries at once, of which two have a connection.
func queries(tracer trace.Tracer, pool chan struct{}) func(context.Context, *http.Request) {
	return func(ctx context.Context, r *http.Request) {
		var all sync.WaitGroup
		for _, table := range []string{"items", "prices", "stock"} {
			took := between(6, 12)
			if table == "prices" && r.URL.Query().Has("slow") {
				took = 150 * time.Millisecond
			}
			all.Add(1)
			go func(table string) {
				defer all.Done()
				pool <- struct{}{}
				_, span := tracer.Start(ctx, "SELECT "+table)
				time.Sleep(took)
				span.End()
				<-pool
			}(table)
		}
		all.Wait()
	}
}

type message struct {
	sender trace.SpanContext
	sent   time.Time
	of     *truth
}

// Takes messages until there are no more.
func consume(tracer trace.Tracer, queue chan message, done *sync.WaitGroup) {
	defer done.Done()
	for m := range queue {
		start := time.Now()
		_, span := tracer.Start(context.Background(), "mails process", trace.WithSpanKind(trace.SpanKindConsumer),
			trace.WithLinks(trace.Link{SpanContext: m.sender}))
		time.Sleep(between(15, 25))
		span.End()
		m.of.Queue, m.of.Mailer = int64(start.Sub(m.sent)), int64(time.Since(start))
	}
}

func buy(ctx context.Context, tracer trace.Tracer, number int, store, pay string, queue chan message, of *truth) {
	ctx, span := tracer.Start(ctx, "GET /buy", trace.WithSpanKind(trace.SpanKindServer))
	start := time.Now()
	time.Sleep(between(4, 8))
	path := "/items"
	if number%10 == 3 {
		path += "?slow"
	}
	took, all, err := call(ctx, tracer, store, path, time.Minute)
	check(err)
	of.Store, of.Network = took, all-took
	path = "/pay"
	if number%15 == 7 {
		path += "?late"
	}
	limit := timeout
	if number%15 != 7 {
		limit = time.Minute // a busy machine gives up nothing
	}
	took, all, err = call(ctx, tracer, pay, path, limit)
	if errors.Is(err, context.DeadlineExceeded) {
		of.GaveUp = all
		took, all, err = call(ctx, tracer, pay, "/pay", time.Minute)
	}
	check(err)
	of.Pay, of.Network = took, of.Network+all-took
	_, sending := tracer.Start(ctx, "mails send", trace.WithSpanKind(trace.SpanKindProducer))
	sent := time.Now()
	queue <- message{sending.SpanContext(), sent, of}
	sending.End()
	time.Sleep(between(2, 4))
	of.After = int64(time.Since(sent))
	span.End()
	of.Front = int64(sent.Sub(start)) - of.Store - of.Pay - of.GaveUp - of.Network
}

func main() {
	requests, err := strconv.Atoi(os.Args[1])
	check(err)
	folder := os.Args[2]
	front, endFront := tracer(folder, "front")
	stock, endStore := tracer(folder, "store")
	bank, endPay := tracer(folder, "pay", stdouttrace.WithPrettyPrint())
	mailer, endMailer := tracer(folder, "mailer")
	store := serve(stock, queries(stock, make(chan struct{}, connections)))
	pay := serve(bank, func(_ context.Context, r *http.Request) {
		if r.URL.Query().Has("late") {
			time.Sleep(3 * timeout)
		} else {
			time.Sleep(between(12, 20))
		}
	})

	queue := make(chan message, requests)
	var consumers, asking sync.WaitGroup
	consumers.Add(1)
	go consume(mailer, queue, &consumers)
	truths := make([]truth, requests)
	numbers := make(chan int)
	for i := 0; i < clients; i++ {
		asking.Add(1)
		go func() {
			defer asking.Done()
			for number := range numbers {
				buy(context.Background(), front, number, store, pay, queue, &truths[number])
			}
		}()
	}
	for number := 0; number < requests; number++ {
		numbers <- number
	}
	close(numbers)
	asking.Wait()
	close(queue)
	consumers.Wait()
	time.Sleep(4 * timeout) // what was given up ends
	for _, end := range []func(){endFront, endStore, endPay, endMailer} {
		end()
	}
	file, err := os.Create(folder + ".truth")
	check(err)
	for i := range truths {
		check(json.NewEncoder(file).Encode(&truths[i]))
	}
	check(file.Close())
}
