// POST /checkout/{clientToken}/pay by script and by form.
import { beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type Reply, type TestApp } from '../../support/app.ts';
import {
  approved,
  declined,
  notify,
  NOTIFY_ENV,
  readAttempts,
  PENDING_PHONE,
  untilSent,
} from '../../support/notify.ts';
import { create, purchase, travelToStatus, webframe } from '../../support/payments.ts';
import { leavesNothing } from '../../support/rows.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ env: NOTIFY_ENV });
});

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

const pay = (token: string, phoneNumber: unknown = PENDING_PHONE): Promise<Reply> =>
  app.call(`/checkout/${token}/pay`, { body: { phoneNumber }, token: null });
const payByForm = (token: string, fields: string, query = ''): Promise<Reply> =>
  app.call(`/checkout/${token}/pay${query}`, { body: fields, headers: FORM, token: null });

/** Makes the payer refuse the running push. */
async function refusePush(id: string): Promise<void> {
  await notify(app, (await untilSent(app, id)).id, declined('CUSTOMER_REFUSED'));
}

describe('POST /checkout/{clientToken}/pay by a script', () => {
  test('returns the session with the new push', async () => {
    const { id, clientToken } = await create(app, webframe());
    const reply = await pay(clientToken, '923 000 001');
    expect(reply.status).toBe(202);
    expect(reply.json).toMatchObject({ status: 'Processing', phone: '923 ••• 001', revision: 2, attemptsLeft: 4 });
    expect(reply.json.texts['wait.title']).toMatch(/\S/);
    expect(await readAttempts(app, id)).toMatchObject([{ phone: '+244923000001' }]);
  });

  test('returns the running push for the same phone number', async () => {
    const { id, clientToken } = await create(app, webframe());
    const first = await pay(clientToken);
    await untilSent(app, id);
    const again = await leavesNothing(app, () => pay(clientToken, `+244 ${PENDING_PHONE}`));
    expect(again.status).toBe(202);
    expect(again.json).toEqual(first.json);
  });

  test('returns 409 for another phone number while a push is in progress', async () => {
    const { clientToken } = await create(app, webframe());
    await pay(clientToken);
    const reply = await leavesNothing(app, () => pay(clientToken, '923000002'));
    expect(reply.status).toBe(409);
    expect(reply.json.code).toBe('payment_in_progress');
  });

  test('accepts any phone number after a refusal, and clears the failure', async () => {
    const { id, clientToken } = await create(app, webframe());
    await pay(clientToken);
    await refusePush(id);
    const reply = await pay(clientToken, '923000002');
    expect(reply.status).toBe(202);
    expect(reply.json).toMatchObject({ status: 'Processing', phone: '923 ••• 002', failure: null, attemptsLeft: 3 });
  });

  test('returns 409 after five pushes', async () => {
    const { id, clientToken } = await create(app, webframe());
    for (let left = 4; left >= 0; left--) {
      expect((await pay(clientToken)).json.attemptsLeft).toBe(left);
      await refusePush(id);
    }
    const reply = await leavesNothing(app, () => pay(clientToken));
    expect(reply.status).toBe(409);
    expect(reply.json.code).toBe('attempts_exhausted');
    expect(await readAttempts(app, id)).toHaveLength(5);
  });

  test.each([
    ['null', null, 'required'],
    ['empty', '', 'required'],
    ['too short', '92300000', 'invalid_phone'],
    ['a landline', '222000001', 'invalid_phone'],
    ['foreign', '+351912345678', 'invalid_phone'],
    ['a number', 923000001, 'invalid_phone'],
    ['a list', ['923000001'], 'invalid_phone'],
  ])('returns 400 for a phone number that is %s', async (_name, phoneNumber, code) => {
    const { clientToken } = await create(app, webframe());
    const reply = await leavesNothing(app, () => pay(clientToken, phoneNumber));
    expect(reply.status).toBe(400);
    expect(reply.json.errors).toMatchObject([{ pointer: '/phoneNumber', code }]);
  });

  test.each([
    ['a phone number under __proto__', '{"__proto__":{"phoneNumber":"923000001"}}', 400],
    ['a body without a phone number', '{}', 400],
    ['a JSON array', '[]', 400],
    ['malformed JSON', '{', 400],
    ['a body of 2 MB', `{"x":"${'x'.repeat(2_000_000)}"}`, 413],
  ])('refuses a request with %s', async (_name, body, status) => {
    const { clientToken } = await create(app, webframe());
    const call = () => app.call(`/checkout/${clientToken}/pay`, { body, token: null });
    expect((await leavesNothing(app, call)).status).toBe(status);
  });
});

describe('POST /checkout/{clientToken}/pay by a form', () => {
  test('sends the push and redirects to the page in the payer’s language', async () => {
    const { id, clientToken } = await create(app, webframe());
    const reply = await payByForm(clientToken, `phoneNumber=${PENDING_PHONE}`, '?lang=fr');
    expect(reply.status).toBe(303);
    expect(reply.headers.get('location')).toBe(`/checkout/${clientToken}?lang=fr`);
    expect(await readAttempts(app, id)).toHaveLength(1);
  });

  test.each([
    ['phoneNumber=%3Cb%3E912345', ''],
    ['phoneNumber=92300000', '?lang=fr&embed=1&theme=dark'],
    ['phoneNumber=', '?lang=en'],
    ['other=1', ''],
  ])('redirects the form %j at the query %j to an error that does not repeat the input', async (fields, query) => {
    const { clientToken } = await create(app, webframe());
    const reply = await leavesNothing(app, () => payByForm(clientToken, fields, query));
    expect(reply.status).toBe(303);
    const address = `/checkout/${clientToken}${query}${query ? '&' : '?'}error=phone_invalid`;
    expect(reply.headers.get('location')).toBe(address);
    expect(reply.text).not.toMatch(/912345|92300000/);
    const page = await app.call(address, { token: null });
    expect(page.status).toBe(200);
    const { texts } = (await app.call(`/checkout/${clientToken}/session${query}`, { token: null })).json;
    expect(page.text).toContain(`class="error">${texts['error.phone_invalid']}</p>`);
    expect(page.text).toContain('aria-invalid="true"');
    // No link of the page contains the error parameter.
    expect(page.text.match(/ (href|action)="\/checkout\/[^"]*error=/)).toBeNull();
  });

  test('redirects to the unchanged page if the form has another phone number during a push', async () => {
    const { clientToken } = await create(app, webframe());
    await pay(clientToken);
    const reply = await payByForm(clientToken, 'phoneNumber=923000002');
    expect(reply.status).toBe(303);
    const address = `/checkout/${clientToken}?error=other_phone_processing`;
    expect(reply.headers.get('location')).toBe(address);
    const { text } = await app.call(address, { token: null });
    expect(text).toContain('923 ••• 001');
    expect(text).not.toContain('<title>Erro');
  });

  test.each(['<b>', 'phone_invalid&error=phone_invalid', 'not_sent', 'constructor', ''])(
    'ignores the unknown query ?error=%s',
    async (error) => {
      const { clientToken } = await create(app, webframe());
      const { status, text } = await app.call(`/checkout/${clientToken}?error=${error}`, { token: null });
      expect(status).toBe(200);
      expect(text).toContain('aria-invalid="false"');
      expect(text).not.toContain('<b>');
    },
  );

  test('returns 415 for a form with another content type', async () => {
    const { clientToken } = await create(app, webframe());
    const headers = { 'content-type': 'multipart/form-data; boundary=x' };
    const call = () => app.call(`/checkout/${clientToken}/pay`, { body: '--x--', headers, token: null });
    expect((await leavesNothing(app, call)).status).toBe(415);
  });
});

// These tests run last. They advance the clock, which ends earlier pushes.
describe('POST …/pay for a payment that cannot be paid', () => {
  test.each(['Paid', 'Expired', 'a push at creation'])('sends no push (%s)', async (state) => {
    const isPush = state === 'a push at creation';
    const { id, clientToken } = await create(app, isPush ? purchase('923000005') : webframe());
    if (state === 'Paid') {
      await pay(clientToken);
      await notify(app, (await untilSent(app, id)).id, approved());
    }
    if (state === 'Expired') {
      await app.clock.pass(30 * 60_000);
      await travelToStatus(app, id, 'Expired');
    }
    const reply = await pay(clientToken, '923000006');
    expect(reply.status).toBe(409);
    expect(reply.json.code).toBe(isPush ? 'payment_in_progress' : 'payment_not_payable');
    expect(await readAttempts(app, id)).toHaveLength(state === 'Expired' ? 0 : 1);
  });

  test('returns 409 from the moment of expiry, even before the status is Expired', async () => {
    const { clientToken } = await create(app, webframe());
    app.clock.leap(30 * 60_000);
    expect((await pay(clientToken)).json.code).toBe('payment_not_payable');
  });
});
