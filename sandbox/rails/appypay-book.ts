// What AppyPay's fake has in memory, and how it writes each thing on the wire: dates without a zone, messages in Portuguese.
import type { Clock } from '../../server/clock.ts';
import type { FakeAnswer } from './fake.ts';

/** A `responseStatus` on the wire. */
type FakeStatus = {
  successful: boolean;
  status: string;
  code: number;
  message: string;
  source: string;
  sourceDetails: { attempt: number; type: string; code: string; message: string };
};

export type FakeCharge = {
  id: string;
  merchantTransactionId: string;
  amount: number | string;
  currency: string;
  paymentMethod: string;
  description: string | null;
  createdDate: string;
  updatedDate: string;
  transactionEvents: Record<string, unknown>[];
  reference: { referenceNumber: string | number; dueDate: string; entity: string | number } | null;
};

type FakeReference = {
  number: string;
  currency: string;
  amount: number | null;
  minAmount?: number;
  maxAmount?: number;
  expirationDate: string;
  isActive: boolean;
  /** The charge that made it; null: it came in bulk, and its payment makes one. */
  chargeId: string | null;
};

type FakeQrCode = { id: string; left: number; [field: string]: unknown };

export type AppyPayBook = {
  clientId: string;
  clientSecret: string;
  resource: string;
  methods: string[];
  entity: string;
  /** Tokens and when they end. */
  tokens: Map<string, number>;
  charges: FakeCharge[];
  references: Map<string, FakeReference>;
  qrCodes: FakeQrCode[];
  /** Every merchantTransactionId that was ever used. */
  keys: Set<string>;
  /** Decide the next pushes and codes at once, in their order. */
  plans: { code: number; reason?: string }[];
  /** No page of a list is longer. */
  pageSize: number;
  /** Numbers are written as text. */
  writesText: boolean;
  /** The answer to a reference's charge does not name it yet. */
  drawsLater: boolean;
  /** What was given back of each charge, by its id. */
  refunded: Map<string, number>;
  /** The answer to a refund bears the charge's id, and its event none of its own. */
  namesCharge: boolean;
  /** Instead of a picture. */
  picture: string | null;
  /** Where news goes, and the header that the portal was told; null: nowhere. */
  notifyUrl: string | null;
  notifyHeader: { name: string; value: string } | null;
  lastId: number;
};

/** An empty book of one merchant with all three methods. */
export function openBook(): AppyPayBook {
  return {
    clientId: 'client-1',
    clientSecret: 'secret-1',
    resource: '2aed7612-de64-46b5-9e59-1f48f8902d14',
    methods: ['GPO', 'REF', 'UMM'].map((kind) => `${kind}_b1edb3ed-2c3f-4b0c-8c2e-58b3a9f4f8c1`),
    entity: '10116',
    tokens: new Map(),
    charges: [],
    references: new Map(),
    qrCodes: [],
    keys: new Set(),
    plans: [],
    pageSize: 100,
    writesText: false,
    drawsLater: false,
    refunded: new Map(),
    namesCharge: false,
    picture: null,
    notifyUrl: null,
    notifyHeader: null,
    lastId: 0,
  };
}

/** The next id, a UUID that tells its number. */
export function makeId(book: AppyPayBook): string {
  return `50625c7f-894b-410b-9ee8-${String(++book.lastId).padStart(12, '0')}`;
}

/** A charge by its id there. */
export function findCharge(book: AppyPayBook, id: string): FakeCharge | undefined {
  return book.charges.find((charge) => charge.id === id);
}

/** A charge to which nothing has happened yet. */
export function addCharge(book: AppyPayBook, clock: Clock, asked: Record<string, any>): FakeCharge {
  const { merchantTransactionId, amount, currency, paymentMethod, description = null } = asked;
  const id = makeId(book);
  const createdDate = writeZoneless(clock);
  const money = { id, merchantTransactionId, amount, currency, paymentMethod, description };
  const charge = { ...money, createdDate, updatedDate: createdDate, transactionEvents: [], reference: null };
  book.charges.push(charge);
  return charge;
}

/** Something happened to a charge. */
export function addEvent(charge: FakeCharge, clock: Clock, code: number, reason?: string, refundId?: string): void {
  charge.updatedDate = writeZoneless(clock);
  const number = charge.transactionEvents.length + 1;
  charge.transactionEvents.push({
    id: `${charge.id}-${number}`,
    transactionId: refundId ?? charge.id,
    type: refundId ? 'Refund' : 'Charge',
    providerTransactionId: `P${number}`,
    actionStatus: 'Done',
    createdDate: charge.updatedDate,
    responseStatus: writeStatus(code, reason),
  });
}

const MESSAGES: Record<number, [status: string, message: string]> = {
  100: ['Success', 'Operação realizada com sucesso'],
  101: ['Pending', 'A aguardar a confirmação do cliente'],
  // The live API writes Failed, the documentation Cancelled.
  200: ['Failed', 'O número não está activo no Multicaixa Express'],
};

/** A `responseStatus` of this number. */
export function writeStatus(code: number, reason = 'NONE'): FakeStatus {
  const [status, message] = MESSAGES[code] ?? ['Failed', 'A operação não foi concluída'];
  const type = reason === 'NONE' ? 'NONE' : 'EPMS_PROCESSOR';
  const sourceDetails = { attempt: 1, type, code: reason, message: reason === 'NONE' ? 'OK' : message };
  const successful = [100, 101, 102, 103].includes(code);
  return { successful, status, code, message, source: 'GPO', sourceDetails };
}

/** An HTTP error with its number. */
export function refuse(status: number, code: number): FakeAnswer {
  return { status, body: { responseStatus: writeStatus(code) } };
}

/** A charge as `GET` shows it. */
export function writeCharge(book: AppyPayBook, charge: FakeCharge): object {
  const write = (number: number | string) => (book.writesText ? String(number) : number);
  const events = charge.transactionEvents.map((event) => {
    const status = event.responseStatus as FakeStatus;
    return { ...event, responseStatus: { ...status, code: write(status.code) } };
  });
  return {
    ...charge,
    amount: write(charge.amount),
    type: 'Charge',
    operation: 'ONE_TIME_PAYMENT',
    status: (charge.transactionEvents.at(-1)?.responseStatus as FakeStatus | undefined)?.status ?? 'Requested',
    disputes: false,
    applicationFeeAmount: charge.amount,
    transactionEvents: events,
    options: null,
  };
}

/** A reference as `GET` shows it. */
export function writeReference(book: AppyPayBook, reference: FakeReference, clock: Clock): object {
  const { number, amount, minAmount = null, maxAmount = null, currency, expirationDate, isActive } = reference;
  const now = writeZoneless(clock);
  return {
    id: 1,
    entity: book.entity,
    referenceNumber: number,
    currency,
    amount,
    minAmount,
    maxAmount,
    startDate: now,
    expirationDate: `${expirationDate}T00:00:00`,
    isActive,
    createdBy: 'balcao',
    updatedBy: null,
    createdDate: now,
    updatedDate: now,
  };
}

/** Their times: seven decimals and no zone. */
function writeZoneless(clock: Clock): string {
  return `${clock.now().toISOString().slice(0, -1)}5991`;
}
