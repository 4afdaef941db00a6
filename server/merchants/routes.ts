// Endpoints for merchants and their settings. The operator or a registered person creates a merchant.
import { v7 as uuid } from 'uuid';
import { z } from 'zod';
import type { Language } from '../../shared/language.ts';
import { SCOPES } from '../../shared/scopes.ts';
import { WAYS } from '../../shared/ways.ts';
import type { Core } from '../core.ts';
import { em, prepared, type Db } from '../database/db.ts';
import { inTransaction } from '../database/orm.ts';
import { actorOf, recordAudit, type Actor } from '../audit/record.ts';
import { Problem } from '../http/problem.ts';
import { route, type Route } from '../http/route.ts';
import { createClient, type CreatedClient } from '../oauth/clients.ts';
import { Membership } from '../people/entities.ts';
import { clientRoutes, createdClient } from './clients.ts';
import { Merchant } from './entities.ts';
import { creationRequest, merchantAnswer, viewMerchant } from './schemas.ts';
import { requestErrorRoutes } from './request-errors.ts';
import { settingsRoutes, type RenewSearch } from './settings.ts';
import { simulatedIds } from '../../shared/simulated.ts';

export function merchantRoutes(core: Core, renewSearch: RenewSearch): Route[] {
  return [
    ...creationRoutes(core),
    ...settingsRoutes(core, renewSearch),
    ...clientRoutes(core),
    ...requestErrorRoutes(core),
  ];
}

const MAX_OWNED = 20;
const FIRST_CLIENT = 'Default';

type NewMerchant = {
  name: string;
  language: Language;
  /** `ownerId`: this person becomes Owner immediately. Null: the operator grants access to a person later. */
  ownerId: string | null;
  actor: Actor;
};

/** Creates a merchant and its first API client, which has every scope, in the transaction `db`. */
export async function createMerchant(
  core: Core,
  db: Db,
  { name, language, ownerId, actor }: NewMerchant,
): Promise<{ merchant: Merchant; client: CreatedClient }> {
  const [id, at] = [uuid(), core.clock.now()];
  await em(db).insert(Merchant, {
    id,
    name,
    defaultLanguage: language,
    checkoutMethods: [...WAYS],
    allowedOrigins: [],
    returnOrigins: [],
    ...simulatedIds(core.config, id),
    createdAt: at,
  });
  const changes = { name, defaultLanguage: language, owner: ownerId };
  await recordAudit(db, { merchantId: id, actor, action: 'merchant.created', target: id, changes, at });
  if (ownerId) {
    const taken = { createdAt: at, acceptedAt: at, expiresAt: null };
    await em(db).insert(Membership, { merchantId: id, userId: ownerId, role: 'Owner', ...taken });
  }
  const first = { merchantId: id, name: FIRST_CLIENT, scopes: SCOPES, actor, isFirst: true };
  const client = await createClient(core, db, first);
  return { merchant: await em(db).findOneOrFail(Merchant, { id }), client };
}

function creationRoutes(core: Core): Route[] {
  return [
    route({
      method: 'POST',
      path: '/api/merchants',
      operationId: 'createMerchant',
      tag: 'Merchants',
      summary: 'Create a merchant',
      description:
        'You become its Owner; get a token with its `merchant_id` to act for it. ' +
        'The first client has every scope, and this answer is the only one with its secret. ' +
        'The operator assigns GPO ids, terminals and the entity; a sandbox with the built-in simulator assigns ' +
        'them itself. A person may own 20 merchants. ' +
        'Idempotency-Key is not supported, because its stored answer would contain the secret.',
      access: { kind: 'user' },
      bucket: 'write',
      body: creationRequest,
      example: { name: 'Loja da Ilha', defaultLanguage: 'pt' },
      refusals: { 403: 'user_required', 409: 'too_many_merchants' },
      answers: {
        201: {
          description: 'Created',
          schema: z.object({ merchant: merchantAnswer, client: createdClient }),
          headers: { Location: 'The merchant' },
        },
      },
      async run({ caller, body, address }) {
        const { userId } = caller;
        if (!userId) throw new Problem('user_required');
        const { merchant, client } = await inTransaction(core, async (db) => {
          await requireCapacity(db, userId);
          const given = { name: body.name, language: body.defaultLanguage ?? 'pt', ownerId: userId };
          return createMerchant(core, db, { ...given, actor: actorOf(caller, address) });
        });
        return {
          status: 201,
          body: { merchant: viewMerchant(merchant), client },
          headers: { Location: `/api/merchants/${merchant.id}` },
        };
      },
    }),
  ];
}

/** Limits how many merchants a person owns. A lock serializes creations. @throws Problem too_many_merchants */
async function requireCapacity(db: Db, userId: string): Promise<void> {
  await lockPerson.run(db, { userId });
  const { count } = await countOwned.one(db, { userId });
  if (count >= MAX_OWNED) throw new Problem('too_many_merchants');
}

const lockPerson = prepared((tables, { userId }: { userId: string }) =>
  tables.selectFrom('users').select('id').where('id', '=', userId).forNoKeyUpdate(),
);

const countOwned = prepared((tables, { userId }: { userId: string }) =>
  tables
    .selectFrom('memberships')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('userId', '=', userId)
    .where('role', '=', 'Owner')
    .where('acceptedAt', 'is not', null),
);
