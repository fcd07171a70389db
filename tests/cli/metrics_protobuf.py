#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
# Pages of metrics in protobuf, encoded by Google's library from the fields of Prometheus' client model,
# about raw observations that are known.
#   metrics_protobuf.py serve PORT_FILE OBSERVATIONS   an exporter: /metrics in the form that is asked for
#   metrics_protobuf.py pages FOLDER COUNT             pages that are unusual, or wrong in many ways; one of
#                                                      COUNT label sets
#   metrics_protobuf.py counts OBSERVATIONS METHOD     how many fall in each native bucket that has some
# OBSERVATIONS has a line for each: a method, and seconds.
import http.server, math, os, sys
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

SCHEMA, ZERO, BOUNDS = 3, 2.0**-30, [0.005, 0.01, 0.1, 1, 2.5, 10]
CREATED = 1700000000
F = descriptor_pb2.FieldDescriptorProto
MODEL = {
    "LabelPair": "name:1:string value:2:string",
    "Stamp": "seconds:1:int64 nanos:2:int32",
    "Bucket": "cumulative_count:1:uint64 cumulative_count_float:4:double upper_bound:2:double",
    "Span": "offset:1:sint32 length:2:uint32",
    "Quantile": "quantile:1:double value:2:double",
    "Summary": "sample_count:1:uint64 sample_sum:2:double quantile:3:Quantile*",
    "Counter": "value:1:double",
    "Histogram": "sample_count:1:uint64 sample_count_float:4:double sample_sum:2:double bucket:3:Bucket* "
    "created_timestamp:15:Stamp schema:5:sint32 zero_threshold:6:double zero_count:7:uint64 zero_count_float:8:double "
    "negative_span:9:Span* negative_delta:10:sint64* negative_count:11:double* "
    "positive_span:12:Span* positive_delta:13:sint64* positive_count:14:double*",
    "Metric": "label:1:LabelPair* counter:3:Counter summary:4:Summary histogram:7:Histogram timestamp_ms:6:int64",
    "MetricFamily": "name:1:string help:2:string type:3:int32 metric:4:Metric* unit:5:string",
}


def model():
    file = descriptor_pb2.FileDescriptorProto(name="model", package="m", syntax="proto2")
    for name, fields in MODEL.items():
        message = file.message_type.add(name=name)
        for field in fields.split():
            key, number, kind = field.split(":")
            made = message.field.add(name=key, number=int(number), label=3 if kind.endswith("*") else 1)
            kind = kind.rstrip("*")
            if kind in MODEL:
                made.type, made.type_name = F.TYPE_MESSAGE, ".m." + kind
            else:
                made.type = getattr(F, "TYPE_" + kind.upper())
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    factory = message_factory.MessageFactory(pool)
    return {name: factory.GetPrototype(pool.FindMessageTypeByName("m." + name)) for name in MODEL}


M = model()


def varint(number):
    out = b""
    while number > 127:
        out += bytes([number & 127 | 128])
        number >>= 7
    return out + bytes([number])


def delimited(*families):
    return b"".join(varint(f.ByteSize()) + f.SerializeToString() for f in families)


def index_of(value, schema=SCHEMA):
    return math.ceil(math.log2(value) * 2**schema)


def native_of(values):
    zeros, counts = 0, {}
    for value in values:
        if value <= ZERO:
            zeros += 1
        else:
            counts[index_of(value)] = counts.get(index_of(value), 0) + 1
    return zeros, counts


def set_native(h, values):
    zeros, counts = native_of(values)
    h.schema, h.zero_threshold, h.zero_count = SCHEMA, ZERO, zeros
    before, last = None, 0
    for index in sorted(counts):
        if before is None or index != before + 1:
            h.positive_span.add(offset=index if before is None else index - before - 1, length=0)
        h.positive_span[-1].length += 1
        h.positive_delta.append(counts[index] - last)
        before, last = index, counts[index]
    if not counts:
        h.positive_span.add(offset=0, length=0)


def set_classic(h, values):
    for bound in BOUNDS:
        h.bucket.add(cumulative_count=sum(v <= bound for v in values), upper_bound=bound)


def histogram(values, labels, native=True, classic=True, created=CREATED):
    metric = M["Metric"]()
    for name, value in labels.items():
        metric.label.add(name=name, value=value)
    h = metric.histogram
    h.sample_count, h.sample_sum = len(values), sum(values)
    if created:
        h.created_timestamp.seconds = created
    if native:
        set_native(h, values)
    if classic:
        set_classic(h, values)
    return metric


def family(*metrics, name="rpc_seconds", kind=4):
    return M["MetricFamily"](name=name, help="Calls.", type=kind, metric=metrics)


def observations(path):
    sets = {}
    for line in open(path):
        method, value = line.split()
        sets.setdefault(method, []).append(float(value))
    return sets


def others():
    counter = M["Metric"](counter=M["Counter"](value=7))
    summary = M["Metric"](summary=M["Summary"](sample_count=1, sample_sum=1, quantile=[M["Quantile"](quantile=0.5, value=1)]))
    return [family(counter, name="calls_total", kind=0), family(summary, name="wait_seconds", kind=2)]


def page(sets, **how):
    return delimited(*others(), family(*[histogram(v, {"method": m}, **how) for m, v in sorted(sets.items())]))


def text(sets):
    lines = ["# TYPE rpc_seconds histogram"]
    for method, values in sorted(sets.items()):
        for bound in BOUNDS + [math.inf]:
            le = "+Inf" if bound == math.inf else bound
            lines.append(f'rpc_seconds_bucket{{method="{method}",le="{le}"}} {sum(v <= bound for v in values)}')
        lines.append(f'rpc_seconds_sum{{method="{method}"}} {sum(values)}')
        lines.append(f'rpc_seconds_count{{method="{method}"}} {len(values)}')
    return "\n".join(lines + [""]).encode()


class Handler(http.server.BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def do_GET(self):
        sets = observations(sys.argv[3])
        binary = "application/vnd.google.protobuf" in self.headers.get("Accept", "")
        kind = "application/vnd.google.protobuf; proto=io.prometheus.client.MetricFamily; encoding=delimited"
        body = page(sets) if binary else text(sets)
        self.send_response(200)
        self.send_header("Content-Type", kind if binary else "text/plain; version=0.0.4")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def serve():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    with open(sys.argv[2] + ".new", "w") as port:
        port.write(str(server.server_address[1]))
    os.rename(sys.argv[2] + ".new", sys.argv[2])
    server.serve_forever()


def changed(change, **how):
    metric = histogram([0.0, 0.001, 0.002, 0.25, 0.25, 3.0], {"method": "Put"}, **how)
    change(metric.histogram)
    return delimited(family(metric))


def spans(h, *pairs):
    del h.positive_span[:]
    for offset, length in pairs:
        h.positive_span.add(offset=offset, length=length)


def in_floats(h):
    last = 0
    for delta in h.positive_delta:
        last += delta
        h.positive_count.append(last)
    del h.positive_delta[:]
    h.sample_count_float, h.zero_count_float = h.sample_count, h.zero_count
    h.sample_count = h.zero_count = 0
    for bucket in h.bucket:
        bucket.cumulative_count_float, bucket.cumulative_count = bucket.cumulative_count, 0


def raw(message):
    return varint(len(message)) + message


def histogram_bytes(body):
    """A page whose histogram has these bytes."""
    metric = b"\x3a" + varint(len(body)) + body
    return raw(b"\x0a\x05rpc_s\x18\x04\x22" + varint(len(metric)) + metric)


def many(count):
    metric = histogram([0.5], {"i": "%07d" % 1234567}, native=False).SerializeToString()
    metrics = b"".join(b"\x22" + varint(len(metric)) + metric.replace(b"1234567", b"%07d" % i) for i in range(count))
    return raw(b"\x0a\x0brpc_seconds\x18\x04" + metrics)


def set_of(h, **values):
    for key, value in values.items():
        setattr(h, key, value)


def pages():
    good = changed(lambda h: None)
    classic = dict(native=False)
    native = dict(classic=False)
    made = {
        "good": good,
        "classic": changed(lambda h: None, **classic),
        "floats": changed(in_floats),
        "beyond": delimited(family(histogram([0.001, 11, 20], {}, **classic))),
        "classic-floats": changed(in_floats, **classic),
        "restarted": changed(lambda h: None, created=CREATED + 1),
        "cut": good[:-7],
        "cut-length": good + b"\x80",
        "length": varint(1 << 40) + good[2:],
        "overlong": good + b"\xff" * 10 + b"\x01",
        "group": raw(b"\x0a\x01a\x18\x04\x0b"),
        "field-zero": raw(b"\x0a\x01a\x18\x04\x00\x01"),
        "wrong-type": histogram_bytes(b"\x0a\x01\x07"),
        "wrong-double": histogram_bytes(b"\x10\x07"),
        "wrong-span": histogram_bytes(b"\x60\x07"),
        "wrong-family": raw(b"\x0a\x05rpc_s\x22\x00\x1a\x01x"),
        "inner-cut": histogram_bytes(b"\x1a\x09\x08\x01\x11\x00\x00\x00\x00\x00"),
        "nan-count": changed(lambda h: set_of(h, sample_count_float=math.nan)),
        "nan-bucket": changed(lambda h: h.positive_count.append(math.nan), **native),
        "nan-sum": changed(lambda h: set_of(h, sample_sum=math.nan)),
        "nan-bound": changed(lambda h: set_of(h.bucket[2], upper_bound=math.nan), **classic),
        "nan-zero": changed(lambda h: set_of(h, zero_threshold=math.nan)),
        "rate": changed(lambda h: set_of(h, sample_count_float=0.5)),
        "back": changed(lambda h: spans(h, (3, 2), (-1, 2))),
        "span-long": changed(lambda h: spans(h, (3, 4000000000))),
        "below-zero": changed(lambda h: h.positive_delta.__setitem__(0, -1)),
        "overflow": changed(lambda h: (h.positive_delta.__setitem__(0, 2**63 - 1), h.positive_delta.__setitem__(1, 2**63 - 1))),
        "too-many": changed(lambda h: set_of(h, sample_count=2**64 - 1)),
        "schema": changed(lambda h: set_of(h, schema=9)),
        "custom": changed(lambda h: set_of(h, schema=-53)),
        "negative": changed(lambda h: (h.negative_span.add(offset=0, length=1), h.negative_delta.append(1))),
        "nan-observed": changed(lambda h: set_of(h, sample_count=h.sample_count + 1)),
        "unordered": changed(lambda h: set_of(h.bucket[1], upper_bound=0.001), **classic),
        "shrinks": changed(lambda h: set_of(h.bucket[3], cumulative_count=0), **classic),
        "infinite": changed(lambda h: h.bucket.add(cumulative_count=9, upper_bound=math.inf), **classic),
        "no-histogram": delimited(family(M["Metric"]())),
        "summary": delimited(*others()),
        "gauge": delimited(family(histogram([1.0], {}), kind=5)),
        "twice": delimited(family(histogram([1.0], {"a": "b"})), family(histogram([1.0], {"a": "b"}))),
        "label": delimited(family(histogram([1.0], {'a"': "b"}))),
        "zero-byte": delimited(family(histogram([1.0], {"a": "b\0c"}))),
        "many": many(int(sys.argv[3])),
    }
    for name, content in made.items():
        with open(os.path.join(sys.argv[2], name + ".pb"), "wb") as file:
            file.write(content)


def counts():
    zeros, rows = native_of(observations(sys.argv[2])[sys.argv[3]])
    print(*([zeros] if zeros else []), *[rows[i] for i in sorted(rows)])


{"serve": serve, "pages": pages, "counts": counts}[sys.argv[1]]()
