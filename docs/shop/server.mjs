// A complete shop in one file. It sells coffee, takes payments by Balcão and ships each paid order once. Node 20+.
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
  /** The port of SHOP. Behind an https proxy SHOP has no port, and the shop listens on 3000. */
  PORT = new URL(SHOP).port || '3000',
  DATA = 'shop-data',
  FEED_EVERY_MS = '5000',
  /** Time limit of a gateway call, and so of a request to this shop. */
  PATIENCE_MS = '5000',
} = process.env;
if (!ACCESS_KEY || !WEBHOOK_SECRET) throw new Error('ACCESS_KEY and WEBHOOK_SECRET are needed');

// ---- storage ------------------------------------------------------------------------------------------------------

// Files stand in for a database: a folder is a table, a file is a record, and the file's name is the primary key.
// `orders` holds new orders, `payments` orders with a payment, `known` the same by payment id and by reference.
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

/** Writes and flushes a draft. It gets its final name later, so a crash leaves no partial record. */
function writeDraft(record) {
  const file = join(DATA, `${randomUUID()}.draft`);
  writeFileSync(file, JSON.stringify(record), { flush: true });
  return file;
}

/** Returns true only to the first process that adds this key. A later call changes nothing. */
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

// ---- the gateway --------------------------------------------------------------------------------------------------

const balcao = new Balcao({
  url: GATEWAY,
  clientId: CLIENT_ID,
  clientSecret: CLIENT_SECRET,
  deadlineMs: Number(PATIENCE_MS),
});

// ---- the payment --------------------------------------------------------------------------------------------------

const WEBFRAME = { paymentMethod: 'webframe', allowReferenceFallback: true };
const METHODS = {
  express: (id) => ({ paymentType: 'GPO', reference: id, metadata: WEBFRAME }),
  code: (id) => ({ paymentType: 'GPO', reference: id, metadata: { paymentMethod: 'qrcode' } }),
  reference: () => ({ paymentType: 'PPR', metadata: { referenceType: 'Dynamic' } }),
};

/** Creates the order's payment. The order's id is the idempotency key, so a retry returns the same payment. */
async function createPayment({ id, way }) {
  const { metadata, ...kind } = METHODS[way](id);
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
  // The last write: if the shop crashes before it, the next request repeats all steps.
  put('payments', id, order);
}

// ---- fulfilling once ----------------------------------------------------------------------------------------------

/** Callback, webhook, feed and return page call this. It trusts no report and reads the payment from the gateway. */
async function settle(order) {
  let payment = await balcao.payments.get(order.paymentId);
  // The buyer chose another method after a refused push, perhaps more than once. The newest payment counts.
  while (payment.status !== 'Paid' && payment.replacedBy) payment = await balcao.payments.get(payment.replacedBy);
  if (payment.status === 'Paid') ship(order);
  return payment;
}

/** Ships once per order, because only the first `add` of a key returns true. */
function ship({ id }) {
  if (add('shipments', id, { product: 'coffee', pieces: 1 })) console.log(`shipped: ${id}`);
}

// ---- four sources of results --------------------------------------------------------------------------------------

/** Handles callbacks and webhooks. The client verifies the sender and builds the answer for the gateway. */
async function receiveNotification(headers, body) {
  const secrets = { accessKey: ACCESS_KEY, webhookSecret: WEBHOOK_SECRET };
  const handlers = { onCallback: handleCallback, onEvent: handleEvent };
  const answer = await answerNotification({ headers, body }, { ...secrets, ...handlers });
  return { status: answer.status, json: answer.body };
}

/** The order of a payment. A payment that replaces another one belongs to the order of the first. */
async function findOrderOf(payment) {
  while (payment.replaces) payment = await balcao.payments.get(payment.replaces);
  return findOrderBy(payment.internalId);
}

/** Money for a reference or a QR code. After an error here the gateway sends the callback again. */
async function handleCallback({ reference }) {
  const order = findOrderBy(reference) ?? (await findOrderOf(await balcao.payments.get(reference)));
  if (!order) throw new Error(`no order of ours: ${reference}`);
  await settle(order);
  return order.id;
}

/** An event of a webhook or of the feed. */
async function handleEvent({ status, data }) {
  if (status !== 'Paid' || !data) return;
  const order = await findOrderOf(data);
  if (order) await settle(order);
}

/** Finds events that this server missed while it was down. The cursor moves after the work. */
async function readFeed() {
  const { next: after } = read('feed', 'cursor') ?? { next: '0' };
  const { data, next } = await balcao.events.list({ after, limit: 500 });
  for (const event of data) await handleEvent(event);
  put('feed', 'cursor', { next });
  return data.length;
}

async function followFeed() {
  for (;;) {
    const count = await readFeed().catch((error) => console.error(String(error)));
    if (!count) await sleep(Number(FEED_EVERY_MS));
  }
}

// ---- pages --------------------------------------------------------------------------------------------------------

const PAGE = readFileSync(new URL('page.html', import.meta.url), 'utf8');

const BUTTONS = { express: 'Multicaixa Express', code: 'Código QR', reference: 'Por referência' };

const readShop = (id = randomBytes(5).toString('hex'), methods = Object.keys(BUTTONS)) => ({
  html: `<!doctype html><html lang="pt"><meta charset="utf-8"><title>Café</title><link rel="icon" href="data:,">
    <main><h1>Café da Gabela, 1 500 Kz</h1><form method="post" action="/orders">
    <input type="hidden" name="order" value="${id}">
    ${methods.map((way) => `<button name="way" value="${way}">${BUTTONS[way]}</button>`).join(' ')}</form></main>
    </html>`,
});

/** The form contains the order's id, so a second click is the same order and the same payment. */
async function takeOrder(body) {
  const { order: id = '', way = '' } = Object.fromEntries(new URLSearchParams(body));
  if (!ORDER.test(id) || !Object.hasOwn(METHODS, way)) return { status: 400 };
  add('orders', id, { id, way });
  const order = findOrder(id);
  if (!order.paymentId) await createPayment(order);
  return { status: 303, location: `/orders/${id}` };
}

/** Messages for the buyer. Another status means that the shop awaits the payment. Late money ships the goods too. */
const MESSAGES = {
  Paid: 'Obrigado! O seu café vai a caminho.',
  Failed: 'O pagamento não foi feito. Encomende de novo na loja.',
  Canceled: 'O pagamento foi anulado. Encomende de novo na loja.',
  Expired: 'O prazo para pagar terminou. Encomende de novo na loja.',
};

/** The order's page and return page. The buyer may return before any callback arrives. */
async function readOrder(id, part) {
  const order = findOrder(id);
  if (!order) return { status: 404 };
  // The order has no payment yet, because the gateway did not answer. The same form repeats the request.
  // It offers the chosen method only, because the first request may have arrived.
  if (!order.paymentId) return readShop(id, [order.way]);
  const { status, clientToken, checkoutUrl } = await settle(order);
  const message = MESSAGES[status] ?? 'À espera do pagamento.';
  if (part === 'message') return { text: message };
  const values = { order: id, message, gateway: GATEWAY, token: clientToken, checkout: checkoutUrl };
  return { html: PAGE.replace(/\{\{(\w+)\}\}/g, (_, name) => values[name] ?? '') };
}

async function answer({ method, url, headers }, body) {
  const [, section, id, part] = url.split(/[/?]/);
  if (method === 'GET' && section === '') return readShop();
  if (method === 'GET' && section === 'orders') return readOrder(id, part);
  if (method === 'POST' && section === 'orders') return takeOrder(body);
  if (method === 'POST' && (section === 'callback' || section === 'webhook')) return receiveNotification(headers, body);
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
    // The gateway repeats its notification. The buyer may retry.
    console.error(String(error));
    res.writeHead(500).end();
  }
}).listen(PORT, () => console.log(`the shop is open: ${SHOP}`));
void followFeed();
