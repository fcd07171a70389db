// SPDX-License-Identifier: GPL-3.0-or-later
// Queries in GraphQL, one of which fails, and a stream of events.
'use strict';

const { createServer } = require('http');
const { createSchema, createYoga } = require('graphql-yoga');
const ask = require('./ask.js');

const schema = createSchema({
  typeDefs: 'type Query { hello(name: String!): String!, fails: String } type Subscription { count: Int! }',
  resolvers: {
    Query: { hello: async (_, { name }) => `hello ${name}`, fails: () => { throw new Error('expected'); } },
    Subscription: { count: { subscribe: async function* count() { for (let i = 0; i < 3; i++) yield { count: i }; } } },
  },
});
const server = createServer(createYoga({ schema, logging: false })).listen(0, '127.0.0.1', async () => {
  const query = (text) => ['POST', '/graphql', JSON.stringify({ query: text })];
  await ask(server.address().port, [query('{ hello(name: "a") }'), query('{ fails }'), query('{ nothing }'), ['GET', '/graphql?query=subscription%7Bcount%7D']]);
  server.close(() => console.log('closed'));
});
