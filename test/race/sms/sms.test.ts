import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestApp, until, type TestApp } from '../../support/app.ts';
import { countWaiting, holdLock } from '../../support/locks.ts';
import {
  addUnits,
  listSent,
  MERCHANT,
  minuteOf,
  passUntil,
  passWhile,
  readBalance,
  readRail,
  sendText,
} from '../../support/sms.ts';
import { orderFault } from '../../support/payments.ts';

let app: TestApp;
let second: TestApp;
beforeAll(async () => {
  app = await startTestApp();
  second = await app.startTwin();
});

let next = 925_000_000;
const phone = () => `+244${next++}`;
const phones = (count: number) => Array.from({ length: count }, phone);

describe('the SMS balance of a merchant', () => {
  test('does not fall below zero for 50 concurrent sending requests', async () => {
    const other = await app.addMerchant();
    await addUnits(app, other.merchantId, 61);
    const token = await second.token(other.clientId, other.secret);
    const replies = await Promise.all(
      Array.from({ length: 50 }, (_, nth) =>
        nth % 2 ? sendText(app, phones(3), 'x', { token: other.token }) : sendText(second, phones(3), 'x', { token }),
      ),
    );
    const statuses = replies.map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(20);
    expect(statuses.filter((status) => status === 409)).toHaveLength(30);
    expect(await readBalance(app, other.merchantId)).toBe(1);
    const written = await app.sql('select from sms_messages where merchant_id = $1', [other.merchantId]);
    expect(written).toHaveLength(60);
  });

  test('equals the sum of the ledger entries after concurrent credits, debits and refunds', async () => {
    const other = await app.addMerchant();
    await addUnits(app, other.merchantId, 100);
    const token = await second.token(other.clientId, other.secret);
    await Promise.all(
      Array.from({ length: 20 }, (_, nth) =>
        nth % 4 === 0
          ? addUnits(app, other.merchantId, 5)
          : nth % 2
            ? sendText(app, ['900000002', phone()], 'x', { token: other.token })
            : sendText(second, ['900000002', phone()], 'x', { token }),
      ),
    );
    await passWhile(app, 'Pending', other.merchantId);
    await passWhile(app, 'Sent', other.merchantId);
    expect(await readBalance(app, other.merchantId)).toBe(100 + 5 * 5 - 15);
  });
});

test('two concurrent requests with one key send once, charge once, and return the same response', async () => {
  const other = await app.addMerchant();
  await addUnits(app, other.merchantId, 1);
  const account = `select from sms_accounts where merchant_id = '${other.merchantId}' for update`;
  const letGo = await holdLock(app.databaseUrl, account);
  const headers = { 'Idempotency-Key': randomUUID() };
  const to = [phone()];
  const replies = [1, 2].map(() => sendText(app, to, 'x', { headers, token: other.token }));
  await until(async () => (await countWaiting(app.databaseUrl, 'update sms_accounts')) === 2, 'both debits waiting');
  await letGo();
  const [first, second] = await Promise.all(replies);
  expect([first?.status, second?.status]).toEqual([200, 200]);
  expect(first?.text).toBe(second?.text);
  expect(await readBalance(app, other.merchantId)).toBe(0);
});

describe('two nodes that send SMS', () => {
  beforeEach(() => addUnits(app, MERCHANT, 500));

  test('send each SMS once', async () => {
    const to = phones(200);
    await Promise.all([sendText(app, to.slice(0, 100)), sendText(second, to.slice(100))]);
    await passWhile(app, 'Pending');
    // The clock moves until every lease has ended.
    app.clock.leap(60_000);
    await app.clock.advance(3_000);
    const rail = (await readRail(app)).filter((one) => to.includes(one.to));
    expect(rail).toHaveLength(200);
    expect(rail.filter(({ calls }) => calls !== 1)).toEqual([]);
  });
});

describe('the cancellation of a scheduled sending', () => {
  const schedule = async () => {
    const at = new Date(Math.ceil(app.clock.now().getTime() / 60_000 + 1) * 60_000);
    const to = phones(3);
    const body = { numerosDestino: to, conteudo: 'À hora', ...minuteOf(at) };
    const reply = await app.call('/api/Envio/agendarSms', { body });
    expect(reply.status, reply.text).toBe(201);
    return { id: reply.json.agendamentoId as string, at, to };
  };
  const cancel = (id: string) => second.call(`/api/Envio/CancelarAgendamento/${id}`, { method: 'DELETE' });

  test.each(['the minute first', 'cancelling first', 'neither'])(
    'or the sending itself happens, never both: %s',
    async (who) => {
      await addUnits(app, MERCHANT, 10);
      const before = await readBalance(app);
      const { id, at, to } = await schedule();
      const letGo = await holdLock(app.databaseUrl, `select from sms_batches where id = '${id}' for update`);
      const release = async () => {
        app.clock.leap(Math.max(0, at.getTime() - app.clock.now().getTime()));
        await app.clock.advance(1_000);
      };
      // The claim of due work skips a locked row.
      let canceled: ReturnType<typeof cancel>;
      if (who === 'the minute first') {
        await letGo();
        await release();
        await passUntil(
          app,
          async () => (await app.sql(`select from sms_batches where id = $1 and status = 'Released'`, [id])).length > 0,
          'its minute',
        );
        canceled = cancel(id);
      } else {
        canceled = cancel(id);
        await until(async () => (await countWaiting(app.databaseUrl, 'update "sms_batches"')) > 0, 'waiting');
        const released = who === 'neither' ? release() : null;
        await letGo();
        await released;
      }
      const { status } = await canceled;
      await release();
      await passWhile(app, 'Pending');
      const sent = (await readRail(app)).filter((one) => to.includes(one.to));
      if (status === 200) {
        expect(sent).toEqual([]);
        expect(await readBalance(app)).toBe(before);
      } else {
        expect(status).toBe(409);
        expect(sent.map(({ calls }) => calls)).toEqual([1, 1, 1]);
        expect(await readBalance(app)).toBe(before - 3);
      }
      if (who === 'the minute first') expect(status).toBe(409);
      if (who === 'cancelling first') expect(status).toBe(200);
    },
  );

  test('credits the units once for ten concurrent requests', async () => {
    await addUnits(app, MERCHANT, 10);
    const before = await readBalance(app);
    const { id } = await schedule();
    const statuses = (await Promise.all(Array.from({ length: 10 }, () => cancel(id)))).map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set([200]));
    expect(await readBalance(app)).toBe(before);
  });
});

describe('the delivery reports of a rail', () => {
  test.each([
    ['reorder', '900000002', 'Falhado'],
    ['duplicate', '900000002', 'Falhado'],
    ['drop', '900000008', 'Falhado'],
    ['garbage', '900000000', 'Entregue'],
  ])('with the fault %s lead to the status at the rail and to one debit', async (kind, to, estado) => {
    await addUnits(app, MERCHANT, 10);
    const before = await readBalance(app);
    await orderFault(app, { on: 'sms_notification', kind, phone: to });
    const { batchId } = (await sendText(app, [to])).json;
    await passWhile(app, 'Pending');
    app.clock.leap(3 * 60_000);
    await passUntil(app, async () => (await listSent(app, `&batchId=${batchId}`))[0].estado === estado, 'the end');
    await app.clock.advance(5_000);
    expect(await readBalance(app)).toBe(estado === 'Falhado' ? before : before - 1);
  });
});
