// Payment links: the tour creates, changes, sells out, shares, withdraws and lists them.
import { APPROVES } from './payers.ts';
import type { Tour } from './recorder.ts';

const LINKS = '/api/links';
const body = { title: 'Bilhete', amount: 1500, currency: 'AOA' };

export async function walkLinks(tour: Tour): Promise<void> {
  const { call } = tour;
  const asked = { ...body, stock: 2, asks: ['name', 'nif'], thanks: 'Até sábado!', expiresAt: '2026-12-31' };
  const { json: link } = await call(`POST ${LINKS}`, 201, { body: asked });
  const wrong = { amount: 1, minAmount: 2, stock: 0, asks: ['age'], expiresAt: '2026-01-01' };
  await call(`POST ${LINKS}`, 400, { body: wrong });
  const path = `${LINKS}/${link.id}`;
  await call(`GET ${path}`, 200);
  await call(`GET ${path}`, 404, { token: await tour.strangerToken() });
  await call(`PUT ${path}`, 200, { body: { ...asked, stock: 1, revision: 1 } });
  await call(`PUT ${path}`, 409, { body: { ...asked, revision: 1 } });
  await walkPage(tour, link.slug);
  await call(`PUT ${path}`, 400, { body: { ...body, stock: 0, revision: 2 } });
  await call(`GET ${path}`, 200);
  await call(`GET ${path}/payments?status=Paid`, 200);
  await call(`GET ${path}/payments`, 200, { accept: 'text/csv' });
  await call(`GET ${path}/qr.svg`, 200);
  await call(`GET ${path}/qr.png?size=400`, 200);
  await call(`POST ${path}/sms`, 200, { body: { numerosDestino: ['923456781'] } });
  await call(`POST ${path}/sms`, 400, { body: {} });
  await call(`DELETE ${path}`, 204);
  await call(`PUT ${path}`, 409, { body: { ...body, revision: 3 } });
  await call(`GET ${LINKS}?pageSize=2`, 200);
}

/** Sends the form of a link as a browser without scripts does. */
async function walkPage({ call, pass }: Tour, slug: string): Promise<void> {
  const page = `/l/${slug}`;
  const about = { token: null, accept: 'text/html' };
  const form = { form: 'one', name: 'Ana Domingos', nif: '5417123456' };
  await call(`GET ${page}`, 200, about);
  await call(`GET ${page}/logo`, 200, about);
  await call(`POST ${page}`, 400, { ...about, form: {} });
  const led = await call(`POST ${page}`, 303, { ...about, form });
  const [, token] = /checkout\/([\w-]+)/.exec(led.headers.get('location') ?? '') ?? [];
  await call(`POST /checkout/${token}/pay`, 202, { body: { phoneNumber: APPROVES }, token: null });
  await pass();
  await call(`GET /checkout/${token}/session`, 200, { token: null });
}
