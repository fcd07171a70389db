#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""pprof.py FILE: the stacks of a profile of google/pprof as folded lines, by a decoder of its own, written from the
description of the wire format (protobuf.dev) and from profile.proto. Fails on what go's reader refuses: an id of 0 or
twice, a name that is no UTF-8, a location, function or string that is not there. Behind a stack are all its values. `#`
before a line: types, period, time, and labels of samples."""
import collections, gzip, sys

def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at

def fields(data):
    at = 0
    while at < len(data):
        tag, at = varint(data, at)
        kind = tag & 7
        if kind == 0:
            value, at = varint(data, at)
        elif kind == 2:
            length, at = varint(data, at)
            assert at + length <= len(data), "a field goes beyond its message"
            value, at = data[at:at + length], at + length
        else:
            raise AssertionError(f"field {tag >> 3} of kind {kind}")
        yield tag >> 3, value

def first(message, number, default=0):
    return next((value for field, value in fields(message) if field == number), default)

def packed(value):
    if isinstance(value, int):
        return [value]
    numbers, at = [], 0
    while at < len(value):
        number, at = varint(value, at)
        numbers.append(number)
    return numbers

def table(messages):
    rows = {first(message, 1): message for message in messages}
    assert len(rows) == len(messages) and 0 not in rows, "an id is 0, or there twice"
    return rows

data = open(sys.argv[1], "rb").read()
data = gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data
parts = collections.defaultdict(list)
for number, value in fields(data):
    parts[number].append(value)
strings = [text.decode("utf-8") for text in parts[6]]
assert strings[0] == "", "the first string is not empty"
functions, locations, mappings = table(parts[5]), table(parts[4]), table(parts[3])
for message in parts[1]:
    print("# type", strings[first(message, 1)], strings[first(message, 2)])
stacks, labels = {}, []
for sample in parts[2]:
    frames, values, said = [], [], []
    for number, value in fields(sample):
        if number == 1:
            for location in packed(value):
                message = locations[location]
                mapping = first(message, 2)
                names = [strings[first(functions[first(line, 1)], 2)] for field, line in fields(message) if field == 4]
                module = strings[first(mappings[mapping], 5)] if mapping else ""
                frames += names or [f"{module}@{first(message, 3):x}"]
        elif number == 2:
            values += packed(value)
        elif number == 3:
            text = first(value, 2)
            said.append(f"{strings[first(value, 1)]}={strings[text] if text else first(value, 3)}")
    assert len(values) == len(parts[1]), "as many values as types"
    stack = ";".join(reversed(frames))
    stacks[stack] = [a + b for a, b in zip(stacks.get(stack, [0] * len(values)), values)]
    if said:
        labels.append(" ".join(said))
for period in parts[11]:
    print("# period", strings[first(period, 1)], strings[first(period, 2)], *parts[12])
if parts[9]:
    print("# time", parts[9][0], "duration", *parts[10])
for label in labels:
    print("# labels", label)
for stack in sorted(stacks):
    print(stack, *stacks[stack])
