// A fake of ProxyPay (RPS v2): references with nine digits, a queue of payments, and signed notifications.
import { createHmac } from 'node:crypto';
import type { Clock } from '../../server/clock.ts';
import { addDays, isDay, startOf } from '../../shared/luanda.ts';
import { toDecimal, toReceivedMinor } from '../../shared/money.ts';
import { startFake, type Fake, type FakeAnswer, type FakeRequest, type FakeRow } from './fake.ts';
import { writePayment, type ProxypayPayment } from './proxypay-payment.ts';

/** A reference in the fake. A further PUT to the same digits replaces the whole reference. */
type ProxypayReference = { amount: string | null; endDay: string | null; customFields: Record<string, string> };

export class ProxypayBook {
  references = new Map<string, ProxypayReference>();
  /** `queue`: the unacknowledged payments, by payment id. */
  queue = new Map<number, ProxypayPayment>();
  lastId = 0;
  /** `notifyUrl`: the URL to which the fake sends notifications. Null: the fake sends no notifications. */
  notifyUrl: string | null = null;
  style = { quotesNumbers: false, integersAsText: false, hasZone: true };
  /** `onlyAnswer`: if set, every request gets this answer and has no effect. */
  onlyAnswer: FakeAnswer | null = null;
  entity: string;
  apiKey: string;
  #clock: Clock;
  #send: Fake['notify'];

  constructor({ clock, entity, apiKey }: ProxypayOptions, send: Fake['notify']) {
    this.#clock = clock;
    this.entity = entity;
    this.apiKey = apiKey;
    this.#send = send;
  }

  /** Records a payment, even to an expired reference, and sends its notification. `changes` replaces payment fields. */
  async pay(digits: string, amount: string, changes: Partial<ProxypayPayment> = {}): Promise<ProxypayPayment> {
    const customFields = this.references.get(digits)?.customFields ?? {};
    const about = { at: this.#clock.now(), number: ++this.lastId % 100_000_000, hasZone: this.style.hasZone };
    const payment = { ...writePayment({ entity: this.entity, digits, amount, customFields, ...about }), ...changes };
    this.queue.set(payment.id, payment);
    await this.notify(payment);
    return payment;
  }

  sign(payment: ProxypayPayment) {
    const body = JSON.stringify(inStyle(payment, this));
    return { body, headers: { 'X-Signature': createHmac('sha256', this.apiKey).update(body).digest('hex') } };
  }

  async notify(payment: ProxypayPayment): Promise<void> {
    const { body, headers } = this.sign(payment);
    if (this.notifyUrl) await this.#send(this.notifyUrl, body, headers);
  }
}

type ProxypayOptions = { clock: Clock; entity: string; apiKey: string; port?: number };

const MEDIA_TYPE = 'application/vnd.proxypay.v2+json';

/** Starts an empty fake of ProxyPay. Its API has no query for a single reference. */
export function startProxypay({ clock, entity, apiKey, port }: ProxypayOptions) {
  const book = new ProxypayBook({ clock, entity, apiKey }, (...notice) => fake.then(({ notify }) => notify(...notice)));
  const fake = startFake(
    {
      title: 'ProxyPay',
      book,
      account: (baseUrl) => ({ settings: { entity, isExclusive: true, baseUrl }, secrets: { apiKey: book.apiKey } }),
      intercept: ({ headers }) => {
        if (book.onlyAnswer) return book.onlyAnswer;
        if (headers.authorization !== `Token ${book.apiKey}`) return { status: 401 };
        return headers.accept === MEDIA_TYPE ? null : { status: 406 };
      },
      routes: {
        'POST /reference_ids': () => reserveNumber(book),
        'PUT /references/:id': ({ json }, id) => putReference(book, id, json),
        'DELETE /references/:id': (_, id) => ({ status: book.references.delete(id) ? 204 : 404 }),
        'GET /payments': () => ({ status: 200, body: [...book.queue.values()].map((one) => inStyle(one, book)) }),
        'DELETE /payments/:id': (_, id) => ({ status: book.queue.delete(Number(id)) ? 204 : 404 }),
        'POST /payments': ({ json }) => payInSandbox(book, clock, json),
      },
      rows: () => listRows(book, clock),
      act: (id, action) => act(book, id, action),
    },
    port,
  );
  return fake;
}

function inStyle(payment: ProxypayPayment, { style }: ProxypayBook): Record<string, unknown> {
  if (!style.integersAsText) return payment;
  const write = ([name, value]: [string, unknown]) => [name, typeof value === 'number' ? String(value) : value];
  return Object.fromEntries(Object.entries(payment).map(write));
}

/** Assigns unused digits. The first digits begin with a zero, which ProxyPay's integer loses. */
function reserveNumber(book: ProxypayBook): FakeAnswer {
  let number = 12_345_001;
  while (book.references.has(String(number).padStart(9, '0'))) number += 7;
  const digits = String(number).padStart(9, '0');
  // The digits stay reserved until their registration.
  book.references.set(digits, { amount: null, endDay: '2000-01-01', customFields: {} });
  return book.style.quotesNumbers ? { status: 200, body: `"${digits}"` } : { status: 200, body: number };
}

type Fields = FakeRequest['json'];

function putReference(book: ProxypayBook, id: string, body: Fields): FakeAnswer {
  const { amount, end_datetime: endDay = null, custom_fields: customFields = {}, ...others } = body;
  const minor = amount === undefined ? null : toReceivedMinor(String(amount), 'AOA');
  const texts: unknown[] = Object.values(customFields ?? {});
  const isFine =
    /^\d{9}$/.test(id) &&
    !(minor && 'fault' in minor) &&
    (endDay === null || (typeof endDay === 'string' && isDay(endDay))) &&
    texts.length <= 9 &&
    texts.every((text) => typeof text === 'string') &&
    Object.keys(others).length === 0;
  if (!isFine) return { status: 400 };
  const text = minor && 'minor' in minor ? toDecimal(minor.minor, 'AOA') : null;
  book.references.set(id, { amount: text, endDay, customFields });
  return { status: 204 };
}

/** True if payers can still pay the reference: until its last day in Luanda ends. */
function isPayable({ endDay }: ProxypayReference, clock: Clock): boolean {
  return endDay === null || clock.now() < startOf(addDays(endDay, 1));
}

/** Pays a registered, unexpired reference with the correct amount, as an ATM does. */
async function payInSandbox(book: ProxypayBook, clock: Clock, fields: Fields): Promise<FakeAnswer> {
  const { reference_id: number, amount } = fields;
  const digits = String(number).padStart(9, '0');
  const reference = book.references.get(digits);
  const paid = toReceivedMinor(String(amount), 'AOA');
  if (!reference) return { status: 404 };
  if ('fault' in paid || !isPayable(reference, clock)) return { status: 400 };
  const text = toDecimal(paid.minor, 'AOA');
  if (reference.amount !== null && reference.amount !== text) return { status: 400 };
  return { status: 200, body: inStyle(await book.pay(digits, text), book) };
}

const OPEN_AMOUNTS = ['1000.00', '2500.00'];

function listRows(book: ProxypayBook, clock: Clock): FakeRow[] {
  const references = [...book.references].map(([digits, reference]) => ({
    id: digits,
    what: `${book.entity} ${digits} ${reference.amount ?? 'any amount'}`,
    state: isPayable(reference, clock) ? `until ${reference.endDay ?? 'withdrawn'}` : 'over',
    actions: isPayable(reference, clock)
      ? (reference.amount ? [reference.amount] : OPEN_AMOUNTS).map((amount) => `pay ${amount}`)
      : [],
  }));
  const payments = [...book.queue.values()].map(({ id, amount, reference_id: number }) => ({
    id: `payment ${id}`,
    what: `${amount} to ${String(number).padStart(9, '0')}`,
    state: 'in the queue',
    actions: ['notify'],
  }));
  return [...references, ...payments];
}

async function act(book: ProxypayBook, id: string, action: string): Promise<void> {
  const payment = book.queue.get(Number(id.replace('payment ', '')));
  if (action === 'notify' && payment) await book.notify(payment);
  const amount = /^pay (\d+\.\d\d)$/.exec(action)?.[1];
  if (amount && book.references.has(id)) await book.pay(id, amount);
}
