// Cases of the OPG connector: refused tokens, errors, lost answers and late ones; what is not known stays unknown, and nothing is repeated.
import assert from 'node:assert/strict';
import type { ContractCase } from '../legacy.ts';
import type { OpgBook } from '../opg-book.ts';
import type { FakeFault } from '../fake.ts';
import { ask, inBoth, inDialect, makePush, openGpo, type OpgStage } from './opg-stage.ts';
import { until } from '../rig.ts';

/** How many pushes the rail made. */
const countMade = ({ book }: OpgStage) => book.transactions.size;

async function sendInto(stage: OpgStage, fault: FakeFault) {
  stage.fake.fault(fault);
  const { length } = stage.fake.requests;
  const outcome = await stage.gpo.send(makePush());
  assert.equal(stage.fake.requests.length, length + 1, 'it is sent once');
  assert.equal(outcome.railOrderId, null);
  return outcome;
}

const sending = [
  ...inBoth('an expired token asks for nothing: declined, for the merchant to mend', async (stage) => {
    stage.book.token = 'the next one';
    const { result, failureCode, details } = await stage.gpo.send(makePush());
    assert.deepEqual([result, failureCode, details.reason], ['declined', 'acquirer_setup', 'token_refused']);
    assert.equal(details.httpStatus, '401');
    assert.deepEqual([stage.calls().length, countMade(stage)], [1, 0]);
  }),
  ...inBoth('a token that is not allowed likewise', async (stage) => {
    const { result, failureCode, details } = await sendInto(stage, 403);
    assert.deepEqual([result, failureCode, details.reason], ['declined', 'acquirer_setup', 'token_refused']);
    assert.equal(details.httpStatus, '403');
  }),
  ...inBoth('an order that the rail does not understand is for a person', async (stage) => {
    for (const status of [400, 404, 405, 406, 409, 422]) {
      const { result, failureCode, details } = await sendInto(stage, status);
      assert.deepEqual([result, failureCode, details.reason], ['unknown', null, 'rail_refused']);
      assert.equal(details.httpStatus, String(status));
    }
  }),
  ...inBoth('too many requests, or a rail in trouble: unknown', async (stage) => {
    for (const status of [429, 500, 502, 503]) {
      const { result, details } = await sendInto(stage, status);
      assert.deepEqual([result, details.httpStatus], ['unknown', String(status)]);
    }
  }),
  ...inBoth('500 before the effect and after it are the same: unknown', async (stage) => {
    const before = await sendInto(stage, 'error_before');
    assert.equal(countMade(stage), 0);
    const after = await sendInto(stage, 'error_after');
    assert.equal(countMade(stage), 1);
    assert.deepEqual(before, after);
    assert.deepEqual([after.result, after.details.reason], ['unknown', 'rail_error']);
  }),
  ...inBoth('a connection lost before the effect and after it are the same: unknown', async (stage) => {
    const before = await sendInto(stage, 'drop_before');
    assert.equal(countMade(stage), 0);
    const after = await sendInto(stage, 'drop_after');
    assert.equal(countMade(stage), 1);
    assert.deepEqual([before.result, before.details.reason], ['unknown', 'connection']);
    assert.deepEqual([after.result, after.details.reason], ['unknown', 'connection']);
  }),
  ...inBoth('an answer that never comes is unknown once its time is over', async (stage) => {
    stage.fake.fault('hang');
    const sent = stage.gpo.send(makePush());
    await until(() => countMade(stage) === 1);
    await stage.pass(stage.account.timeoutMs - 1);
    const early = new Promise((resolve) => setImmediate(resolve, 'still waiting'));
    assert.equal(await Promise.race([sent, early]), 'still waiting');
    await stage.pass(1);
    const { result, details } = await sent;
    assert.deepEqual([result, details.reason], ['unknown', 'timeout']);
  }),
  ...inBoth('an answer beyond 64 KiB is none', async (stage) => {
    const { result, details } = await sendInto(stage, 'oversize');
    assert.deepEqual([result, details.reason], ['unknown', 'too_large']);
    assert.equal(countMade(stage), 1);
  }),
  inDialect('proxypay', 'an answer that is no transaction is unknown', async (stage) => {
    const { result, details } = await sendInto(stage, 'garbage');
    assert.deepEqual([result, details.reason], ['unknown', 'unreadable']);
    for (const body of ['', 'null', '[]', '"accepted"', '{"status":"accepted"']) {
      stage.book.write = () => body;
      assert.equal((await stage.gpo.send(makePush())).details.reason, 'unreadable');
    }
  }),
  inDialect('vpos', 'an answer without its Location is unknown', async (stage) => {
    const { result, details } = await sendInto(stage, 'garbage');
    assert.deepEqual([result, details.reason], ['unknown', 'location_unreadable']);
  }),
  ...inBoth('a rail that nobody reaches is unknown, and said to be unreachable', async (stage) => {
    const settings = { ...stage.account.settings, baseUrl: 'http://127.0.0.1:1/api' };
    const { result, details } = await openGpo({ ...stage.account, settings }).send(makePush());
    assert.deepEqual([result, details.reason], ['unknown', 'unreachable']);
  }),
];

/** Faults of a query, and why its outcome is unknown then. */
const QUERY_FAULTS: [FakeFault, string][] = [
  [401, 'token_refused'],
  [403, 'token_refused'],
  [400, 'rail_refused'],
  [429, 'rail_refused'],
  ['error_before', 'rail_error'],
  ['error_after', 'rail_error'],
  [503, 'rail_error'],
  ['drop_before', 'connection'],
  ['drop_after', 'connection'],
  ['oversize', 'too_large'],
  ['garbage', 'unreadable'],
];

const asking = [
  ...inBoth('a query that goes wrong says nothing, and the next one tells', async (stage) => {
    const order = makePush();
    const { railOrderId } = await stage.gpo.send(order);
    await stage.pass(3_000);
    for (const [fault, reason] of QUERY_FAULTS) {
      stage.fake.fault(fault, { method: 'GET', path: pathOfTransactions(stage) });
      const { result, failureCode, details } = await ask(stage, order, railOrderId);
      assert.deepEqual([result, failureCode, details.reason], ['unknown', null, reason], String(fault));
      assert.equal((await ask(stage, order, railOrderId)).result, 'approved');
    }
  }),
  inDialect('vpos', 'a request’s query that goes wrong says nothing either', async (stage) => {
    const order = makePush();
    const { railOrderId } = await stage.gpo.send(order);
    for (const [fault, reason] of QUERY_FAULTS.filter(([kind]) => kind !== 'garbage')) {
      stage.fake.fault(fault, { method: 'GET', path: '/api/v1/requests' });
      const { result, details } = await ask(stage, order, railOrderId);
      assert.deepEqual([result, details.reason], ['unknown', reason], String(fault));
    }
  }),
  ...inBoth('a query that is never answered is unknown once its time is over', async (stage) => {
    const order = makePush();
    const { railOrderId } = await stage.gpo.send(order);
    stage.fake.fault('hang');
    const asked = ask(stage, order, railOrderId);
    await until(() => stage.calls().length === 2);
    // The request is on its way once the fake has it: the wait is not for a connection any more.
    await stage.pass(stage.account.timeoutMs);
    assert.equal((await asked).details.reason, 'timeout');
  }),
  ...inBoth('an order that the rail does not find is unknown: it gave us the id itself', async (stage) => {
    const { result, details } = await ask(stage, makePush(), 'never-heard-of');
    assert.deepEqual([result, details.reason, details.httpStatus], ['unknown', 'rail_refused', '404']);
  }),
  ...inBoth('an expired token leaves a query open', async (stage) => {
    const order = makePush();
    const { railOrderId } = await stage.gpo.send(order);
    await stage.pass(3_000);
    const { token } = stage.book;
    stage.book.token = 'the next one';
    assert.equal((await ask(stage, order, railOrderId)).details.reason, 'token_refused');
    stage.book.token = token;
    assert.equal((await ask(stage, order, railOrderId)).result, 'approved');
  }),
  ...inBoth('asked twice, and by another node, it tells the same', async (stage) => {
    const order = makePush();
    const { railOrderId } = await stage.gpo.send(order);
    await stage.pass(3_000);
    const first = await ask(stage, order, railOrderId);
    const elsewhere = { ...stage, gpo: openGpo(stage.account) };
    assert.deepEqual(await ask(stage, order, railOrderId), first);
    assert.deepEqual(await ask(elsewhere, order, railOrderId), first);
  }),
];

const repeating = [
  ...inBoth(
    'a lost answer’s key brings back what it made',
    async (stage) => {
      const order = makePush();
      stage.fake.fault('drop_after');
      assert.equal((await stage.gpo.send(order)).result, 'unknown');
      const repeated = await stage.gpo.send(order);
      assert.ok(repeated.railOrderId);
      assert.equal(countMade(stage), 1);
    },
    { isUncertain: true },
  ),
  ...inBoth('where keys are not kept a repetition pushes twice: so it is never declared safe', async (stage) => {
    stage.book.replaysKeys = false;
    const order = makePush();
    stage.fake.fault('drop_after');
    await stage.gpo.send(order);
    await stage.gpo.send(order);
    assert.equal(countMade(stage), 2);
    const { kind, attemptId } = order;
    const asked = await stage.gpo.query({ kind, attemptId, railOrderId: null, sentAt: new Date() });
    assert.deepEqual([asked.result, asked.details.reason], ['unknown', 'no_rail_id']);
  }),
  ...inBoth(
    'the same key twice is one order at the rail',
    async (stage) => {
      const order = makePush();
      const first = await stage.gpo.send(order);
      const second = await stage.gpo.send(order);
      assert.ok(first.railOrderId);
      assert.equal(second.railOrderId, first.railOrderId);
    },
    { isUncertain: true, isLive: true },
  ),
];

const pathOfTransactions = ({ dialect }: OpgStage) =>
  dialect === 'vpos' ? '/api/v1/transactions' : '/opg/v1/transactions';

/** Everything that can go wrong on the way there and back. */
export const OPG_FAULT_CASES: ContractCase<OpgBook>[] = [...sending, ...asking, ...repeating];
