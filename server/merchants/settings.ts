// Endpoints of a merchant's settings, including its logo.
import type { Core } from '../core.ts';
import { em, type Db } from '../database/db.ts';
import { actorOf, changesOf, recordAudit, type Actor } from '../audit/record.ts';
import { RESOURCE_MAX_BYTES } from '../http/body.ts';
import { runKeyed } from '../http/idempotency.ts';
import { etagOf, requireMatch } from '../http/precondition.ts';
import { route, type Route } from '../http/route.ts';
import { Merchant } from './entities.ts';
import { byMerchant, forgetMerchant, lockMerchant, requireOwn } from './find.ts';
import { merchantAnswer, settingsRequest, viewMerchant, type SettingsRequest } from './schemas.ts';

const about = { path: '/api/merchants/{merchantId}', tag: 'Merchants', params: byMerchant, tagged: true } as const;

/** Reindexes the search of payments after a change of the merchant's `searchKeys`, in the same transaction. */
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
      'Absent fields stay unchanged. A body may repeat `id`, GPO ids, entity and `createdAt` as they were read; ' +
      'these fields do not change.',
    access: { kind: 'bearer', scope: 'merchant:write' },
    bucket: 'write',
    body: settingsRequest(() => core.config.isSandbox),
    // A logo alone may take most of the usual size limit of a request.
    maxBytes: 2 * RESOURCE_MAX_BYTES,
    idempotent: true,
    example: { brandColor: '#0a7d4b', allowedOrigins: ['https://loja.example'], uniqueReferences: true },
    answers: { 200: { description: 'The changed merchant', schema: merchantAnswer } },
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

/** Updates a merchant's settings and returns the names of the changed fields. */
async function updateMerchant(core: Core, db: Db, { merchantId, request, ifMatch, actor }: Update): Promise<string[]> {
  const before: Merchant = await lockMerchant.one(db, { id: merchantId });
  requireMatch(ifMatch, viewMerchant(before));
  const set = settingsOf(request);
  const changes = changesOf(before, set);
  const changed = Object.keys(changes);
  if (changed.length === 0) return [];
  await em(db).nativeUpdate(Merchant, { id: merchantId }, set);
  // The audit stores only that the logo changed, because 32 KiB of base64 help no reader.
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

/** Settings that null clears. Null in any other field changes nothing. */
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
