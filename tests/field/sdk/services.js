// SPDX-License-Identifier: GPL-3.0-or-later
// Services of a shop, recorded by OpenTelemetry's SDK: node services.js REQUESTS OUT. Writes OUT.json (OTLP JSON, a line for
// each batch), OUT.pb (OTLP protobuf, each message behind its length), and OUT.truth: a JSON object that says how many ns of
// all requests each service had for itself, by the clock of the process and by what the program waits for.
//
// `gateway` asks `auth`; then `stock` and `price` together; then `pay`, which it gives up after TIMEOUT and asks once more; then
// it leaves an order for `worker`, for which nobody waits. `stock` makes three queries over a pool of two connections.
'use strict'
const fs = require('fs')
const http = require('http')
const api = require('@opentelemetry/api')
const { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } = require('@opentelemetry/sdk-trace-base')
const { ProtobufTraceSerializer, JsonTraceSerializer } = require('@opentelemetry/otlp-transformer')
const { resourceFromAttributes } = require('@opentelemetry/resources')
const { W3CTraceContextPropagator } = require('@opentelemetry/core')

const [requests, out] = [Number(process.argv[2]), process.argv[3]]
const TIMEOUT = 60
const CLIENTS = 4
const exporter = new InMemorySpanExporter()
const propagator = new W3CTraceContextPropagator()
const now = () => Number(process.hrtime.bigint())
const sleep = ms => new Promise(resolve => setTimeout(resolve, ms))

// The same times in each run.
let state = 1
function random(below) {
  state = (state * 1103515245 + 12345) % 2147483648
  return state % below
}

function tracer(service) {
  const resource = resourceFromAttributes({ 'service.name': service, 'host.name': 'shop-1' })
  return new BasicTracerProvider({ resource, spanProcessors: [new SimpleSpanProcessor(exporter)] }).getTracer('shop')
}

// A server: `work(context, took)` answers; how long it took goes into took.ns.
function serve(service, work) {
  const trace = tracer(service)
  return new Promise(resolve => {
    const server = http.createServer(async (request, response) => {
      const parent = propagator.extract(api.ROOT_CONTEXT, request.headers, api.defaultTextMapGetter)
      const span = trace.startSpan(`GET ${request.url.split('?')[0]}`, { kind: api.SpanKind.SERVER }, parent)
      const start = now()
      await work(api.trace.setSpan(parent, span), request, trace)
      const took = now() - start
      span.end()
      response.end(JSON.stringify({ took }))
    })
    server.listen(0, '127.0.0.1', () => resolve({ service, server, port: server.address().port }))
  })
}

// A call of a service: what it says it took, in ns; null after `timeout` ms.
function call(trace, context, to, path, timeout) {
  const span = trace.startSpan(`GET ${path.split('?')[0]}`, { kind: api.SpanKind.CLIENT }, context)
  const headers = {}
  propagator.inject(api.trace.setSpan(context, span), headers, api.defaultTextMapSetter)
  return new Promise(resolve => {
    const request = http.get({ host: '127.0.0.1', port: to.port, path, headers, agent: false }, response => {
      let body = ''
      response.on('data', piece => { body += piece })
      response.on('end', () => {
        clearTimeout(timer)
        span.end()
        resolve({ ns: JSON.parse(body).took, at: now() })
      })
    })
    request.on('error', () => {
      span.setStatus({ code: api.SpanStatusCode.ERROR, message: 'timed out' })
      span.end()
      resolve(null)
    })
    const timer = timeout === undefined ? undefined : setTimeout(() => request.destroy(), timeout)
  })
}

// Two connections; who finds none waits.
const pool = { free: 2, waiting: [] }
async function query(trace, context, ms) {
  if (pool.free > 0)
    pool.free--
  else
    await new Promise(resolve => pool.waiting.push(resolve))
  const span = trace.startSpan('SELECT', { kind: api.SpanKind.INTERNAL }, context)
  await sleep(ms)
  span.end()
  const next = pool.waiting.shift()
  if (next === undefined)
    pool.free++
  else
    next()
}

async function main() {
  const truth = { total: 0, auth: 0, stock: 0, price: 0, pay: 0, worker: 0, timeouts: 0, requests }
  const worker = tracer('worker')
  let left = []
  const auth = await serve('auth', () => sleep(8 + random(10)))
  const stock = await serve('stock', (context, request, trace) =>
    Promise.all([1, 2, 3].map(() => query(trace, context, 8 + random(6)))))
  const price = await serve('price', () => sleep(10 + random(40)))
  const pay = await serve('pay', (context, request) => sleep(request.url === '/pay?slow' ? 3 * TIMEOUT : 12 + random(8)))

  async function consume(context) {
    await sleep(30)
    const span = worker.startSpan('orders process', { kind: api.SpanKind.CONSUMER }, context)
    await sleep(20)
    span.end()
  }
  const gateway = await serve('gateway', async (context, request, trace) => {
    const start = now()
    await sleep(5)
    const known = await call(trace, context, auth, '/auth')
    truth.auth += known.ns
    const [a, b] = await Promise.all([call(trace, context, stock, '/stock'), call(trace, context, price, '/price')])
    truth[a.at > b.at ? 'stock' : 'price'] += (a.at > b.at ? a : b).ns
    let paid = await call(trace, context, pay, request.url.endsWith('7') ? '/pay?slow' : '/pay', TIMEOUT)
    if (paid === null) {
      truth.timeouts++
      paid = await call(trace, context, pay, '/pay')
    }
    truth.pay += paid.ns
    const span = trace.startSpan('orders publish', { kind: api.SpanKind.PRODUCER }, context)
    left.push(consume(api.trace.setSpan(context, span)))
    await sleep(1 + random(6)) // what always takes the same may be waited for, or not: nobody could tell
    span.end()
    await sleep(3)
    truth.total += now() - start
  })

  const asked = Array.from({ length: requests }, (_, i) => i)
  async function client() {
    for (let i = asked.shift(); i !== undefined; i = asked.shift())
      await new Promise(resolve => http.get({ host: '127.0.0.1', port: gateway.port, path: `/buy?${i}`, agent: false },
        response => response.resume().on('end', resolve)))
  }
  await Promise.all(Array.from({ length: CLIENTS }, client))
  await Promise.all(left)
  await sleep(4 * TIMEOUT) // servers that were given up end
  for (const one of [auth, stock, price, pay, gateway])
    one.server.close()

  const spans = exporter.getFinishedSpans()
  const json = [], bytes = []
  for (let i = 0; i < spans.length; i += 512) {
    const batch = spans.slice(i, i + 512)
    json.push(Buffer.from(JsonTraceSerializer.serializeRequest(batch)).toString() + '\n')
    const message = Buffer.from(ProtobufTraceSerializer.serializeRequest(batch))
    const head = Buffer.alloc(4)
    head.writeUInt32BE(message.length)
    bytes.push(head, message)
  }
  fs.writeFileSync(`${out}.json`, json.join(''))
  fs.writeFileSync(`${out}.pb`, Buffer.concat(bytes))
  fs.writeFileSync(`${out}.truth`, JSON.stringify(truth) + '\n')
}

main()
