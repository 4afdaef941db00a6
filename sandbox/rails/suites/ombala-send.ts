// Ombala, sendings: what is sent, that a repeat sends twice, what is refused for good, and what stays open.
import assert from 'node:assert/strict';
import type { ContractCase } from '../legacy.ts';
import type { OmbalaBook } from '../ombala.ts';
import { makeOrder, PHONE, reopen, SENDER, unpack } from '../sms-rig.ts';

const FIRST_ID = '840000000000000001';
const ACCEPTED = { result: 'accepted', reason: null, railMessageId: FIRST_ID, occurredAt: null };

/** What a sending is answered, as far as it is read. */
const SENT = { id: 'm-1', parts: 1, recipients: [{ phone_number: PHONE, message_status: 'PENDING' }] };

export const OMBALA_SEND_CASES: ContractCase<OmbalaBook>[] = [
  {
    name: 'a message is handed in with its text, sender and number, and the token in its header',
    async run(rig) {
      const { sms, fake } = unpack(rig);
      const order = makeOrder({ text: 'Olá! Pague em https://balcao.ao/p/1 🎉' });
      await sms.send(order);
      const [request, ...others] = fake.requests;
      assert(request);
      assert.equal(others.length, 0);
      assert.equal(`${request.method} ${request.path}`, 'POST /messages');
      assert.deepEqual(JSON.parse(request.body), { message: order.text, from: SENDER, to: PHONE });
      assert.equal(request.headers.authorization, 'Token ombala-token-1');
    },
  },
  {
    name: 'a number is handed in as E.164, with its plus (the form is not published)',
    isUncertain: true,
    async run(rig) {
      const { sms, book } = unpack(rig);
      book.instead = { status: 422, body: { errors: { code: 'INVALID_PHONE' } } };
      assert.equal((await sms.send(makeOrder({ to: '+244999888777' }))).result, 'failed');
      assert.equal(JSON.parse(unpack(rig).fake.requests[0]?.body ?? '').to, '+244999888777');
    },
  },
  {
    name: 'a message that was taken is accepted, with the rail’s id, as text or as integers',
    async run(rig) {
      const { sms, book } = unpack(rig);
      assert.deepEqual(await sms.send(makeOrder()), ACCEPTED);
      book.numbers = 'text';
      assert.deepEqual(await sms.send(makeOrder()), { ...ACCEPTED, railMessageId: '840000000000000002' });
    },
  },
  {
    name: 'a long text goes out whole',
    async run(rig) {
      const { sms, book } = unpack(rig);
      const text = 'Á'.repeat(459);
      await sms.send(makeOrder({ text }));
      assert.equal(book.messages[0]?.content, text);
    },
  },
  {
    name: 'the sender is the order’s, also where it is not the account’s own',
    async run(rig) {
      const { sms, book } = unpack(rig);
      book.senders.push('OUTRALOJA');
      await sms.send(makeOrder({ sender: 'OUTRALOJA' }));
      assert.deepEqual(
        book.messages.map(({ from }) => from),
        ['OUTRALOJA'],
      );
    },
  },
  {
    name: 'a repeat sends twice: the core must not',
    async run(rig) {
      const { sms, book } = unpack(rig);
      const [first, second] = [await sms.send(makeOrder()), await sms.send(makeOrder())];
      assert.notEqual(first.railMessageId, second.railMessageId);
      assert.equal(book.messages.length, 2);
    },
  },
  {
    name: 'the recipient’s state in the answer counts; a word that nobody knows is accepted (refused is not published)',
    isUncertain: true,
    async run(rig) {
      const { sms, book } = unpack(rig);
      const words = {
        PENDING: 'accepted',
        DELIVERED: 'delivered',
        REFUSED: 'failed',
        ENTREGUE: 'accepted',
        '': 'accepted',
      };
      for (const [message_status, result] of Object.entries(words)) {
        book.instead = { status: 201, body: { ...SENT, recipients: [{ phone_number: PHONE, message_status }] } };
        const outcome = await sms.send(makeOrder());
        assert.deepEqual([outcome.result, outcome.railMessageId], [result, 'm-1'], message_status);
        assert.equal(outcome.reason, result === 'failed' ? 'undeliverable' : null);
      }
    },
  },
  {
    name: 'the recipient’s number may be written in any way (none is published)',
    isUncertain: true,
    async run(rig) {
      const { sms, book } = unpack(rig);
      for (const phone_number of [PHONE, '244923456789', '923456789', 923456789]) {
        book.instead = { status: 201, body: { ...SENT, recipients: [{ phone_number, message_status: 'DELIVERED' }] } };
        assert.equal((await sms.send(makeOrder())).result, 'delivered', String(phone_number));
      }
      book.instead = { status: 201, body: { ...SENT, recipients: undefined } };
      assert.equal((await sms.send(makeOrder())).result, 'accepted');
    },
  },
  {
    name: 'an answer about another number is not about ours',
    async run(rig) {
      const { sms, book } = unpack(rig);
      const recipients = [{ phone_number: '+244999888777', message_status: 'DELIVERED' }];
      book.instead = { status: 201, body: { ...SENT, recipients } };
      const { result, reason, railMessageId } = await sms.send(makeOrder());
      assert.deepEqual([result, reason, railMessageId], ['unknown', 'other_message', 'm-1']);
    },
  },
  {
    name: 'a 201 without an id that can be read is unknown: it is looked up',
    async run(rig) {
      const { sms, book } = unpack(rig);
      for (const id of [undefined, null, '', {}, 'x'.repeat(65), 'id\n']) {
        book.instead = { status: 201, body: { ...SENT, id } };
        const { result, reason, railMessageId } = await sms.send(makeOrder());
        assert.deepEqual([result, reason, railMessageId], ['unknown', 'unreadable', null], String(id));
      }
    },
  },
  {
    name: 'parts that cannot be read are no reason for doubt',
    async run(rig) {
      const { sms, book } = unpack(rig);
      for (const parts of [0, -1, 1.5, 'two', null, 1e9, undefined]) {
        book.instead = { status: 201, body: { ...SENT, parts } };
        const outcome = await sms.send(makeOrder());
        assert.equal(outcome.result, 'accepted', String(parts));
      }
    },
  },
  {
    name: 'a refusal with a code is final and keeps the code',
    async run(rig) {
      const { sms, book } = unpack(rig);
      const outcome = await sms.send(makeOrder({ to: '+351912345678' }));
      assert.deepEqual(outcome, { result: 'failed', reason: 'rail_refused_invalid_phone', occurredAt: null });
      book.instead = { status: 400, body: { errors: { code: 1003, message: 'x' } } };
      assert.equal((await sms.send(makeOrder())).reason, 'rail_refused_1003');
      book.instead = { status: 400, body: { errors: { code: 'not a code!' } } };
      assert.equal((await sms.send(makeOrder())).reason, 'rail_refused');
      assert.deepEqual(book.messages, []);
    },
  },
  {
    name: 'a refusal that is a list of messages for people is final, and none of them is read',
    async run(rig) {
      const { sms } = unpack(rig);
      const outcome = await sms.send(makeOrder({ sender: 'DESCONHECID' }));
      assert.deepEqual(outcome, { result: 'failed', reason: 'rail_refused', occurredAt: null });
    },
  },
  {
    name: 'an account without credit fails the message, and says so (402 is not published)',
    isUncertain: true,
    async run(rig) {
      const { sms, book } = unpack(rig);
      book.instead = { status: 402, body: { errors: [{ message: 'Saldo insuficiente' }] } };
      const { result, reason } = await sms.send(makeOrder());
      assert.deepEqual([result, reason], ['failed', 'no_credit']);
    },
  },
  {
    name: 'a 4xx in neither form of an error may be anybody’s on the way, and refuses nothing',
    async run(rig) {
      const { sms, book, fake } = unpack(rig);
      for (const body of ['<html>400 Bad Request</html>', {}, { errors: 'x' }, { errors: null }, []]) {
        book.instead = { status: 400, body };
        assert.equal((await sms.send(makeOrder())).result, 'unknown', JSON.stringify(body));
      }
      fake.fault(422);
      assert.equal((await sms.send(makeOrder())).result, 'unknown');
    },
  },
  {
    name: 'a token that was withdrawn leaves messages unknown, not failed',
    async run(rig) {
      const { sms, book } = unpack(rig);
      book.token = 'the-next-token';
      const { result, reason } = await sms.send(makeOrder());
      assert.deepEqual([result, reason, book.messages.length], ['unknown', 'token_refused', 0]);
      const renewed = reopen(rig, { secrets: { apiKey: 'the-next-token' } });
      assert.equal((await renewed.sms.send(makeOrder())).result, 'accepted');
    },
  },
  {
    name: 'statuses that are not about the message leave it unknown, with a body or without',
    async run(rig) {
      const { sms, book, fake } = unpack(rig);
      for (const status of [401, 403, 404, 405, 408, 409, 425, 429, 301, 302, 500, 502, 503, 504]) {
        fake.fault(status);
        assert.equal((await sms.send(makeOrder())).result, 'unknown', `${status}`);
        book.instead = { status, body: { errors: { code: 'X' } } };
        assert.equal((await sms.send(makeOrder())).result, 'unknown', `${status} with a body`);
      }
    },
  },
];
