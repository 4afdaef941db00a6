// A real WordPress with the plug-in. Deliveries are lost, doubled, reordered, delayed or forged, and the gateway and
// WordPress end halfway. Afterwards each order equals its payment at the gateway, and each effect happened once.
import { beforeAll, describe, expect, test } from 'vitest';
import { until } from '../../support/app.ts';
import { connectMerchant, killChildren, startChild, type Child } from '../../support/child.ts';
import { freshDatabase } from '../../support/database.ts';
import { stopLater } from '../../support/stop-later.ts';
import { CASES, ENDINGS, WAYS, type Case, type Ending } from '../../woocommerce/cases.ts';
import { missingPrograms, startWordPress, type WordPress } from '../../woocommerce/wordpress.ts';
import { startWire } from '../../woocommerce/wire.ts';

const missing = missingPrograms();
if (missing) console.log(`The tests of WooCommerce are skipped, because ${missing} is missing.`);

type Refund = { amount: string; reason: string; of: string };
type Order = {
  id: number;
  key: string;
  status: string;
  method: string;
  paidAt: string;
  transactionId: string;
  reduced: number;
  notes: string[];
  refunds: Refund[];
  meta: Record<string, string>;
};
type Payment = Record<'internalId' | 'status' | 'amount' | 'amountPaid' | 'amountRefunded' | 'replacedBy', any>;
type Run = Case & { order: Order; partPaid?: Order };

const METHOD_OF = { express: 'balcao_express', qrcode: 'balcao_qrcode', reference: 'balcao_reference' };
const DEMO_MERCHANT = '00000000-0000-7000-8000-00000000de30';
const FIRST_STOCK = 100_000;
const TOTAL = 1500;

const isPaid = (payment: Payment) => payment.status === 'Paid';
const isEnded = (payment: Payment) => payment.status === 'Expired' || payment.status === 'Canceled';
const isPartPaid = (payment: Payment) => Number(payment.amountPaid) > 0;
const isRefunded = (payment: Payment) => Number(payment.amountRefunded) > 0;

/** The states of the payment on the way to the end, in order. After each the order must follow. */
const STEPS: Record<Ending, ((payment: Payment) => boolean)[]> = {
  paid: [isPaid],
  refused: [isEnded],
  expired: [isEnded],
  late: [isEnded, isPaid],
  overpaid: [isPaid],
  short: [isPartPaid, isEnded],
  replaced: [isPaid],
  refundedInConsole: [isPaid, isRefunded],
  returnedInConsole: [isPaid, isRefunded],
  provedInConsole: [isPaid, isRefunded],
  refundedInShop: [isPaid, isRefunded],
  returnedInShop: [isPaid, isRefunded],
  provedInShop: [isPaid, isRefunded],
  canceledInShop: [isEnded],
  canceledInConsole: [isEnded],
  revived: [isEnded, isPaid],
};
const REFUNDS = Object.keys(ENDINGS).filter((ending) => /^(refunded|returned|proved)/.test(ending)) as Ending[];
/** The hook during which WordPress ends, by the ending. */
const DIES_AT: Partial<Record<Ending, string>> = {
  paid: 'woocommerce_order_status_processing',
  expired: 'woocommerce_order_status_cancelled',
  canceledInConsole: 'woocommerce_order_status_cancelled',
  refundedInConsole: 'woocommerce_refund_created',
};

/** The order that a payment of the gateway demands. */
function demanded(payment: Payment): { status: string; reduced: number; refunded: number } {
  const excess = Math.max(0, Number(payment.amountPaid) - TOTAL);
  const refunded = Math.max(0, Number(payment.amountRefunded) - excess);
  if (isPaid(payment)) return { status: refunded >= TOTAL ? 'refunded' : 'processing', reduced: 1, refunded };
  if (isEnded(payment)) return { status: 'cancelled', reduced: 0, refunded: 0 };
  return { status: isPartPaid(payment) ? 'on-hold' : 'pending', reduced: isPartPaid(payment) ? 1 : 0, refunded: 0 };
}

const present = (order: Order) => ({
  status: order.status,
  reduced: order.reduced,
  refunded: order.refunds.reduce((sum, { amount }) => sum + Number(amount), 0),
});

async function inTurns<T>(list: readonly T[], work: (one: T) => Promise<unknown>): Promise<void> {
  const rest = [...list];
  const next = async () => {
    for (let one = rest.shift(); one !== undefined; one = rest.shift()) await work(one);
  };
  await Promise.all(Array.from({ length: 4 }, next));
}

const sameCase = (a: Case, b: Case) => a.method === b.method && a.ending === b.ending && a.way === b.way;

describe.skipIf(missing !== '')('the WooCommerce plug-in', () => {
  let shop: WordPress;
  let gateway: Child;
  let wire: Awaited<ReturnType<typeof startWire>>;
  let env: Record<string, string>;
  const runs: Run[] = [];
  const merchant = connectMerchant(() => gateway.url);

  async function call(path: string, body?: object, method?: string): Promise<any> {
    const headers = { 'idempotency-key': `${path} ${JSON.stringify(body)}`.slice(0, 200).replace(/[^\w-]/g, '-') };
    const answer = await merchant.insist(path, { ...(body && { body, headers }), ...(method && { method }) });
    if (answer.status >= 300) throw new Error(`${path}: ${answer.status} ${answer.text}`);
    return answer.json;
  }

  async function sandbox(path: string, body: object): Promise<void> {
    const headers = { 'content-type': 'application/json', accept: 'application/json' };
    const answer = await fetch(gateway.url + path, { method: 'POST', headers, body: JSON.stringify(body) });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${text}`);
  }

  const paymentId = ({ order }: Run) => order.meta['_balcao_payment_id'] ?? '';
  /** Returns the payment that counts for an order. */
  async function readPayment(run: Run): Promise<Payment> {
    const payment = await call(`/api/payments/${paymentId(run)}`);
    return payment.replacedBy ? call(`/api/payments/${payment.replacedBy}`) : payment;
  }
  const readOrders = (list: Run[]) => shop.control<Order[]>({ do: 'orders', ids: list.map(({ order }) => order.id) });
  const runFeed = () => shop.control({ do: 'run', hook: 'balcao_feed' });
  /** An order may end the run, as it ends the run of a webhook. The next run continues, as with WP-Cron. */
  const readFeed = () =>
    runFeed().catch((error: unknown) => {
      if (!String(error).includes('killed')) throw error;
      return runFeed();
    });
  const passTime = (advance: string) => sandbox('/sandbox/clock', { advance });

  beforeAll(async () => {
    const database = await freshDatabase();
    // Registered before the starts, of which one may fail.
    stopLater({ stop: () => database.drop() });
    stopLater({ stop: killChildren });
    env = { DATABASE_URL: database.url, CALLBACK_ALLOW_LOOPBACK: 'true', LOG_LEVEL: 'warn' };
    [shop, gateway] = await Promise.all([startWordPress().then(stopLater), startChild({ env })]);
    wire = stopLater(await startWire(`${shop.url}/wp-json/balcao/v1/webhook`));
    const { secret } = await call('/api/webhooks', { url: wire.url, types: ['payment.*', 'refund.*'] });
    await call(`/api/merchants/${DEMO_MERCHANT}`, { returnOrigins: [shop.url] }, 'PUT');
    const settings = { url: gateway.url, client_id: 'demo', client_secret: 'demo-secret', test_mode: 'yes' };
    await shop.control({ do: 'options', options: { balcao_settings: { ...settings, webhook_secret: secret } } });
    await play();
  }, 900_000);

  const of = (endings: readonly Ending[]) => runs.filter(({ ending }) => endings.includes(ending));

  /** Plays all cases side by side. */
  async function play(): Promise<void> {
    await inTurns(CASES, async (one) => {
      const order = await shop.control<Order>({ do: 'buy', method: METHOD_OF[one.method] });
      wire.modes.set(order.id, WAYS[one.way].delivery);
      runs.push({ ...one, order });
      const hook = one.way === 'dies' ? DIES_AT[one.ending] : undefined;
      if (hook) await shop.control({ do: 'meta', id: order.id, key: '_test_die', value: hook });
    });
    await inTurns(runs, pay);
    await killGateway();
    await follow(0, of(['paid', 'overpaid', 'short', 'replaced', ...REFUNDS]));
    for (const run of of(['short'])) run.partPaid = run.order;
    await inTurns(of(REFUNDS), refund);
    await inTurns(of(['canceledInShop', 'revived']), ({ order }) =>
      shop.control({ do: 'status', id: order.id, status: 'cancelled' }),
    );
    await inTurns(of(['canceledInConsole']), ({ order }) =>
      call(`/api/references/ppr/${order.meta['_balcao_reference']}/cancel`, {}),
    );
    await killGateway();
    await follow(1, of(REFUNDS));
    await follow(0, of(['canceledInShop', 'canceledInConsole', 'revived']));
    await passTime('P4D');
    await follow(0, of(['expired', 'refused', 'late']));
    await follow(1, of(['short']));
    await inTurns(of(['late', 'revived']), ({ order }) => payAtMachine(order.meta, null, 'late'));
    await follow(1, of(['late', 'revived']));
    // The feed reports all changes of all orders once more. No order may change.
    await shop.control({ do: 'cron' });
    await readFeed();
  }

  async function pay(run: Run): Promise<void> {
    const { ending, method, order } = run;
    if (['expired', 'late', 'canceledInShop', 'canceledInConsole', 'revived'].includes(ending)) return;
    if (method === 'reference') {
      const amount = { overpaid: '2000.00', short: '1000.00' }[ending as string] ?? null;
      return payAtMachine(order.meta, amount, amount && 'wrong_amount');
    }
    if (method === 'qrcode') {
      return sandbox('/sandbox/scan', { content: order.meta['_balcao_code'], phone: '900000000' });
    }
    const isRefused = ending === 'refused' || ending === 'replaced';
    const push = { phoneNumber: isRefused ? '900000001' : '900000000' };
    const page = String(order.meta['_balcao_checkout_url'])
      .split('?')[0]
      ?.replace(/^.*(?=\/checkout)/, '');
    await sandbox(`${page}/pay`, push);
    if (ending !== 'replaced') return;
    const fallback = await until(async () => {
      const answer = await merchant.insist(`/api/payments/${paymentId(run)}/replacement`, {
        body: { paymentMethod: 'reference' },
      });
      return answer.status < 300 ? answer.json : null;
    }, 'the refusal');
    // The gateway registers the new reference at the rail in the background.
    const meta = { _balcao_entity: fallback.entity, _balcao_reference: fallback.reference };
    const tryPay = () =>
      payAtMachine(meta, null, null).then(
        () => true,
        () => false,
      );
    await until(tryPay, 'the reference at the cash machine');
  }

  const payAtMachine = (meta: Record<string, string>, amount: string | null, fault: string | null) =>
    sandbox('/sandbox/atm', {
      entity: meta['_balcao_entity'],
      reference: meta['_balcao_reference'],
      amount,
      channel: 'ATM',
      fault,
    });

  async function refund(run: Run): Promise<void> {
    const { order, ending } = run;
    const amount = ending.startsWith('returned') ? '1500.00' : '500.00';
    const isProved = ending.startsWith('proved');
    if (ending.endsWith('InShop')) {
      const done = await shop.control({ do: 'refund', id: order.id, amount, reason: 'Talão 7', rail: !isProved });
      return expect(done, `${ending} ${run.way}`).toEqual(expect.any(Number)) as void;
    }
    const { transactions } = await call(`/api/payments/${paymentId(run)}`);
    const how = isProved ? { method: 'manual', proof: 'Talão 7' } : {};
    await call(`/api/payments/${paymentId(run)}/refunds`, {
      amount: Number(amount),
      transactionId: transactions[0].id,
      ...how,
    });
  }

  /** Ends the gateway without a warning, and starts it on the same port. */
  async function killGateway(): Promise<void> {
    await gateway.kill();
    gateway = await startChild({ env, port: gateway.port });
    // Work of the killed process is free again after its lease.
    await passTime('PT1M');
  }

  /** Waits until the orders equal their payments. The feed runs last, because it would help the other orders. */
  async function follow(step: number, list: Run[]): Promise<void> {
    const usesFeed = ({ way }: Run) => ['feed', 'delayed', 'both'].includes(way);
    const alone = list.filter((run) => !usesFeed(run));
    const isThere = async (run: Run) => STEPS[run.ending][step]?.(await readPayment(run));
    await until(async () => (await Promise.all(list.map(isThere))).every(Boolean), `payments at step ${step}`);
    // A failed webhook is repeated after seconds.
    if (alone.some(({ way }) => way === 'dies')) await passTime('PT20S');
    const openPage = ({ order }: Run) => fetch(`${shop.url}/checkout/order-received/${order.id}/?key=${order.key}`);
    const help = async (run: Run) => {
      if (run.way === 'reordered') await wire.release(run.order.id);
      if (run.way === 'halfway')
        await shop.control({ do: 'meta', id: run.order.id, key: '_balcao_status', value: 'Paid' });
      if (run.way === 'returned' || run.way === 'halfway') await openPage(run);
    };
    await untilEqual(step, alone, () => inTurns(alone, help));
    const fed = list.filter(usesFeed);
    const pages = fed.filter(({ way }) => way === 'both');
    // On a slow machine a run ends before the last order, or schedules an order that is busy. Later runs continue.
    let rounds = 0;
    await untilEqual(step, fed, async () => {
      await Promise.all([readFeed(), readFeed(), ...pages.map(openPage)]);
      if (rounds++ > 0) await shop.control({ do: 'cron' });
    });
    await Promise.all(fed.filter(({ way }) => way === 'delayed').map(({ order }) => wire.release(order.id)));
  }

  async function untilEqual(step: number, list: Run[], help: () => Promise<unknown>): Promise<void> {
    if (list.length === 0) return;
    let wrong: string[] = [];
    const isEqual = async () => {
      await help();
      const orders = await readOrders(list);
      list.forEach(
        (run, nth) => (run.order = { ...(orders[nth] as Order), meta: { ...run.order.meta, ...orders[nth]?.meta } }),
      );
      const payments = await Promise.all(list.map(readPayment));
      wrong = list.flatMap((run, nth) => {
        const [want, is] = [demanded(payments[nth] as Payment), present(run.order)].map((one) => JSON.stringify(one));
        return want === is ? [] : [`${run.order.id} ${run.method} ${run.ending} ${run.way}: ${is} instead of ${want}`];
      });
      return wrong.length === 0;
    };
    await until(isEqual, `orders at step ${step}`).catch((error: unknown) => {
      throw new Error(`${String(error)}\n${wrong.join('\n')}\n${shop.log().slice(-3_000)}`);
    });
  }

  test('plays at least sixty cases', () => expect(CASES.length).toBeGreaterThanOrEqual(60));

  const titled = CASES.map((one) => ({ ...one, how: ENDINGS[one.ending], by: WAYS[one.way].text }));
  test.each(titled)('lets an order follow whose $method payment $how, $by', async ({ how: _how, by: _by, ...one }) => {
    const run = runs.find((run) => sameCase(run, one)) as Run;
    const [order] = await readOrders([run]);
    const payment = await readPayment(run);
    expect(present(order as Order)).toEqual(demanded(payment));
    const { notes, refunds, meta, paidAt } = order as Order;
    const changes = notes.filter((note) => /Order status changed/.test(note));
    expect(new Set(notes).size, notes.join('\n')).toBe(notes.length);
    expect(notes.filter((note) => /received .*payment/.test(note))).toHaveLength(isPaid(payment) ? 1 : 0);
    // WooCommerce loses the note and mail of a change if the process ends during the change.
    const isLost = run.way === 'dies' && run.ending === 'paid';
    expect(changes.filter((note) => /to processing/.test(note))).toHaveLength(isPaid(payment) && !isLost ? 1 : 0);
    expect(paidAt !== '').toBe(isPaid(payment));
    const atGateway = (await call(`/api/payments/${payment.internalId}/refunds`)).data;
    expect(atGateway).toHaveLength(refunds.length);
    expect(refunds.map(({ of }) => of).toSorted()).toEqual(atGateway.map((refund: any) => refund.id).toSorted());
    expect(meta['_test_die'] ?? '').toBe('');
  });

  test('keeps the stock that the orders took', async () => {
    const orders = await readOrders(runs);
    const taken = orders.reduce((sum, { reduced }) => sum + reduced, 0);
    expect(await shop.control({ do: 'stock' })).toBe(FIRST_STOCK - taken);
  });

  test('notes money of a part, too much money and late money', async () => {
    // A note may follow the status of its order, so the orders are read again.
    const noted = async (ending: Ending, text: RegExp) =>
      (await readOrders(of([ending]))).every(({ notes }) => notes.some((note) => text.test(note)));
    expect(await noted('short', /too little: 1 000,00 Kz instead of 1 500,00 Kz/)).toBe(true);
    expect(await noted('overpaid', /too much: 2 000,00 Kz instead of 1 500,00 Kz/)).toBe(true);
    expect(await noted('late', /after the end of the payment/)).toBe(true);
    expect(of(['short']).every(({ partPaid }) => partPaid?.status === 'on-hold')).toBe(true);
  });

  test('sends each buyer one mail about the payment', async () => {
    const orders = await readOrders(runs.filter(({ way, ending }) => way !== 'dies' || ending !== 'paid'));
    const paid = orders.filter(({ paidAt }) => paidAt !== '').map(({ id }) => `Order received ${id}`);
    const sent = shop
      .mails()
      .map(({ subject }) => subject)
      .filter((subject) => subject.startsWith('Order received'));
    expect(sent.toSorted()).toEqual(paid.toSorted());
  });

  test('refuses every forged webhook', () => {
    expect(wire.counts.forged).toBeGreaterThan(0);
    expect(wire.counts.refused).toBe(wire.counts.forged);
  });

  test('causes no notice, warning or error of PHP', () => {
    expect(shop.log().match(/^.*PHP (?:Notice|Warning|Deprecated|Fatal|Parse).*$/gm) ?? []).toEqual([]);
  });
});
