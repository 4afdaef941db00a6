// The fixture of connectors with pushes: it keeps the last push, code and refund, so that a case can query them.
import { randomUUID } from 'node:crypto';
import type {
  OrderQuery,
  PushOrder,
  QrOrder,
  QrOutcome,
  QrQuery,
  RailOutcome,
  RefundOrder,
} from '../../server/providers/provider.ts';
import { Fixture } from './fixture.ts';
import { makeCode, makePush, makeRefund } from './orders.ts';

export class PaymentFixture<Book> extends Fixture<Book> {
  order: PushOrder = makePush();
  code: QrOrder = makeCode();
  /** `railOrderId`: the rail's id of the last push or code. */
  railOrderId: string | null = null;
  refundOrder: RefundOrder = makeRefund('');
  refundId: string | null = null;

  /** Sends a push. Later calls of `query` query this push. */
  push(changes: Partial<PushOrder> = {}): Promise<RailOutcome> {
    this.order = makePush(changes);
    return this.send();
  }

  /** Sends the fixture's last push again. */
  async send(): Promise<RailOutcome> {
    const sent = await this.clients.gpo.send(this.order);
    this.railOrderId = sent.railOrderId;
    return sent;
  }

  query(changes: Partial<OrderQuery> = {}): Promise<RailOutcome> {
    const { kind, attemptId } = this.order;
    return this.clients.gpo.query({ kind, attemptId, railOrderId: this.railOrderId, sentAt: this.now, ...changes });
  }

  async createQrCode(changes: Partial<QrOrder> = {}): Promise<QrOutcome> {
    this.code = makeCode(changes);
    const made = await this.clients.gpo.createQrCode(this.code);
    this.railOrderId = made.railOrderId;
    return made;
  }

  queryQrCode(changes: Partial<QrQuery> = {}): Promise<QrOutcome> {
    const { attemptId } = this.code;
    return this.clients.gpo.queryQrCode({ attemptId, railOrderId: this.railOrderId, sentAt: this.now, ...changes });
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
}
