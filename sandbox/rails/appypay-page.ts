// The page of AppyPay's fake, with buttons to approve, refuse, scan and pay, and the webhooks that these buttons send.
import type { AppyPayBook, FakeCharge } from './appypay-book.ts';
import type { Fake, FakeRow } from './fake.ts';

/** A QR code as PNG image. A scanner reads “Codigo de teste: nenhum dinheiro”. */
export const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAIQAAACEAQAAAAB5P74KAAAAv0lEQVR42u3WUQqEMBAD0Nwg979lbpAlU4StHws1+2mVtbyFytQ4CN+G8MouAOgc' +
  'M3kunFNck0JAitZMSoFh/kOyc63YlHmr/Vyy4TO2Z3EuaxD3bJwK8pvVjUoMGRBosBFolUlILMTM0nORG1mLK380gpQpCTIboTQRSJmsBE6mcgs3' +
  'kkQKmIQWMrlUYgA3gglBOgAr4bz73ys/lOlse+1PxQkDr0QVkiY5bamQq0luve5cZucxL28l71fBD/kAjEyVDMQ0T+kAAAAASUVORK5CYII=';

export function listRows(book: AppyPayBook): FakeRow[] {
  const charges = book.charges.map(({ id, amount, currency, reference, merchantTransactionId, transactionEvents }) => {
    const code: number = transactionEvents.at(-1)?.['responseStatus'].code ?? 101;
    const open = reference ? ['pay'] : ['approve', 'refuse', 'time out', 'fail'];
    const closed = reference ? ['tell again', 'clear'] : ['tell again'];
    const what = `${amount} ${currency} ${reference?.referenceNumber ?? merchantTransactionId}`;
    return { id, what, state: String(code), actions: code === 101 ? open : closed };
  });
  const references = [...book.references.values()].flatMap(({ number, amount, currency, isActive, chargeId }) => {
    const [state, actions] = isActive ? ['active', ['pay']] : ['ended', []];
    return chargeId === null ? [{ id: number, what: `${amount ?? 'any'} ${currency} ${number}`, state, actions }] : [];
  });
  const codes = book.qrCodes.map(({ id, amount, left }) => {
    return { id, what: `QR ${amount}`, state: `${left} left`, actions: left > 0 ? ['scan'] : [] };
  });
  return [...charges, ...references, ...codes];
}

/** The status code that each button of the page adds to a charge. `tell again` and `clear` only resend the webhook. */
const CODES: Record<string, number> = { approve: 100, pay: 100, refuse: 231, 'time out': 210, fail: 302 };

export async function pressButton(fake: Fake<AppyPayBook>, id: string, action: string): Promise<void> {
  const { book } = fake;
  const charge = action === 'scan' ? scanCode(book, id) : (book.findCharge(id) ?? payReference(book, id));
  if (!charge) return;
  const code = CODES[action];
  if (code !== undefined) book.addEvent(charge, code);
  if (code === 100 && charge.reference) {
    const reference = book.references.get(String(charge.reference.referenceNumber));
    if (reference?.chargeId) reference.isActive = false;
  }
  await notify(fake, charge, action === 'clear' ? { message: 'Ficheiro de compensação' } : {});
}

function scanCode(book: AppyPayBook, id: string): FakeCharge | null {
  const code = book.qrCodes.find((one) => one.id === id);
  if (!code || code.left <= 0) return null;
  code.left--;
  const charge = book.addCharge(code);
  book.addEvent(charge, 100);
  return charge;
}

/** Creates the charge of a payment to a bulk reference. The charge gets an id of AppyPay's own. */
function payReference(book: AppyPayBook, number: string): FakeCharge | null {
  const reference = book.references.get(number);
  if (!reference?.isActive) return null;
  const { currency, expirationDate, amount, minAmount } = reference;
  const own = { merchantTransactionId: `R${book.lastId + 1}`, paymentMethod: book.methods[1] };
  const charge = book.addCharge({ ...own, amount: amount ?? minAmount, currency });
  charge.reference = { referenceNumber: number, dueDate: expirationDate, entity: book.entity };
  return charge;
}

async function notify(fake: Fake<AppyPayBook>, charge: FakeCharge, changes: object): Promise<void> {
  const { notifyUrl, notifyHeader: header } = fake.book;
  if (!notifyUrl) return;
  const { id, merchantTransactionId, amount, reference, transactionEvents } = charge;
  const responseStatus = { ...transactionEvents.at(-1)?.['responseStatus'], ...changes };
  const eletronicReceipt = { customerReceipt: 'JVBERi0=', merchantReceipt: 'JVBERi0=' };
  const none = { options: null, directDebit: null };
  const body = { id, merchantTransactionId, amount, ...none, reference, eletronicReceipt, responseStatus };
  await fake.notify(notifyUrl, body, header ? { [header.name]: header.value } : {});
}
