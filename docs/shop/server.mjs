// A whole shop in one file: it sells coffee, is paid through Balcão, and ships each paid order once. Node 20 or newer.
import { randomBytes, randomUUID } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Balcao } from '@balcao/client';
import { answerNotification } from '@balcao/client/handlers';

const {
  GATEWAY = 'http://localhost:8080',
  CLIENT_ID = 'demo',
  CLIENT_SECRET = 'demo-secret',
  ACCESS_KEY,
  WEBHOOK_SECRET,
  SHOP = 'http://localhost:3000',
  /** Behind a proxy that speaks https SHOP names no port: then it is 3000. */
  PORT = new URL(SHOP).port || '3000',
  DATA = 'shop-data',
  FEED_EVERY_MS = '5000',
  /** How long the gateway is asked for: whoever waits for an answer here waits as long. */
  PATIENCE_MS = '5000',
} = process.env;
if (!ACCESS_KEY || !WEBHOOK_SECRET) throw new Error('ACCESS_KEY and WEBHOOK_SECRET are needed');

// ---- what is kept ----------------------------------------------------------------------------------------------------

// In place of a database: a folder is a table, a file a record, and its name the primary key. `orders` are as they were taken,
// `payments` the same with the payment that was made for each, `known` these by the payment's id and by its reference.
for (const table of ['orders', 'payments', 'known', 'shipments', 'feed'])
  mkdirSync(join(DATA, table), { recursive: true });

const fileOf = (table, key) => join(DATA, table, `${encodeURIComponent(key)}.json`);

function read(table, key) {
  try {
    return JSON.parse(readFileSync(fileOf(table, key), 'utf8'));
  } catch (error) {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Whole and on the disk before it has its name: whoever dies here leaves no half of a record. */
function writeDraft(record) {
  const file = join(DATA, `${randomUUID()}.draft`);
  writeFileSync(file, JSON.stringify(record), { flush: true });
  return file;
}

/** True for one of all who add this key, in however many processes; the others change nothing. */
function add(table, key, record) {
  const draft = writeDraft(record);
  try {
    linkSync(draft, fileOf(table, key));
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(draft);
  }
}

const put = (table, key, record) => renameSync(writeDraft(record), fileOf(table, key));

const ORDER = /^[0-9a-f]{10}$/;
const findOrder = (id) => (ORDER.test(id) ? (read('payments', id) ?? read('orders', id)) : undefined);
const findOrderBy = (name) => read('known', name);

/** The order of a payment, or of the refused one in whose place it is paid by reference. */
const findOrderOf = ({ internalId = '', replaces }) => findOrderBy(internalId) ?? findOrderBy(replaces ?? '');

// ---- the gateway -----------------------------------------------------------------------------------------------------

const balcao = new Balcao({
  url: GATEWAY,
  clientId: CLIENT_ID,
  clientSecret: CLIENT_SECRET,
  deadlineMs: Number(PATIENCE_MS),
});

// ---- the payment -----------------------------------------------------------------------------------------------------

const WEBFRAME = { paymentMethod: 'webframe', allowReferenceFallback: true };
const WAYS = {
  express: (id) => ({ paymentType: 'GPO', reference: id, metadata: WEBFRAME }),
  code: (id) => ({ paymentType: 'GPO', reference: id, metadata: { paymentMethod: 'qrcode' } }),
  reference: () => ({ paymentType: 'PPR', metadata: { referenceType: 'Dynamic' } }),
};

/** Makes the order's payment. The order is the key: asked twice, or again after a crash, it is the same payment. */
async function createPayment({ id, way }) {
  const { metadata, ...kind } = WAYS[way](id);
  const page = `${SHOP}/orders/${id}`;
  const payment = await balcao.payments.create(
    {
      amount: 1500,
      currency: 'AOA',
      description: 'Café da Gabela',
      metadata: { ...metadata, returnUrl: page, cancelUrl: page },
      ...kind,
    },
    { idempotencyKey: id },
  );
  const order = { id, way, paymentId: payment.internalId, reference: payment.reference };
  for (const name of [order.paymentId, order.reference]) put('known', name, order);
  // Last: until it is there the order has no payment, and all of this is done again.
  put('payments', id, order);
}

// ---- fulfilling once -------------------------------------------------------------------------------------------------

/** Callback, webhook, feed and the buyer's return all come here. None is believed: the gateway is asked. */
async function settle(order) {
  let payment = await balcao.payments.get(order.paymentId);
  // Refused, its buyer went on by reference: that is what is to be paid now.
  if (payment.status === 'Canceled' && payment.replacedBy) payment = await balcao.payments.get(payment.replacedBy);
  if (payment.status === 'Paid') ship(order);
  return payment;
}

/** Once, however many ask, and however often: the key decides, and what lies there is what has left the shelf. */
function ship({ id }) {
  if (add('shipments', id, { product: 'coffee', pieces: 1 })) console.log(`shipped: ${id}`);
}

// ---- four ways to hear of it -----------------------------------------------------------------------------------------

/** Callbacks and webhooks: who sent them is checked, and the answer is the one that the gateway wants. */
async function hear(headers, body) {
  const secrets = { accessKey: ACCESS_KEY, webhookSecret: WEBHOOK_SECRET };
  const told = await answerNotification(
    { headers, body },
    { ...secrets, onCallback: hearCallback, onEvent: hearEvent },
  );
  return { status: told.status, json: told.body };
}

/** Money for a reference or a QR code. What throws here is told again. */
async function hearCallback({ reference }) {
  const order = findOrderBy(reference) ?? findOrderOf(await balcao.payments.get(reference));
  if (!order) throw new Error(`no order of ours: ${reference}`);
  await settle(order);
  return order.id;
}

/** An event of a webhook or of the feed. */
async function hearEvent({ status, data }) {
  if (status !== 'Paid' || !data) return;
  const order = findOrderOf(data);
  if (order) await settle(order);
}

/** The safety net: whatever was missed while this server was away is still here. The cursor moves after the work. */
async function readFeed() {
  const { next: after } = read('feed', 'cursor') ?? { next: '0' };
  const { data, next } = await balcao.events.list({ after, limit: 500 });
  for (const event of data) await hearEvent(event);
  put('feed', 'cursor', { next });
  return data.length;
}

async function followFeed() {
  for (;;) {
    const count = await readFeed().catch((error) => console.error(String(error)));
    if (!count) await sleep(Number(FEED_EVERY_MS));
  }
}

// ---- pages -----------------------------------------------------------------------------------------------------------

const PAGE = readFileSync(new URL('page.html', import.meta.url), 'utf8');

const BUTTONS = { express: 'Multicaixa Express', code: 'Código QR', reference: 'Por referência' };

const readShop = (id = randomBytes(5).toString('hex'), ways = Object.keys(BUTTONS)) => ({
  html: `<!doctype html><html lang="pt"><meta charset="utf-8"><title>Café</title><link rel="icon" href="data:,">
    <main><h1>Café da Gabela, 1 500 Kz</h1><form method="post" action="/orders">
    <input type="hidden" name="order" value="${id}">
    ${ways.map((way) => `<button name="way" value="${way}">${BUTTONS[way]}</button>`).join(' ')}</form></main></html>`,
});

/** The order's number is made with the form: a second click is the same order, and the same payment. */
async function takeOrder(body) {
  const { order: id = '', way = '' } = Object.fromEntries(new URLSearchParams(body));
  if (!ORDER.test(id) || !Object.hasOwn(WAYS, way)) return { status: 400 };
  add('orders', id, { id, way });
  const order = findOrder(id);
  if (!order.paymentId) await createPayment(order);
  return { status: 303, location: `/orders/${id}` };
}

/** What the buyer reads; of whatever is not here, that it is awaited. Money that comes late ships the goods all the same. */
const SAID = {
  Paid: 'Obrigado! O seu café vai a caminho.',
  Failed: 'O pagamento não foi feito. Encomende de novo na loja.',
  Canceled: 'O pagamento foi anulado. Encomende de novo na loja.',
  Expired: 'O prazo para pagar terminou. Encomende de novo na loja.',
};

/** The order's page, which is the return page too: whoever comes back may come before any callback. */
async function readOrder(id, part) {
  const order = findOrder(id);
  if (!order) return { status: 404 };
  // Taken, but its payment was not made: the gateway was away. The same form makes it, with the same key,
  // and in the way that was chosen: that request may have arrived.
  if (!order.paymentId) return readShop(id, [order.way]);
  const { status, clientToken, checkoutUrl } = await settle(order);
  const said = SAID[status] ?? 'À espera do pagamento.';
  if (part === 'said') return { text: said };
  const values = { order: id, said, gateway: GATEWAY, token: clientToken, checkout: checkoutUrl };
  return { html: PAGE.replace(/\{\{(\w+)\}\}/g, (_, name) => values[name] ?? '') };
}

async function answer({ method, url, headers }, body) {
  const [, place, id, part] = url.split(/[/?]/);
  if (method === 'GET' && place === '') return readShop();
  if (method === 'GET' && place === 'orders') return readOrder(id, part);
  if (method === 'POST' && place === 'orders') return takeOrder(body);
  if (method === 'POST' && (place === 'callback' || place === 'webhook')) return hear(headers, body);
  return { status: 404 };
}

createServer(async (req, res) => {
  try {
    const body = Buffer.concat(await req.toArray()).toString();
    const { status = 200, location, html, text, json } = await answer(req, body);
    const type = html ? 'text/html' : json ? 'application/json' : 'text/plain';
    res.writeHead(status, { 'Content-Type': `${type}; charset=utf-8`, ...(location && { Location: location }) });
    res.end(html ?? text ?? (json && JSON.stringify(json)));
  } catch (error) {
    // The gateway tells it again; the buyer may try again.
    console.error(String(error));
    res.writeHead(500).end();
  }
}).listen(PORT, () => console.log(`the shop is open: ${SHOP}`));
void followFeed();
