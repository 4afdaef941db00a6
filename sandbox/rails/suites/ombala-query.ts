// Ombala, questions: a message is followed by its id, and one whose answer was lost is found by number, text and time.
import assert from 'node:assert/strict';
import type { SmsOrder, SmsOutcome } from '../../../server/providers/message.ts';
import type { ContractCase, ContractRig } from '../legacy.ts';
import type { OmbalaBook, OmbalaMessage } from '../ombala.ts';
import { askAbout, makeOrder, unpack } from '../sms-rig.ts';
import { press } from '../rig.ts';

export const MINUTE_MS = 60_000;
const FIRST_ID = '840000000000000001';

/** A message that was sent now, or was lost on its way; `look` asks about it as long as no id is known, `follow` by its id. */
export async function sendOmbala(rig: ContractRig<OmbalaBook>, isTaken = true, order: SmsOrder = makeOrder()) {
  const unpacked = unpack(rig);
  const { sms, book, fake } = unpacked;
  const sentAt = rig.account.clock.now();
  fake.fault(isTaken ? 'drop_after' : 'drop_before', { method: 'POST' });
  assert.equal((await sms.send(order)).result, 'unknown');
  const ask = (railMessageId: string | null) => (): Promise<SmsOutcome> =>
    sms.query(askAbout(order, { railMessageId, sentAt }));
  const taken = book.messages.at(-1);
  return { ...unpacked, sentAt, taken, look: ask(null), follow: ask(taken?.id ?? FIRST_ID) };
}

/** Others to the same number, each with a text of its own unless one is given. */
export function addOthers(rig: ContractRig<OmbalaBook>, count: number, changes: Partial<OmbalaMessage> = {}): void {
  const { book } = unpack(rig);
  const { to, sender: from } = makeOrder();
  for (let nth = 1; nth <= count; nth++) {
    const id = String(850_000_000_000_000_000n + BigInt(book.messages.length));
    const about = { id, to, from, content: `Código: ${10_000 + nth}`, state: 'DELIVERED', parts: 1 };
    book.messages.push({ ...about, at: rig.account.clock.now(), ...changes });
  }
}

/** The paths that were asked for, with their queries. */
function listAsked(rig: ContractRig<OmbalaBook>): string[] {
  const { requests } = unpack(rig).fake;
  return requests.filter(({ method }) => method === 'GET').map(({ path, query }) => `${path}?${String(query)}`);
}

export const OMBALA_QUERY_CASES: ContractCase<OmbalaBook>[] = [
  {
    name: 'a message whose answer was lost is found by number, text and time, with its id',
    async run(rig) {
      const { look } = await sendOmbala(rig);
      assert.deepEqual(await look(), { result: 'accepted', reason: null, railMessageId: FIRST_ID, occurredAt: null });
      assert.deepEqual(listAsked(rig), ['/messages/recipient?phone_number=%2B244923456789']);
    },
  },
  {
    name: 'what was found says what became of it, once a person delivers or refuses it on the fake’s page',
    async run(rig) {
      const { look, fake } = await sendOmbala(rig);
      await press(fake, FIRST_ID, 'deliver');
      assert.equal((await look()).result, 'delivered');
    },
  },
  {
    name: 'it is found in time of any delay, and until then it is unknown',
    async run(rig) {
      const { look, book } = await sendOmbala(rig);
      book.delayMs = 4 * MINUTE_MS;
      assert.deepEqual(await look(), {
        result: 'unknown',
        reason: 'not_listed',
        railMessageId: null,
        occurredAt: null,
      });
      await rig.pass(4 * MINUTE_MS);
      assert.equal((await look()).result, 'accepted');
    },
  },
  {
    name: 'one that stands nowhere is not found after more than 5 minutes, and unknown before (the delay is not published)',
    isUncertain: true,
    async run(rig) {
      const { look } = await sendOmbala(rig, false);
      assert.equal((await look()).result, 'unknown');
      await rig.pass(5 * MINUTE_MS);
      assert.equal((await look()).result, 'unknown');
      await rig.pass(1);
      assert.deepEqual(await look(), { result: 'not_found', reason: null, railMessageId: null, occurredAt: null });
    },
  },
  {
    name: 'a message that nobody sent is not found at the provider either',
    isUncertain: true,
    isLive: true,
    async run({ clients: { sms }, account }) {
      assert(sms);
      const order = makeOrder({ to: '+244900000000', text: `Nunca enviada: ${account.id}` });
      const sentAt = new Date(account.clock.now().getTime() - 10 * MINUTE_MS);
      assert.equal((await sms.query(askAbout(order, { railMessageId: null, sentAt }))).result, 'not_found');
    },
  },
  {
    name: 'before it is not found, the number is looked for in every form (none is published)',
    isUncertain: true,
    async run(rig) {
      const { look } = await sendOmbala(rig, false);
      await rig.pass(6 * MINUTE_MS);
      await look();
      const forms = ['%2B244923456789', '244923456789', '923456789'];
      assert.deepEqual(
        listAsked(rig),
        forms.map((form) => `/messages/recipient?phone_number=${form}`),
      );
    },
  },
  {
    name: 'it is found in whatever form the rail files numbers',
    async run(rig) {
      const { look, follow, book } = await sendOmbala(rig);
      await rig.pass(6 * MINUTE_MS);
      for (const phones of ['e164', 'digits', 'national'] as const) {
        book.phones = phones;
        assert.deepEqual([(await look()).result, (await follow()).result], ['accepted', 'accepted'], phones);
      }
    },
  },
  {
    name: 'other texts to the number and the same text to another number are not ours',
    async run(rig) {
      const { look } = await sendOmbala(rig, false);
      addOthers(rig, 3);
      addOthers(rig, 1, { to: '+244999888777', content: makeOrder().text });
      await rig.pass(6 * MINUTE_MS);
      assert.equal((await look()).result, 'not_found');
    },
  },
  {
    name: 'the same text of three hours before is not ours',
    async run(rig) {
      addOthers(rig, 1, { content: makeOrder().text });
      await rig.pass(3 * 60 * MINUTE_MS);
      const { look } = await sendOmbala(rig, false);
      await rig.pass(6 * MINUTE_MS);
      assert.equal((await look()).result, 'not_found');
    },
  },
  {
    name: 'a message that was never handed in, for all we know, is not looked for',
    isLive: true,
    async run({ clients: { sms }, fake }) {
      assert(sms);
      const { result, reason } = await sms.query(askAbout(makeOrder(), { railMessageId: null, sentAt: null }));
      assert.deepEqual([result, reason], ['unknown', 'sent_at_missing']);
      assert.equal(fake?.requests.length ?? 0, 0);
    },
  },
  {
    name: 'by its id it is followed, whatever its time and its text have become',
    async run(rig) {
      const { follow, taken, book } = await sendOmbala(rig);
      assert(taken);
      addOthers(rig, 3, { content: makeOrder().text });
      [taken.content, taken.at, book.zone] = ['', new Date(0), ''];
      taken.state = 'DELIVERED';
      const expected = { result: 'delivered', reason: null, railMessageId: FIRST_ID, occurredAt: null };
      assert.deepEqual(await follow(), expected);
    },
  },
  {
    name: 'each word of a state is read, and one that nobody knows leaves it unknown with its id (refused is not published)',
    isUncertain: true,
    async run(rig) {
      const { follow, look, taken } = await sendOmbala(rig);
      assert(taken);
      const words: [string, SmsOutcome['result'], string | null][] = [
        ['PENDING', 'accepted', null],
        ['DELIVERED', 'delivered', null],
        ['delivered', 'delivered', null],
        ['REFUSED', 'failed', 'undeliverable'],
        ['EXPIRED', 'unknown', 'status_unknown'],
        ['', 'unknown', 'status_unknown'],
        ['entregue ✓', 'unknown', 'status_unknown'],
      ];
      for (const [word, result, reason] of words) {
        taken.state = word;
        for (const ask of [follow, look]) {
          const outcome = await ask();
          assert.deepEqual([outcome.result, outcome.reason, outcome.railMessageId], [result, reason, FIRST_ID], word);
        }
      }
    },
  },
  {
    name: 'an id beyond a double is told from its neighbour, as text and as integers',
    async run(rig) {
      const { follow, taken, book } = await sendOmbala(rig);
      assert(taken);
      // The nearest doubles of both ids are one.
      book.messages.push({ ...taken, id: '840000000000000002', state: 'DELIVERED' });
      for (const numbers of ['text', 'integer'] as const) {
        book.numbers = numbers;
        assert.equal((await follow()).result, 'accepted');
      }
    },
  },
  {
    name: 'a known id that is not listed is unknown for ever: it was taken once',
    async run(rig) {
      const { follow } = await sendOmbala(rig, false);
      await rig.pass(10 * 24 * 60 * MINUTE_MS);
      assert.deepEqual(await follow(), {
        result: 'unknown',
        reason: 'not_listed',
        railMessageId: FIRST_ID,
        occurredAt: null,
      });
    },
  },
  {
    name: 'an entry with our id and another number is not ours',
    async run(rig) {
      const { follow, taken, book } = await sendOmbala(rig);
      assert(taken);
      // The rail lists more than was asked for.
      book.listsEverybody = true;
      taken.to = '+244999888777';
      assert.equal((await follow()).result, 'unknown');
    },
  },
  {
    name: 'every page is read, but none after the one on which an id is found',
    async run(rig) {
      addOthers(rig, 35);
      const { follow, look, fake } = await sendOmbala(rig);
      addOthers(rig, 25);
      const pages = ['', '&page=1', '&page=2', '&page=3'].map(
        (page) => `/messages/recipient?phone_number=%2B244923456789${page}`,
      );
      assert.equal((await follow()).result, 'accepted');
      assert.deepEqual(listAsked(rig), pages.slice(0, 2));
      fake.requests.length = 0;
      assert.equal((await look()).result, 'accepted');
      assert.deepEqual(listAsked(rig), pages);
    },
  },
];
