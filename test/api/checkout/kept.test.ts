// GET /checkout/{clientToken}?keep=1 returns a file about the payment that gives no access to the payment.
import { beforeAll, describe, expect, test } from 'vitest';
import { showReference } from '../../../shared/reference.ts';
import { startTestApp, type Reply, type TestApp } from '../../support/app.ts';
import { approved, notify, NOTIFY_ENV, PENDING_PHONE, untilSent } from '../../support/notify.ts';
import { create, webframe } from '../../support/payments.ts';
import { createPayable, digits } from '../../support/ppr.ts';
import { leavesNothing } from '../../support/rows.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ env: NOTIFY_ENV });
});

const keep = (token: string, query = ''): Promise<Reply> =>
  leavesNothing(app, () => app.call(`/checkout/${token}?keep=1${query}`, { token: null }));

async function createPaid() {
  const payment = await create(app, webframe({ reference: 'PEDIDO-7' }));
  await app.call(`/checkout/${payment.clientToken}/pay`, { body: { phoneNumber: PENDING_PHONE }, token: null });
  await notify(app, (await untilSent(app, payment.id)).id, approved());
  return payment;
}

describe('GET /checkout/{clientToken}?keep=1', () => {
  test('returns a receipt in the requested language, with the reference in the file name', async () => {
    const { clientToken } = await createPaid();
    const reply = await keep(clientToken, '&lang=fr');
    expect(reply.status).toBe(200);
    expect(Object.fromEntries(reply.headers)).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'content-disposition': 'attachment; filename="PEDIDO-7.html"',
      'cache-control': 'no-store',
    });
    expect(reply.text).toContain('<html lang="fr">');
    expect(reply.text).toContain('<h1 id="state" tabindex="-1" class>Payé</h1>');
    expect(reply.text).toContain('<dt>N° de transaction</dt>');
  });

  test('returns a payment reference, with its grouped digits in the file name', async () => {
    const { clientToken, reference } = await createPayable(app, { reference: digits() });
    const { text, headers } = await keep(clientToken);
    const groups = showReference(reference).split(' ');
    expect(headers.get('content-disposition')).toBe(`attachment; filename="${groups.join(' ')}.html"`);
    expect(text).toContain(groups.map((group) => `<span>${group}</span>`).join(''));
  });

  test.each(['', '&embed=1&theme=dark', '&error=phone_invalid'])(
    'returns a file without token, link or form for the query "%s"',
    async (query) => {
      const urls = { returnUrl: `${app.node.core.publicUrl}/demo`, cancelUrl: `${app.node.core.publicUrl}/demo` };
      const { clientToken } = await create(app, webframe({ metadata: urls }));
      const { text } = await keep(clientToken, query);
      expect(text).not.toContain(clientToken);
      expect(text).not.toMatch(/\/demo|\/checkout\/|<script|http-equiv|<form|<a\b|Erro: /);
    },
  );

  test('may be requested from a sandboxed frame', async () => {
    const { clientToken } = await createPaid();
    const { headers } = await keep(clientToken);
    expect(headers.get('cross-origin-embedder-policy')).toBe('require-corp');
  });
});

test('GET /checkout/{clientToken}?keep=1 returns an HTML page with 404 for an unknown token', async () => {
  const reply = await keep('x');
  expect(reply.status).toBe(404);
  expect(reply.headers.get('content-disposition')).toBeNull();
  expect(reply.text).toContain('Este link de pagamento não é válido');
});
