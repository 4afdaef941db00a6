// Cases: whatever goes wrong on the way, nothing is taken for a refusal that may have been money.
import assert from 'node:assert/strict';
import { fakeOf, gpoOf, listApiCalls, passTimeout, pushAndAct, pushOf, queryOf, type AppyPayCase } from './rig.ts';

const CHARGES = { path: '/v2.0/charges', method: 'POST' };
const QUERIES = { path: '/v2.0/charges', method: 'GET' };

export const faultCases: AppyPayCase[] = [
  {
    name: 'a push whose answer was lost is unknown, and found by our name for it',
    async run(rig) {
      fakeOf(rig).fault('drop_after', CHARGES);
      const sent = await gpoOf(rig).send(pushOf('a'));
      assert.deepEqual([sent.result, sent.railOrderId, sent.details.reason], ['unknown', null, 'connection']);
      const asked = await gpoOf(rig).query(queryOf(rig, 'a'));
      assert.deepEqual([asked.result, asked.railOrderId], ['pending', fakeOf(rig).book.charges[0]?.id]);
    },
  },
  {
    name: 'a push that was lost before it arrived is unknown too, and never seen there',
    async run(rig) {
      fakeOf(rig).fault('drop_before', CHARGES);
      assert.equal((await gpoOf(rig).send(pushOf('a'))).result, 'unknown');
      assert.equal((await gpoOf(rig).query(queryOf(rig, 'a'))).result, 'not_found');
    },
  },
  {
    name: 'a server’s error before or after the effect is unknown',
    async run(rig) {
      for (const [fault, charges] of [
        ['error_before', 0],
        ['error_after', 1],
        [503, 1],
      ] as const) {
        fakeOf(rig).fault(fault, CHARGES);
        const { result, failureCode, details } = await gpoOf(rig).send(pushOf(`${fault}`));
        assert.deepEqual([result, failureCode, details.reason], ['unknown', null, 'rail_error']);
        assert.equal(fakeOf(rig).book.charges.length, charges);
      }
    },
  },
  {
    name: 'a push whose answer does not come in time is unknown',
    async run(rig) {
      fakeOf(rig).fault('hang', CHARGES);
      const sending = gpoOf(rig).send(pushOf('a'));
      await passTimeout(rig, () => fakeOf(rig).book.charges.length, 1);
      const { result, details } = await sending;
      assert.deepEqual([result, details.reason], ['unknown', 'timeout']);
    },
  },
  {
    name: 'an answer of more than 64 KiB, and one that is no JSON, are unknown',
    async run(rig) {
      fakeOf(rig).fault('oversize', CHARGES);
      assert.equal((await gpoOf(rig).send(pushOf('a'))).details.reason, 'too_large');
      fakeOf(rig).fault('garbage', CHARGES);
      const { result, details } = await gpoOf(rig).send(pushOf('b'));
      assert.deepEqual([result, details.reason], ['unknown', 'unreadable']);
    },
  },
  {
    name: 'input that it refuses is for a person to look at: unknown, with its number',
    async run(rig) {
      const { result, failureCode, details } = await gpoOf(rig).send(pushOf('a', { phone: '+351912345678' }));
      assert.deepEqual([result, failureCode], ['unknown', null]);
      assert.deepEqual([details.reason, details.httpStatus, details.railCode], ['rail_refused', '400', '717']);
    },
  },
  {
    name: 'other refusals by HTTP are unknown as well, even with a number that would be a refusal',
    async run(rig) {
      for (const status of [403, 404, 405, 415]) {
        fakeOf(rig).fault(status, CHARGES);
        const { result, details } = await gpoOf(rig).send(pushOf('a'));
        assert.deepEqual([result, details.reason, details.httpStatus], ['unknown', 'rail_refused', String(status)]);
      }
      fakeOf(rig).book.methods = [];
      const { result, details } = await gpoOf(rig).send(pushOf('a'));
      assert.deepEqual([result, details.railCode], ['unknown', '206']);
    },
  },
  {
    name: 'an order is sent once: a lost connection is not tried again',
    async run(rig) {
      await gpoOf(rig).send(pushOf('first'));
      fakeOf(rig).fault('drop_after', CHARGES);
      await gpoOf(rig).send(pushOf('a'));
      assert.equal(listApiCalls(rig, 'POST').length, 2);
    },
  },
  {
    name: 'a query that fails learns nothing, whatever the order came to',
    async run(rig) {
      const railOrderId = await pushAndAct(rig, 'a', 'approve');
      for (const fault of ['drop_before', 'error_before', 'oversize', 'garbage', 404, 403] as const) {
        for (const known of [railOrderId, null]) {
          fakeOf(rig).fault(fault, QUERIES);
          const { result } = await gpoOf(rig).query(queryOf(rig, 'a', { railOrderId: known }));
          // A list may be long: beyond 64 KiB it is read, and is no list.
          assert.deepEqual([fault, result], [fault, 'unknown']);
        }
      }
    },
  },
  {
    name: 'a charge that it does not know by its own id was not never seen',
    async run(rig) {
      const asked = await gpoOf(rig).query(queryOf(rig, 'a', { railOrderId: 'no-such-id' }));
      assert.deepEqual([asked.result, asked.details.httpStatus], ['unknown', '404']);
    },
  },
  {
    name: 'an empty page of a list that counts charges is no empty list',
    async run(rig) {
      await gpoOf(rig).send(pushOf('a'));
      fakeOf(rig).book.pageSize = 0;
      const outcome = await gpoOf(rig).query(queryOf(rig, 'a'));
      assert.deepEqual([outcome.result, outcome.railOrderId], ['unknown', null]);
    },
  },
  {
    name: 'an id of the rail is one part of the address, whatever stands in it',
    async run(rig) {
      await gpoOf(rig).query(queryOf(rig, 'a', { railOrderId: '../x?y=1' }));
      assert.equal(listApiCalls(rig).at(-1)?.path, '/v2.0/charges/..%2Fx%3Fy%3D1');
    },
  },
];
