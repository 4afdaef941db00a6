// The hosted checkout: pages in every language and state, the session, its stream, paying by JSON and by form, going on by reference.
import { openStream } from '../stream.ts';
import { answerPush, PHONES } from './payers.ts';
import { webframe } from './payments.ts';
import type { Tour } from './recorder.ts';

const PAYMENTS = '/api/payments';
const open = { token: null };
const page = { token: null, headers: { accept: 'text/html' } };
const dead = 'x'.repeat(43);

export async function walkCheckout(tour: Tour): Promise<void> {
  await walkPage(tour);
  await walkForm(tour);
  await walkFallback(tour);
  await walkOtherPages(tour);
}

async function walkPage(tour: Tour): Promise<void> {
  const { call, app, keep } = tour;
  const { json } = await call('a payment for the page', `POST ${PAYMENTS}`, {
    body: webframe('PAGE-1', {
      description: 'Café de Amboim',
      metadata: { returnUrl: 'https://loja.example/obrigado', cancelUrl: 'https://loja.example/carrinho' },
    }),
  });
  const path = `/checkout/${json.clientToken}`;
  await call('the page', `GET ${path}`, page);
  await call('the page in English', `GET ${path}?lang=en`, page);
  await call('the page by the browser’s language', `GET ${path}`, {
    ...open,
    headers: { accept: 'text/html', 'accept-language': 'fr-FR,fr;q=0.9' },
  });
  await call('the page in a frame', `GET ${path}?embed=1`, page);
  await call('the session', `GET ${path}/session`, open);
  await call('the session, from a shop’s page', `GET ${path}/session?lang=fr`, {
    ...open,
    headers: { origin: 'https://loja.example' },
  });
  await call('what a shop’s page asks first', `OPTIONS ${path}/pay`, {
    ...open,
    headers: { origin: 'https://loja.example', 'access-control-request-method': 'POST' },
  });
  await call('the logo', `GET ${path}/logo`, open);
  await call('a code of what has none', `GET ${path}/qrcode.svg`, open);
  await call('the page of nothing', `GET /checkout/${dead}`, page);
  await call('the session of nothing', `GET /checkout/${dead}/session`, open);
  await call('paying nothing', `POST /checkout/${dead}/pay`, { ...open, body: { phoneNumber: PHONES.page } });

  const stream = await openStream(`${app.url}${path}/events`);
  tour.walked.add(`GET ${path}/events`);
  await stream.untilEvent(({ event }) => event === 'session', 'the first message');
  await call('paying without a phone', `POST ${path}/pay`, { ...open, body: {} });
  await call('paying with a wrong phone', `POST ${path}/pay`, { ...open, body: { phoneNumber: '12' } });
  await call('paying', `POST ${path}/pay`, { ...open, body: { phoneNumber: '923 000 002' } });
  await call('paying again with the same phone', `POST ${path}/pay`, { ...open, body: { phoneNumber: PHONES.page } });
  await call('paying meanwhile with another phone', `POST ${path}/pay`, {
    ...open,
    body: { phoneNumber: PHONES.push },
  });
  await call('the page meanwhile', `GET ${path}`, page);
  await call('the payment on the page is canceled meanwhile', `POST ${PAYMENTS}/${json.id}/cancel`);
  await answerPush(tour, json.id, 'decline', 'INSUFFICIENT_FUNDS');
  await call('the page after a refusal', `GET ${path}`, page);
  await call('paying once more', `POST ${path}/pay`, { ...open, body: { phoneNumber: PHONES.page } });
  await answerPush(tour, json.id, 'approve');
  await call('the page when it is paid', `GET ${path}?lang=en`, page);
  await call('paying what is paid', `POST ${path}/pay`, { ...open, body: { phoneNumber: PHONES.page } });
  await call('the payment of the page', `GET ${PAYMENTS}/${json.id}`);
  await stream.untilEnd();
  const text = stream.text().replace(/^retry: \d+/, 'retry: …');
  const { 'content-type': type, 'cache-control': kept, 'x-accel-buffering': buffering } = stream.headers;
  keep('the stream of the page', { status: stream.status, headers: { type, kept, buffering }, text: text.split('\n') });
}

async function walkForm(tour: Tour): Promise<void> {
  const { call } = tour;
  const { json } = await call('a payment for the page without scripts', `POST ${PAYMENTS}`, {
    body: webframe('PAGE-2'),
  });
  const path = `/checkout/${json.clientToken}`;
  const send = (phoneNumber: string) => ({ ...page, form: { phoneNumber } });
  const refused = await call('the form with a wrong phone', `POST ${path}/pay?lang=en`, send('12'));
  await call('where the wrong form leads', `GET ${pathOf(refused.headers)}`, page);
  const sent = await call('the form', `POST ${path}/pay?lang=en`, send(PHONES.page));
  await call('where the form leads', `GET ${pathOf(sent.headers)}`, page);
  await answerPush(tour, json.id, 'approve');
  await call('the form of what is paid', `POST ${path}/pay`, send(PHONES.page));

  const short = await call('a payment for five minutes', `POST ${PAYMENTS}`, {
    body: webframe('PAGE-3', { metadata: { expiresInMinutes: 5 } }),
  });
  await tour.pass(310_000);
  await call('the page when its time is over', `GET /checkout/${short.json.clientToken}`, page);
  await call('the payment whose time is over', `GET ${PAYMENTS}/${short.json.id}`);
  await call('the form when its time is over', `POST /checkout/${short.json.clientToken}/pay`, send(PHONES.page));
  const gone = await call('a payment to be withdrawn', `POST ${PAYMENTS}`, { body: webframe('PAGE-4') });
  await call('the payment is withdrawn', `POST ${PAYMENTS}/${gone.json.id}/cancel`);
  await call('the page when it is withdrawn', `GET /checkout/${gone.json.clientToken}`, page);
}

const pathOf = (headers: Headers) => {
  const { pathname, search } = new URL(String(headers.get('location')), 'http://gateway');
  return pathname + search;
};

/** After a refusal the payer goes on by reference. */
async function walkFallback(tour: Tour): Promise<void> {
  const { call } = tour;
  const body = (reference: string) => webframe(reference, { metadata: { allowReferenceFallback: true } });
  const refuse = async ({ id, clientToken }: { id: string; clientToken: string }, step: string) => {
    await call(step, `POST /checkout/${clientToken}/pay`, { ...open, body: { phoneNumber: PHONES.page } });
    await answerPush(tour, id, 'decline');
  };
  const { json } = await call('a payment that may go on by reference', `POST ${PAYMENTS}`, { body: body('BACK-1') });
  const path = `/checkout/${json.clientToken}`;
  await call('going on by reference too early', `POST ${path}/reference`, { ...open, body: {} });
  await refuse(json, 'paying before going on');
  await call('the page that offers it', `GET ${path}`, page);
  await call('going on by reference', `POST ${path}/reference`, { ...open, body: {} });
  await call('going on by reference again', `POST ${path}/reference`, { ...open, body: {} });
  await call('the page that was left', `GET ${path}`, page);
  await call('the payment that was left', `GET ${PAYMENTS}/${json.id}`);
  await call('the payment that was left is canceled', `POST ${PAYMENTS}/${json.id}/cancel`);
  const second = await call('a second one', `POST ${PAYMENTS}`, { body: body('BACK-2') });
  await refuse(second.json, 'paying before going on by form');
  await call('going on by a form', `POST /checkout/${second.json.clientToken}/reference?lang=fr`, {
    ...page,
    form: {},
  });
}

async function walkOtherPages({ call, made }: Tour): Promise<void> {
  const code = await call('a code for its page', `POST ${PAYMENTS}`, {
    body: webframe('PAGE-5', { metadata: { paymentMethod: 'qrcode' } }),
    headers: { prefer: 'return=representation' },
  });
  await call('the page of a code', `GET /checkout/${code.json.clientToken}`, page);
  await call('the code to be scanned', `GET /checkout/${code.json.clientToken}/qrcode.svg`, open);
  await call('the session of a code', `GET /checkout/${code.json.clientToken}/session?lang=en`, open);
  const chosen = await call('a page of every way', `POST ${PAYMENTS}`, {
    body: webframe('PAGE-6', { metadata: { methods: ['push', 'qrcode', 'reference'] } }),
  });
  const ways = `/checkout/${chosen.json.clientToken}`;
  await call('a code for the page', `POST ${ways}/qrcode`, { ...open, body: {} });
  await call('the page with its code', `GET ${ways}`, page);
  const reference = await call('a reference for its page', 'POST /api/references/ppr', {
    body: { amount: 250, reference: '001000061' },
  });
  await call('the page of a reference', `GET /checkout/${reference.json.clientToken}`, page);
  await call('the session of a reference', `GET /checkout/${reference.json.clientToken}/session`, open);
  await call('the page of a paid reference', `GET /checkout/${made['dynamic'].clientToken}?lang=fr`, page);
  await call('the page of a hold', `GET /checkout/${made['hold'].clientToken}`, page);
}
