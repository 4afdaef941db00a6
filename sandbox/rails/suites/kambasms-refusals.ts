// KambaSMS, refusals: texts that it does not carry, what it refuses for good, and answers that contradict themselves.
import assert from 'node:assert/strict';
import type { ContractCase } from '../legacy.ts';
import type { KambaBook } from '../kambasms.ts';
import { makeOrder, PHONE, reopen, unpack } from '../sms-rig.ts';

const NOT_SUPPORTED = { result: 'failed', reason: 'text_not_supported', occurredAt: null };

/** What a success says, as far as it is read. */
const SUCCESS = { success: true, message_id: 'm-1', status: 'queued', to: PHONE, segments: 1 };

export const KAMBA_REFUSAL_CASES: ContractCase<KambaBook>[] = [
  {
    name: '161 characters are refused before any request, 160 are sent',
    async run(rig) {
      const { sms, fake, book } = unpack(rig);
      assert.deepEqual(await sms.send(makeOrder({ text: 'a'.repeat(161) })), NOT_SUPPORTED);
      assert.deepEqual(fake.requests, []);
      assert.equal((await sms.send(makeOrder({ text: 'á'.repeat(160) }))).result, 'accepted');
      assert.equal(book.messages.length, 1);
    },
  },
  {
    name: 'a text with a link is refused before any request',
    isLive: true,
    async run({ clients, fake }) {
      const links = [
        'https://balcao.ao/p/1',
        'HTTP://X.AO',
        'www.loja',
        'Wa.me/244923456789',
        'loja.ao',
        'veja LOJA.CO.AO!',
      ];
      for (const link of links) {
        const outcome = await clients.sms?.send(makeOrder({ text: `Pague em ${link} hoje` }));
        assert.deepEqual(outcome, NOT_SUPPORTED, link);
      }
      assert.equal(fake?.requests.length ?? 0, 0);
    },
  },
  {
    name: 'a text with an emoji is refused before any request',
    isLive: true,
    async run({ clients, fake }) {
      for (const emoji of ['🎉', '❤', '❤️', '🇦🇴', '1️⃣', '👍🏾', '☎️']) {
        assert.deepEqual(await clients.sms?.send(makeOrder({ text: `Obrigado ${emoji}` })), NOT_SUPPORTED, emoji);
      }
      assert.equal(fake?.requests.length ?? 0, 0);
    },
  },
  {
    name: 'what only looks like a link or an emoji is sent (what the server itself refuses is not published)',
    isUncertain: true,
    async run(rig) {
      const { sms, book } = unpack(rig);
      const texts = [
        'Sábado às 18.30/19.00: 1.500,00 Kz',
        'Chegou hoje.Com desconto de 10%',
        'Sr./Sra. Neto, ref. 123.456',
        'Balcão® © 2026 ™ #1 * 2',
        'Fim.',
      ];
      for (const [nth, text] of texts.entries()) {
        const messageId = `0197f1f0-bbbb-7000-8000-00000000000${nth}`;
        assert.equal((await sms.send(makeOrder({ messageId, text }))).result, 'accepted', text);
      }
      assert.deepEqual(
        book.messages.map(({ text }) => text),
        texts,
      );
    },
  },
  {
    name: 'a refusal of the message is final, with a reason',
    async run(rig) {
      const { sms, book } = unpack(rig);
      const outcome = await sms.send(makeOrder({ to: '+351912345678' }));
      assert.deepEqual(outcome, { result: 'failed', reason: 'rail_refused', occurredAt: null });
      assert.equal((await sms.send(makeOrder({ sender: 'DESCONHECID' }))).result, 'failed');
      assert.deepEqual(book.messages, []);
    },
  },
  {
    name: 'an account without credit fails the message, and says so (402 is not published)',
    isUncertain: true,
    async run(rig) {
      const { sms, book } = unpack(rig);
      book.balance = 0;
      const outcome = await sms.send(makeOrder());
      assert.deepEqual([outcome.result, outcome.reason], ['failed', 'no_credit']);
    },
  },
  {
    name: 'a 4xx that is not in the API’s form may be anybody’s on the way, and refuses nothing',
    async run(rig) {
      const { sms, book, fake } = unpack(rig);
      book.instead = { status: 400, body: '<html>400 Bad Request</html>' };
      assert.equal((await sms.send(makeOrder())).result, 'unknown');
      fake.fault(422);
      assert.equal((await sms.send(makeOrder())).result, 'unknown');
    },
  },
  {
    name: 'a key that was withdrawn leaves messages unknown, not failed: with the next key they go',
    async run(rig) {
      const { sms, book } = unpack(rig);
      book.apiKey = 'the-next-key';
      const outcome = await sms.send(makeOrder());
      assert.deepEqual([outcome.result, outcome.reason], ['unknown', 'token_refused']);
      const renewed = reopen(rig, { secrets: { apiKey: 'the-next-key' } });
      assert.equal((await renewed.sms.send(makeOrder())).result, 'accepted');
    },
  },
  {
    name: 'statuses that are not about the message leave it unknown, with a body or without',
    async run(rig) {
      const { sms, book, fake } = unpack(rig);
      for (const status of [401, 403, 404, 405, 408, 409, 425, 429, 301, 302, 204, 500, 502, 503, 504]) {
        fake.fault(status);
        assert.equal((await sms.send(makeOrder())).result, 'unknown', `${status}`);
        if (status === 204) continue;
        book.instead = { status, body: { error: 'x' } };
        assert.equal((await sms.send(makeOrder())).result, 'unknown', `${status} with a body`);
      }
      assert.deepEqual(book.messages, []);
    },
  },
  {
    name: 'a 200 without success, or without an id, is not believed',
    async run(rig) {
      const { sms, book } = unpack(rig);
      const bodies = [
        { ...SUCCESS, success: false, error: 'Falhou' },
        { ...SUCCESS, success: 'yes' },
        { ...SUCCESS, success: undefined },
        { ...SUCCESS, message_id: undefined },
        { ...SUCCESS, message_id: 'x'.repeat(65) },
        { ...SUCCESS, message_id: { id: 1 } },
        [],
        'null',
      ];
      for (const body of bodies) {
        book.instead = { status: 200, body };
        const { result, reason } = await sms.send(makeOrder({ messageId: `id-${bodies.indexOf(body)}-of-a-body` }));
        assert.deepEqual([result, reason], ['unknown', 'unreadable'], JSON.stringify(body));
      }
    },
  },
  {
    name: 'a success about another number is not about ours; one that writes it otherwise is',
    async run(rig) {
      const { sms, book } = unpack(rig);
      const sendAnswered = (to: unknown, nth: number) => {
        book.instead = { status: 200, body: { ...SUCCESS, to } };
        return sms.send(makeOrder({ messageId: `number-as-form-${nth}` }));
      };
      assert.equal((await sendAnswered('+244999888777', 0)).reason, 'other_message');
      for (const [nth, to] of ['244923456789', '923 456 789', 923456789, undefined].entries()) {
        assert.equal((await sendAnswered(to, nth + 1)).result, 'accepted', String(to));
      }
    },
  },
  {
    name: 'a success whose own status is a failure is unknown; a word that nobody knows is accepted',
    isUncertain: true,
    async run(rig) {
      const { sms, book } = unpack(rig);
      book.instead = { status: 200, body: { ...SUCCESS, status: 'failed' } };
      const { result, reason, railMessageId } = await sms.send(makeOrder());
      assert.deepEqual([result, reason, railMessageId], ['unknown', 'status_contradicts', 'm-1']);
      book.instead = { status: 200, body: { ...SUCCESS, status: 'em_trânsito' } };
      assert.equal((await sms.send(makeOrder({ messageId: 'another-message' }))).result, 'accepted');
    },
  },
  {
    name: 'parts that cannot be read are no reason for doubt',
    async run(rig) {
      const { sms, book } = unpack(rig);
      for (const [nth, segments] of [0, -1, 1.5, 'two', null, 1e9, undefined].entries()) {
        book.instead = { status: 200, body: { ...SUCCESS, segments } };
        const outcome = await sms.send(makeOrder({ messageId: `parts-unread-${nth}` }));
        assert.equal(outcome.result, 'accepted', String(segments));
      }
    },
  },
  {
    name: 'what a key for tests pretends to send is not sent, on a live account',
    isUncertain: true,
    async run(rig) {
      const { book } = unpack(rig);
      const { sms } = reopen(rig, { environment: 'live' });
      const pretended = await sms.send(makeOrder());
      assert.deepEqual([pretended.result, pretended.reason], ['unknown', 'simulated']);
      book.isTestKey = false;
      assert.equal((await sms.send(makeOrder({ messageId: 'sent-for-real' }))).result, 'accepted');
    },
  },
];
