// The hosted checkout: pages, the session and its stream, payment by JSON and by form, and the fallback to a reference.
import { openStream } from '../../support/stream.ts';
import { answerPush, PHONES } from './payers.ts';
import { webframe } from './payments.ts';
import { recordStream, type Tour } from './recorder.ts';

const PAYMENTS = '/api/payments';
const open = { token: null };
const page = { token: null, accept: 'text/html' };
const dead = 'x'.repeat(43);

export async function walkCheckout(tour: Tour): Promise<void> {
  await walkPage(tour);
  await walkForm(tour);
  await walkFallback(tour);
  await walkOtherPages(tour);
}

async function walkPage(tour: Tour): Promise<void> {
  const { call, app } = tour;
  const { json } = await call(`POST ${PAYMENTS}`, 201, {
    body: webframe('PAGE-1', {
      description: 'Café de Amboim',
      metadata: { returnUrl: 'https://loja.example/obrigado', cancelUrl: 'https://loja.example/carrinho' },
    }),
  });
  const path = `/checkout/${json.clientToken}`;
  await call(`GET ${path}`, 200, page);
  await call(`GET ${path}?embed=1`, 200, page);
  await call(`GET ${path}/session`, 200, open);
  await call(`GET ${path}/session?lang=fr`, 200, {
    ...open,
    headers: { origin: 'https://loja.example' },
  });
  await call(`OPTIONS ${path}/pay`, 204, {
    ...open,
    headers: { origin: 'https://loja.example', 'access-control-request-method': 'POST' },
  });
  await call(`GET ${path}/logo`, 200, open);
  await call(`GET ${path}/qrcode.svg`, 404, open);
  await call(`GET /checkout/${dead}`, 404, page);
  await call(`GET /checkout/${dead}/session`, 404, open);
  await call(`POST /checkout/${dead}/pay`, 404, { ...open, body: { phoneNumber: PHONES.page } });

  const stream = await openStream(`${app.url}${path}/events`);
  await stream.untilEvent(({ event }) => event === 'session', 'the first message');
  await call(`POST ${path}/pay`, 400, { ...open, body: {} });
  await call(`POST ${path}/pay`, 202, { ...open, body: { phoneNumber: '923 000 002' } });
  await call(`POST ${path}/pay`, 409, { ...open, body: { phoneNumber: PHONES.push } });
  await answerPush(tour, json.id, 'decline', 'INSUFFICIENT_FUNDS');
  await call(`POST ${path}/pay`, 202, { ...open, body: { phoneNumber: PHONES.page } });
  await answerPush(tour, json.id, 'approve');
  await call(`POST ${path}/pay`, 409, { ...open, body: { phoneNumber: PHONES.page } });
  await stream.untilEnd();
  recordStream(tour, `${path}/events`, stream, 'session');
}

async function walkForm(tour: Tour): Promise<void> {
  const { call } = tour;
  const { json } = await call(`POST ${PAYMENTS}`, 201, { body: webframe('PAGE-2') });
  const path = `/checkout/${json.clientToken}`;
  const send = (phoneNumber: string) => ({ ...page, form: { phoneNumber } });
  await call(`POST ${path}/pay?lang=en`, 303, send('12'));
  await call(`POST ${path}/pay?lang=en`, 303, send(PHONES.page));
  await answerPush(tour, json.id, 'approve');
}

/** After a refused push the payer pays by reference. */
async function walkFallback(tour: Tour): Promise<void> {
  const { call } = tour;
  const body = (reference: string) => webframe(reference, { metadata: { allowReferenceFallback: true } });
  const refuse = async ({ id, clientToken }: { id: string; clientToken: string }) => {
    await call(`POST /checkout/${clientToken}/pay`, 202, { ...open, body: { phoneNumber: PHONES.page } });
    await answerPush(tour, id, 'decline');
  };
  const { json } = await call(`POST ${PAYMENTS}`, 201, { body: body('BACK-1') });
  const path = `/checkout/${json.clientToken}`;
  await call(`POST ${path}/reference`, 409, { ...open, body: {} });
  await refuse(json);
  await call(`POST ${path}/reference`, 201, { ...open, body: {} });
  await call(`GET ${path}`, 303, page);
  await call(`POST ${PAYMENTS}/${json.id}/cancel`, 409);
  const second = await call(`POST ${PAYMENTS}`, 201, { body: body('BACK-2') });
  await refuse(second.json);
  await call(`POST /checkout/${second.json.clientToken}/reference?lang=fr`, 303, { ...page, form: {} });
}

async function walkOtherPages({ call }: Tour): Promise<void> {
  const code = await call(`POST ${PAYMENTS}`, 201, {
    body: webframe('PAGE-5', { metadata: { paymentMethod: 'qrcode' } }),
    prefer: 'return=representation',
  });
  await call(`GET /checkout/${code.json.clientToken}/qrcode.svg`, 200, open);
  const chosen = await call(`POST ${PAYMENTS}`, 201, {
    body: webframe('PAGE-6', { metadata: { methods: ['push', 'qrcode', 'reference'] } }),
  });
  const chosenPath = `/checkout/${chosen.json.clientToken}`;
  await call(`POST ${chosenPath}/qrcode`, 201, { ...open, body: {} });
  const reference = await call('POST /api/references/ppr', 201, { body: { amount: 250, reference: '001000061' } });
  await call(`GET /checkout/${reference.json.clientToken}/session`, 200, open);
}
