// What the rail is asked for an attempt: the same words for every send of it.
import type { Core } from '../core.ts';
import { prepared } from '../database/db.ts';
import type { QrOrder, RailOrder } from '../providers/provider.ts';
import type { Attempt, AttemptKind, Payment } from './entities.ts';

/** What is recorded before the rail is asked. */
export type RecordedAttempt = {
  payment: Payment;
  attempt: Pick<Attempt, 'id' | 'kind' | 'createdAt'> & { phone?: string | null | undefined };
  /** Its row as it was written, where that is at hand. */
  written?: KnownAttempt;
};

/** What must be known of an attempt to say when its rail is asked again. */
export type KnownAttempt = Pick<Attempt, 'id' | 'kind' | 'status' | 'createdAt' | 'sentAt' | 'dueAt'> & {
  /** To whoever sends it again: no call before this one reached anybody. */
  wasUnreached?: boolean;
};

/** The order of a recorded attempt; a QR code has its own (`qrOrderOf`). */
export async function orderOf(core: Core, { payment, attempt }: RecordedAttempt): Promise<RailOrder> {
  const { gpoMerchantId, gpoPosId } = idsOf(payment);
  const common = { attemptId: attempt.id, gpoMerchantId };
  const { reference, amountMinor, currency } = payment;
  const bill = { ...common, gpoPosId, reference, amountMinor, currency, description: payment.description ?? null };
  if (attempt.kind === 'void') {
    const target = payment.paymentMethod === 'qrcode' ? 'qrcode' : 'authorization';
    return { ...common, kind: 'void', target, targetId: await findMaker(core, payment.id, target) };
  }
  if (attempt.kind === 'capture') {
    const authorizationId = await findMaker(core, payment.authorizationId ?? '', 'authorization');
    return { ...bill, kind: 'capture', authorizationId };
  }
  if (attempt.kind === 'qrcode' || !attempt.phone) throw new Error(`attempt ${attempt.id} is no order of this kind`);
  return { ...bill, kind: attempt.kind, phone: attempt.phone };
}

/** What the rail makes a payment's QR code from; described as `metadata.description` has it, else by its reference (interface.md). */
export function qrOrderOf(payment: Payment, attemptId: string, described: string | null | undefined): QrOrder {
  const { reference, amountMinor, currency, qrType, maxTransactions, expiresAt } = payment;
  if (!qrType || !maxTransactions || !expiresAt) throw new Error(`payment ${payment.id} is no QR code`);
  const description = described ?? reference;
  const code = { reference, amountMinor, currency, description, type: qrType, maxTransactions, endDate: expiresAt };
  return { attemptId, ...idsOf(payment), ...code };
}

/** The attempt that made what a capture takes from, or a void ends: its id is the rail's name of it. */
async function findMaker(core: Core, paymentId: string, kind: AttemptKind): Promise<string> {
  const maker = await findFirst.first(core, { paymentId, kind });
  if (!maker) throw new Error(`payment ${paymentId} was never made at the rail`);
  return maker.id;
}

const findFirst = prepared((tables, { paymentId, kind }: { paymentId: string; kind: AttemptKind }) =>
  tables
    .selectFrom('attempts')
    .select('id')
    .where('paymentId', '=', paymentId)
    .where('kind', '=', kind)
    .orderBy('createdAt')
    .limit(1),
);

function idsOf({ id, gpoMerchantId, gpoPosId }: Payment): { gpoMerchantId: string; gpoPosId: string } {
  if (!gpoMerchantId || !gpoPosId) throw new Error(`payment ${id} has no GPO ids`);
  return { gpoMerchantId, gpoPosId };
}
