// A merchant's settings, with its logo.
import type { Core } from '../core.ts';
import { em, type Db } from '../database/db.ts';
import { actorOf, changesOf, recordAudit, type Actor } from '../audit/record.ts';
import { ONE_MAX_BYTES } from '../http/body.ts';
import { runKeyed } from '../http/idempotency.ts';
import { etagOf, requireMatch } from '../http/precondition.ts';
import { route, type Route } from '../http/route.ts';
import { Merchant } from './entities.ts';
import { byMerchant, forgetMerchant, lockMerchant, requireOwn } from './find.ts';
import { merchantAnswer, settingsRequest, viewMerchant, type SettingsRequest } from './schemas.ts';

const about = { path: '/api/merchants/{merchantId}', tag: 'Merchants', params: byMerchant, tagged: true } as const;

/** Lets payments be found by other keys than before, in the transaction of the change. */
export type RenewSearch = (db: Db, merchantId: string, keys: string[]) => Promise<void>;

export function settingsRoutes(core: Core, renewSearch: RenewSearch): Route[] {
  return [declareRead(core), declareUpdate(core, renewSearch)];
}

function declareRead(core: Core): Route {
  return route({
    ...about,
    method: 'GET',
    operationId: 'readMerchant',
    summary: 'Read your merchant',
    access: { kind: 'bearer', scope: 'merchant:read' },
    bucket: 'read',
    answers: { 200: { description: 'The merchant', schema: merchantAnswer } },
    async run({ caller, params }) {
      requireOwn(caller, params);
      return answer(await readMerchant(core, caller.merchantId));
    },
  });
}

function declareUpdate(core: Core, renewSearch: RenewSearch): Route {
  return route({
    ...about,
    method: 'PUT',
    operationId: 'updateMerchant',
    summary: 'Change your merchant’s settings',
    description:
      'What is absent stays as it is. `id`, GPO ids, entity and `createdAt` may be sent as they were read and are not changed by it.',
    access: { kind: 'bearer', scope: 'merchant:write' },
    bucket: 'write',
    body: settingsRequest(() => core.config.isSandbox),
    // A logo alone is most of what one thing takes.
    maxBytes: 2 * ONE_MAX_BYTES,
    idempotent: true,
    example: { brandColor: '#0a7d4b', allowedOrigins: ['https://loja.example'], uniqueReferences: true },
    answers: { 200: { description: 'As it is now', schema: merchantAnswer } },
    run({ caller, params, body, keyed, ifMatch, address }) {
      requireOwn(caller, params);
      const { merchantId } = caller;
      return runKeyed(core, { merchantId, keyed }, async (db) => {
        const by = { merchantId, ifMatch, actor: actorOf(caller, address) };
        const changed = await updateMerchant(core, db, { ...by, request: body });
        if (changed.includes('searchKeys')) await renewSearch(db, merchantId, body.searchKeys ?? []);
        return answer(await readMerchant(db, merchantId));
      });
    },
  });
}

function answer(merchant: Merchant) {
  const body = viewMerchant(merchant);
  return { status: 200, body, headers: { ETag: etagOf(body) } };
}

function readMerchant(db: Db, id: string): Promise<Merchant> {
  return em(db).findOneOrFail(Merchant, { id });
}

type Update = { merchantId: string; request: SettingsRequest; ifMatch: string | null; actor: Actor };

/** The names of what is another now. */
async function updateMerchant(core: Core, db: Db, { merchantId, request, ifMatch, actor }: Update): Promise<string[]> {
  const before: Merchant = await lockMerchant.one(db, { id: merchantId });
  requireMatch(ifMatch, viewMerchant(before));
  const set = settingsOf(request);
  const changes = changesOf(before, set);
  const changed = Object.keys(changes);
  if (changed.length === 0) return [];
  await em(db).nativeUpdate(Merchant, { id: merchantId }, set);
  // Of a picture only that it is another one: nobody reads 32 KiB of base64.
  if ('brandLogo' in changes) changes['brandLogo'] = 'changed';
  await recordAudit(db, {
    merchantId,
    actor,
    action: 'merchant.changed',
    target: merchantId,
    changes,
    at: core.clock.now(),
  });
  db.afterCommit?.(() => forgetMerchant(core, merchantId));
  return changed;
}

/** What can be without a value is cleared by null; of the others it changes nothing. */
const CLEARED_BY_NULL = [
  'taxId',
  'brandColor',
  'brandLogo',
  'cashierRefundLimitMinor',
  'privacyContact',
  'privacyNotice',
];

function settingsOf({ cashierRefundLimit, ...others }: SettingsRequest): Partial<Merchant> {
  const isGiven = ([name, value]: [string, unknown]) =>
    value !== undefined && (value !== null || CLEARED_BY_NULL.includes(name));
  const request = { ...others, cashierRefundLimitMinor: cashierRefundLimit };
  return Object.fromEntries(Object.entries(request).filter(isGiven));
}
