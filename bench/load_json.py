#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads a JSON file into memory, as a script that works on traces would: what our reader is compared with."""
import json
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    json.load(file)
