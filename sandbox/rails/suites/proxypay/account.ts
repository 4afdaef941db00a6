// An account at ProxyPay: what may be entered, what it can do, how its credentials are tried, and the numbers reserved for it.
import assert from 'node:assert/strict';
import type { PprCapabilities } from '../../../../server/providers/connector.ts';
import type { FakeFault } from '../../fake.ts';
import {
  accountOf,
  API_KEY,
  ENTITY,
  fakeOf,
  listCalls,
  orderOf,
  railOf,
  type ProxypayCase,
  type ProxypayRig,
} from './rig.ts';
import { outwait, watchConnections } from '../../rig.ts';

const SETTINGS = { entity: ENTITY, isExclusive: true };

/** Settings that are refused, and the field that is to blame. */
const WRONG_SETTINGS: [object, string][] = [
  [{ ...SETTINGS, entity: '1234' }, 'entity'],
  [{ ...SETTINGS, entity: '123456' }, 'entity'],
  [{ ...SETTINGS, entity: 12_345 }, 'entity'],
  [{ isExclusive: true }, 'entity'],
  [{ entity: ENTITY }, 'isExclusive'],
  [{ ...SETTINGS, isExclusive: 'yes' }, 'isExclusive'],
  [{ ...SETTINGS, baseUrl: 'ftp://api.proxypay.co.ao' }, 'baseUrl'],
  [{ ...SETTINGS, baseUrl: 'api.proxypay.co.ao' }, 'baseUrl'],
  [{ ...SETTINGS, baseUrl: 'https://user:word@api.proxypay.co.ao' }, 'baseUrl'],
  [{ ...SETTINGS, apiKey: API_KEY }, ''],
];

const WRONG_SECRETS: [object, string][] = [
  [{}, 'apiKey'],
  [{ apiKey: '' }, 'apiKey'],
  [{ apiKey: 'two words' }, 'apiKey'],
  [{ apiKey: 'a line\r\nX-Other: 1' }, 'apiKey'],
  [{ apiKey: API_KEY, entity: ENTITY }, ''],
];

const entered: ProxypayCase[] = [
  {
    name: 'settings: entity and exclusiveness are enough, an address may be named',
    async run({ connector }) {
      assert.deepEqual(connector.settings.parse(SETTINGS), SETTINGS);
      const named = { ...SETTINGS, baseUrl: 'http://127.0.0.1:9000' };
      assert.deepEqual(connector.settings.parse(named), named);
      assert.deepEqual(connector.secrets.parse({ apiKey: API_KEY }), { apiKey: API_KEY });
    },
  },
  ...(['settings', 'secrets'] as const).flatMap((part) =>
    (part === 'settings' ? WRONG_SETTINGS : WRONG_SECRETS).map(([value, field]) => ({
      name: `${part}: ${JSON.stringify(value)} is refused at ${field || 'the unknown key'}`,
      async run({ connector }: ProxypayRig) {
        const { error } = connector[part].safeParse(value);
        assert.ok(error);
        const [issue] = error.issues;
        assert.deepEqual([issue?.path.join('.'), issue?.code === 'unrecognized_keys'], [field, field === '']);
        assert.match(issue?.message ?? '', /\w/);
      },
    })),
  ),
  ...([true, false] as const).map((isExclusive) => ({
    name: `capabilities: an entity that is ${isExclusive ? 'ours alone takes our digits' : 'shared draws them itself'}`,
    async run({ connector }: ProxypayRig) {
      assert.deepEqual(connector.capabilities('ppr', { ...SETTINGS, isExclusive }), {
        kind: 'ppr',
        ownDigits: isExclusive,
        withdraw: true,
        reopens: true,
        openAmount: true,
        repeated: true,
        expiry: 'day',
        feed: 'queue',
        query: false,
        refund: 'none',
        refundRepeat: false,
        bulk: 1,
        amounts: { stepMinor: 1, minMinor: 100, maxMinor: 99_999_999_999 },
        currencies: ['AOA'],
      } satisfies PprCapabilities);
    },
  })),
  {
    name: 'capabilities: one kind, one client, and no call on opening',
    async run(rig) {
      assert.deepEqual([rig.connector.name, rig.connector.kinds], ['proxypay', ['ppr']]);
      assert.deepEqual(Object.keys(rig.connector.open(rig.account)), ['ppr']);
      assert.deepEqual(listCalls(rig), []);
    },
  },
  {
    name: 'capabilities: the least and the greatest amount travel exactly',
    async run(rig) {
      const { amounts } = rig.connector.capabilities('ppr', SETTINGS) as PprCapabilities;
      for (const amountMinor of [amounts.minMinor, amounts.maxMinor])
        await railOf(rig).register(orderOf({ amountMinor }));
      const written = fakeOf(rig).requests.map(({ body }) => JSON.parse(body).amount);
      assert.deepEqual(written, ['1.00', '999999999.99']);
    },
  },
];

/** How a try of the credentials goes wrong, and what it is called. */
const PROBES: [FakeFault, string][] = [
  [401, 'wrong_secret'],
  [403, 'not_allowed'],
  [404, 'wrong_host'],
  [302, 'wrong_host'],
  [200, 'wrong_host'],
  ['garbage', 'wrong_host'],
  ['oversize', 'wrong_host'],
  [429, 'no_connection'],
  ['error_before', 'no_connection'],
  ['drop_before', 'no_connection'],
  ['hang', 'no_connection'],
];

const probes: ProxypayCase[] = [
  {
    name: 'probe: reads the queue once, and that is all',
    isLive: true,
    async run(rig) {
      assert.deepEqual(await rig.connector.probe(rig.account), { result: 'ok' });
      if (rig.fake) assert.deepEqual(listCalls(rig), ['GET /payments']);
    },
  },
  {
    name: 'probe: a key that is not known is a wrong secret',
    isLive: true,
    async run({ connector, account }) {
      const probe = await connector.probe({ ...account, secrets: { apiKey: 'nobody-has-this-key' } });
      assert.equal(probe.result, 'wrong_secret');
    },
  },
  ...PROBES.map(([fault, result]) => ({
    name: `probe: ${fault} is ${result}, in a sentence without the key`,
    async run(rig: ProxypayRig) {
      fakeOf(rig).fault(fault);
      const ask = () => rig.connector.probe(rig.account);
      const probe = fault === 'hang' ? await outwait(rig, ask) : await ask();
      assert.ok(probe.result !== 'ok');
      assert.equal(probe.result, result);
      assert.match(probe.detail, /^[A-Z][^\n]+\.$/);
      assert.equal(probe.detail.includes(API_KEY), false);
    },
  })),
  {
    name: 'probe: where nobody answers there is no connection',
    async run(rig) {
      await fakeOf(rig).stop();
      assert.equal((await rig.connector.probe(rig.account)).result, 'no_connection');
    },
  },
  {
    name: 'probe: an address that the gateway may not call is a wrong host',
    async run(rig) {
      const { connections } = watchConnections();
      assert.equal((await rig.connector.probe({ ...accountOf(rig), connections })).result, 'wrong_host');
      assert.deepEqual(listCalls(rig), []);
    },
  },
];

const numbers: ProxypayCase[] = [
  {
    name: 'reserve: so many different numbers of nine digits',
    isLive: true,
    async run(rig) {
      const numbers = (await railOf(rig).reserve(3)) ?? [];
      assert.equal(new Set(numbers).size, 3);
      for (const number of numbers) assert.match(number, /^\d{9}$/);
    },
  },
  ...[false, true].map((quotesNumbers) => ({
    name: `reserve: a bare body ${quotesNumbers ? 'of quoted text' : 'of an integer'} is padded to nine digits`,
    isUncertain: true as const,
    async run(rig: ProxypayRig) {
      fakeOf(rig).book.style.quotesNumbers = quotesNumbers;
      assert.deepEqual(await railOf(rig).reserve(1), ['012345001']);
      assert.deepEqual(listCalls(rig), ['POST /reference_ids']);
    },
  })),
  {
    name: 'reserve: what was reserved can be registered',
    async run(rig) {
      const [reference = ''] = (await railOf(rig).reserve(1)) ?? [];
      assert.equal((await railOf(rig).register(orderOf({ reference }))).result, 'active');
      assert.notEqual((await railOf(rig).reserve(1))?.[0], reference);
    },
  },
  ...[
    { status: 200, body: 1_234_567_890 },
    { status: 200, body: 1.5 },
    { status: 200, body: { reference_id: 12_345_001 } },
    { status: 503, body: 12_345_001 },
  ].map((onlyAnswer) => ({
    name: `reserve: ${onlyAnswer.status} with ${JSON.stringify(onlyAnswer.body)} is no number`,
    async run(rig: ProxypayRig) {
      fakeOf(rig).book.onlyAnswer = onlyAnswer;
      assert.equal(await railOf(rig).reserve(1), null);
    },
  })),
  {
    name: 'reserve: a number that is given twice ends it',
    async run(rig) {
      fakeOf(rig).book.onlyAnswer = { status: 200, body: 12_345_001 };
      assert.equal(await railOf(rig).reserve(3), null);
      assert.equal(listCalls(rig).length, 2);
    },
  },
  ...(['garbage', 'oversize', 'drop_after', 'error_after', 'hang', 401, 429, 503] as FakeFault[]).map((fault) => ({
    name: `reserve: ${fault} at the second of two is none, and no third is asked for`,
    async run(rig: ProxypayRig) {
      const first = await railOf(rig).reserve(1);
      assert.equal(first?.length, 1);
      fakeOf(rig).fault(fault);
      const ask = () => railOf(rig).reserve(2);
      assert.equal(fault === 'hang' ? await outwait(rig, ask) : await ask(), null);
      assert.equal(listCalls(rig).length, 2);
    },
  })),
];

export const accountCases = [...entered, ...probes, ...numbers];
