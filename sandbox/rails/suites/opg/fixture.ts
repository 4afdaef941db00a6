// The fixture of the OPG cases: orders of both dialects, and the calls that send and query them.
import { randomUUID } from 'node:crypto';
import type { PushOrder, QrOrder, QrOutcome, RailOutcome, RefundOrder } from '../../../../server/providers/provider.ts';
import { Fixture, until } from '../../fixture.ts';
import { declined, makeCode, makePush, makeRefund } from '../../orders.ts';
import type { OpgBook } from '../../opg-book.ts';

export const DIALECTS = ['proxypay', 'vpos'] as const;
export const TOKEN = 'token-of-the-fake';
export const POS_ID = 111;
/** The phone number whose pushes the OPG fake accepts. */
const ACCEPTED = { phone: '+244900000000' };

export const UNSUPPORTED = declined('acquirer_setup', 'unsupported');

export class OpgFixture extends Fixture<OpgBook> {
  order: PushOrder = makePush();
  code: QrOrder = makeCode();
  /** `railOrderId`: the rail's id of the last order. */
  railOrderId: string | null = null;
  refundOrder: RefundOrder = makeRefund('');
  refundId: string | null = null;

  /** Sends a push. Later calls of `query` query this push. */
  async push(changes: Partial<PushOrder> = {}): Promise<RailOutcome> {
    this.order = makePush({ ...ACCEPTED, ...changes });
    return this.send();
  }

  /** Sends the fixture's last push again. */
  async send(): Promise<RailOutcome> {
    const sent = await this.clients.gpo.send(this.order);
    this.railOrderId = sent.railOrderId;
    return sent;
  }

  query(railOrderId: string | null = this.railOrderId): Promise<RailOutcome> {
    const { kind, attemptId } = this.order;
    return this.clients.gpo.query({ kind, attemptId, railOrderId, sentAt: this.now });
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

  async createQrCode(changes: Partial<QrOrder> = {}): Promise<QrOutcome> {
    this.code = makeCode(changes);
    const made = await this.clients.gpo.createQrCode(this.code);
    this.railOrderId = made.railOrderId;
    return made;
  }

  queryQrCode(railOrderId: string | null = this.railOrderId): Promise<QrOutcome> {
    return this.clients.gpo.queryQrCode({ attemptId: this.code.attemptId, railOrderId, sentAt: this.now });
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

  /** Sends another refund of the fixture's payment. */
  async refund(changes: Partial<RefundOrder> = {}): Promise<RailOutcome> {
    this.refundOrder = { ...this.refundOrder, attemptId: randomUUID(), ...changes };
    const sent = await this.clients.refunds.refund(this.refundOrder);
    this.refundId = sent.railOrderId;
    return sent;
  }

  queryRefund(railOrderId: string | null = this.refundId): Promise<RailOutcome> {
    return this.clients.refunds.queryRefund({ ...this.refundOrder, railOrderId, sentAt: this.now });
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
