// SPDX-License-Identifier: GPL-3.0-or-later
//
// The token ring of specs/lock.tp for a program verifier: what the proof of full_circle costs when it
// is written by hand. scripts/bench.sh times it beside the same bound in one run.

function Grant(k: nat): real
function Accept(k: nat): real
function Delay(k: nat): real

function Hops(k: nat): real
{
  if k == 0 then 0.0 else Hops(k - 1) + Grant(k - 1) + Delay(k) + Accept(k - 1)
}

datatype Transfer = Transfer(to: nat, delivery: real)

datatype State = State(held: seq<bool>, epoch: seq<nat>, clock: seq<real>,
                       sent: map<nat, Transfer>, received: set<nat>)

predicate Shape(n: nat, s: State)
{
  n > 0 && |s.held| == n && |s.epoch| == n && |s.clock| == n
}

predicate Init(n: nat, s: State)
{
  Shape(n, s) && s.sent == map[] && s.received == {} &&
  forall i :: 0 <= i < n ==> s.held[i] == (i == 0) && s.epoch[i] == 0 && s.clock[i] == 0.0
}

predicate GrantStep(n: nat, s: State, t: State, i: nat)
{
  Shape(n, s) && Shape(n, t) && i < n && s.held[i] &&
  var end := s.clock[i] + Grant(s.epoch[i]);
  var e := s.epoch[i] + 1;
  t.held == s.held[i := false] && t.epoch == s.epoch && t.clock == s.clock[i := end] &&
  t.received == s.received &&
  t.sent == s.sent[e := Transfer(if i + 1 == n then 0 else i + 1, end + Delay(e))]
}

function Max(a: real, b: real): real { if a >= b then a else b }

predicate AcceptStep(n: nat, s: State, t: State, i: nat, e: nat)
{
  Shape(n, s) && Shape(n, t) && i < n && e > s.epoch[i] &&
  e in s.sent && e !in s.received && s.sent[e].to == i &&
  t.held == s.held[i := true] && t.epoch == s.epoch[i := e] &&
  t.clock == s.clock[i := Max(s.clock[i], s.sent[e].delivery) + Accept(e - 1)] &&
  t.received == s.received + {e} && t.sent == s.sent
}

predicate Pending(s: State, k: nat) { k in s.sent && k !in s.received }

predicate Inv(n: nat, s: State)
{
  Shape(n, s) &&
  (forall k: nat :: k in s.sent ==> k >= 1) &&
  (forall i, j :: 0 <= i < n && 0 <= j < n && s.held[i] && s.held[j] ==> i == j) &&
  (forall i, k: nat :: 0 <= i < n && s.held[i] && k in s.sent ==> k in s.received && k <= s.epoch[i]) &&
  (forall j: nat, k: nat :: Pending(s, j) && k in s.sent ==> k <= j) &&
  (forall i, j :: 0 <= i < n && 0 <= j < n && s.held[i] ==> s.epoch[j] <= s.epoch[i]) &&
  (forall i, k: nat :: 0 <= i < n && Pending(s, k) ==> s.epoch[i] < k) &&
  (forall i, j :: 0 <= i < n && 0 <= j < n && s.held[i] ==> s.clock[j] <= s.clock[i]) &&
  (forall i, k: nat :: 0 <= i < n && Pending(s, k) ==> s.clock[i] <= s.sent[k].delivery) &&
  (forall i :: 0 <= i < n && s.held[i] ==> s.clock[i] <= Hops(s.epoch[i])) &&
  (forall k: nat :: Pending(s, k) && k >= 1 ==>
     s.sent[k].delivery <= Hops(k - 1) + Grant(k - 1) + Delay(k))
}

lemma Positive(k: nat)
  ensures Grant(k) >= 0.0 && Accept(k) >= 0.0 && Delay(k) >= 0.0
{
  assume Grant(k) >= 0.0 && Accept(k) >= 0.0 && Delay(k) >= 0.0; // occurrences are non-negative
}

lemma InitInv(n: nat, s: State)
  requires Init(n, s)
  ensures Inv(n, s)
{
}

lemma GrantInv(n: nat, s: State, t: State, i: nat)
  requires Inv(n, s) && GrantStep(n, s, t, i)
  ensures Inv(n, t)
{
  Positive(s.epoch[i]);
  Positive(s.epoch[i] + 1);
}

lemma AcceptInv(n: nat, s: State, t: State, i: nat, e: nat)
  requires Inv(n, s) && AcceptStep(n, s, t, i, e)
  ensures Inv(n, t)
{
  Positive(e - 1);
  assert Pending(s, e);
  assert forall j :: 0 <= j < n ==> !s.held[j];
  assert forall k: nat :: Pending(s, k) ==> k == e;
  assert forall k: nat :: Pending(t, k) ==> Pending(s, k) && k != e;
  assert forall k: nat :: k in t.sent ==> k in t.received && k <= e;
}

lemma FullCircle(n: nat, s: State)
  requires Inv(n, s) && s.held[0] && s.epoch[0] == n
  ensures s.clock[0] <= Hops(n)
{
}
