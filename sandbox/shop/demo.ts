// The demo shop's server. Like any merchant, it uses only the gateway's public API.
import { randomBytes } from 'node:crypto';
import Router from '@koa/router';
import type { Clock } from '../../server/clock.ts';
import { showMoney, toMajor, toMinor } from '../../shared/money.ts';
import { CATALOG, type Product } from './catalog.ts';
import { connectGateway, type ShopPayment } from '../gateway.ts';
import { readForm, showNotice, showPage, tokenCommand, type SandboxOptions } from '../page.ts';
import type { OrderRead, OrderView } from '../../shared/sandbox.ts';

const SCRIPT = 'sandbox/pages/demo.client.ts';
const BACK = { href: '/demo', text: 'Voltar à loja' };

/** The routes of the demo shop, its orders, and their payment status. */
export function demoShop(options: SandboxOptions): Router {
  const { render, clock, publicUrl, assets } = options;
  const gateway = connectGateway(options);
  const router = new Router({ prefix: '/demo' });

  router.get('/', (ctx) => {
    const products = CATALOG.map(({ priceMinor, ...product }) => ({
      ...product,
      amountText: showMoney(priceMinor, 'AOA'),
      order: newOrderNumber(),
    }));
    showPage(ctx, options, render.renderShop({ products, script: assets.url(SCRIPT) }));
  });

  router.post('/orders', async (ctx) => {
    const form = await readForm(ctx);
    const product = CATALOG.find(({ id }) => id === form.get('product'));
    if (!product) return showNotice(ctx, options, 400, PRODUCT_MISSING);
    const sent = form.get('order') ?? '';
    const order = isOrderNumber(sent) ? sent : newOrderNumber();
    const page = `/demo/orders/${order}`;
    // The order number is the idempotency key: a second click or another payment method finds the same payment.
    const way = form.get('way') ?? '';
    const describe = METHODS.get(way) ?? describePayment;
    const created = await gateway.createPayment(describe(order, product, publicUrl() + page), order);
    // The order already has a payment of another method, so it gets no second payment.
    const payment = created ?? (await findOrder(order));
    ctx.status = 303;
    const inShop = IN_SHOP.get(way);
    ctx.redirect(inShop === undefined ? (payment?.checkoutUrl ?? page) : page + inShop);
  });

  router.get('/orders/:order', async (ctx) => {
    const { order = '' } = ctx.params;
    const found = await findOrder(order);
    if (!found) return showNotice(ctx, options, 404, ORDER_MISSING);
    const view = viewOrder(order, found, options);
    const isDialog = ctx.query['way'] === 'dialog';
    showPage(ctx, options, render.renderOrder({ ...view, isDialog, script: assets.url(SCRIPT) }));
  });

  router.get('/orders/:order/status', async (ctx) => {
    const found = await findOrder(ctx.params['order'] ?? '');
    ctx.status = found ? 200 : 404;
    ctx.set('Cache-Control', 'no-store');
    ctx.body = found ? viewRead(found, clock) : { status: null };
  });

  return router;

  /** Finds an order's payment by the order number, or by the digits of its payment reference. */
  async function findOrder(order: string): Promise<ShopPayment | null> {
    if (!isOrderNumber(order)) return null;
    const byNumber = await gateway.findPayment(order);
    if (byNumber) return byNumber;
    const byDigits = await gateway.findPayment(digitsOf(order));
    return byDigits?.customMetadata?.['order'] === order ? byDigits : null;
  }
}

type Describe = (order: string, product: Product, page: string) => object;

/** Describes the order as an API request for a webframe payment. The payer returns to `page`. */
const describePayment: Describe = (order, product, page) => ({
  ...priceOf(product),
  paymentType: 'GPO',
  reference: order,
  metadata: {
    paymentMethod: 'webframe',
    description: product.name,
    ...backTo(page),
    methods: ['push', 'qrcode', 'reference'],
    custom: { product: product.id },
  },
});

/** Describes the same order as a payment by QR code. */
const describeCode: Describe = (order, product) => ({
  ...priceOf(product),
  paymentType: 'GPO',
  reference: order,
  metadata: { paymentMethod: 'qrcode', description: product.name, custom: { product: product.id } },
});

/** Describes the same order as a payment by reference: at a cash machine, in the app or in internet banking. */
const describeReference: Describe = (order, product, page) => ({
  ...priceOf(product),
  paymentType: 'PPR',
  reference: digitsOf(order),
  description: product.name,
  metadata: { referenceType: 'Dynamic', ...backTo(page), custom: { order, product: product.id } },
});

const METHODS = new Map([
  ['code', describeCode],
  ['reference', describeReference],
]);

/**
 * Payment methods that stay in the shop, with the suffix of the order page's URL.
 * The suffix makes the order page open the checkout dialog once.
 */
const IN_SHOP = new Map([
  ['widget', ''],
  ['dialog', '?way=dialog#pagar'],
]);

function priceOf({ priceMinor }: Product): object {
  return { amount: toMajor(priceMinor, 'AOA'), currency: 'AOA' };
}

function backTo(page: string): object {
  return { returnUrl: page, cancelUrl: page };
}

function viewOrder(order: string, payment: ShopPayment, options: SandboxOptions): OrderView {
  const id = payment.customMetadata?.['product'];
  const price = toMinor(String(payment.amount), payment.currency);
  return {
    order,
    product: CATALOG.find((product) => product.id === id) ?? { id: '', name: payment.description ?? 'Encomenda' },
    amountText: 'minor' in price ? showMoney(price.minor, payment.currency) : String(payment.amount),
    isByReference: payment.reference !== order,
    paymentId: payment.internalId,
    token: payment.clientToken ?? null,
    checkoutUrl: payment.checkoutUrl ?? null,
    tokenCommand: tokenCommand(options),
    readCommand: `curl -s -H "Authorization: Bearer $TOKEN" ${options.publicUrl()}/api/payments/${payment.internalId}`,
    read: viewRead(payment, options.clock),
  };
}

function viewRead(payment: ShopPayment, clock: Clock): OrderRead {
  return {
    status: payment.status,
    refund: payment.refundStatus ?? 'none',
    failure: payment.failure?.code ?? null,
    completedAt: payment.completedAt ?? null,
    transaction: payment.transactions?.at(-1)?.transactionNumber ?? null,
    readAt: clock.now().toISOString(),
  };
}

const PRODUCT_MISSING = {
  title: 'Não temos esse produto',
  text: 'Escolha um dos que estão na loja.',
  link: BACK,
};

const ORDER_MISSING = {
  title: 'Não encontramos essa encomenda',
  text: 'Confira o endereço, ou faça uma encomenda nova.',
  link: BACK,
};

/** Creates an order number such as `LI-7F3A20B1C4`: valid as a GPO reference, and short enough to read aloud. */
function newOrderNumber(): string {
  return `LI-${randomBytes(5).toString('hex').toUpperCase()}`;
}

/** The order number as nine digits, for cash machines. The same order always gets the same digits. */
function digitsOf(order: string): string {
  return String(parseInt(order.slice(3), 16) % 1_000_000_000).padStart(9, '0');
}

function isOrderNumber(text: string): boolean {
  return /^LI-[0-9A-F]{10}$/.test(text);
}
