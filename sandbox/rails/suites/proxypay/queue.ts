// ProxyPay's queue of payments: it is told whole, again and again, and an entry leaves it only when it is acknowledged.
import assert from 'node:assert/strict';
import type { FakeFault } from '../../fake.ts';
import {
  accountOf,
  DIGITS,
  fakeOf,
  listAll,
  listCalls,
  liveOrder,
  orderOf,
  payAtRail,
  railOf,
  reopen,
  takeOne,
  type ProxypayCase,
  type ProxypayRig,
} from './rig.ts';
import { outwait, press } from '../../rig.ts';

const pages: ProxypayCase[] = [
  {
    name: 'list: an empty queue is told',
    async run(rig) {
      assert.deepEqual(await railOf(rig).listPayments(null), {
        result: 'told',
        payments: [],
        unreadable: [],
        next: 'queue',
      });
    },
  },
  {
    name: 'list: what was paid is told, with our id of the reference',
    isLive: true,
    async run(rig) {
      const order = await liveOrder(rig);
      await railOf(rig).register(order);
      assert.ok((await payAtRail(rig, order.reference, '3000.00')) < 300);
      const payment = (await listAll(rig)).find(({ reference }) => reference === order.reference);
      assert.deepEqual(
        [payment?.referenceId, payment?.amountMinor, payment?.entity],
        [order.referenceId, 300_000, order.entity],
      );
      assert.match(payment?.providerRef ?? '', /^\d{1,12}$/);
    },
  },
  {
    name: 'list: whoever reads on while `next` leads further reads twice, and no query travels',
    async run(rig) {
      await takeOne(rig);
      let [cursor, reads]: [string | null, number] = [null, 0];
      for (let isMore = true; isMore && reads < 10; reads++) {
        const { next }: { next: string | null } = await railOf(rig).listPayments(cursor);
        isMore = next !== null && next !== cursor;
        cursor = next;
      }
      assert.equal(reads, 2);
      assert.deepEqual(
        fakeOf(rig).requests.map(({ query }) => query.size),
        [0, 0, 0],
      );
    },
  },
  {
    name: 'list: the queue tells everything again until it is acknowledged',
    async run(rig) {
      await takeOne(rig);
      assert.deepEqual(await listAll(rig), await listAll(rig));
    },
  },
  {
    name: 'list: a queue of more than 64 KiB is read whole',
    async run(rig) {
      const { book } = fakeOf(rig);
      for (let paid = 0; paid < 200; paid++) await book.pay(DIGITS, '100.00');
      assert.ok(JSON.stringify([...book.queue.values()]).length > 65_536);
      assert.equal(new Set((await listAll(rig)).map(({ providerRef }) => providerRef)).size, 200);
    },
  },
  {
    name: 'list: entries in any order come oldest first',
    async run(rig) {
      const at = (hour: number) => ({ datetime: `2026-03-02T0${hour}:00:00+01:00` });
      const { book } = fakeOf(rig);
      for (const hour of [7, 5, 6]) await book.pay(DIGITS, `${hour}.00`, at(hour));
      assert.deepEqual(
        (await listAll(rig)).map(({ amountMinor }) => amountMinor),
        [500, 600, 700],
      );
    },
  },
  ...(['error_before', 'drop_before', 'hang', 'oversize', 'garbage', 401, 403, 404, 429, 503] as FakeFault[]).map(
    (fault) => ({
      name: `list: ${fault} tells nothing, and the next reading tells all`,
      async run(rig: ProxypayRig) {
        await takeOne(rig);
        fakeOf(rig).fault(fault, { path: '/payments' });
        const ask = () => railOf(rig).listPayments(null);
        const page = fault === 'hang' ? await outwait(rig, ask) : await ask();
        assert.deepEqual(page, { result: 'unknown', payments: [], unreadable: [], next: null });
        assert.equal((await listAll(rig)).length, 1);
      },
    }),
  ),
  ...[
    { status: 503, body: [] },
    { status: 200, body: {} },
    { status: 200, body: { payments: [] } },
  ].map((onlyAnswer) => ({
    name: `list: ${onlyAnswer.status} with ${JSON.stringify(onlyAnswer.body)} is no empty queue`,
    async run(rig: ProxypayRig) {
      fakeOf(rig).book.onlyAnswer = onlyAnswer;
      assert.equal((await railOf(rig).listPayments('queue')).result, 'unknown');
    },
  })),
];

const receipts: ProxypayCase[] = [
  {
    name: 'acknowledge: 204 is true, and the payment is not told again',
    isLive: true,
    async run(rig) {
      const order = await liveOrder(rig);
      await railOf(rig).register(order);
      await payAtRail(rig, order.reference, '3000.00');
      const find = async () => (await listAll(rig)).find(({ reference }) => reference === order.reference);
      assert.equal(await railOf(rig).acknowledge((await find())?.receipt ?? ''), true);
      assert.equal(await find(), undefined);
    },
  },
  {
    name: 'acknowledge: only this one leaves the queue',
    async run(rig) {
      const [{ id }, other] = [await takeOne(rig), await takeOne(rig)];
      await railOf(rig).acknowledge(String(id));
      assert.equal(listCalls(rig).at(-1), `DELETE /payments/${id}`);
      assert.deepEqual(
        (await listAll(rig)).map(({ providerRef }) => providerRef),
        [String(other.id)],
      );
    },
  },
  {
    name: 'acknowledge: 404 was acknowledged before: true',
    async run(rig) {
      const receipt = String((await takeOne(rig)).id);
      await railOf(rig).acknowledge(receipt);
      assert.equal(await railOf(rig).acknowledge(receipt), true);
    },
  },
  ...([200, 400, 401, 403, 429, 503, 'error_after', 'drop_before', 'drop_after', 'hang'] as FakeFault[]).map(
    (fault) => ({
      name: `acknowledge: ${fault} is not sure: false, then true`,
      async run(rig: ProxypayRig) {
        const receipt = String((await takeOne(rig)).id);
        fakeOf(rig).fault(fault, { method: 'DELETE' });
        const ask = () => railOf(rig).acknowledge(receipt);
        assert.equal(fault === 'hang' ? await outwait(rig, ask) : await ask(), false);
        assert.equal(await railOf(rig).acknowledge(receipt), true);
        assert.equal(fakeOf(rig).book.queue.size, 0);
      },
    }),
  ),
  {
    name: 'acknowledge: a receipt that is no number leads nowhere',
    async run(rig) {
      for (const receipt of ['', '../references/012345678', '1/2']) {
        assert.equal(await railOf(rig).acknowledge(receipt), false);
      }
      assert.deepEqual(listCalls(rig), []);
    },
  },
  {
    name: 'acknowledge: reading, registering and withdrawing never do it',
    async run(rig) {
      const told = await takeOne(rig);
      await listAll(rig);
      await rig.connector.probe(rig.account);
      rig.connector.read(fakeOf(rig).book.sign(told).body, { kind: 'ppr', trust: 'proven', attemptId: null });
      await railOf(rig).withdraw(orderOf());
      assert.equal(fakeOf(rig).book.queue.size, 1);
    },
  },
  {
    name: 'acknowledge: of a shared entity only what names our reference may leave the queue',
    async run(rig) {
      const shared = reopen(rig, { settings: { ...accountOf(rig).settings, isExclusive: false } });
      await takeOne(rig);
      await fakeOf(rig).book.pay('111222333', '10.00', { custom_fields: { order: '77' } });
      const receiptsOf = (rail: typeof shared) =>
        rail.listPayments(null).then(({ payments }) => payments.map(({ receipt }) => typeof receipt));
      assert.deepEqual((await receiptsOf(shared)).sort(), ['object', 'string']);
      assert.deepEqual(await receiptsOf(railOf(rig)), ['string', 'string']);
    },
  },
];

const people: ProxypayCase[] = [
  {
    name: 'page: a person pays a reference and has it told again, at the press of a button',
    async run(rig) {
      await railOf(rig).register(orderOf({ type: 'Charging', amountMinor: 0 }));
      const fake = fakeOf(rig);
      const findAndPress = async (id: string, action: string) => {
        const page = await (await fetch(fake.url)).text();
        assert.ok(page.includes(`value="${id}"`) && page.includes(`value="${action}"`));
        await press(fake, id, action);
      };
      await findAndPress(DIGITS, 'pay 2500.00');
      const [payment] = await listAll(rig);
      assert.equal(payment?.amountMinor, 250_000);
      fake.book.notifyUrl = `${fake.url}/nobody`;
      await findAndPress(`payment ${payment.providerRef}`, 'notify');
      assert.equal(fake.notices.length, 1);
    },
  },
];

export const queueCases = [...pages, ...receipts, ...people];
