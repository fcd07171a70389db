// SPDX-License-Identifier: GPL-3.0-or-later
// A module with a service that is injected, a guard by an exception, and observables; decorators called as functions.
'use strict';

require('reflect-metadata');
const { Controller, Get, Injectable, Module, NotFoundException, Param, Post, Body } = require('@nestjs/common');
const { NestFactory } = require('@nestjs/core');
const { of, delay } = require('rxjs');
const ask = require('./ask.js');

class Names {
  find(name) { return { name }; }
}
Injectable()(Names);
class Users {
  constructor(names) { this.names = names; }
  async get(name) { if (name === 'none') throw new NotFoundException(); return this.names.find(name); }
  later() { return of({ later: true }).pipe(delay(2)); }
  add(body) { return body.length; }
}
Reflect.defineMetadata('design:paramtypes', [Names], Users);
const method = (name, ...all) => all.forEach((one) => one(Users.prototype, name, Object.getOwnPropertyDescriptor(Users.prototype, name)));
Param('name')(Users.prototype, 'get', 0);
Body()(Users.prototype, 'add', 0);
method('later', Get('later'));
method('get', Get(':name'));
method('add', Post());
Controller('users')(Users);
class App {}
Module({ controllers: [Users], providers: [Names] })(App);

(async () => {
  const app = await NestFactory.create(App, { logger: false });
  const server = await app.listen(0, '127.0.0.1');
  await ask(server.address().port, [['GET', '/users/a'], ['GET', '/users/later'], ['GET', '/users/none'], ['POST', '/users', '[1,2]']]);
  await app.close();
  console.log('closed');
})();
