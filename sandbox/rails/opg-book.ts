// What the pretended OPG rail knows: transactions, charges and running requests, and how each of them comes to its end.
import type { Clock } from '../../server/clock.ts';

export type OpgTransaction = {
  id: string;
  type: 'payment' | 'refund';
  pos_id: number;
  mobile: string | null;
  amount: string;
  status: 'accepted' | 'rejected' | null;
  status_reason: number | null;
  status_datetime: string | null;
  parent_transaction_id: string | null;
  clearing_period: number | null;
  charge_id: string | null;
};

export type OpgCharge = {
  id: string;
  amount: string;
  status: 'active' | 'used' | 'expired';
  qrcode_url: string;
  qrref: string;
  deeplink: string;
  deeplink_redirect: string;
  created_at: string;
  expires_at: string;
  transaction_id: string | null;
};

/** How a transaction ends; a rejection has its number. */
export type OpgVerdict = { status: 'accepted' | 'rejected'; reason: number | null };

/** What of an order counts here. */
export type OpgOrder = { amount: string; callbackUrl: string };

export type OpgBook = {
  /** The only one that is let in, and its terminal: a test that changes it has let the token expire. */
  token: string;
  posId: number;
  transactions: Map<string, OpgTransaction>;
  charges: Map<string, OpgCharge>;
  /** The transaction that each request of vPOS became. */
  requests: Map<string, string>;
  /** Counts transactions and charges. */
  lastId: number;
  /** What each Idempotency-Key made. */
  keys: Map<string, string>;
  /** A key that was heard before answers with what it made; off: it makes another one. */
  replaysKeys: boolean;
  /** Numbers with a suffix are decided, and called back about, before the POST is answered. */
  callsBackFirst: boolean;
  /** How refunds end. */
  refundVerdict: OpgVerdict;
  /** How far the rail's clock is ahead of ours. */
  skewMs: number;
  /** The last word on any transaction or charge that is answered; text goes out as it is. */
  write(thing: OpgTransaction | OpgCharge): unknown;
  /** Likewise on any Location; null: none is sent. */
  locate(path: string): string | null;
  push(order: OpgOrder & { mobile: string }): Promise<OpgTransaction>;
  /** Gives the money of an accepted payment back, once; null: there is none. */
  refund(parentId: string, callbackUrl: string): Promise<OpgTransaction | null>;
  makeCharge(order: OpgOrder): OpgCharge;
  /** False: it was decided before. */
  decide(transactionId: string, verdict: OpgVerdict): Promise<boolean>;
  /** Pretends a scan; null: the code is used, expired or unknown. */
  scan(chargeId: string, verdict: OpgVerdict): Promise<OpgTransaction | null>;
  /** A charge as it is by now. */
  lookAt(chargeId: string): OpgCharge | null;
  /** Calls back about a transaction, again if it was before. */
  callBack(transactionId: string): Promise<void>;
};

/** How long numbers with a suffix take, and anybody who says nothing. */
export const OPG_DECIDES_MS = 2_000;
export const OPG_WINDOW_MS = 90_000;
export const OPG_CODE_LIFE_MS = 15 * 60_000;

const CLEARING_PERIOD = 156;
const TIMED_OUT = 2004;

type BookOptions = { clock: Clock; token: string; posId: number; notify(url: string, body: unknown): Promise<unknown> };

/** An empty book, and what happens in it. */
export function createOpgBook({ clock, token, posId, notify }: BookOptions): OpgBook {
  const callbacks: Callbacks = new Map();
  const now = () => new Date(clock.now().getTime() + book.skewMs);
  const book: OpgBook = {
    token,
    posId,
    transactions: new Map(),
    charges: new Map(),
    requests: new Map(),
    lastId: 0,
    keys: new Map(),
    replaysKeys: true,
    refundVerdict: { status: 'accepted', reason: null },
    callsBackFirst: false,
    skewMs: 0,
    write: (thing) => thing,
    locate: (path) => path,
    async push({ mobile, ...order }) {
      const transaction = openTransaction(book, callbacks, order, { mobile, charge_id: null });
      const { id } = transaction;
      const verdict = readSuffix(mobile);
      if (verdict && book.callsBackFirst) await book.decide(id, verdict);
      else if (verdict) void clock.wait(OPG_DECIDES_MS).then(() => book.decide(id, verdict));
      void clock.wait(OPG_WINDOW_MS).then(() => book.decide(id, { status: 'rejected', reason: TIMED_OUT }));
      return transaction;
    },
    async refund(parentId, callbackUrl) {
      const parent = book.transactions.get(parentId);
      if (parent?.type !== 'payment' || parent.status !== 'accepted') return null;
      const isGone = [...book.transactions.values()].some(
        ({ parent_transaction_id: of, status }) => of === parentId && status !== 'rejected',
      );
      const verdict = isGone ? ({ status: 'rejected', reason: 2002 } as const) : book.refundVerdict;
      const order = { amount: parent.amount, callbackUrl };
      const transaction = openTransaction(book, callbacks, order, { mobile: parent.mobile, charge_id: null });
      Object.assign(transaction, { type: 'refund', parent_transaction_id: parentId });
      if (book.callsBackFirst) await book.decide(transaction.id, verdict);
      else void clock.wait(OPG_DECIDES_MS).then(() => book.decide(transaction.id, verdict));
      return transaction;
    },
    async decide(transactionId, { status, reason: status_reason }) {
      const transaction = book.transactions.get(transactionId);
      if (!transaction || transaction.status !== null) return false;
      const clearing_period = status === 'accepted' ? CLEARING_PERIOD : null;
      const status_datetime = now().toISOString();
      Object.assign(transaction, { status, status_reason, status_datetime, clearing_period });
      await book.callBack(transactionId);
      return true;
    },
    async callBack(transactionId) {
      const transaction = book.transactions.get(transactionId);
      const url = callbacks.get(transactionId);
      if (transaction && url) await notify(url, book.write(transaction));
    },
    ...openCharges(() => book, callbacks, now),
  };
  return book;
}

/** Where each transaction and charge calls back to. */
type Callbacks = Map<string, string>;

const nameNext = (book: OpgBook) => `29fTRtkFaf8cQklRuHT${String(++book.lastId).padStart(8, '0')}`;

function openTransaction(
  book: OpgBook,
  callbacks: Callbacks,
  { amount, callbackUrl }: OpgOrder,
  whose: Pick<OpgTransaction, 'mobile' | 'charge_id'>,
): OpgTransaction {
  const id = nameNext(book);
  const transaction: OpgTransaction = { ...UNDECIDED, ...whose, id, pos_id: book.posId, amount };
  book.transactions.set(id, transaction);
  callbacks.set(id, callbackUrl);
  return transaction;
}

/** What happens to codes: an accepted scan uses one up, a rejected one leaves it as it was. */
function openCharges(
  bookOf: () => OpgBook,
  callbacks: Callbacks,
  now: () => Date,
): Pick<OpgBook, 'makeCharge' | 'lookAt' | 'scan'> {
  return {
    makeCharge({ amount, callbackUrl }) {
      const id = nameNext(bookOf());
      callbacks.set(id, callbackUrl);
      const createdAt = now();
      const expiresAt = new Date(createdAt.getTime() + OPG_CODE_LIFE_MS);
      const times = { created_at: createdAt.toISOString(), expires_at: expiresAt.toISOString() };
      const charge: OpgCharge = { ...writeLinks(id), ...times, id, amount, status: 'active', transaction_id: null };
      bookOf().charges.set(id, charge);
      return charge;
    },
    lookAt(chargeId) {
      const charge = bookOf().charges.get(chargeId);
      if (charge?.status === 'active' && now() >= new Date(charge.expires_at)) charge.status = 'expired';
      return charge ?? null;
    },
    async scan(chargeId, verdict) {
      const book = bookOf();
      const charge = book.lookAt(chargeId);
      if (charge?.status !== 'active') return null;
      const order = { amount: charge.amount, callbackUrl: callbacks.get(chargeId) ?? '' };
      const transaction = openTransaction(book, callbacks, order, { mobile: null, charge_id: chargeId });
      charge.transaction_id = transaction.id;
      if (verdict.status === 'accepted') charge.status = 'used';
      await book.decide(transaction.id, verdict);
      return transaction;
    },
  };
}

const UNDECIDED = {
  type: 'payment',
  status: null,
  status_reason: null,
  status_datetime: null,
  parent_transaction_id: null,
  clearing_period: null,
} as const;

function writeLinks(id: string) {
  return {
    qrcode_url: `https://rail.example/qr/${id}.png`,
    qrref: `000201MCX${id}`,
    deeplink: `multicaixa://pay/${id}`,
    deeplink_redirect: `https://rail.example/open/${id}`,
  };
}

/** The sandbox's numbers: the last four digits are the rejection, zeros accept; any other number waits for a person. */
function readSuffix(mobile: string): OpgVerdict | null {
  const suffix = /^90000(\d{4})$/.exec(mobile)?.[1];
  if (suffix === undefined) return null;
  return suffix === '0000' ? { status: 'accepted', reason: null } : { status: 'rejected', reason: Number(suffix) };
}
