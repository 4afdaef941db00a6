// Where people act on AppyPay's fake: approve, refuse, scan, pay; and the webhooks that tell of it.
import type { Clock } from '../../server/clock.ts';
import { addCharge, addEvent, findCharge, type AppyPayBook, type FakeCharge } from './appypay-book.ts';
import type { Fake, FakeRow } from './fake.ts';

/** One grey point. */
export const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** What stands in the book, the newest last. */
export function listRows(book: AppyPayBook): FakeRow[] {
  const codeOf = ({ transactionEvents }: FakeCharge) =>
    (transactionEvents.at(-1)?.responseStatus as { code: number } | undefined)?.code ?? 101;
  const charges = book.charges.map((charge) => {
    const what = `${charge.amount} ${charge.currency} ${charge.reference?.referenceNumber ?? charge.merchantTransactionId}`;
    const open = charge.reference ? ['pay'] : ['approve', 'refuse', 'time out', 'fail'];
    const again = charge.reference ? ['tell again', 'clear'] : ['tell again'];
    const actions = codeOf(charge) === 101 ? open : again;
    return { id: charge.id, what, state: String(codeOf(charge)), actions };
  });
  const bulk = [...book.references.values()].filter(({ chargeId }) => chargeId === null);
  const references = bulk.map(({ number, amount, currency, isActive }) => {
    const state = isActive ? 'active' : 'ended';
    return { id: number, what: `${amount ?? 'any'} ${currency} ${number}`, state, actions: isActive ? ['pay'] : [] };
  });
  const codes = book.qrCodes.map(({ id, amount, left }) => {
    return { id, what: `QR ${amount}`, state: `${left} left`, actions: left > 0 ? ['scan'] : [] };
  });
  return [...charges, ...references, ...codes];
}

/** What each button makes of a charge; `tell again` and `clear` change nothing, and tell it once more. */
const CODES: Record<string, number> = { approve: 100, pay: 100, refuse: 231, 'time out': 210, fail: 302 };

/** Somebody pressed a button. */
export async function actOnBook(
  book: AppyPayBook,
  clock: Clock,
  fake: Fake,
  id: string,
  action: string,
): Promise<void> {
  const charge =
    action === 'scan' ? scanCode(book, clock, id) : (findCharge(book, id) ?? payReference(book, clock, id));
  if (!charge) return;
  const code = CODES[action];
  if (code !== undefined) addEvent(charge, clock, code);
  if (code === 100 && charge.reference) {
    const reference = book.references.get(String(charge.reference.referenceNumber));
    if (reference?.chargeId) reference.isActive = false;
  }
  await tell(book, fake, charge, action === 'clear' ? 'Ficheiro de compensação' : undefined);
}

function scanCode(book: AppyPayBook, clock: Clock, id: string): FakeCharge | null {
  const code = book.qrCodes.find((one) => one.id === id);
  if (!code || code.left <= 0) return null;
  code.left--;
  const charge = addCharge(book, clock, code);
  addEvent(charge, clock, 100);
  return charge;
}

/** A reference that came in bulk: what is paid to it is a charge that nobody asked for, under an id of theirs. */
function payReference(book: AppyPayBook, clock: Clock, number: string): FakeCharge | null {
  const reference = book.references.get(number);
  if (!reference?.isActive) return null;
  const { currency, expirationDate, amount, minAmount } = reference;
  const [merchantTransactionId, paymentMethod] = [`R${book.lastId + 1}`, book.methods[1]];
  const charge = addCharge(book, clock, {
    merchantTransactionId,
    amount: amount ?? minAmount,
    currency,
    paymentMethod,
  });
  charge.reference = { referenceNumber: number, dueDate: expirationDate, entity: book.entity };
  return charge;
}

/** Sends the webhook of a charge as it stands. */
async function tell(book: AppyPayBook, fake: Fake, charge: FakeCharge, message?: string): Promise<void> {
  if (!book.notifyUrl) return;
  const status = charge.transactionEvents.at(-1)?.responseStatus as object;
  const news = {
    id: charge.id,
    merchantTransactionId: charge.merchantTransactionId,
    amount: charge.amount,
    options: null,
    directDebit: null,
    reference: charge.reference,
    eletronicReceipt: { customerReceipt: 'JVBERi0=', merchantReceipt: 'JVBERi0=' },
    responseStatus: { ...status, ...(message && { message }) },
  };
  const { notifyHeader: header } = book;
  await fake.notify(book.notifyUrl, news, header ? { [header.name]: header.value } : {});
}
