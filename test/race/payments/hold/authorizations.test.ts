import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, until, type Reply, type TestApp } from '../../../support/app.ts';
import {
  authorization,
  cancel,
  capture,
  createAuthorized,
  expectAgreement,
  readFullBooks,
  readOrders,
  take,
  travelToRest,
} from '../../../support/authorizations.ts';
import { testClock } from '../../../support/clock.ts';
import { readEventTypes, readPayment, PENDING_PHONE } from '../../../support/notify.ts';
import { create, orderFault, untilStatus } from '../../../support/payments.ts';

const AT_ONCE = 8;

let app: TestApp;
let twin: TestApp;
beforeAll(async () => {
  const [clock, env] = [testClock(), { GPO_KEY: 'one key for both nodes' }];
  app = await startTestApp({ clock, env });
  twin = await app.startTwin();
});
afterEach(async () => {
  await travelToRest(app);
  await expectAgreement(app.sql, await readFullBooks(app));
});

const makeSome = () => Promise.all(Array.from({ length: AT_ONCE }, () => createAuthorized(app)));

const ENDS = ['payment.captured', 'payment.canceled', 'payment.expired'];
/** Returns the events that ended an authorization. */
const readEnds = async (id: string) => (await readEventTypes(app, id)).filter((type) => ENDS.includes(type));

const codeOf = (reply: Reply) => (reply.status < 300 ? reply.status : reply.json.code);
const LOST = ['authorization_busy', 'authorization_not_capturable', 'payment_not_cancelable'];

type Ask = (node: TestApp, id: string) => Promise<Reply>;
const capturing: Ask = (node, id) => take(node, capture(id, { amount: 700 }));
const canceling: Ask = (node, id) => cancel(node, id);

describe.each<[string, Ask, Ask, string[]]>([
  ['two captures', capturing, capturing, ['payment.captured']],
  ['a capture and a cancellation', capturing, canceling, ['payment.captured', 'payment.canceled']],
  ['a cancellation and a capture', canceling, capturing, ['payment.captured', 'payment.canceled']],
])('%s of one authorization at the same time', (_name, first, second, ends) => {
  test('have one winner, and the other request returns 409', async () => {
    const held = await makeSome();
    const replies = await Promise.all(held.map(({ id }) => Promise.all([first(app, id), second(twin, id)])));
    await travelToRest(app);
    for (const [nth, { id }] of held.entries()) {
      const codes = (replies[nth] as Reply[]).map(codeOf);
      expect(codes.filter((code) => [200, 201].includes(code))).toHaveLength(1);
      expect(codes.filter((code) => LOST.includes(code))).toHaveLength(1);
      const [end, ...more] = await readEnds(id);
      expect(more).toEqual([]);
      expect(ends).toContain(end);
      const winner = (replies[nth] as Reply[]).find(({ status }) => status < 300);
      expect(winner?.status).toBe(end === 'payment.captured' ? 201 : 200);
      expect(await app.sql('select from payments where authorization_id = $1', [id])).toHaveLength(
        end === 'payment.captured' ? 1 : 0,
      );
    }
  });
});

test('concurrent cancels of one authorization send one void and return 200 or authorization_busy', async () => {
  const held = await makeSome();
  const replies = await Promise.all(
    held.flatMap(({ id }) => [canceling(app, id), canceling(twin, id), canceling(app, id)]),
  );
  for (const reply of replies) expect([200, 'authorization_busy']).toContain(codeOf(reply));
  await travelToRest(app);
  for (const [nth, { id }] of held.entries()) {
    expect(replies.slice(nth * 3, nth * 3 + 3).map(codeOf)).toContain(200);
    expect(await readEnds(id)).toEqual(['payment.canceled']);
    expect(await readOrders(app, id, 'void')).toHaveLength(1);
  }
});

describe.each<[string, Ask, string]>([
  ['a capture', capturing, 'payment.captured'],
  ['a cancellation', canceling, 'payment.canceled'],
])('%s at the moment when the hold expires', (_name, ask, end) => {
  test('is applied before the expiry or returns 409', async () => {
    const held = await makeSome();
    const last = Math.max(...held.map(({ expiresAt }) => Date.parse(expiresAt)));
    app.clock.leap(last - app.clock.now().getTime() - 1);
    const asked = Promise.all(held.map(({ id }, nth) => ask(nth % 2 ? twin : app, id)));
    const [replies] = await Promise.all([asked, app.clock.advance(2_000)]);
    await travelToRest(app);
    for (const [nth, { id }] of held.entries()) {
      const reply = replies[nth] as Reply;
      const ends = await readEnds(id);
      expect(ends).toHaveLength(1);
      if (reply.status >= 300) {
        expect(LOST).toContain(codeOf(reply));
        expect(ends).toEqual(['payment.expired']);
      } else expect([end, 'payment.expired']).toContain(ends[0]);
      const json = await readPayment(app, id);
      expect(json.operation).toBeNull();
      // A capture that was accepted has taken its money.
      if (reply.status === 201) expect(json).toMatchObject({ status: 'Captured', amountCaptured: 700 });
    }
  });
});

test('the expiry of an authorization that is due on two nodes sends one void', async () => {
  const held = await makeSome();
  const last = Math.max(...held.map(({ expiresAt }) => Date.parse(expiresAt)));
  app.clock.leap(last - app.clock.now().getTime());
  await travelToRest(app);
  const { voids } = await readFullBooks(app);
  for (const { id } of held) {
    expect(await readEnds(id)).toEqual(['payment.expired']);
    const orders = await readOrders(app, id, 'void');
    expect(orders).toHaveLength(1);
    expect(voids.filter(isOf(orders)).map(({ calls }) => calls)).toEqual([1]);
  }
});

describe('a rail notification that arrives before the response to its call', () => {
  const DELAY_MS = 5_000;
  const readStory = async (id: string) => ({
    types: await readEventTypes(app, id),
    rows: await app.sql('select status, revision, operation from payments where id = $1', [id]),
  });

  test('authorizes a payment once', async () => {
    const phone = '900000000';
    await orderFault(app, { on: 'authorization', kind: 'delay', phone, delayMs: DELAY_MS });
    const { id } = await create(app, authorization(phone));
    await until(async () =>
      (await readFullBooks(app)).authorizations.some(isOf(await readOrders(app, id, 'authorization'))),
    );
    await app.clock.advance(1_000);
    await untilStatus(app, id, 'Authorized');
    const before = await readStory(id);
    await app.clock.advance(DELAY_MS);
    await travelToRest(app);
    expect(await readStory(id)).toEqual(before);
  });

  test('captures a payment once', async () => {
    const held = await createAuthorized(app);
    await orderFault(app, { on: 'capture', kind: 'delay', phone: PENDING_PHONE, delayMs: DELAY_MS });
    const { id } = await create(app, capture(held.id));
    // The clock stands still, so the response cannot have arrived.
    expect((await untilStatus(app, id, 'Paid')).transactions).toHaveLength(1);
    expect((await readPayment(app, held.id)).status).toBe('Captured');
    const before = [await readStory(id), await readStory(held.id)];
    await app.clock.advance(DELAY_MS);
    await travelToRest(app);
    expect([await readStory(id), await readStory(held.id)]).toEqual(before);
  });

  test('cancels a payment once', async () => {
    const { id } = await createAuthorized(app);
    await orderFault(app, { on: 'void', kind: 'delay', phone: PENDING_PHONE, delayMs: DELAY_MS });
    let isAnswered = false;
    const reply = canceling(app, id).finally(() => (isAnswered = true));
    await untilStatus(app, id, 'Canceled');
    expect(isAnswered).toBe(false);
    const before = await readStory(id);
    await app.clock.advance(DELAY_MS);
    expect(await reply).toMatchObject({ status: 200, json: { message: 'The payment is Canceled.' } });
    expect(await readStory(id)).toEqual(before);
  });
});

const isOf = (orders: { id: string }[]) => (book: { id: string }) => orders.some(({ id }) => id === book.id);
