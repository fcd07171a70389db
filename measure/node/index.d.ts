// SPDX-License-Identifier: GPL-3.0-or-later
// Loading this module starts the recording of the thread that loads it; there is nothing to call.
//
//     node --require tailproof-node app.js
//     node --import tailproof-node app.mjs
//
// The environment says where to: TAILPROOF_STORE (a folder, made if it is not there; default
// tailproof-store) and TAILPROOF_NODE_BYTES (the most that the log of one thread takes on disk).
export {};
