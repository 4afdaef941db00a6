// Registering and withdrawing when ProxyPay refuses, is busy, or is not heard: what each answer, or none, comes to.
import assert from 'node:assert/strict';
import type { RegistrationOutcome } from '../../../../server/providers/provider.ts';
import type { FakeFault } from '../../fake.ts';
import { API_KEY, DIGITS, fakeOf, orderOf, railOf, reopen, type ProxypayCase, type ProxypayRig } from './rig.ts';
import { outwait, watchConnections } from '../../rig.ts';

/** A call that goes wrong: what it comes to, and that nothing else was asked meanwhile. */
async function meet(rig: ProxypayRig, call: 'register' | 'withdraw', fault: FakeFault): Promise<RegistrationOutcome> {
  fakeOf(rig).fault(fault, { path: '/references/' });
  const before = fakeOf(rig).requests.length;
  const ask = () => railOf(rig)[call](orderOf());
  const outcome = fault === 'hang' ? await outwait(rig, ask) : await ask();
  assert.equal(fakeOf(rig).requests.length, before + 1);
  return outcome;
}

/** Not about the reference: the same order may be taken in a moment. */
const LATER: [number, string][] = [
  [401, 'token_refused'],
  [403, 'not_allowed'],
  [408, 'rail_timeout'],
  [425, 'too_early'],
  [429, 'too_many_requests'],
];

/** No whole answer, or one that says nothing of the reference. */
const NOTHING_SURE: [FakeFault, string][] = [
  ['error_before', 'rail_error'],
  ['error_after', 'rail_error'],
  ['drop_before', 'connection'],
  ['drop_after', 'connection'],
  ['hang', 'timeout'],
  [503, 'rail_error'],
  [302, 'rail_error'],
];

const LOST_AFTER: FakeFault[] = ['error_after', 'drop_after', 'hang'];

const registering: ProxypayCase[] = [
  ...[400, 404, 405, 409, 422].map((status) => ({
    name: `register: ${status} is about the reference: refused`,
    async run(rig: ProxypayRig) {
      const { result, details } = await meet(rig, 'register', status);
      assert.deepEqual([result, details.reason, details.httpStatus], ['refused', 'rail_refused', String(status)]);
    },
  })),
  {
    name: 'register: 200 instead of 204 proves nothing',
    isUncertain: true,
    async run(rig) {
      assert.equal((await meet(rig, 'register', 200)).result, 'unknown');
    },
  },
  ...LATER.map(([status, reason]) => ({
    name: `register: ${status} is not about the reference: unknown, then active`,
    async run(rig: ProxypayRig) {
      const outcome = await meet(rig, 'register', status);
      assert.deepEqual([outcome.result, outcome.details.reason], ['unknown', reason]);
      assert.equal((await railOf(rig).register(orderOf())).result, 'active');
    },
  })),
  ...NOTHING_SURE.map(([fault, reason]) => ({
    name: `register: ${fault} leaves it unknown; the repetition tells`,
    async run(rig: ProxypayRig) {
      const { result, details } = await meet(rig, 'register', fault);
      assert.deepEqual([result, details.reason], ['unknown', reason]);
      assert.equal(fakeOf(rig).book.references.has(DIGITS), LOST_AFTER.includes(fault));
      assert.equal((await railOf(rig).register(orderOf())).result, 'active');
      assert.equal(fakeOf(rig).book.references.size, 1);
    },
  })),
  {
    name: 'register: beyond the calls of a minute it is unknown, a minute later active',
    async run(rig) {
      fakeOf(rig).book.callsPerMinute = 1;
      assert.equal((await railOf(rig).register(orderOf())).result, 'active');
      const late = await railOf(rig).register(orderOf({ reference: '012345679' }));
      assert.deepEqual([late.result, late.details.reason], ['unknown', 'too_many_requests']);
      await rig.pass(60_000);
      assert.equal((await railOf(rig).register(orderOf({ reference: '012345679' }))).result, 'active');
    },
  },
  {
    name: 'register: a key that ended is unknown, and stands in no detail',
    async run(rig) {
      fakeOf(rig).book.apiKey = 'another';
      const outcome = await railOf(rig).register(orderOf());
      assert.deepEqual([outcome.result, outcome.details.reason], ['unknown', 'token_refused']);
      assert.equal(JSON.stringify(outcome).includes(API_KEY), false);
    },
  },
  {
    name: 'register: where nobody answers it is unknown',
    async run(rig) {
      await fakeOf(rig).stop();
      const { result, details } = await railOf(rig).register(orderOf());
      assert.deepEqual([result, details.reason], ['unknown', 'unreachable']);
    },
  },
  {
    name: 'register: each environment has its own host, reached through the account’s connections',
    async run(rig) {
      const { connections, hosts } = watchConnections();
      for (const environment of ['live', 'test'] as const) {
        const settings = { entity: orderOf().entity, isExclusive: true };
        assert.equal((await reopen(rig, { environment, settings, connections }).register(orderOf())).result, 'unknown');
      }
      assert.deepEqual(hosts, ['api.proxypay.co.ao', 'api.sandbox.proxypay.co.ao']);
    },
  },
];

const withdrawing: ProxypayCase[] = [
  {
    name: 'withdraw: 400 is refused',
    async run(rig) {
      assert.equal((await meet(rig, 'withdraw', 400)).result, 'refused');
    },
  },
  ...LATER.map(([status, reason]) => ({
    name: `withdraw: ${status} is unknown`,
    async run(rig: ProxypayRig) {
      const { result, details } = await meet(rig, 'withdraw', status);
      assert.deepEqual([result, details.reason], ['unknown', reason]);
    },
  })),
  ...NOTHING_SURE.map(([fault, reason]) => ({
    name: `withdraw: ${fault} leaves it unknown; the repetition ends it`,
    async run(rig: ProxypayRig) {
      await railOf(rig).register(orderOf());
      const { result, details } = await meet(rig, 'withdraw', fault);
      assert.deepEqual([result, details.reason], ['unknown', reason]);
      assert.equal((await railOf(rig).withdraw(orderOf())).result, 'ended');
      assert.equal(fakeOf(rig).book.references.size, 0);
    },
  })),
];

export const outageCases = [...registering, ...withdrawing];
