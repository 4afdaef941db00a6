// The fixture of the OPG cases: orders of both dialects, and the calls that send and query them.
import type { PushOrder, RailOutcome, RefundOrder } from '../../../../server/providers/provider.ts';
import { until } from '../../fixture.ts';
import { declined, makeRefund } from '../../orders.ts';
import { PaymentFixture } from '../../payment-fixture.ts';
import type { OpgBook } from '../../opg-book.ts';

export const DIALECTS = ['proxypay', 'vpos'] as const;
export const TOKEN = 'token-of-the-fake';
export const POS_ID = 111;
/** The phone number whose pushes the OPG fake accepts. */
const ACCEPTED = { phone: '+244900000000' };

export const UNSUPPORTED = declined('acquirer_setup', 'unsupported');

export class OpgFixture extends PaymentFixture<OpgBook> {
  override push(changes: Partial<PushOrder> = {}): Promise<RailOutcome> {
    return super.push({ ...ACCEPTED, ...changes });
  }

  /** Sends a push and waits until the rail has decided the push. */
  async decide(changes: Partial<PushOrder> = {}): Promise<void> {
    await this.push(changes);
    await this.pass(3_000);
  }

  /** Sends a push and queries the rail until the push is decided. */
  async pushAndWait(changes: Partial<PushOrder> = {}): Promise<RailOutcome> {
    let outcome = await this.push(changes);
    for (let tries = 0; outcome.result === 'pending' && tries < 40; tries++) {
      await this.pass(3_000);
      outcome = await this.query();
    }
    return outcome;
  }

  /** Simulates a scan of the last QR code. Returns null if the code cannot be paid. */
  scan(status: 'accepted' | 'rejected', reason: number | null = null) {
    return this.book.scan(this.railOrderId!, { status, reason });
  }

  /** Creates an accepted payment that `refund` can refund. */
  async pay(): Promise<void> {
    const { providerRef } = await this.pushAndWait();
    this.refundOrder = makeRefund(providerRef!);
  }

  async refundAndWait(changes: Partial<RefundOrder> = {}): Promise<RailOutcome> {
    await this.refund(changes);
    await this.pass(3_000);
    return this.queryRefund();
  }

  /** Overwrites these fields of every transaction and charge in the fake's answers. */
  rewrite(changes: Record<string, unknown>): void {
    this.book.write = (thing) => ({ ...thing, ...changes });
  }

  /** Returns the ids of the fake's transactions, oldest first. */
  get transactionIds(): string[] {
    return [...this.book.transactions.keys()];
  }

  /** Waits for this number of notifications from the fake, and returns their bodies. */
  async waitForNotices(count = 1): Promise<string[]> {
    await until(() => this.fake.notices.length >= count);
    return this.fake.notices.map(({ body }) => body);
  }
}
