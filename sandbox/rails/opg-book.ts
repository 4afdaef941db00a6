// The in-memory data of the OPG fake: transactions, charges and running requests, and their results.
import type { Clock } from '../../server/clock.ts';

type OpgTransaction = ReturnType<typeof makeTransaction>;
type OpgCharge = ReturnType<typeof makeCharge>;

/** The result of an OPG transaction. A rejected transaction has a reason code. */
export type OpgVerdict = { status: 'accepted' | 'rejected'; reason: number | null };

/** The callback URL and the amount of a transaction or charge. */
type OpgOrder = { amount: string; callbackUrl: string };

/** The delay after which test numbers decide, and the timeout of a payer who does nothing. */
const DECIDES_MS = 2_000;
const WINDOW_MS = 90_000;
export const OPG_CODE_LIFE_MS = 15 * 60_000;

const CLEARING_PERIOD = 156;
const TIMED_OUT: OpgVerdict = { status: 'rejected', reason: 2004 };
const REFUNDED_BEFORE: OpgVerdict = { status: 'rejected', reason: 2002 };

type BookOptions = { clock: Clock; token: string; posId: number; notify(url: string, body: unknown): Promise<unknown> };

export class OpgBook {
  /** The only access token and terminal that the fake accepts. Cases change the token to simulate its expiry. */
  token: string;
  posId: number;
  transactions = new Map<string, OpgTransaction>();
  charges = new Map<string, OpgCharge>();
  /** `requests`: the transactions of vPOS, by request id. */
  requests = new Map<string, string>();
  lastId = 0;
  /** `keys`: the ids of orders, by Idempotency-Key. */
  keys = new Map<string, string>();
  /** `replaysKeys`: if true, a repeated Idempotency-Key returns the first order. If false, another order is created. */
  replaysKeys = true;
  /** `callsBackFirst`: if true, the fake decides and sends the callback before it answers the POST. */
  callsBackFirst = false;
  refundVerdict: OpgVerdict = { status: 'accepted', reason: null };
  /** `skewMs`: the time by which the fake's clock is ahead of the gateway's. */
  skewMs = 0;
  #options: BookOptions;
  #callbacks = new Map<string, string>();

  constructor(options: BookOptions) {
    this.#options = options;
    this.token = options.token;
    this.posId = options.posId;
  }

  write: (thing: OpgTransaction | OpgCharge) => unknown = (thing) => thing;

  /** Builds the Location header of an answer. Null omits the header. */
  locate: (path: string) => string | null = (path) => path;

  async push({ mobile, ...order }: OpgOrder & { mobile: string }): Promise<OpgTransaction> {
    const transaction = this.#open(order, { mobile });
    const verdict = readSuffix(mobile);
    if (verdict) await this.#decideSoon(transaction.id, verdict);
    void this.#options.clock.wait(WINDOW_MS).then(() => this.decide(transaction.id, TIMED_OUT));
    return transaction;
  }

  /** Refunds an accepted payment once. Returns null if the fake has no accepted payment with this id. */
  async refund(parentId: string, callbackUrl: string): Promise<OpgTransaction | null> {
    const parent = this.transactions.get(parentId);
    if (parent?.type !== 'payment' || parent.status !== 'accepted') return null;
    const isRefunded = [...this.transactions.values()].some(
      ({ parent_transaction_id, status }) => parent_transaction_id === parentId && status !== 'rejected',
    );
    const { amount, mobile } = parent;
    const transaction = this.#open(
      { amount, callbackUrl },
      { mobile, type: 'refund', parent_transaction_id: parentId },
    );
    await this.#decideSoon(transaction.id, isRefunded ? REFUNDED_BEFORE : this.refundVerdict);
    return transaction;
  }

  makeCharge({ amount, callbackUrl }: OpgOrder): OpgCharge {
    const charge = makeCharge(this.#nextId(), amount, this.#now());
    this.#callbacks.set(charge.id, callbackUrl);
    this.charges.set(charge.id, charge);
    return charge;
  }

  /** Decides a transaction. Returns false if the transaction was already decided. */
  async decide(transactionId: string, { status, reason: status_reason }: OpgVerdict): Promise<boolean> {
    const transaction = this.transactions.get(transactionId);
    if (!transaction || transaction.status !== null) return false;
    const clearing_period = status === 'accepted' ? CLEARING_PERIOD : null;
    const status_datetime = this.#now().toISOString();
    Object.assign(transaction, { status, status_reason, status_datetime, clearing_period });
    await this.callBack(transactionId);
    return true;
  }

  /** Simulates a scan. An accepted scan uses up the QR code. Returns null for a used, expired or unknown code. */
  async scan(chargeId: string, verdict: OpgVerdict): Promise<OpgTransaction | null> {
    const charge = this.find(chargeId);
    if (charge?.status !== 'active') return null;
    const order = { amount: charge.amount, callbackUrl: this.#callbacks.get(chargeId) ?? '' };
    const transaction = this.#open(order, { charge_id: chargeId });
    charge.transaction_id = transaction.id;
    if (verdict.status === 'accepted') charge.status = 'used';
    await this.decide(transaction.id, verdict);
    return transaction;
  }

  find(chargeId: string): OpgCharge | null {
    const charge = this.charges.get(chargeId);
    if (charge?.status === 'active' && this.#now() >= new Date(charge.expires_at)) charge.status = 'expired';
    return charge ?? null;
  }

  /** Sends the callback of a transaction. The same callback may be sent repeatedly. */
  async callBack(transactionId: string): Promise<void> {
    const transaction = this.transactions.get(transactionId);
    const url = this.#callbacks.get(transactionId);
    if (transaction && url) await this.#options.notify(url, this.write(transaction));
  }

  #now = () => new Date(this.#options.clock.now().getTime() + this.skewMs);

  #nextId = () => `29fTRtkFaf8cQklRuHT${String(++this.lastId).padStart(8, '0')}`;

  #open({ amount, callbackUrl }: OpgOrder, parts: Partial<OpgTransaction>): OpgTransaction {
    const transaction = { ...makeTransaction(this.#nextId(), this.posId, amount), ...parts };
    this.transactions.set(transaction.id, transaction);
    this.#callbacks.set(transaction.id, callbackUrl);
    return transaction;
  }

  async #decideSoon(id: string, verdict: OpgVerdict): Promise<void> {
    if (this.callsBackFirst) await this.decide(id, verdict);
    else void this.#options.clock.wait(DECIDES_MS).then(() => this.decide(id, verdict));
  }
}

function makeTransaction(id: string, pos_id: number, amount: string) {
  return {
    id,
    type: 'payment' as 'payment' | 'refund',
    pos_id,
    mobile: null as string | null,
    amount,
    status: null as 'accepted' | 'rejected' | null,
    status_reason: null as number | null,
    status_datetime: null as string | null,
    parent_transaction_id: null as string | null,
    clearing_period: null as number | null,
    charge_id: null as string | null,
  };
}

function makeCharge(id: string, amount: string, createdAt: Date) {
  return {
    id,
    amount,
    status: 'active' as 'active' | 'used' | 'expired',
    qrcode_url: `https://rail.example/qr/${id}.png`,
    qrref: `000201MCX${id}`,
    deeplink: `multicaixa://pay/${id}`,
    deeplink_redirect: `https://rail.example/open/${id}`,
    created_at: createdAt.toISOString(),
    expires_at: new Date(createdAt.getTime() + OPG_CODE_LIFE_MS).toISOString(),
    transaction_id: null as string | null,
  };
}

/** Reads a test number: its last four digits are the rejection code, and zeros accept. Others wait for a button. */
function readSuffix(mobile: string): OpgVerdict | null {
  const suffix = /^90000(\d{4})$/.exec(mobile)?.[1];
  if (suffix === undefined) return null;
  return suffix === '0000' ? { status: 'accepted', reason: null } : { status: 'rejected', reason: Number(suffix) };
}
