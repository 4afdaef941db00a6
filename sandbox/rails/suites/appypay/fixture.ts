// The fixture of the AppyPay cases: calls for both kinds of account, and the buttons of the fake's page.
import assert from 'node:assert/strict';
import type {
  PaymentsPage,
  PushOrder,
  QrOrder,
  QrOutcome,
  ReferenceOrder,
  RefundOrder,
} from '../../../../server/providers/provider.ts';
import type { StatementPage } from '../../../../server/providers/statement.ts';
import type { AppyPayBook, FakeCharge } from '../../appypay-book.ts';
import { wireCases, type FaultyOperation } from '../../faults.ts';
import { declined, makeReference, makeRefund, unknown } from '../../orders.ts';
import { PaymentFixture } from '../../payment-fixture.ts';
import { DAY_MS } from '../../../../shared/durations.ts';

/** The requests to which an injected fault applies: new charges. */
export const CHARGES = { path: '/v2.0/charges', method: 'POST' };
export const QUERIES = { path: '/v2.0/charges', method: 'GET' };
export const TOKENS = { path: '/oauth2' };

export const NO_METHOD = declined('acquirer_setup', 'method_missing');

export class AppyPayFixture extends PaymentFixture<AppyPayBook> {
  /** Counts the connector's token requests. */
  get tokens(): number {
    return this.fake.requests.filter(({ path }) => path === '/oauth2/token').length;
  }

  /** Returns the fake's last charge. */
  get charge(): FakeCharge {
    return this.book.charges.at(-1) ?? assert.fail('no charge');
  }

  /** Sends a push and presses a button of the payer. Returns AppyPay's id of the push. */
  async decide(action: string, changes: Partial<PushOrder> = {}): Promise<string> {
    await this.push(changes);
    await this.press(this.railOrderId!, action);
    return this.railOrderId!;
  }

  override createQrCode(changes: Partial<QrOrder> = {}): Promise<QrOutcome> {
    return super.createQrCode({ amountMinor: 250_00, ...changes });
  }

  /** Creates a QR code for many payments, and scans the code this number of times. */
  async scan(times: number): Promise<void> {
    const { railOrderId } = await this.createQrCode({ maxTransactions: 20, type: 'STATIC' });
    for (let nth = 0; nth < times; nth++) await this.press(railOrderId!, 'scan');
  }

  register(changes: Partial<ReferenceOrder> = {}) {
    return this.clients.ppr.register(makeReference({ referenceId: 'r', ...changes }));
  }

  registerMany(orders: ReferenceOrder[]) {
    return this.clients.ppr.registerMany?.(orders) ?? assert.fail('the client registers one by one');
  }

  queryReference(changes: Partial<ReferenceOrder> = {}) {
    return this.clients.ppr.query(makeReference({ referenceId: 'r', ...changes }));
  }

  /** Registers a reference that expires in 30 days. Returns the id of the reference's charge. */
  async open(reference = '123456789', referenceId = reference): Promise<string> {
    const expiresAt = new Date(this.now.getTime() + 30 * DAY_MS);
    assert.equal((await this.register({ reference, referenceId, expiresAt })).result, 'active');
    return this.charge.id;
  }

  /** Registers a reference and pays it. Returns AppyPay's id of the payment. */
  async pay(reference?: string, referenceId?: string): Promise<string> {
    const id = await this.open(reference, referenceId);
    await this.press(id, 'pay');
    return id;
  }

  listPayments(after: string | null = null): Promise<PaymentsPage> {
    return this.clients.ppr.listPayments(after);
  }

  /** Reads pages of payments until the cursor no longer changes. */
  async listAll(after: string | null = null) {
    const all = { refs: [] as string[], amounts: [] as number[], unreadable: [] as string[], next: after };
    for (let isMore = true; isMore;) {
      const page = await this.listPayments(all.next);
      assert.equal(page.result, 'told');
      all.refs.push(...page.payments.map(({ providerRef }) => providerRef));
      all.amounts.push(...page.payments.map(({ amountMinor }) => amountMinor));
      all.unreadable.push(...page.unreadable);
      isMore = page.next !== all.next;
      all.next = page.next;
    }
    return all;
  }

  /** Creates a paid push, of which `refund` returns 400.00 to the payer. */
  async payForRefund(changes: Partial<RefundOrder> = {}): Promise<void> {
    this.refundOrder = makeRefund(await this.decide('approve'), { amountMinor: 400_00, ...changes });
  }

  /** Returns the rail statement of one kind of account. */
  statement(kind: 'gpo' | 'ppr' = 'gpo') {
    return this.connector.open({ ...this.account, kind }).statement ?? assert.fail('no statement');
  }

  /** Reads all pages of a day's rail statement. */
  async readDay(kind?: 'gpo' | 'ppr', period = '2026-03-02') {
    const all = { movements: [] as StatementPage['movements'], unreadable: [] as string[] };
    let after: string | null = null;
    do {
      const page: StatementPage = await this.statement(kind).listMovements({ period }, after);
      assert.equal(page.result, 'told');
      all.movements.push(...page.movements);
      all.unreadable.push(...page.unreadable);
      after = page.next;
    } while (after !== null);
    return { ...all, refs: all.movements.map(({ providerRef }) => providerRef) };
  }
}

/** Adds an event to a charge in the fake. */
export function addStatus(charge: FakeCharge, responseStatus: object, event: object = {}): void {
  charge.transactionEvents.push({ ...event, responseStatus });
}

type Tried = Partial<FaultyOperation<AppyPayFixture>> & Pick<FaultyOperation<AppyPayFixture>, 'call'>;

/** Creates the cases for all injected faults. After a 401 the connector repeats the call once with a new token. */
export const faultsOf = (operation: string, { instead, ...tried }: Tried) =>
  wireCases<AppyPayFixture>(operation, {
    expected: unknown,
    instead: { 401: null, 403: 'rail_refused', ...instead },
    ...tried,
  });
