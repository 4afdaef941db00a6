// KambaSMS, sendings: what is sent, what a repeat does, and what an answer that is lost or unsure leaves open.
import assert from 'node:assert/strict';
import type { ContractCase } from '../legacy.ts';
import type { KambaBook } from '../kambasms.ts';
import { makeOrder, PHONE, SENDER, unpack } from '../sms-rig.ts';

const HOUR_MS = 60 * 60_000;

/** What a sending that the rail took comes to. */
const ACCEPTED = { result: 'accepted', reason: null, occurredAt: null };
const FIRST_ID = '730000000000000001';

export const KAMBA_SEND_CASES: ContractCase<KambaBook>[] = [
  {
    name: 'a message is handed in with its number, text and sender, the key in a header and its id as idempotency key',
    async run(rig) {
      const { sms, fake } = unpack(rig);
      const order = makeOrder();
      await sms.send(order);
      const [request, ...others] = fake.requests;
      assert(request);
      assert.equal(others.length, 0);
      assert.equal(`${request.method} ${request.path}`, 'POST /messages/send');
      assert.deepEqual(JSON.parse(request.body), { to: PHONE, text: order.text, sender_id: SENDER });
      assert.equal(request.headers['x-api-key'], 'kamba-test-key');
      assert.equal(request.headers['idempotency-key'], order.messageId);
      assert.equal(request.headers['content-type'], 'application/json');
    },
  },
  {
    name: 'a message that was taken is accepted, with the rail’s id',
    async run(rig) {
      const { sms } = unpack(rig);
      assert.deepEqual(await sms.send(makeOrder()), { ...ACCEPTED, railMessageId: FIRST_ID });
    },
  },
  {
    name: 'an id beyond a double is the same as an integer and as text',
    async run(rig) {
      const { sms, book } = unpack(rig);
      book.numbers = 'integer';
      assert.deepEqual(await sms.send(makeOrder()), { ...ACCEPTED, railMessageId: FIRST_ID });
    },
  },
  {
    name: 'the sender is the order’s, also where it is not the account’s own',
    async run(rig) {
      const { sms, book } = unpack(rig);
      book.senders.push('OUTRALOJA');
      await sms.send(makeOrder({ sender: 'OUTRALOJA' }));
      assert.deepEqual(
        book.messages.map(({ sender }) => sender),
        ['OUTRALOJA'],
      );
    },
  },
  {
    name: 'letters with accents arrive as they were written',
    async run(rig) {
      const { sms, book } = unpack(rig);
      const text = 'Olá João, a sua encomenda está à espera: 1.500,00 Kz "já pagos" \\ € ©';
      await sms.send(makeOrder({ text }));
      assert.equal(book.messages[0]?.text, text);
    },
  },
  {
    name: 'a repeat of the same order sends nothing twice and is answered alike',
    async run(rig) {
      const { sms, book, fake } = unpack(rig);
      const [first, second] = [await sms.send(makeOrder()), await sms.send(makeOrder())];
      assert.deepEqual(second, first);
      assert.equal(fake.requests[0]?.body, fake.requests[1]?.body);
      assert.equal(book.messages.length, 1);
    },
  },
  {
    name: 'two messages with the same text to the same phone are two',
    async run(rig) {
      const { sms, book } = unpack(rig);
      await sms.send(makeOrder());
      await sms.send(makeOrder({ messageId: '0197f1f0-aaaa-7000-8000-000000000002' }));
      assert.equal(book.messages.length, 2);
    },
  },
  {
    name: 'after a lost answer it is unknown, and a repeat within 24 hours says what became of it and sends nothing',
    async run(rig) {
      const { sms, book, fake } = unpack(rig);
      fake.fault('drop_after');
      const lost = await sms.send(makeOrder());
      assert.deepEqual([lost.result, lost.reason, lost.railMessageId], ['unknown', 'connection', null]);
      await rig.pass(24 * HOUR_MS - 1);
      assert.deepEqual(await sms.send(makeOrder()), { ...ACCEPTED, railMessageId: FIRST_ID });
      assert.equal(book.messages.length, 1);
    },
  },
  {
    name: 'after 24 hours the key is forgotten and a repeat is another message: the core must not',
    async run(rig) {
      const { sms, book } = unpack(rig);
      await sms.send(makeOrder());
      await rig.pass(24 * HOUR_MS);
      assert.notEqual((await sms.send(makeOrder())).railMessageId, FIRST_ID);
      assert.equal(book.messages.length, 2);
    },
  },
  {
    name: 'a key that was used for another text leaves it unknown (409 is not published)',
    isUncertain: true,
    async run(rig) {
      const { sms, book } = unpack(rig);
      await sms.send(makeOrder());
      const other = await sms.send(makeOrder({ text: 'Outro texto' }));
      assert.deepEqual([other.result, other.reason], ['unknown', 'rail_refused']);
      assert.equal(book.messages.length, 1);
    },
  },
  {
    name: '202 is taken on but not sure: unknown, with the rail’s id, by which it is found later',
    async run(rig) {
      const { sms, book } = unpack(rig);
      book.takesOn = 'with_id';
      const order = makeOrder();
      const sent = await sms.send(order);
      assert.deepEqual(sent, { result: 'unknown', reason: 'taken_on', railMessageId: FIRST_ID, occurredAt: null });
      const about = { messageId: order.messageId, to: order.to, text: order.text, sentAt: rig.account.clock.now() };
      assert.equal((await sms.query({ ...about, railMessageId: FIRST_ID })).result, 'accepted');
    },
  },
  {
    name: '202 without an id is unknown, and a repeat sends nothing twice',
    async run(rig) {
      const { sms, book } = unpack(rig);
      book.takesOn = 'without_id';
      for (const _ of [1, 2]) {
        const { result, reason, railMessageId } = await sms.send(makeOrder());
        assert.deepEqual([result, reason, railMessageId], ['unknown', 'taken_on', null]);
      }
      assert.equal(book.messages.length, 1);
    },
  },
];
