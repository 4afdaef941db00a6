// ProxyPay's notifications: whose are believed, and what they tell, however often and in whatever order.
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { RailNews } from '../../../../server/providers/connector.ts';
import type { ProxypayPayment } from '../../proxypay-payment.ts';
import {
  API_KEY,
  DIGITS,
  fakeOf,
  listAll,
  orderOf,
  payAtRail,
  railOf,
  REFERENCE_ID,
  takeOne,
  type ProxypayCase,
  type ProxypayRig,
} from './rig.ts';
import { receive, START } from '../../rig.ts';

/** What the rail says of a payment to the reference of `orderOf`, before anything of it was changed on the way. */
async function tellOne(rig: ProxypayRig, changes: Partial<ProxypayPayment> = {}) {
  return fakeOf(rig).book.sign(await takeOne(rig, changes));
}

function verify({ connector, account }: ProxypayRig, headers: IncomingHttpHeaders, body: string | Buffer): string {
  return connector.verify({ headers, body: Buffer.from(body), attemptId: null }, account);
}

function read({ connector }: ProxypayRig, body: string, trust: 'proven' | 'hint' = 'proven'): RailNews[] {
  return connector.read(body, { kind: 'ppr', trust, attemptId: null, receivedAt: new Date(START) });
}

const sign = (body: string, algorithm = 'sha256', key = API_KEY) =>
  createHmac(algorithm, key).update(body).digest('hex');

/** What stands in the header instead of the signature. */
const FORGERIES: [string, (body: string) => string | undefined][] = [
  ['no signature', () => undefined],
  ['an empty signature', () => ''],
  ['another key’s', (body) => sign(body, 'sha256', 'another')],
  ['another body’s', (body) => sign(`${body} `)],
  ['SHA-512', (body) => sign(body, 'sha512')],
  ['upper-case hex', (body) => sign(body).toUpperCase()],
  ['one that is cut', (body) => sign(body).slice(0, 63)],
  ['one with a prefix', (body) => `sha256=${sign(body)}`],
  ['one that is no ASCII', (body) => 'é'.repeat(sign(body).length)],
];

const trust: ProxypayCase[] = [
  {
    name: 'verify: lower-case hex of the body’s HMAC-SHA256 with the API key is proof',
    isUncertain: true,
    async run(rig) {
      const { body, headers } = await tellOne(rig);
      assert.equal(headers['X-Signature'], sign(body));
      assert.equal(verify(rig, { 'x-signature': sign(body) }, body), 'proven');
    },
  },
  ...FORGERIES.map(([what, forge]) => ({
    name: `verify: ${what} is refused`,
    async run(rig: ProxypayRig) {
      const { body } = await tellOne(rig);
      const forged = forge(body);
      assert.equal(verify(rig, forged === undefined ? {} : { 'x-signature': forged }, body), 'refused');
    },
  })),
  {
    name: 'verify: the bytes count as they came, even where they are no text',
    async run(rig) {
      const bytes = Buffer.from([0x7b, 0xff, 0xfe, 0x7d]);
      const signature = createHmac('sha256', API_KEY).update(bytes).digest('hex');
      assert.equal(verify(rig, { 'x-signature': signature }, bytes), 'proven');
      assert.equal(verify(rig, { 'x-signature': signature }, bytes.toString('utf8')), 'refused');
    },
  },
];

const news: ProxypayCase[] = [
  {
    name: 'notification: as it arrives it is proven, and the same payment as in the queue',
    async run(rig) {
      await receive(async (url, arrivals) => {
        fakeOf(rig).book.notifyUrl = url;
        await railOf(rig).register(orderOf());
        await payAtRail(rig, DIGITS, '3000.00');
        const [arrival] = arrivals;
        assert.ok(arrival);
        assert.equal(verify(rig, arrival.headers, arrival.body), 'proven');
        const [payment] = await listAll(rig);
        const notificationId = `payment ${payment?.providerRef}`;
        assert.deepEqual(read(rig, arrival.body.toString()), [{ notificationId, about: 'reference', payment }]);
        assert.deepEqual([payment?.referenceId, payment?.receipt], [REFERENCE_ID, payment?.providerRef]);
      });
    },
  },
  {
    name: 'notification: repeated it has the same id, also after the queue let go of it',
    async run(rig) {
      await receive(async (url, arrivals) => {
        Object.assign(fakeOf(rig).book, { notifyUrl: url, noticesEach: 2 });
        const payment = await fakeOf(rig).book.pay(DIGITS, '3000.00');
        await railOf(rig).acknowledge(String(payment.id));
        await fakeOf(rig).book.notify(payment);
        const told = arrivals.map(({ body }) => JSON.stringify(read(rig, body.toString())));
        assert.deepEqual([told.length, new Set(told).size], [3, 1]);
      });
    },
  },
  {
    name: 'notification: where our 200 took the payment off the queue, it alone tells the money',
    isUncertain: true,
    async run(rig) {
      const { body } = await tellOne(rig);
      fakeOf(rig).book.queue.clear();
      assert.deepEqual(await listAll(rig), []);
      const [told] = read(rig, body);
      assert.ok(told?.about === 'reference');
      assert.deepEqual([told.payment.amountMinor, told.payment.referenceId], [300_000, REFERENCE_ID]);
      assert.equal(await railOf(rig).acknowledge(told.payment.receipt ?? ''), true);
    },
  },
  {
    name: 'notification: payments that overtake each other are each what they are',
    async run(rig) {
      const [first, second] = [await tellOne(rig), await tellOne(rig, { amount: '1.00' })];
      const idsOf = (...bodies: string[]) => bodies.flatMap((body) => read(rig, body)).map((one) => one.notificationId);
      assert.deepEqual(idsOf(second.body, first.body), idsOf(first.body, second.body).reverse());
      assert.equal(new Set(idsOf(first.body, second.body)).size, 2);
    },
  },
  {
    name: 'notification: integers as text are the same payment',
    async run(rig) {
      const payment = await fakeOf(rig).book.pay(DIGITS, '3000.00');
      const asNumbers = read(rig, fakeOf(rig).book.sign(payment).body);
      fakeOf(rig).book.style.integersAsText = true;
      assert.deepEqual(read(rig, fakeOf(rig).book.sign(payment).body), asNumbers);
      assert.equal(asNumbers.length, 1);
    },
  },
  {
    name: 'notification: a time without zone counts from its arrival',
    isUncertain: true,
    async run(rig) {
      fakeOf(rig).book.style.hasZone = false;
      const [told] = read(rig, (await tellOne(rig)).body);
      assert.ok(told?.about === 'reference');
      assert.deepEqual(told.payment.occurredAt, new Date(START));
      assert.equal(told.payment.details.railTime, '2026-03-02T10:00:00.000');
    },
  },
  {
    name: 'notification: without any time, and no arrival told, it only hints at the queue',
    isUncertain: true,
    async run(rig) {
      fakeOf(rig).book.style.hasZone = false;
      const { body } = await tellOne(rig);
      const [told] = rig.connector.read(body, { kind: 'ppr', trust: 'proven', attemptId: null });
      assert.ok(told?.about === 'hint' && 'reference' in told);
      assert.equal(told.reference, DIGITS);
    },
  },
  {
    name: 'notification: what is not proven is a hint',
    async run(rig) {
      const [told] = read(rig, (await tellOne(rig)).body, 'hint');
      assert.ok(told?.about === 'hint' && 'reference' in told);
      assert.equal(told.reference, DIGITS);
    },
  },
  {
    name: 'notification: of money that names no reference of ours only the queue says whether it may leave it',
    async run(rig) {
      const [told] = read(rig, (await tellOne(rig, { custom_fields: {} })).body);
      assert.ok(told?.about === 'reference');
      assert.deepEqual([told.payment.receipt, told.payment.referenceId], [null, null]);
    },
  },
  ...['', 'null', '7', '[]', '{}', '<html>', '{"id":1,"amount":"x"}'].map((body) => ({
    name: `notification: ${body || 'nothing'} tells nothing`,
    async run(rig: ProxypayRig) {
      assert.deepEqual(read(rig, body), []);
    },
  })),
  {
    name: 'notification: 64 KiB of fields that nobody knows hide no payment',
    async run(rig) {
      const { body } = await tellOne(rig, {
        custom_fields: { balcao_reference: REFERENCE_ID, long: 'x'.repeat(65_536) },
      });
      const [told] = read(rig, body);
      assert.ok(told?.about === 'reference');
      assert.equal(told.payment.referenceId, REFERENCE_ID);
    },
  },
];

export const notificationCases = [...trust, ...news];
