// Canceling a reference: it cannot be paid any more, and the rail is told so; money that comes all the same is recorded.
import type { Core } from '../../core.ts';
import { inTransaction, repeatOnDuplicate } from '../../database/orm.ts';
import type { Db } from '../../database/db.ts';
import type { Keyed } from '../../http/idempotency.ts';
import { Problem } from '../../http/problem.ts';
import type { Answer } from '../../http/answer.ts';
import { findStored, keepAnswer } from '../../http/stored.ts';
import { hideToken, replayShown } from '../token.ts';
import type { PprRail } from '../../providers/provider.ts';
import type { Pair } from './build.ts';
import { closeReference } from './close.ts';
import { findOwnReference, lockPair } from './find.ts';
import { tellRail } from './register.ts';
import { viewReference } from './view.ts';

export type ReferenceCancellation = { merchantId: string; digits: string; keyed: Keyed | null };

/**
 * Cancels the merchant's newest reference with these digits; one that is canceled already is answered as it is. A Charging
 * one may be canceled after payments, which stay (decisions §4).
 * @throws Problem not_found, reference_not_cancelable, idempotency_key_reused
 */
export async function cancelReference(core: Core, rail: PprRail | null, asked: ReferenceCancellation): Promise<Answer> {
  const { reference } = await findOwnReference(core, asked.merchantId, asked.digits);
  // The same key may be committed meanwhile.
  const { answer, pair, isNew } = await repeatOnDuplicate(() =>
    inTransaction(core, (db) => recordCancellation(core, db, asked, reference.id)),
  );
  if (isNew) {
    core.changes.publish(`payment:${pair.payment.id}`);
    core.inBackground(tellRail(core, rail, reference.id));
  }
  return answer;
}

type Recorded = { answer: Answer; pair: Pair; isNew: boolean };

async function recordCancellation(core: Core, db: Db, asked: ReferenceCancellation, id: string): Promise<Recorded> {
  const { merchantId, keyed } = asked;
  const pair = (await lockPair(db, id)) as Pair;
  const stored = keyed && (await findStored(db, merchantId, keyed.key));
  if (stored) return { answer: replayShown(core.keyring, stored, keyed), pair, isNew: false };
  const { status } = pair.reference;
  if (status === 'Paid' || status === 'Expired') throw new Problem('reference_not_cancelable');
  const at = core.clock.now();
  const isNew = status === 'Pending';
  if (isNew) await closeReference(core, db, pair, 'cancel', at);
  const now = isNew ? ((await lockPair(db, id)) as Pair) : pair;
  const view = viewReference(core, now);
  const body = JSON.stringify(view);
  await keepAnswer(db, asked, { status: 200, body: hideToken(body, view.internalId, view.clientToken) }, at);
  return { answer: { status: 200, body }, pair: now, isNew };
}
