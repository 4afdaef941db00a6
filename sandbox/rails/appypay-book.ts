// The in-memory data of AppyPay's fake, and its JSON format: times without a zone, messages in Portuguese.
import { HOUR_MS } from '../../shared/durations.ts';
import type { Clock } from '../../server/clock.ts';
import type { FakeAnswer } from './fake.ts';
import { dayOf } from '../../shared/luanda.ts';

type Fields = Record<string, any>;
type FakeStatus = ReturnType<typeof writeStatus>;

export type FakeCharge = {
  id: string;
  merchantTransactionId: string;
  amount: number | string;
  currency: string;
  paymentMethod: string;
  description: string | null;
  createdDate: string;
  updatedDate: string;
  transactionEvents: Fields[];
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
  /** `chargeId`: the charge that created the reference. Null after a bulk call: only its payment creates a charge. */
  chargeId: string | null;
};

/** The charges, references and codes of one merchant with all three payment methods. */
export class AppyPayBook {
  clientId = 'client-1';
  clientSecret = 'secret-1';
  resource = '2aed7612-de64-46b5-9e59-1f48f8902d14';
  methods = ['GPO', 'REF', 'UMM'].map((kind) => `${kind}_b1edb3ed-2c3f-4b0c-8c2e-58b3a9f4f8c1`);
  entity: string;
  tokens = new Map<string, number>();
  charges: FakeCharge[] = [];
  references = new Map<string, FakeReference>();
  qrCodes: (Fields & { id: string; left: number })[] = [];
  keys = new Set<string>();
  /** `plans`: if it has entries, the next pushes, codes and refunds end immediately with these statuses. */
  plans: { code: number; reason?: string }[] = [];
  /** The maximum number of charges on a page. */
  pageSize = 100;
  writesText = false;
  /** `drawsLater`: if true, the answer to a reference's charge does not contain the reference. */
  drawsLater = false;
  refunded = new Map<string, number>();
  /** `namesCharge`: if true, the answer to a refund has the charge's id, and the webhook's refund event has no id. */
  namesCharge = false;
  picture: string | null = null;
  /** The URL to which the fake sends webhooks, with the fixed header that the merchant set in the provider's portal. */
  notifyUrl: string | null = null;
  notifyHeader: { name: string; value: string } | null = null;
  lastId = 0;
  #clock: Clock;

  constructor(clock: Clock, entity = '10116') {
    this.#clock = clock;
    this.entity = entity;
  }

  get now(): number {
    return this.#clock.now().getTime();
  }

  /** Returns the date in Luanda after this number of hours. */
  dayIn(hours: number): string {
    return dayOf(new Date(this.now + hours * HOUR_MS));
  }

  /** Writes a time in AppyPay's format, with seven decimals and without a zone. */
  get time(): string {
    return `${new Date(this.now).toISOString().slice(0, -1)}5991`;
  }

  /** Returns the fake's next id: a UUID that ends with a counter. */
  nextId(): string {
    return `50625c7f-894b-410b-9ee8-${String(++this.lastId).padStart(12, '0')}`;
  }

  findCharge(id: string): FakeCharge | undefined {
    return this.charges.find((charge) => charge.id === id);
  }

  addCharge({ merchantTransactionId, amount, currency, paymentMethod, description = null }: Fields): FakeCharge {
    const money = { merchantTransactionId, amount, currency, paymentMethod, description };
    const times = { createdDate: this.time, updatedDate: this.time };
    const charge: FakeCharge = { id: this.nextId(), ...money, ...times, transactionEvents: [], reference: null };
    this.charges.push(charge);
    return charge;
  }

  addEvent(charge: FakeCharge, code: number, reason?: string, refundId?: string): void {
    charge.updatedDate = this.time;
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

  writeCharge(charge: FakeCharge): object {
    const write = (number: number | string) => (this.writesText ? String(number) : number);
    const transactionEvents = charge.transactionEvents.map((event) => {
      const status = event['responseStatus'] as FakeStatus;
      return { ...event, responseStatus: { ...status, code: write(status.code) } };
    });
    const { status = 'Requested' } = (transactionEvents.at(-1)?.responseStatus ?? {}) as Partial<FakeStatus>;
    const kind = { type: 'Charge', operation: 'ONE_TIME_PAYMENT', disputes: false, options: null };
    const amount = write(charge.amount);
    return { ...charge, ...kind, amount, status, applicationFeeAmount: charge.amount, transactionEvents };
  }

  writeReference(reference: FakeReference): object {
    const { number, amount, minAmount = null, maxAmount = null, currency, expirationDate, isActive } = reference;
    const people = { createdBy: 'balcao', updatedBy: null };
    const times = { startDate: this.time, createdDate: this.time, updatedDate: this.time };
    const money = { currency, amount, minAmount, maxAmount, expirationDate: `${expirationDate}T00:00:00` };
    return { id: 1, entity: this.entity, referenceNumber: number, ...money, isActive, ...people, ...times };
  }
}

const MESSAGES: Record<number, [status: string, message: string]> = {
  100: ['Success', 'Operação realizada com sucesso'],
  101: ['Pending', 'A aguardar a confirmação do cliente'],
  // AppyPay's live API returns the status Failed here, although its documentation says Cancelled.
  200: ['Failed', 'O número não está activo no Multicaixa Express'],
};

export function writeStatus(code: number, reason = 'NONE') {
  const [status, message] = MESSAGES[code] ?? ['Failed', 'A operação não foi concluída'];
  const type = reason === 'NONE' ? 'NONE' : 'EPMS_PROCESSOR';
  const sourceDetails = { attempt: 1, type, code: reason, message: reason === 'NONE' ? 'OK' : message };
  const successful = [100, 101, 102, 103].includes(code);
  return { successful, status, code, message, source: 'GPO', sourceDetails };
}

export function refuse(status: number, code: number): FakeAnswer {
  return { status, body: { responseStatus: writeStatus(code) } };
}
