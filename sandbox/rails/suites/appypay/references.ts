// Cases: references are registered with our digits, one by one or many at once, and looked at where the answer leaves a doubt.
import assert from 'node:assert/strict';
import type { ReferenceOrder } from '../../../../server/providers/provider.ts';
import {
  ENTITY,
  fakeOf,
  lastBody,
  listApiCalls,
  openChanged,
  pprOf,
  referenceOf,
  type AppyPayCase,
  type AppyPayRig,
} from './rig.ts';

const ONE = { path: '/v2.0/charges', method: 'POST' };
const BULK = { path: '/v2.0/references', method: 'POST' };

function numberOf(index: number): string {
  return String(100_000_000 + index);
}

function makeMany(count: number): ReferenceOrder[] {
  return Array.from({ length: count }, (_, index) => referenceOf(`r${index}`, { reference: numberOf(index) }));
}

async function registerMany(rig: AppyPayRig, orders: ReferenceOrder[]) {
  return (await pprOf(rig).registerMany?.(orders)) ?? assert.fail('it registers many');
}

export const referenceCases: AppyPayCase[] = [
  {
    name: 'a reference with an amount is a charge with our digits, under our name for it',
    isUncertain: true,
    async run(rig) {
      const outcome = await pprOf(rig).register(referenceOf('r'));
      assert.equal(outcome.result, 'active');
      assert.equal(listApiCalls(rig).length, 1);
      assert.equal(listApiCalls(rig)[0]?.path, '/v2.0/charges');
      assert.ok(listApiCalls(rig)[0]?.body.includes('"amount":12500.50,'));
      assert.deepEqual(lastBody(rig), {
        amount: 12500.5,
        currency: 'AOA',
        merchantTransactionId: rig.connector.keyOf?.('r'),
        paymentMethod: fakeOf(rig).book.methods[1],
        paymentInfo: { referenceNumber: '123456789', dueDate: '2026-03-06' },
        description: 'Propina de Marco',
      });
    },
  },
  {
    name: 'the day of the end is Luanda’s, the last one on which a payment is in time',
    isUncertain: true,
    async run(rig) {
      for (const [index, [expiresAt, day]] of [
        ['2026-03-06T22:59:59Z', '2026-03-06'],
        ['2026-03-06T23:00:00Z', '2026-03-06'],
        ['2026-03-06T23:00:01Z', '2026-03-07'],
      ].entries()) {
        const order = { expiresAt: new Date(expiresAt as string), reference: numberOf(index) };
        await pprOf(rig).register(referenceOf(`r${index}`, order));
        assert.equal(lastBody(rig).paymentInfo.dueDate, day);
      }
    },
  },
  {
    name: 'an answer that does not name the reference is not believed before the reference itself was seen',
    async run(rig) {
      fakeOf(rig).book.drawsLater = true;
      assert.equal((await pprOf(rig).register(referenceOf('r'))).result, 'active');
      assert.equal(listApiCalls(rig).at(-1)?.path, '/v2.0/references/123456789');
    },
  },
  {
    name: 'digits that exist there with the same amount, and can be paid, are active',
    async run(rig) {
      await pprOf(rig).register(referenceOf('r'));
      assert.equal((await pprOf(rig).register(referenceOf('s'))).result, 'active');
    },
  },
  {
    name: 'digits that exist there with another amount, or that cannot be paid any more, are taken',
    async run(rig) {
      await pprOf(rig).register(referenceOf('r'));
      const other = await pprOf(rig).register(referenceOf('s', { amountMinor: 12_500_51 }));
      assert.equal(other.result, 'taken');
      const reference = fakeOf(rig).book.references.get('123456789');
      if (reference) reference.isActive = false;
      assert.equal((await pprOf(rig).register(referenceOf('t'))).result, 'taken');
    },
  },
  {
    name: 'a registration whose answer was lost is unknown, and active when it is repeated',
    async run(rig) {
      for (const [index, fault] of (['drop_after', 'error_after', 'garbage'] as const).entries()) {
        fakeOf(rig).fault(fault, ONE);
        const order = referenceOf(fault, { reference: numberOf(index) });
        assert.equal((await pprOf(rig).register(order)).result, 'unknown');
        assert.equal((await pprOf(rig).register(order)).result, 'active');
      }
      assert.equal(fakeOf(rig).book.charges.length, 3);
    },
  },
  {
    name: 'a registration that never arrived is unknown, and is made when it is repeated',
    async run(rig) {
      for (const [index, fault] of (['drop_before', 'error_before', 503] as const).entries()) {
        fakeOf(rig).fault(fault, ONE);
        const order = referenceOf(`${fault}`, { reference: numberOf(index) });
        assert.equal((await pprOf(rig).register(order)).result, 'unknown');
        assert.equal(fakeOf(rig).book.references.size, index);
        assert.equal((await pprOf(rig).register(order)).result, 'active');
      }
    },
  },
  {
    name: 'our own registration that cannot be paid any more is unknown: nobody says whether it was paid',
    isUncertain: true,
    async run(rig) {
      await pprOf(rig).register(referenceOf('r'));
      const reference = fakeOf(rig).book.references.get('123456789');
      if (reference) reference.isActive = false;
      assert.equal((await pprOf(rig).register(referenceOf('r'))).result, 'unknown');
    },
  },
  {
    name: 'under another entity than payers are told, a reference is refused',
    async run(rig) {
      const outcome = await pprOf(rig).register(referenceOf('r', { entity: '99999' }));
      assert.deepEqual([outcome.result, outcome.details.reason], ['refused', 'other_entity']);
      assert.equal(outcome.details.railEntity, ENTITY);
      const seen = await pprOf(rig).register(referenceOf('s', { entity: '99999' }));
      assert.deepEqual([seen.result, seen.details.reason], ['refused', 'other_entity']);
    },
  },
  {
    name: 'a due date in the past, and a contract that is badly set up, are refused with their number',
    async run(rig) {
      const past = await pprOf(rig).register(referenceOf('r', { expiresAt: new Date('2026-03-01T12:00:00Z') }));
      assert.deepEqual([past.result, past.details.railCode], ['refused', '762']);
      fakeOf(rig).book.methods = [];
      const badly = await pprOf(rig).register(referenceOf('s'));
      assert.deepEqual([badly.result, badly.details.railCode], ['refused', '206']);
    },
  },
  {
    name: 'where it is not let in, a registration is not refused for ever',
    async run(rig) {
      for (const status of [403, 404, 429]) {
        fakeOf(rig).fault(status, ONE);
        const { result, details } = await pprOf(rig).register(referenceOf('r'));
        assert.deepEqual([result, details.httpStatus], ['unknown', String(status)]);
      }
    },
  },
  {
    name: 'an open amount is registered with its bounds, and looked at for its entity',
    async run(rig) {
      const order = referenceOf('r', { type: 'Charging', amountMinor: 0 });
      assert.equal((await pprOf(rig).register(order)).result, 'active');
      assert.deepEqual(lastBody(rig), {
        paymentMethod: fakeOf(rig).book.methods[1],
        createdBy: 'balcao',
        references: [
          {
            referenceNumber: '123456789',
            currency: 'AOA',
            minAmount: 1,
            maxAmount: 10_000_000,
            startDate: '2026-03-02',
            expirationDate: '2026-03-06',
          },
        ],
      });
      assert.equal((await pprOf(rig).register(order)).result, 'active');
      const fixed = { ...order, referenceId: 's', amountMinor: 100_00 };
      assert.equal((await pprOf(rig).register(fixed)).result, 'taken');
    },
  },
  {
    name: 'a reference of a fixed amount that may be paid often is registered without an end to its payments',
    isUncertain: true,
    async run(rig) {
      const order = referenceOf('r', { type: 'Charging' });
      assert.equal((await pprOf(rig).register(order)).result, 'active');
      const [{ amounts, minAmount }] = lastBody(rig).references as [Record<string, unknown>];
      assert.deepEqual([amounts, minAmount], [[{ amount: 12500.5, descriptionLine1: 'Propina de Marco' }], undefined]);
    },
  },
  {
    name: 'many references are one call, and each has its own outcome',
    isUncertain: true,
    async run(rig) {
      await pprOf(rig).register(referenceOf('before', { reference: numberOf(1), amountMinor: 1_00 }));
      const orders = makeMany(4);
      const past = orders[3] as ReferenceOrder;
      orders[3] = { ...past, expiresAt: new Date('2026-03-01T12:00:00Z') };
      const outcomes = await registerMany(rig, orders);
      assert.deepEqual(
        outcomes.map(({ result }) => result),
        ['active', 'taken', 'active', 'refused'],
      );
      assert.equal(listApiCalls(rig, 'POST').filter(({ path }) => path === BULK.path).length, 1);
    },
  },
  {
    name: '501 references are two calls, and the fake refuses more than 500 in one',
    async run(rig) {
      const outcomes = await registerMany(rig, makeMany(501));
      assert.equal(outcomes.filter(({ result }) => result === 'active').length, 501);
      const calls = listApiCalls(rig, 'POST');
      const sizes = calls.map(({ body }) => (JSON.parse(body) as { references: unknown[] }).references.length);
      assert.deepEqual(sizes, [500, 1]);
      const [first] = calls;
      const body = JSON.parse(first?.body ?? '') as { references: unknown[] };
      body.references = Array.from({ length: 501 }, () => body.references[0]);
      const headers = { authorization: first?.headers.authorization ?? '' };
      const url = `${fakeOf(rig).url}/v2.0/references`;
      assert.equal((await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })).status, 413);
    },
  },
  {
    name: 'where one call of several is lost, only its references are unknown',
    async run(rig) {
      fakeOf(rig).fault('drop_after', BULK);
      const outcomes = await registerMany(rig, makeMany(502));
      assert.ok(outcomes.slice(0, 500).every(({ result }) => result === 'unknown'));
      assert.deepEqual(
        outcomes.slice(500).map(({ result }) => result),
        ['active', 'active'],
      );
    },
  },
  {
    name: 'many references under another entity are refused, though their answer names none',
    async run(rig) {
      fakeOf(rig).book.entity = '99999';
      const outcomes = await registerMany(rig, makeMany(3));
      assert.deepEqual(
        outcomes.map(({ result, details }) => [result, details.reason]),
        [
          ['refused', 'other_entity'],
          ['refused', 'other_entity'],
          ['refused', 'other_entity'],
        ],
      );
    },
  },
  {
    name: 'no references are no call',
    async run(rig) {
      assert.deepEqual(await registerMany(rig, []), []);
      assert.equal(fakeOf(rig).requests.length, 0);
    },
  },
  {
    name: 'nothing can be withdrawn there, and nobody is asked to',
    isUncertain: true,
    async run(rig) {
      const outcome = await pprOf(rig).withdraw(referenceOf('r'));
      assert.deepEqual(outcome, { result: 'unsupported', details: { reason: 'unsupported' } });
      assert.equal(fakeOf(rig).requests.length, 0);
    },
  },
  {
    name: 'without the key of references nothing is registered',
    async run(rig) {
      const { ppr } = openChanged(rig, { kind: 'ppr', settings: { methods: { gpo: fakeOf(rig).book.methods[0] } } });
      const outcomes = [await ppr.register(referenceOf('r')), ...((await ppr.registerMany?.(makeMany(1))) ?? [])];
      for (const { result, details } of outcomes)
        assert.deepEqual([result, details.reason], ['refused', 'method_missing']);
      assert.equal(fakeOf(rig).requests.length, 0);
    },
  },
];
