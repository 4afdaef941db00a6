// The demo shop's server side: a merchant like any other, that knows of the gateway only what its public API says.
import { randomBytes } from 'node:crypto';
import Router from '@koa/router';
import type { Context } from 'koa';
import type { Clock } from '../clock.ts';
import { showMoney, toMajor, toMinor } from '../../shared/money.ts';
import { CATALOG, type Product } from './catalog.ts';
import { connectGateway, type ShopPayment } from './gateway.ts';
import { readForm, showNotice, showPage, tokenCommand, type SandboxOptions } from './page.ts';
import type { OrderRead, OrderView } from '../../shared/sandbox.ts';

const SCRIPT = 'checkout/sandbox/demo.client.ts';
const BACK = { href: '/demo', text: 'Voltar à loja' };

/** The shop, its orders, and what it reads of their payments. */
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
    // The order number is the key: a second click, or the other way to pay, finds the same payment.
    const way = form.get('way');
    const asked = way === 'code' ? describeCode(order, product) : describePayment(publicUrl() + page, order, product);
    const payment = await gateway.createPayment(asked, order);
    ctx.status = 303;
    ctx.redirect(way === 'widget' ? page : (payment.checkoutUrl ?? page));
  });

  router.get('/orders/:order', async (ctx) => {
    const found = await findOrder(ctx);
    if (!found) return showNotice(ctx, options, 404, ORDER_MISSING);
    const view = viewOrder(found, options);
    showPage(ctx, options, render.renderOrder({ ...view, script: assets.url(SCRIPT) }));
  });

  router.get('/orders/:order/status', async (ctx) => {
    const found = await findOrder(ctx);
    ctx.status = found ? 200 : 404;
    ctx.set('Cache-Control', 'no-store');
    ctx.body = found ? viewRead(found, clock) : { status: null };
  });

  return router;

  async function findOrder(ctx: Context): Promise<ShopPayment | null> {
    const order: string = ctx['params'].order;
    return isOrderNumber(order) ? gateway.findPayment(order) : null;
  }
}

/** The order as the API takes it; `page` is where the payer comes back to. */
function describePayment(page: string, order: string, product: Product): object {
  return {
    ...orderOf(order, product),
    metadata: {
      paymentMethod: 'webframe',
      description: product.name,
      returnUrl: page,
      cancelUrl: page,
      custom: { product: product.id },
    },
  };
}

/** The same order, paid by scanning a code. */
function describeCode(order: string, product: Product): object {
  return {
    ...orderOf(order, product),
    metadata: { paymentMethod: 'qrcode', description: product.name, custom: { product: product.id } },
  };
}

function orderOf(order: string, product: Product): object {
  return { amount: toMajor(product.priceMinor, 'AOA'), currency: 'AOA', paymentType: 'GPO', reference: order };
}

function viewOrder(payment: ShopPayment, options: SandboxOptions): OrderView {
  const id = payment.customMetadata?.['product'];
  const price = toMinor(String(payment.amount), payment.currency);
  return {
    order: payment.reference,
    product: CATALOG.find((product) => product.id === id) ?? { id: '', name: payment.description ?? 'Encomenda' },
    amountText: 'minor' in price ? showMoney(price.minor, payment.currency) : String(payment.amount),
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

/** `LI-7F3A20B1C4`: what the GPO rail takes as a reference, and short enough to read out. */
function newOrderNumber(): string {
  return `LI-${randomBytes(5).toString('hex').toUpperCase()}`;
}

function isOrderNumber(text: string): boolean {
  return /^LI-[0-9A-F]{10}$/.test(text);
}
