// Ombala, doubts: whatever is not certain is never taken for ours, and never for a message that was not sent.
import assert from 'node:assert/strict';
import type { ContractCase, ContractRig } from '../legacy.ts';
import type { OmbalaBook } from '../ombala.ts';
import { askAbout, makeOrder, reopen } from '../sms-rig.ts';
import { outwait, until } from '../rig.ts';
import { addOthers, MINUTE_MS, sendOmbala } from './ombala-query.ts';

/** Sends one that the rail takes, changes it as the rail would, and looks for it once a message that was lost is not found. */
async function lookLate(rig: ContractRig<OmbalaBook>, keep: OmbalaBook['keep']) {
  assert(rig.fake);
  rig.fake.book.keep = keep;
  const { look } = await sendOmbala(rig);
  await rig.pass(10 * MINUTE_MS);
  const { result, reason } = await look();
  return [result, reason];
}

const NOT_CERTAIN = ['unknown', 'not_certain'];

export const OMBALA_DOUBT_CASES: ContractCase<OmbalaBook>[] = [
  {
    name: 'two that fit are unknown',
    async run(rig) {
      const { look } = await sendOmbala(rig);
      addOthers(rig, 1, { content: makeOrder().text });
      const { result, reason } = await look();
      assert.deepEqual([result, reason], ['unknown', 'several']);
    },
  },
  {
    name: 'a clock of the rail that is 60 seconds behind is allowed for',
    async run(rig) {
      assert(rig.fake);
      rig.fake.book.skewMs = -60_000;
      const { look } = await sendOmbala(rig);
      assert.equal((await look()).result, 'accepted');
    },
  },
  {
    name: 'a clock of the rail that is further behind is unknown, never not found',
    async run(rig) {
      for (const skewMs of [-60_001, -5 * MINUTE_MS, -61 * MINUTE_MS]) {
        assert(rig.fake);
        rig.fake.book.skewMs = skewMs;
        rig.fake.book.messages = [];
        assert.deepEqual(await lookLate(rig, (text) => text), NOT_CERTAIN, String(skewMs));
      }
    },
  },
  {
    name: 'a clock of the rail that is an hour ahead changes nothing',
    async run(rig) {
      assert(rig.fake);
      rig.fake.book.skewMs = 60 * MINUTE_MS;
      assert.deepEqual(await lookLate(rig, (text) => text), ['accepted', null]);
    },
  },
  {
    name: 'a time without a zone is not trusted: unknown (how times are written is not published)',
    isUncertain: true,
    async run(rig) {
      assert(rig.fake);
      rig.fake.book.zone = '';
      assert.deepEqual(await lookLate(rig, (text) => text), NOT_CERTAIN);
      rig.fake.book.zone = '+01:00';
      rig.fake.book.messages = [];
      assert.deepEqual(await lookLate(rig, (text) => text), NOT_CERTAIN);
    },
  },
  {
    name: 'a text that the rail changed or cut may be ours: unknown, never not found (what it keeps is not published)',
    isUncertain: true,
    async run(rig) {
      const changes: OmbalaBook['keep'][] = [
        (text) => text.normalize('NFKD').replace(/\p{M}/gu, ''),
        (text) => text.replace(/[^\x20-\x7e]/g, '?'),
        (text) => text.toUpperCase(),
        (text) => `${text.slice(0, 12)}…`,
        (text) => `${text}\nEnviado por Ombala`,
        (text) => ` ${text.replaceAll(' ', '  ')} `,
        () => '',
      ];
      for (const [nth, keep] of changes.entries()) {
        assert(rig.fake);
        rig.fake.book.messages = [];
        assert.deepEqual(await lookLate(rig, keep), NOT_CERTAIN, String(nth));
      }
    },
  },
  {
    name: 'accents that are only coded otherwise make no other text',
    async run(rig) {
      assert.deepEqual(await lookLate(rig, (text) => text.normalize('NFD')), ['accepted', null]);
    },
  },
  {
    name: 'an entry without a text is unknown, never not found (what an entry holds is not published)',
    isUncertain: true,
    async run(rig) {
      assert(rig.fake);
      rig.fake.book.contentName = null;
      assert.deepEqual(await lookLate(rig, (text) => text), NOT_CERTAIN);
    },
  },
  {
    name: 'the text of an entry may be called message (what an entry holds is not published)',
    isUncertain: true,
    async run(rig) {
      assert(rig.fake);
      rig.fake.book.contentName = 'message';
      assert.deepEqual(await lookLate(rig, (text) => text), ['accepted', null]);
    },
  },
  {
    name: 'the list may be called messages, or stand alone (its form is not published)',
    isUncertain: true,
    async run(rig) {
      const { look, follow, book } = await sendOmbala(rig);
      for (const listName of ['messages', null] as const) {
        book.listName = listName;
        assert.deepEqual([(await look()).result, (await follow()).result], ['accepted', 'accepted'], String(listName));
      }
    },
  },
  {
    name: 'an entry that is listed twice is one, in any order; one with two states is unknown',
    async run(rig) {
      const { look, follow, book, taken } = await sendOmbala(rig);
      assert(taken);
      addOthers(rig, 4);
      for (const listing of ['twice', 'reversed'] as const) {
        book.listing = listing;
        assert.deepEqual([(await look()).result, (await follow()).result], ['accepted', 'accepted'], listing);
      }
      book.messages.push({ ...taken, state: 'DELIVERED' });
      for (const ask of [look, follow]) assert.equal((await ask()).reason, 'several');
    },
  },
  {
    name: 'a list that is longer than is read is no proof that it was not sent',
    async run(rig) {
      const { look } = await sendOmbala(rig, false);
      addOthers(rig, 101);
      await rig.pass(6 * MINUTE_MS);
      const { result, reason } = await look();
      assert.deepEqual([result, reason], ['unknown', 'list_too_long']);
    },
  },
  {
    name: 'a list that does not tell its pages is proof only while it is short (whether it does is not published)',
    isUncertain: true,
    async run(rig) {
      const { look, book } = await sendOmbala(rig, false);
      book.paging = 'untold';
      await rig.pass(6 * MINUTE_MS);
      addOthers(rig, 19);
      assert.equal((await look()).result, 'not_found');
      addOthers(rig, 1);
      assert.equal((await look()).result, 'unknown');
    },
  },
  {
    name: 'a list whose pages cannot be turned is no proof that it was not sent',
    async run(rig) {
      const { look, book } = await sendOmbala(rig, false);
      book.paging = 'stuck';
      addOthers(rig, 30);
      await rig.pass(6 * MINUTE_MS);
      assert.equal((await look()).result, 'unknown');
    },
  },
  {
    name: 'a question that fails learns nothing, on the first page or a later one, and never says not found',
    async run(rig) {
      const { look, follow, fake } = await sendOmbala(rig, false);
      await rig.pass(6 * MINUTE_MS);
      addOthers(rig, 21);
      const faults = [
        'drop_before',
        'drop_after',
        'error_before',
        'error_after',
        'garbage',
        'oversize',
        401,
        429,
      ] as const;
      for (const fault of faults) {
        fake.fault(fault);
        assert.equal((await look()).result, 'unknown', String(fault));
        fake.fault(fault);
        assert.equal((await follow()).railMessageId, '840000000000000001', String(fault));
      }
      const asked = fake.requests.length;
      const later = look();
      await until(() => fake.requests.length > asked);
      fake.fault('error_before');
      assert.equal((await later).result, 'unknown');
      assert.equal((await look()).result, 'not_found');
    },
  },
  {
    name: 'a 404 for a number is unknown (whether an unknown number is one is not published)',
    isUncertain: true,
    async run(rig) {
      const { look, fake } = await sendOmbala(rig, false);
      await rig.pass(6 * MINUTE_MS);
      fake.fault(404, { path: '/messages/recipient', times: 3 });
      assert.equal((await look()).result, 'unknown');
    },
  },
  {
    name: 'all pages and forms together take no longer than one call may',
    async run(rig) {
      const { fake, sentAt } = await sendOmbala(rig, false);
      const { clock } = rig.account;
      const askSlowly = async (stepMs: number) => {
        fake.requests.length = 0;
        const [waits, start]: [number[], number] = [[], clock.now().getTime()];
        const slow: typeof clock = {
          now: () => new Date(start + asked++ * stepMs),
          outside: clock.outside,
          wait: (ms, signal) => (waits.push(ms), clock.wait(ms, signal)),
        };
        let asked = 0;
        const { sms } = reopen(rig, { clock: slow });
        const { reason } = await sms.query(askAbout(makeOrder(), { railMessageId: null, sentAt }));
        return { reason, waits, count: fake.requests.length };
      };
      assert.deepEqual(await askSlowly(3_000), { reason: 'not_listed', waits: [7_000, 4_000, 1_000], count: 3 });
      assert.deepEqual(await askSlowly(6_000), { reason: 'timeout', waits: [4_000], count: 1 });
    },
  },
  {
    name: 'a question that is never answered ends with the account’s time',
    async run(rig) {
      const { look, fake } = await sendOmbala(rig);
      fake.fault('hang');
      assert.equal((await outwait(rig, look)).reason, 'timeout');
    },
  },
];
