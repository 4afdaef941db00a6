// The fixture of the ProxyPay cases: orders, calls, and payments at the provider.
import assert from 'node:assert/strict';
import type { NotificationItem } from '../../../../server/providers/connector.ts';
import type { PprRail, ReferenceOrder, ReferencePayment } from '../../../../server/providers/provider.ts';
import { baseUrlOf, type ProxypayAccount } from '../../../../server/providers/proxypay/account.ts';
import { Fixture } from '../../fixture.ts';
import type { ProxypayPayment } from '../../proxypay-payment.ts';
import type { ProxypayBook } from '../../proxypay.ts';
import { DAY_MS } from '../../../../shared/durations.ts';

export const ENTITY = '01234';
export const API_KEY = 'key-of-the-fake-4f1c';
/** Digits of a reference with a leading zero, which ProxyPay's integer loses. */
export const DIGITS = '012345678';
export const REFERENCE_ID = '0190c3b2-5a7e-7cc1-9d4e-3f1a2b4c5d6e';
export const OTHER_ID = '0190c3b2-5a7e-7cc1-9d4e-aaaaaaaaaaaa';

/** An order for a reference over 3000.00 that expires at the end of March. */
const ORDER: ReferenceOrder = {
  referenceId: REFERENCE_ID,
  entity: ENTITY,
  reference: DIGITS,
  type: 'Dynamic',
  amountMinor: 300_000,
  currency: 'AOA',
  description: 'Matrícula 2027',
  expiresAt: new Date('2026-03-31T22:59:59.999Z'),
};

export class ProxypayFixture extends Fixture<ProxypayBook> {
  /** `order`: the last registered order. */
  order: ReferenceOrder = ORDER;
  receipt = '';

  get rail() {
    return this.clients.ppr as Required<Omit<PprRail, 'registerMany'>>;
  }

  register(changes: Partial<ReferenceOrder> = {}) {
    this.order = { ...ORDER, ...changes };
    return this.rail.register(this.order);
  }

  /** Registers unused digits, so that the case can also run at the provider's own sandbox. */
  async registerLive(changes: Partial<ReferenceOrder> = {}) {
    const [reference = ''] = (await this.rail.reserve(1)) ?? [];
    assert.match(reference, /^\d{9}$/);
    const expiresAt = new Date(this.now.getTime() + 3 * DAY_MS);
    return this.register({ entity: String(this.account.settings['entity']), reference, expiresAt, ...changes });
  }

  withdraw(changes: Partial<ReferenceOrder> = {}) {
    return this.rail.withdraw({ ...this.order, ...changes });
  }

  /** Pays the last order through the sandbox's payment call, which has no access control. Returns the HTTP status. */
  async pay(amount: string): Promise<number> {
    const account = this.account as ProxypayAccount;
    const answer = await fetch(`${baseUrlOf(account)}/payments`, {
      method: 'POST',
      headers: {
        Authorization: `Token ${account.secrets.apiKey}`,
        Accept: 'application/vnd.proxypay.v2+json',
        'Content-Type': 'application/json',
      },
      body: JSON.stringify({ reference_id: Number(this.order.reference), amount }),
    });
    await answer.arrayBuffer();
    await this.pass(3_000);
    return answer.status;
  }

  /** Registers the order, and adds a payment with these fields to ProxyPay's queue. */
  async take(changes: object = {}): Promise<ProxypayPayment> {
    await this.register();
    const payment = await this.book.pay(DIGITS, '3000.00', changes);
    this.receipt = String(payment.id);
    return payment;
  }

  list() {
    return this.rail.listPayments(null);
  }

  /** Reads ProxyPay's whole queue. All its entries must be readable. */
  async listReadable(): Promise<ReferencePayment[]> {
    const page = await this.list();
    assert.equal(page.result, 'told');
    assert.deepEqual(page.unreadable, []);
    return page.payments;
  }

  /** Finds the payment of the last order in ProxyPay's queue. */
  async findPayment(): Promise<ReferencePayment | undefined> {
    return (await this.listReadable()).find(({ reference }) => reference === this.order.reference);
  }

  async acknowledge(receipt = this.receipt) {
    return { result: await this.rail.acknowledge(receipt) };
  }

  /** Returns the body of a notification about a payment with these fields. */
  async notice(changes: object = {}): Promise<string> {
    return this.book.sign(await this.take(changes)).body;
  }

  /** Reads a notification as proven, or as a hint. */
  notified(body: string, trust: 'proven' | 'hint' = 'proven', receivedAt: Date | null = this.now): NotificationItem[] {
    return this.connector.read(body, { kind: 'ppr', trust, attemptId: null, ...(receivedAt && { receivedAt }) });
  }
}
