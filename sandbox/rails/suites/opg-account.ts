// Cases of the OPG connector: what an account must say, what it can do, whom its requests may reach, and how its credentials are tried.
import assert from 'node:assert/strict';
import type { Connector, OpenAccount, Probe } from '../../../server/providers/connector.ts';
import { opgConnector } from '../../../server/providers/opg/connector.ts';
import type { ContractCase } from '../legacy.ts';
import type { FakeFault } from '../fake.ts';
import type { OpgBook } from '../opg-book.ts';
import { inBoth, makePush, openGpo, type OpgStage } from './opg-stage.ts';
import { until, watchConnections } from '../rig.ts';

/** What a schema objects to: `posId: must be …`, one line a fault. */
function listFaults(schema: Connector['settings'], value: unknown): string[] {
  const { error } = schema.safeParse(value);
  return (error?.issues ?? []).map(({ path, message }) => `${path.join('.')}: ${message}`);
}

const faultsOf = (settings: unknown) => listFaults(opgConnector.settings, settings);
const secretFaultsOf = (secrets: unknown) => listFaults(opgConnector.secrets, secrets);

const GOOD = { dialect: 'proxypay', posId: 111 };

const entering: ContractCase<OpgBook>[] = [
  {
    name: 'a terminal is an integer or its digits, in both dialects',
    async run() {
      for (const dialect of ['proxypay', 'vpos']) {
        for (const posId of [1, 111, '111', '000111', '123456789012345']) {
          assert.deepEqual(faultsOf({ dialect, posId }), []);
        }
      }
    },
  },
  {
    name: 'a terminal that is no number is refused by its name',
    async run() {
      for (const posId of [0, -1, 1.5, 2 ** 60, '', '0', '000', '12a', ' 1', '1234567890123456', null, undefined]) {
        assert.deepEqual(faultsOf({ ...GOOD, posId }), ['posId: must be an integer above 0, or its digits']);
      }
    },
  },
  {
    name: 'another dialect is refused, with those there are',
    async run() {
      const [fault = '', ...others] = faultsOf({ ...GOOD, dialect: 'emis' });
      assert.match(fault, /^dialect: .*"proxypay".*"vpos"/);
      assert.deepEqual(others, []);
    },
  },
  {
    name: 'an unknown setting or secret is refused by its name',
    async run() {
      assert.match(faultsOf({ ...GOOD, entity: '11333' }).join(), /"entity"/);
      assert.match(secretFaultsOf({ token: 't', password: 'p' }).join(), /"password"/);
    },
  },
  {
    name: 'a base address is http or https, without user, query and fragment',
    async run() {
      for (const baseUrl of ['https://api.gpo.positiva.co.ao/', 'http://127.0.0.1:4000/opg/v1']) {
        assert.deepEqual(faultsOf({ ...GOOD, baseUrl }), []);
      }
      const bad = [
        'api.vpos.ao',
        'ftp://x.example',
        'javascript:1',
        '',
        7,
        'https://u:p@x.example',
        'https://x.example?a',
      ];
      for (const baseUrl of [...bad, 'https://x.example/#a']) {
        assert.match(faultsOf({ ...GOOD, baseUrl }).join(), /^baseUrl: must be /, String(baseUrl));
      }
    },
  },
  {
    name: 'a token is printable and without spaces: it becomes a header',
    async run() {
      assert.deepEqual(secretFaultsOf({ token: 'eyJhbGciOi.J9-_~+/=' }), []);
      for (const token of ['', 'a b', 'a\r\nX: y', 'ação', 'x'.repeat(2_049)]) {
        assert.match(secretFaultsOf({ token }).join(), /^token: must be /);
      }
      assert.match(secretFaultsOf({}).join(), /^token: /);
    },
  },
  {
    name: 'every setting and secret says what it is',
    async run({ connector }) {
      for (const schema of [connector.settings, connector.secrets]) {
        const shape = (schema as unknown as { shape: Record<string, { description?: string }> }).shape;
        assert.ok(Object.keys(shape).length > 0);
        for (const [name, field] of Object.entries(shape)) assert.ok((field.description ?? '').length > 20, name);
      }
    },
  },
];

const declaring: ContractCase<OpgBook>[] = [
  ...inBoth('what both can do: pushes in kwanzas, asked about by the rail’s id, sent once', async ({ account }) => {
    const { qr, deeplink, ...shared } = declare(account);
    assert.deepEqual([qr, deeplink], account.settings.dialect === 'vpos' ? ['none', false] : ['single', true]);
    assert.deepEqual(shared, {
      kind: 'gpo',
      purchase: true,
      authorization: false,
      partialCapture: false,
      refund: 'whole',
      refundRepeat: false,
      qrContent: 'text',
      qrWithdraw: false,
      terminals: false,
      gpoIds: false,
      query: 'rail_id',
      repeat: 'never',
      amounts: { stepMinor: 1, minMinor: 100, maxMinor: 1_000_000_000 },
      currencies: ['AOA'],
      windowMs: 90_000,
      wallets: [],
    });
  }),
  {
    name: 'it is a GPO rail with its refunds, and opens nothing else',
    async run({ connector, clients }) {
      assert.deepEqual([connector.name, connector.kinds], ['opg', ['gpo']]);
      assert.deepEqual(Object.keys(clients), ['gpo', 'refunds']);
      assert.equal(connector.keyOf, undefined);
    },
  },
];

function declare({ settings }: OpenAccount) {
  const declared = opgConnector.capabilities('gpo', settings as never);
  assert.ok(declared.kind === 'gpo');
  return declared;
}

const UNREACHABLE = Object.assign(new Error('not in a test'), { syscall: 'connect' });

const reaching = [
  ...inBoth('every request goes through the account’s connections', async ({ account, fake }) => {
    const { hosts, connections } = watchConnections(UNREACHABLE);
    const sent = await openGpo({ ...account, connections }).send(makePush());
    assert.deepEqual([sent.result, sent.details.reason], ['unknown', 'unreachable']);
    await opgConnector.probe({ ...account, connections } as never);
    assert.deepEqual(hosts, ['127.0.0.1', '127.0.0.1']);
    assert.equal(fake.requests.length, 0);
  }),
  ...inBoth('without a base address it is the provider’s own host of the environment', async ({ account, dialect }) => {
    const { hosts, connections } = watchConnections(UNREACHABLE);
    for (const environment of ['test', 'live'] as const) {
      await openGpo({ ...account, environment, connections, settings: { dialect, posId: 111 } }).send(makePush());
    }
    const own = {
      proxypay: ['api.sandbox.proxypay.co.ao', 'api.proxypay.co.ao'],
      vpos: ['api.vpos.ao', 'api.vpos.ao'],
    };
    assert.deepEqual(hosts, own[dialect]);
  }),
  ...inBoth('a slash at the end of the base address is one too many', async (stage) => {
    const settings = { ...stage.account.settings, baseUrl: `${String(stage.account.settings.baseUrl)}/` };
    const { result } = await openGpo({ ...stage.account, settings }).send(makePush());
    assert.equal(result, 'pending');
  }),
];

const probe = ({ account }: OpgStage): Promise<Probe> => opgConnector.probe(account as never);

/** What stands in the way of a probe, and what it is then. */
const PROBE_FAULTS: [FakeFault, Probe['result']][] = [
  [403, 'not_allowed'],
  [200, 'wrong_host'],
  [301, 'wrong_host'],
  [400, 'wrong_host'],
  ['oversize', 'wrong_host'],
  [429, 'no_connection'],
  ['error_before', 'no_connection'],
  [503, 'no_connection'],
  ['drop_before', 'no_connection'],
];

const probing = [
  ...inBoth(
    'good credentials: an id that cannot exist is not found',
    async (stage) => assert.deepEqual(await probe(stage), { result: 'ok' }),
    { isUncertain: true, isLive: true },
  ),
  ...inBoth('a probe is one GET, and nothing is made', async (stage) => {
    await probe(stage);
    assert.deepEqual(stage.calls(), ['GET /transactions/balcao-probe']);
    assert.equal(stage.book.transactions.size + stage.book.charges.size, 0);
  }),
  ...inBoth('a wrong token is a wrong secret', async (stage) => {
    stage.book.token = 'the next one';
    const tried = await probe(stage);
    assert.ok(tried.result === 'wrong_secret' && !tried.detail.includes(String(stage.account.secrets.token)));
  }),
  ...inBoth('whatever else is wrong has its word and one sentence', async (stage) => {
    for (const [fault, result] of PROBE_FAULTS) {
      stage.fake.fault(fault);
      const tried = await probe(stage);
      assert.equal(tried.result, result, String(fault));
      assert.match('detail' in tried ? tried.detail : '', /^[A-Z][\x20-\x7e]+\.$/);
    }
  }),
  ...inBoth('a host that does not answer in time, or at all, is no connection', async (stage) => {
    stage.fake.fault('hang');
    const tried = probe(stage);
    await until(() => stage.calls().length === 1);
    await stage.pass(stage.account.timeoutMs);
    assert.equal((await tried).result, 'no_connection');
    const settings = { ...stage.account.settings, baseUrl: 'http://127.0.0.1:1' };
    assert.equal((await opgConnector.probe({ ...stage.account, settings } as never)).result, 'no_connection');
  }),
];

/** The account itself. */
export const OPG_ACCOUNT_CASES: ContractCase<OpgBook>[] = [...entering, ...declaring, ...reaching, ...probing];
