// Finding a merchant's endpoints: its callback endpoint, and its webhooks by their ids. Removed ones are not found.
import { LockMode } from '@mikro-orm/postgresql';
import { em, type Db } from '../database/db.ts';
import { Problem } from '../http/problem.ts';
import { Endpoint } from './entities.ts';

/** The callback endpoint, if there is one. */
export function findCallbackEndpoint(db: Db, merchantId: string): Promise<Endpoint | null> {
  return em(db).findOne(Endpoint, itsCallback(merchantId));
}

/** As it is once the lock is won; until the transaction ends nobody else changes it. */
export function lockCallbackEndpoint(db: Db, merchantId: string): Promise<Endpoint | null> {
  return em(db).findOne(Endpoint, itsCallback(merchantId), LOCKED);
}

/** @throws Problem not_found for what does not exist, was removed, or is another merchant's */
export function findWebhook(db: Db, merchantId: string, id: string): Promise<Endpoint> {
  return em(db).findOneOrFail(Endpoint, { ...itsWebhooks(merchantId), id }, OR_REFUSED);
}

/** As it is once the lock is won. @throws Problem not_found */
export function lockWebhook(db: Db, merchantId: string, id: string): Promise<Endpoint> {
  return em(db).findOneOrFail(Endpoint, { ...itsWebhooks(merchantId), id }, { ...OR_REFUSED, ...LOCKED });
}

/** A merchant's webhooks. */
export const itsWebhooks = (merchantId: string) => ({ merchantId, kind: 'webhook', deletedAt: null }) as const;

const itsCallback = (merchantId: string) => ({ merchantId, kind: 'callback', deletedAt: null }) as const;

const LOCKED = { lockMode: LockMode.PESSIMISTIC_WRITE } as const;
const OR_REFUSED = { failHandler: () => new Problem('not_found') };
