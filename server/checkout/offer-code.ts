// Creates a QR code when the page of a web frame requests one.
import type { Core } from '../core.ts';
import type { Db } from '../database/db.ts';
import { inTransaction } from '../database/orm.ts';
import { Problem, tryLater } from '../http/problem.ts';
import { leaseMs } from '../jobs/schedule.ts';
import { findMerchant } from '../merchants/find.ts';
import type { Merchant } from '../merchants/entities.ts';
import { findCodeAccount, listPayableMethods, nameAttempt } from '../payments/core/account.ts';
import type { Attempt, Payment } from '../payments/core/entities.ts';
import { changePayment, findOpenCode, findPayment, insertAttempt, lockPayment } from '../payments/core/rows.ts';
import { waitUntil } from '../payments/core/wait.ts';
import { applyCode } from '../payments/qr/apply-code.ts';
import { makeCode } from '../payments/qr/qrcode.ts';

/** Maximum wait for a QR code that another tab requests, or for the withdrawal of an older code. */
const PATIENCE_MS = 10_000;

/**
 * Creates a QR code for the payment of a page, if it has no code. Resolves when the page can show the code.
 * @param caller the request; the wait ends when it closes
 * @throws Problem not_found, payment_in_progress, payment_not_payable, or rail_unavailable if no code was created
 */
export async function offerCode(core: Core, paymentId: string, caller: NodeJS.EventEmitter): Promise<void> {
  const read = await findPayment.first(core, { id: paymentId });
  if (!read) throw new Problem('not_found');
  const merchant = await findMerchant(core, read.merchantId);
  const begin = () => inTransaction(core, (db) => beginCode(core, db, { merchant, paymentId }));
  const isOver = async () => !(await findOpenCode.first(core, { paymentId }));
  let begun = await begin();
  if (begun === 'underway') {
    await waitUntil(core, paymentId, isOver, PATIENCE_MS, caller);
    begun = await begin();
  }
  if (begun === 'made') return;
  if (begun === 'underway') throw tryLater('rail_unavailable', 1);
  const { payment, attempt } = begun;
  const outcome = await makeCode(core, payment, attempt, payment.description);
  await applyCode(core, attempt.id, outcome, 'answer');
  if (outcome.result !== 'made') throw tryLater('rail_unavailable', 5);
}

type Begun = { payment: Payment; attempt: Pick<Attempt, 'id' | 'rail'> };

/** Commits the QR code's attempt before the request to the rail, so that a crash leaves no unknown code. */
async function beginCode(
  core: Core,
  db: Db,
  about: { merchant: Merchant; paymentId: string },
): Promise<Begun | 'made' | 'underway'> {
  const payment = await lockPayment.one(db, { id: about.paymentId });
  const now = core.clock.now();
  if (payment.status === 'Processing') throw new Problem('payment_in_progress');
  const isOver = payment.expiresAt && payment.expiresAt <= now;
  const account = listPayableMethods(core, about.merchant, payment).includes('qrcode')
    ? findCodeAccount(core, payment)
    : null;
  if (payment.status !== 'Pending' || isOver || !account) throw new Problem('payment_not_payable');
  if (payment.qrContent) return 'made';
  if (await findOpenCode.first(db, { paymentId: payment.id })) return 'underway';
  const names = nameAttempt(core, account);
  const dueAt = new Date(now.getTime() + leaseMs(core.config));
  const times = { createdAt: now, sentAt: now, dueAt };
  const row = { ...names, paymentId: payment.id, kind: 'qrcode', phone: null, status: 'Unsent', ...times } as const;
  await insertAttempt.run(db, { row });
  await changePayment.run(db, { id: payment.id, set: {} });
  return { payment, attempt: names };
}
