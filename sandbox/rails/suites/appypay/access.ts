// Cases: tokens, hosts, and what a try of the credentials comes to.
import assert from 'node:assert/strict';
import {
  countTokens,
  fakeOf,
  gpoOf,
  listApiCalls,
  openChanged,
  passTimeout,
  pprOf,
  pushOf,
  queryOf,
  referenceOf,
  type AppyPayCase,
  type AppyPayRig,
} from './rig.ts';
import { watchConnections } from '../../rig.ts';

/** Nobody listens there. */
const NOBODY = 'http://127.0.0.1:1/x';

async function probe({ connector, account }: AppyPayRig, change: { settings?: object; secrets?: object } = {}) {
  const settings = { ...account.settings, ...change.settings };
  return connector.probe({ ...account, settings, secrets: { ...account.secrets, ...change.secrets } });
}

export const accessCases: AppyPayCase[] = [
  {
    name: 'a try of good credentials fetches a token and nothing else',
    isLive: true,
    async run(rig) {
      assert.deepEqual(await probe(rig), { result: 'ok' });
      if (rig.fake) assert.deepEqual([rig.fake.requests.length, countTokens(rig)], [1, 1]);
    },
  },
  {
    name: 'a try of a wrong secret, client or resource says so',
    async run(rig) {
      const changes = [
        { secrets: { clientSecret: 'wrong' } },
        { secrets: { clientId: 'wrong' } },
        { settings: { resource: 'x' } },
      ];
      for (const change of changes) {
        const said = await probe(rig, change);
        assert.ok(said.result === 'wrong_secret');
        assert.match(said.detail, /^[A-Z].*\.$/);
      }
    },
  },
  {
    name: 'a try at an address that is no token address, that forbids, that fails or that is nobody’s tells them apart',
    async run(rig) {
      const at = async (status: number) => {
        fakeOf(rig).fault(status);
        return (await probe(rig)).result;
      };
      assert.deepEqual([await at(404), await at(405), await at(302)], ['wrong_host', 'wrong_host', 'wrong_host']);
      assert.deepEqual(
        [await at(403), await at(503), await at(429)],
        ['not_allowed', 'no_connection', 'no_connection'],
      );
      fakeOf(rig).fault('garbage');
      assert.equal((await probe(rig)).result, 'wrong_host');
      assert.equal((await probe(rig, { settings: { tokenUrl: NOBODY } })).result, 'no_connection');
    },
  },
  {
    name: 'each environment has its own hosts, for tokens and for the API, reached by the account’s connections only',
    async run(rig) {
      const { tokenUrl } = rig.account.settings as { tokenUrl: string };
      const { connections, hosts } = watchConnections();
      const none = { tokenUrl: undefined, baseUrl: undefined };
      await openChanged(rig, { settings: none, connections }).gpo.send(pushOf('a'));
      await openChanged(rig, { settings: none, connections, environment: 'live' }).gpo.send(pushOf('a'));
      assert.deepEqual(hosts.splice(0), ['login.microsoftonline.com', 'login.microsoftonline.com']);
      const ofApi = watchConnections(undefined, true);
      for (const change of [{}, { environment: 'live' as const }]) {
        const settings = { tokenUrl, baseUrl: undefined };
        const outcome = await openChanged(rig, { settings, connections: ofApi.connections, ...change }).gpo.send(
          pushOf('a'),
        );
        assert.deepEqual([outcome.result, outcome.railOrderId], ['unknown', null]);
      }
      assert.deepEqual(ofApi.hosts, ['gwy-api-tst.appypay.co.ao', 'gwy-api.appypay.co.ao']);
    },
  },
  {
    name: 'a token is asked for with a form, and shown with every call',
    async run(rig) {
      await gpoOf(rig).send(pushOf('a'));
      const [token, call] = fakeOf(rig).requests;
      const form = Object.fromEntries(new URLSearchParams(token?.body));
      const { clientId, clientSecret, resource } = fakeOf(rig).book;
      const asked = { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret, resource };
      assert.deepEqual(form, asked);
      assert.match(call?.headers.authorization ?? '', /^Bearer token-/);
      assert.equal(call?.headers['accept-language'], 'en');
    },
  },
  {
    name: 'however many calls wait for it, one token is fetched',
    async run(rig) {
      await Promise.all(['a', 'b', 'c', 'd'].map((id) => gpoOf(rig).send(pushOf(id))));
      assert.deepEqual([countTokens(rig), listApiCalls(rig).length], [1, 4]);
    },
  },
  {
    name: 'two accounts never share a token',
    async run(rig) {
      await gpoOf(rig).send(pushOf('a'));
      await openChanged(rig, {}).gpo.send(pushOf('b'));
      assert.equal(countTokens(rig), 2);
    },
  },
  {
    name: 'a token whose life is written as text is kept until 60 s before its end',
    async run(rig) {
      await gpoOf(rig).send(pushOf('a'));
      await rig.pass(3_538_999);
      await gpoOf(rig).send(pushOf('b'));
      assert.equal(countTokens(rig), 1);
      await rig.pass(1);
      await gpoOf(rig).send(pushOf('c'));
      assert.equal(countTokens(rig), 2);
    },
  },
  {
    name: 'a token that is refused before its time is fetched anew, and the call made once more',
    async run(rig) {
      await gpoOf(rig).send(pushOf('a'));
      fakeOf(rig).book.tokens.clear();
      assert.equal((await gpoOf(rig).send(pushOf('b'))).result, 'pending');
      assert.deepEqual([countTokens(rig), listApiCalls(rig).length, fakeOf(rig).book.charges.length], [2, 3, 2]);
    },
  },
  {
    name: 'with a clock that was set back a dead token is still shown, refused, and replaced',
    async run(rig) {
      await gpoOf(rig).send(pushOf('a'));
      await rig.pass(-3_600_000);
      fakeOf(rig).book.tokens.clear();
      assert.equal((await gpoOf(rig).send(pushOf('b'))).result, 'pending');
      assert.equal(countTokens(rig), 2);
    },
  },
  {
    name: 'a call that is refused twice is not made a third time, and nothing is concluded from it',
    async run(rig) {
      fakeOf(rig).fault(401, { path: '/v2.0', times: 5 });
      const outcome = await gpoOf(rig).send(pushOf('a'));
      assert.deepEqual([outcome.result, outcome.details.httpStatus], ['unknown', '401']);
      assert.deepEqual([countTokens(rig), listApiCalls(rig).length], [2, 2]);
    },
  },
  {
    name: 'where the token is refused nothing was asked: a push is declined as badly set up, a query learns nothing',
    async run(rig) {
      const { gpo } = openChanged(rig, { secrets: { clientSecret: 'wrong' } });
      const sent = await gpo.send(pushOf('a'));
      assert.deepEqual(
        [sent.result, sent.failureCode, sent.details.reason],
        ['declined', 'acquirer_setup', 'token_refused'],
      );
      const asked = await gpo.query(queryOf(rig, 'a'));
      assert.deepEqual([asked.result, asked.details.reason], ['unknown', 'token_refused']);
      const { ppr } = openChanged(rig, { kind: 'ppr', secrets: { clientSecret: 'wrong' } });
      assert.equal((await ppr.register(referenceOf('r'))).details.reason, 'token_refused');
      assert.equal((await ppr.listPayments(null)).result, 'unknown');
      assert.equal(listApiCalls(rig).length, 0);
    },
  },
  {
    name: 'a token refused with 400 and with 403 is refused too',
    async run(rig) {
      for (const status of [400, 403]) {
        fakeOf(rig).fault(status, { path: '/oauth2' });
        assert.equal((await gpoOf(rig).send(pushOf('a'))).details.reason, 'token_refused');
      }
    },
  },
  {
    name: 'a secret never shows in what is told of a refusal',
    async run(rig) {
      const { gpo } = openChanged(rig, { secrets: { clientSecret: 'very-secret' } });
      assert.doesNotMatch(JSON.stringify(await gpo.send(pushOf('a'))), /very-secret/);
      assert.doesNotMatch(
        JSON.stringify(await probe(rig, { secrets: { clientSecret: 'very-secret' } })),
        /very-secret/,
      );
    },
  },
  {
    name: 'whatever else happens to the token, the API surely was not asked: unreachable',
    async run(rig) {
      for (const fault of ['error_before', 'drop_before', 'garbage', 'oversize', 404] as const) {
        fakeOf(rig).fault(fault, { path: '/oauth2' });
        const outcome = await gpoOf(rig).send(pushOf('a'));
        assert.deepEqual([fault, outcome.result, outcome.details.reason], [fault, 'unknown', 'unreachable']);
      }
      const { gpo } = openChanged(rig, { settings: { tokenUrl: NOBODY } });
      assert.equal((await gpo.send(pushOf('a'))).details.reason, 'unreachable');
      assert.equal(listApiCalls(rig).length, 0);
    },
  },
  {
    name: 'a token that does not come in time is unreachable as well, and the next call fetches another',
    async run(rig) {
      fakeOf(rig).fault('hang', { path: '/oauth2' });
      const sending = gpoOf(rig).send(pushOf('a'));
      await passTimeout(rig, () => countTokens(rig), 1);
      assert.equal((await sending).details.reason, 'unreachable');
      assert.equal(listApiCalls(rig).length, 0);
      assert.equal((await gpoOf(rig).send(pushOf('a'))).result, 'pending');
    },
  },
  {
    name: 'an API that cannot be reached surely received nothing',
    async run(rig) {
      const outcome = await openChanged(rig, { settings: { baseUrl: NOBODY } }).gpo.send(pushOf('a'));
      assert.deepEqual([outcome.result, outcome.details.reason], ['unknown', 'unreachable']);
    },
  },
  {
    name: 'both kinds work with the same credentials',
    async run(rig) {
      assert.equal((await gpoOf(rig).send(pushOf('a'))).result, 'pending');
      assert.equal((await pprOf(rig).register(referenceOf('r'))).result, 'active');
    },
  },
];
