// KambaSMS, questions: what the list of the last hundred tells of a message, and that it never tells that there was none.
import assert from 'node:assert/strict';
import type { SmsOutcome } from '../../../server/providers/message.ts';
import type { ContractCase, ContractRig } from '../legacy.ts';
import type { KambaBook, KambaMessage } from '../kambasms.ts';
import { askAbout, makeOrder, unpack } from '../sms-rig.ts';
import { outwait, press } from '../rig.ts';

/** Sends one message; `ask` asks about it, `message` is how it stands in the book. */
async function sendOne(rig: ContractRig<KambaBook>) {
  const unpacked = unpack(rig);
  const { sms, book } = unpacked;
  const order = makeOrder();
  const sentAt = rig.account.clock.now();
  const { railMessageId = null } = await sms.send(order);
  const [message] = book.messages;
  assert(message && railMessageId);
  const ask = (): Promise<SmsOutcome> => sms.query(askAbout(order, { railMessageId, sentAt }));
  return { ...unpacked, message, railMessageId, ask };
}

/** Others of the same account. */
function addOthers(book: KambaBook, count: number, text = 'Outra mensagem'): void {
  const [first] = book.messages;
  assert(first);
  for (let nth = 1; nth <= count; nth++) {
    book.messages.push({ ...first, id: String(740_000_000_000_000_000n + BigInt(nth)), text, state: 'failed' });
  }
}

export const KAMBA_QUERY_CASES: ContractCase<KambaBook>[] = [
  {
    name: 'one page of a hundred is asked for, and the message is found by its id',
    async run(rig) {
      const { fake, ask, railMessageId } = await sendOne(rig);
      const expected = { result: 'accepted', reason: null, railMessageId, occurredAt: null };
      assert.deepEqual(await ask(), expected);
      const request = fake.requests.at(-1);
      assert.equal(`${request?.method} ${request?.path}?${String(request?.query)}`, 'GET /messages?limit=100&page=1');
      assert.equal(request?.headers['idempotency-key'], undefined);
    },
  },
  {
    name: 'a message that a person delivers on the fake’s page is delivered',
    async run(rig) {
      const { fake, ask, railMessageId } = await sendOne(rig);
      await press(fake, railMessageId, 'deliver');
      const { result, reason } = await ask();
      assert.deepEqual([result, reason], ['delivered', null]);
    },
  },
  {
    name: 'each known word of a state is read, in any case (the words are not published)',
    isUncertain: true,
    async run(rig) {
      const { message, ask } = await sendOne(rig);
      const words: [string, SmsOutcome['result'], string | null][] = [
        ['sent', 'accepted', null],
        ['PENDING', 'accepted', null],
        ['Processing', 'accepted', null],
        ['delivered', 'delivered', null],
        ['DELIVERED', 'delivered', null],
        ['failed', 'failed', 'undeliverable'],
        ['undelivered', 'failed', 'undeliverable'],
        ['rejected', 'failed', 'rejected'],
        ['expired', 'failed', 'expired'],
      ];
      for (const [word, result, reason] of words) {
        message.state = word;
        const outcome = await ask();
        assert.deepEqual([outcome.result, outcome.reason], [result, reason], word);
      }
    },
  },
  {
    name: 'a word that nobody knows leaves it unknown, never failed, and keeps its id',
    async run(rig) {
      const { message, ask, railMessageId } = await sendOne(rig);
      for (const word of ['entregue', 'blocked', 'error', '', 'delivered ✓', 'toString']) {
        message.state = word;
        const expected = { result: 'unknown', reason: 'status_unknown', railMessageId, occurredAt: null };
        assert.deepEqual(await ask(), expected, word);
      }
    },
  },
  {
    name: 'the id of a listed message may be called id (the list’s form is not published)',
    isUncertain: true,
    async run(rig) {
      const { book, message, ask } = await sendOne(rig);
      message.state = 'delivered';
      book.idName = 'id';
      assert.equal((await ask()).result, 'delivered');
    },
  },
  {
    name: 'the list may be called data, or stand alone (the list’s form is not published)',
    isUncertain: true,
    async run(rig) {
      const { book, message, ask } = await sendOne(rig);
      message.state = 'delivered';
      for (const listName of ['data', null] as const) {
        book.listName = listName;
        assert.equal((await ask()).result, 'delivered', String(listName));
      }
    },
  },
  {
    name: 'an id beyond a double is found as an integer too, and not its neighbour',
    async run(rig) {
      const { book, message, ask } = await sendOne(rig);
      // The nearest doubles of both ids are one.
      book.messages.push({ ...message, id: '730000000000000002', state: 'failed' });
      message.state = 'delivered';
      book.numbers = 'integer';
      assert.equal((await ask()).result, 'delivered');
    },
  },
  {
    name: 'a message among a hundred long ones is found: the whole list is read, far beyond 64 KiB',
    async run(rig) {
      const { book, message, ask } = await sendOne(rig);
      message.state = 'delivered';
      addOthers(book, 99, 'Ç'.repeat(1_000));
      assert.equal((await ask()).result, 'delivered');
    },
  },
  {
    name: 'a message that fell out of the last hundred is unknown, never not found',
    async run(rig) {
      const { book, ask, railMessageId } = await sendOne(rig);
      addOthers(book, 100);
      assert.deepEqual(await ask(), { result: 'unknown', reason: 'not_listed', railMessageId, occurredAt: null });
    },
  },
  {
    name: 'an id that the rail never gave is unknown, never not found, however long ago',
    isLive: true,
    async run({ clients: { sms }, account, pass, fake }) {
      assert(sms);
      const sentAt = account.clock.now();
      if (fake) await pass(48 * 60 * 60_000);
      const outcome = await sms.query(askAbout(makeOrder(), { railMessageId: 'no-such-message', sentAt }));
      assert.deepEqual([outcome.result, outcome.reason], ['unknown', 'not_listed']);
    },
  },
  {
    name: 'a message whose id was never heard cannot be asked about: unknown, without a request',
    isLive: true,
    async run({ clients: { sms }, account, fake }) {
      assert(sms);
      const outcome = await sms.query(askAbout(makeOrder(), { railMessageId: null, sentAt: account.clock.now() }));
      assert.deepEqual([outcome.result, outcome.reason], ['unknown', 'rail_id_missing']);
      assert.equal(fake?.requests.length ?? 0, 0);
    },
  },
  {
    name: 'a message that is listed twice is unknown, whatever both say',
    async run(rig) {
      const { book, message, ask } = await sendOne(rig);
      book.messages.push({ ...message, state: 'delivered' });
      const { result, reason } = await ask();
      assert.deepEqual([result, reason], ['unknown', 'several']);
    },
  },
  {
    name: 'where in the list it stands makes no difference',
    async run(rig) {
      const { book, message, ask } = await sendOne(rig);
      addOthers(book, 5);
      message.state = 'delivered';
      const turned: KambaMessage[][] = [book.messages.toReversed(), book.messages];
      for (const messages of turned) {
        book.messages = messages;
        assert.equal((await ask()).result, 'delivered');
      }
    },
  },
  {
    name: 'an entry with our id and another number is not our message',
    async run(rig) {
      const { message, ask } = await sendOne(rig);
      message.to = '+244999888777';
      message.state = 'delivered';
      const { result, reason } = await ask();
      assert.deepEqual([result, reason], ['unknown', 'other_message']);
    },
  },
  {
    name: 'a clock of the rail that is a day off changes nothing: none of its times is read',
    async run(rig) {
      const { book } = unpack(rig);
      book.skewMs = 24 * 60 * 60_000;
      const { message, ask } = await sendOne(rig);
      message.state = 'delivered';
      const { result, occurredAt } = await ask();
      assert.deepEqual([result, occurredAt], ['delivered', null]);
    },
  },
  {
    name: 'a question that fails learns nothing and keeps the id',
    async run(rig) {
      const { fake, ask, railMessageId } = await sendOne(rig);
      const faults = [
        'drop_before',
        'drop_after',
        'error_before',
        'error_after',
        'garbage',
        'oversize',
        401,
        404,
        429,
        204,
      ] as const;
      for (const fault of faults) {
        fake.fault(fault);
        const outcome = await ask();
        assert.deepEqual([outcome.result, outcome.railMessageId], ['unknown', railMessageId], String(fault));
        assert(outcome.reason);
      }
      assert.equal((await ask()).result, 'accepted');
    },
  },
  {
    name: 'a question that is never answered ends with the account’s time',
    async run(rig) {
      const { fake, ask } = await sendOne(rig);
      fake.fault('hang');
      const { result, reason } = await outwait(rig, ask);
      assert.deepEqual([result, reason], ['unknown', 'timeout']);
    },
  },
];
