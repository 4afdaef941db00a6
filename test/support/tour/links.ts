// Payment links: made, changed, used by a payer until they are sold out, shared, withdrawn, and as lists show them.
import { MAGIC } from './payers.ts';
import type { Tour } from './recorder.ts';

const LINKS = '/api/links';
const body = { title: 'Bilhete', amount: 1500, currency: 'AOA' };

export async function walkLinks(tour: Tour): Promise<void> {
  const { call } = tour;
  const headers = { 'idempotency-key': 'link-1' };
  const asked = { ...body, stock: 2, asks: ['name', 'nif'], thanks: 'Até sábado!', expiresAt: '2026-12-31' };
  const { json: link } = await call('a link is made', `POST ${LINKS}`, { body: asked, headers });
  await call('a link is made by the same key', `POST ${LINKS}`, { body: asked, headers });
  const wrong = { amount: 1, minAmount: 2, stock: 0, asks: ['age'], expiresAt: '2026-01-01' };
  await call('a link with many faults', `POST ${LINKS}`, { body: wrong });
  const path = `${LINKS}/${link.id}`;
  await call('the link', `GET ${path}`);
  await call('another’s link', `GET ${path}`, { token: await tour.strangerToken() });
  await call('the link is changed', `PUT ${path}`, { body: { ...asked, stock: 1, revision: 1 } });
  await call('the link is changed by somebody who has not seen that', `PUT ${path}`, {
    body: { ...asked, revision: 1 },
  });
  await walkPage(tour, link.slug);
  await call('the link is given no stock', `PUT ${path}`, { body: { ...body, stock: 0, revision: 2 } });
  await call('the link when it is sold out', `GET ${path}`);
  await call('the payments of the link', `GET ${path}/payments?status=Paid`);
  await call('the payments of the link as a file', `GET ${path}/payments`, { headers: { accept: 'text/csv' } });
  await call('the link as an SVG', `GET ${path}/qr.svg`);
  await call('the link as a PNG', `GET ${path}/qr.png?size=400`);
  await call('the link by SMS', `POST ${path}/sms`, { body: { numerosDestino: ['923456781'] } });
  await call('the link by SMS to nobody', `POST ${path}/sms`, { body: {} });
  await call('the link is withdrawn', `DELETE ${path}`);
  await call('the withdrawn link is changed', `PUT ${path}`, { body: { ...body, revision: 3 } });
  await call('the links', `GET ${LINKS}?pageSize=2`);
}

/** As a payer sees it, without a script. */
async function walkPage({ call, pass }: Tour, slug: string): Promise<void> {
  const page = `/l/${slug}`;
  const about = { token: null, headers: { accept: 'text/html' } };
  const form = { form: 'one', name: 'Ana Domingos', nif: '5417123456' };
  await call('the link’s page', `GET ${page}`, about);
  await call('the link’s logo', `GET ${page}/logo`, about);
  await call('the link’s form, empty', `POST ${page}`, { ...about, form: {} });
  const led = await call('the link’s form leads on', `POST ${page}`, { ...about, form });
  await call('the link’s form again leads to the same', `POST ${page}`, { ...about, form });
  await call('the link’s page while it is being paid', `GET ${page}`, about);
  const [, token] = /checkout\/([\w-]+)/.exec(led.headers.get('location') ?? '') ?? [];
  await call('the link’s payment is paid', `POST /checkout/${token}/pay`, {
    body: { phoneNumber: MAGIC['who approves'] },
    token: null,
  });
  await pass();
  await call('the link’s payment says thanks', `GET /checkout/${token}/session`, { token: null });
  await call('the link’s page when it is paid', `GET ${page}`, about);
}
