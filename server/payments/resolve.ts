// A person resolves the odd money of a payment with a note, so that it needs no attention any more.
import { z } from 'zod';
import { recordAudit, type Actor } from '../audit/record.ts';
import type { Core } from '../core.ts';
import type { Db } from '../database/db.ts';
import { recordEvent } from '../events/record.ts';
import { singleLine } from '../http/fields.ts';
import { runKeyed, type Keyed } from '../http/idempotency.ts';
import { etagOf, requireMatch } from '../http/precondition.ts';
import { Problem, type Answer } from '../http/problem.ts';
import { attentionOf } from './core/attention.ts';
import { subjectOf } from './core/record-transaction.ts';
import { changePayment, lockOwn } from './core/rows.ts';
import { describeIn, viewVersion } from './read.ts';

export const resolution = z.object({
  note: singleLine(500).describe('What you found and did. It stays in the history'),
});

type Resolution = {
  merchantId: string;
  paymentId: string;
  note: string;
  actor: Actor;
  /** The entity tag of the payment that the person saw. Money that arrived since then is not resolved unseen. */
  ifMatch: string | null;
  keyed: Keyed | null;
};

/**
 * Resolves the payment's odd money. The lock on the payment orders this after money that arrived before.
 * @throws Problem not_found, nothing_to_resolve, precondition_failed
 */
export async function resolvePayment(core: Core, request: Resolution): Promise<Answer> {
  const answer = await runKeyed(core, request, (db) => recordResolution(core, db, request));
  core.changes.publish(`payment:${request.paymentId}`);
  return answer;
}

async function recordResolution(core: Core, db: Db, { paymentId: id, ...request }: Resolution): Promise<Answer> {
  const { merchantId, note, actor, ifMatch } = request;
  const payment = await lockOwn.first(db, { id, merchantId });
  if (!payment) throw new Problem('not_found');
  const attention = attentionOf(payment);
  if (!attention) throw new Problem('nothing_to_resolve');
  requireMatch(ifMatch, viewVersion(payment));
  const at = core.clock.now();
  await changePayment.run(db, { id, set: { resolvedAt: at } });
  const details = { attention, note, by: { kind: actor.kind, id: actor.id } };
  await recordEvent(db, { ...subjectOf(payment), type: 'payment.resolved', occurredAt: at, details });
  await recordAudit(db, {
    merchantId,
    actor,
    action: 'payment.resolved',
    target: id,
    changes: { attention, note },
    at,
  });
  const resolved = { ...payment, resolvedAt: at, revision: payment.revision + 1 };
  const headers = { ETag: etagOf(viewVersion(resolved)) };
  return { status: 200, body: await describeIn(core, db, resolved), headers };
}
