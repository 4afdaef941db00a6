// /api/merchants/{merchantId}/rail-accounts: a merchant's contracts with acquirers and SMS providers.
import { z } from 'zod';
import type { Core } from '../core.ts';
import { inTransaction } from '../database/orm.ts';
import { actorOf } from '../audit/record.ts';
import { runKeyed } from '../http/idempotency.ts';
import { route, type Caller, type Route } from '../http/route.ts';
import { byMerchant, requireOwn } from '../merchants/find.ts';
import { addRail, changeRail, findRail, listRails, removeRail, testRail } from './accounts.ts';
import { etagOf } from '../http/precondition.ts';
import { declareConnectors } from './connectors.ts';
import type { RailAccount } from './entities.ts';
import { byAccount, findRailFaults, railAnswer, railChange, railCreation, readRail, viewRail } from './schemas.ts';

const LIST_PATH = '/api/merchants/{merchantId}/rail-accounts';
const ACCOUNT_PATH = `${LIST_PATH}/{railAccountId}`;
const NO_KEY = 'Idempotency-Key is not honoured: a stored answer would outlive the secrets.';

const reads = { tag: 'Rails', access: { kind: 'bearer', scope: 'rails:write' }, bucket: 'read' } as const;
const writes = { ...reads, bucket: 'write' } as const;

const EXAMPLE = {
  kind: 'ppr',
  connector: 'proxypay',
  label: 'ProxyPay',
  environment: 'live',
  priority: 10,
  settings: { entity: '00123', isExclusive: true },
  secrets: { apiKey: 'as-ProxyPay-gave-it' },
};

export function railRoutes(core: Core): Route[] {
  return [
    declareConnectors(),
    declareList(core),
    declareRead(core),
    declareAdd(core),
    declareChange(core),
    declareRemove(core),
    declareTest(core),
  ];
}

function declareList(core: Core): Route {
  return route({
    ...reads,
    method: 'GET',
    path: LIST_PATH,
    operationId: 'listRailAccounts',
    summary: 'List rail accounts, by kind and priority',
    description:
      'Without an enabled account of a kind, the operator’s account charges the merchant’s payments. ' +
      'With draining accounts only, no new payments are accepted.',
    params: byMerchant,
    answers: { 200: { description: 'All rail accounts', schema: z.object({ data: z.array(railAnswer) }) } },
    async run({ caller, params }) {
      requireOwn(caller, params);
      const accounts = await listRails(core, caller.merchantId);
      return { status: 200, body: { data: accounts.map((account) => viewRail(core, account)) } };
    },
  });
}

function declareRead(core: Core): Route {
  return route({
    ...reads,
    method: 'GET',
    path: ACCOUNT_PATH,
    operationId: 'readRailAccount',
    summary: 'Read a rail account',
    params: byAccount,
    tagged: true,
    answers: { 200: { description: 'The account', schema: railAnswer } },
    async run({ caller, params }) {
      requireOwn(caller, params);
      return answerWithTag(core, await findRail(core, scopeOf(caller, params)));
    },
  });
}

function declareAdd(core: Core): Route {
  return route({
    ...writes,
    method: 'POST',
    path: LIST_PATH,
    operationId: 'addRailAccount',
    summary: 'Add a rail account',
    description:
      'The account charges new payments of its kind; the lowest `priority` comes first. ' +
      `Secrets are stored encrypted and never returned. A merchant has at most 20 accounts. ${NO_KEY}`,
    params: byMerchant,
    body: railCreation,
    checkAlso: (input) => findRailFaults(core, input),
    example: EXAMPLE,
    refusals: { 409: 'too_many_rail_accounts' },
    answers: { 201: { description: 'The new account', schema: railAnswer } },
    async run({ caller, params, body, address }) {
      requireOwn(caller, params);
      const scope = { owner: caller.merchantId, actor: actorOf(caller, address) };
      const request = await readRail(core, railCreation, body);
      const account = await inTransaction(core, (db) => addRail(core, db, scope, request));
      await core.rails.refresh();
      return { status: 201, body: viewRail(core, account) };
    },
  });
}

function declareChange(core: Core): Route {
  return route({
    ...writes,
    method: 'PUT',
    path: ACCOUNT_PATH,
    operationId: 'changeRailAccount',
    summary: 'Change a rail account, or drain it',
    description:
      'Replaces all fields except `secrets` and `status`, which stay if they are absent. ' +
      'Kind and connector cannot change. ' +
      `Open orders of the account continue with the new credentials. ${NO_KEY}`,
    params: byAccount,
    body: railChange,
    tagged: true,
    checkAlso: (input) => findRailFaults(core, input),
    example: { ...EXAMPLE, status: 'draining' },
    answers: { 200: { description: 'The changed account', schema: railAnswer } },
    async run({ caller, params, body, ifMatch, address }) {
      requireOwn(caller, params);
      const named = { ...scopeOf(caller, params), actor: actorOf(caller, address), ifMatch };
      const request = await readRail(core, railChange, body);
      const account = await inTransaction(core, (db) => changeRail(core, db, named, request));
      await core.rails.refresh();
      return answerWithTag(core, account);
    },
  });
}

function answerWithTag(core: Core, account: RailAccount) {
  const body = viewRail(core, account);
  return { status: 200, body, headers: { ETag: etagOf(body) } };
}

function declareRemove(core: Core): Route {
  return route({
    ...writes,
    method: 'DELETE',
    path: ACCOUNT_PATH,
    operationId: 'removeRailAccount',
    summary: 'Remove a rail account',
    description:
      'The account must have no open work: drain it first (`status`: `draining`). Late payments are still recorded.',
    params: byAccount,
    idempotent: true,
    refusals: { 409: 'rail_account_in_use, with the number of `open` orders' },
    answers: { 204: { description: 'Removed' } },
    async run({ caller, params, keyed, address }) {
      requireOwn(caller, params);
      const named = { ...scopeOf(caller, params), actor: actorOf(caller, address) };
      const answer = await runKeyed(core, { merchantId: caller.merchantId, keyed }, async (db) => {
        await removeRail(core, db, named);
        return { status: 204 };
      });
      await core.rails.refresh();
      return answer;
    },
  });
}

function declareTest(core: Core): Route {
  return route({
    ...writes,
    method: 'POST',
    path: `${ACCOUNT_PATH}/test`,
    operationId: 'testRailAccount',
    summary: 'Test the credentials',
    description: 'Fetches a token or reads a list. The test charges, registers and sends nothing.',
    params: byAccount,
    idempotent: true,
    answers: { 200: { description: 'The result of the test', schema: probeAnswer } },
    async run({ caller, params, keyed }) {
      requireOwn(caller, params);
      const probe = await testRail(core, scopeOf(caller, params));
      const answer = { status: 200, body: { detail: null, ...probe } };
      return runKeyed(core, { merchantId: caller.merchantId, keyed }, async () => answer);
    },
  });
}

const probeAnswer = z
  .object({
    result: z.enum(['ok', 'wrong_secret', 'wrong_host', 'no_connection', 'not_allowed']),
    detail: z.string().nullable().describe('The fault in one sentence; null for `ok`'),
  })
  .meta({ id: 'RailProbe' });

function scopeOf(caller: Caller, { railAccountId }: { railAccountId: string }) {
  return { owner: caller.merchantId, id: railAccountId.toLowerCase() };
}
