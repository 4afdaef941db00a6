// Orders that people or other processes change while the plug-in follows the gateway. The feed is off.
import { beforeAll, describe, expect, test } from 'vitest';
import { PLUGIN_SCOPES } from '../../../shared/woocommerce.ts';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { travelToStatus } from '../../support/payments.ts';
import { pay, untilRegistered } from '../../support/ppr.ts';
import { startReceiver } from '../../support/receiver.ts';
import { createRefund } from '../../support/refunds.ts';
import { stopLater } from '../../support/stop-later.ts';
import { signIn, type Visitor } from '../../woocommerce/visitor.ts';
import { missingPrograms, startWordPress, type WordPress } from '../../woocommerce/wordpress.ts';

const missing = missingPrograms();
const DEMO_MERCHANT = '00000000-0000-7000-8000-00000000de30';

describe.skipIf(missing !== '')('an order of WooCommerce', () => {
  let shop: WordPress;
  let app: TestApp;

  beforeAll(async () => {
    // The preparation of a site blocks this process, so the gateway starts after it.
    shop = stopLater(await startWordPress());
    app = await startTestApp({ env: { CALLBACK_ALLOW_LOOPBACK: 'true' } });
    await app.call(`/api/merchants/${DEMO_MERCHANT}`, { method: 'PUT', body: { returnOrigins: [shop.url] } });
    await connect(app.url);
  });

  async function connect(url: string) {
    const settings = { url, client_id: 'demo', client_secret: 'demo-secret', test_mode: 'yes' };
    await shop.control({ do: 'options', options: { balcao_settings: settings } });
  }

  const call = <T = any>(name: string, ...values: unknown[]) =>
    shop.control<T>({ do: 'call', function: name, arguments: values });
  const read = (id: number) => shop.control({ do: 'order', id });
  const setStatus = (id: number, status: string) => shop.control({ do: 'status', id, status });
  const setMeta = (id: number, key: string, value: string) => shop.control({ do: 'meta', id, key, value });
  const sync = (id: number) => call('balcao_sync_order', id);

  /** Two processes read the payment of an order, one after the other. The second one has old facts in its caches. */
  const syncTwice = (id: number) =>
    shop.control({ do: 'both', id, command: { do: 'call', function: 'balcao_sync_order', arguments: [id] } });

  /** Creates an order with a payment reference. The gateway registers it at the rail in the background. */
  async function buy() {
    const order = await shop.control({ do: 'buy', method: 'balcao_reference' });
    await untilRegistered(app, order.meta._balcao_reference);
    return { id: order.id as number, paymentId: order.meta._balcao_payment_id as string, meta: order.meta };
  }

  async function payReference({ paymentId, meta }: Awaited<ReturnType<typeof buy>>) {
    await pay(app, { entity: meta._balcao_entity, reference: meta._balcao_reference });
    await travelToStatus(app, paymentId, 'Paid');
  }

  async function buyPaid() {
    const order = await buy();
    await payReference(order);
    await sync(order.id);
    return order;
  }

  const listRefunds = async (paymentId: string) => (await app.call(`/api/payments/${paymentId}/refunds`)).json.data;

  test('stays on hold for a bank transfer after its payment reference ended', async () => {
    const { id, meta } = await buy();
    await setMeta(id, '_payment_method', 'bacs');
    await app.call(`/api/references/ppr/${meta._balcao_reference}/cancel`, { method: 'POST' });
    await sync(id);
    expect(await read(id)).toMatchObject({ status: 'on-hold', method: 'bacs' });
  });

  test('cancels its open payment reference if the buyer pays by bank transfer', async () => {
    const { id, paymentId } = await buy();
    await setMeta(id, '_payment_method', 'bacs');
    await sync(id);
    expect((await app.call(`/api/payments/${paymentId}`)).json.status).toBe('Canceled');
    expect(await read(id)).toMatchObject({ status: 'on-hold', method: 'bacs' });
  });

  test('is payable by a reference if a person turns it into one after the buyer chose a bank transfer', async () => {
    const { id } = await shop.control({ do: 'buy', method: 'balcao_express' });
    await setMeta(id, '_payment_method', 'bacs');
    await call('balcao_turn_into_reference', { order: id }, false);
    const order = await read(id);
    expect(order).toMatchObject({ status: 'on-hold', method: 'balcao_reference' });
    const payment = await app.call(`/api/payments/${order.meta._balcao_payment_id}`);
    expect(payment.json).toMatchObject({ paymentType: 'PPR', status: 'Pending' });
  });

  test('says that no SMS was sent if the payment has no mobile number', async () => {
    const { id } = await shop.control({ do: 'buy', method: 'balcao_qrcode' });
    const text = await call<string>('balcao_turn_into_reference', { order: id });
    expect(text).toContain('No SMS was sent');
    expect((await read(id)).notes).toContain(text);
  });

  describe('with a changed total', () => {
    test('shows the amount of its payment reference, and gets a reference of the new total', async () => {
      const { id, paymentId } = await buy();
      await setMeta(id, '_total', '1000.00');
      const rows = await call<string[][]>('balcao_payment_rows', { order: id });
      expect(rows.map(([, text]) => text)).toContain('1 500,00 Kz');
      await call('balcao_turn_into_reference', { order: id }, false);
      expect((await app.call(`/api/payments/${paymentId}`)).json.status).toBe('Canceled');
      const { status, meta } = await read(id);
      expect(status).toBe('on-hold');
      const { json } = await app.call(`/api/payments/${meta._balcao_payment_id}`);
      expect(json).toMatchObject({ paymentType: 'PPR', status: 'Pending', amount: 1000 });
    });

    test('keeps its payment reference if the total is zero or its currency is unknown', async () => {
      const { id, paymentId } = await buy();
      await setMeta(id, '_total', '0.00');
      const turn = () => call('balcao_turn_into_reference', { order: id }, false);
      await expect(turn()).rejects.toThrow('no unpaid payment');
      await setMeta(id, '_total', '1000.00');
      await setMeta(id, '_currency', 'EUR');
      await expect(turn()).rejects.toThrow('currency');
      expect((await app.call(`/api/payments/${paymentId}`)).json.status).toBe('Pending');
    });

    test('notes the difference if it was lowered before the buyer paid', async () => {
      const order = await buy();
      await setMeta(order.id, '_total', '1000.00');
      await payReference(order);
      await sync(order.id);
      const { status, notes } = await read(order.id);
      expect(status).toBe('processing');
      expect(notes).toContainEqual(expect.stringContaining('too much: 1 500,00 Kz instead of 1 000,00 Kz'));
    });
  });

  describe.each(['hpos', 'posts'])('in the storage %s', (storage) => {
    const setStorage = (isHpos: boolean) =>
      shop.control({ do: 'options', options: { woocommerce_custom_orders_table_enabled: isHpos ? 'yes' : 'no' } });

    beforeAll(async () => {
      await setStorage(storage === 'hpos');
      return () => setStorage(true);
    });

    test.each([
      ['in the trash', false],
      ['deleted', true],
    ])('has no open payment if it is %s', async (_, forced) => {
      const { id, paymentId } = await buy();
      const byPosts = () => call(forced ? 'wp_delete_post' : 'wp_trash_post', id, forced);
      await (storage === 'posts' ? byPosts() : shop.control({ do: 'delete', id, forced }));
      expect((await app.call(`/api/payments/${paymentId}`)).json.status).toBe('Canceled');
      // A report about a deleted order is no failure.
      await call('balcao_sync_order', id, paymentId);
      if (forced) expect(shop.log()).toContain(`order ${id} does not exist`);
    });

    test('is canceled with its payment after a person restores it from the trash', async () => {
      const { id } = await buy();
      const isPosts = storage === 'posts';
      await (isPosts ? call('wp_trash_post', id) : shop.control({ do: 'delete', id, forced: false }));
      await (isPosts ? call('wp_untrash_post', id) : call('do_action', 'woocommerce_untrash_order', id));
      // WooCommerce restores the status too.
      await setStatus(id, 'on-hold');
      await shop.control({ do: 'cron' });
      expect((await read(id)).status).toBe('cancelled');
    });
  });

  test('in its own table keeps its payment if only a leftover post is deleted', async () => {
    const { id, paymentId } = await buy();
    await call('do_action', 'before_delete_post', id);
    expect((await app.call(`/api/payments/${paymentId}`)).json.status).toBe('Pending');
  });

  test('is neither canceled nor paid twice if a person sets it back to pending after its payment', async () => {
    const { id, paymentId } = await buyPaid();
    await setStatus(id, 'pending');
    expect(await call('balcao_may_cancel_unpaid', true, { order: id })).toBe(false);
    expect((await call('balcao_pay', id, 'reference')).internalId).toBe(paymentId);
    expect((await read(id)).meta._balcao_payment_id).toBe(paymentId);
  });

  test('gets one refund if two processes read a refund of the console', async () => {
    const { id, paymentId } = await buyPaid();
    await createRefund(app, paymentId, { amount: 500, method: 'manual', proof: 'TRF 1' });
    await syncTwice(id);
    const { refunds, notes } = await read(id);
    expect(refunds).toMatchObject([{ amount: '500.00' }]);
    expect(new Set(notes).size).toBe(notes.length);
  });

  test('is completed once if two processes read its payment', async () => {
    const order = await buy();
    await payReference(order);
    await syncTwice(order.id);
    const { notes, reduced } = await read(order.id);
    expect(reduced).toBe(1);
    expect(new Set(notes).size, notes.join('\n')).toBe(notes.length);
  });

  test('follows its payment after a refund of 0,00 that only returns goods', async () => {
    const { id, paymentId } = await buyPaid();
    await shop.control({ do: 'refund', id, amount: '0.00', rail: false });
    await sync(id);
    expect(await listRefunds(paymentId)).toEqual([]);
  });

  test('keeps its manual refund if the process ended before it stored the answer of the gateway', async () => {
    const { id, paymentId } = await buyPaid();
    const refundId = await shop.control({ do: 'refund', id, amount: '1500.00', rail: false });
    await setMeta(refundId, '_balcao_refund_id', '');
    await sync(id);
    const [refund, ...others] = await listRefunds(paymentId);
    expect(others).toEqual([]);
    const { refunds, notes } = await read(id);
    expect(refunds).toMatchObject([{ of: refund.id }]);
    expect(notes.filter((note: string) => note.includes('too little money'))).toEqual([]);
  });

  describe('and the buttons of its box', () => {
    let admin: Visitor;
    beforeAll(async () => void (admin = await signIn(shop, 'admin')));

    /** Presses a button, and returns the notice on the page of the order. */
    async function press(id: number, button: string, more: Record<string, string> = {}) {
      const nonce = await admin.nonce(`balcao_order_${id}`);
      const typed = { action: 'balcao_order', order: String(id), balcao_nonce: nonce, do: button, ...more };
      expect((await admin.post('/wp-admin/admin-post.php', typed)).status).toBe(302);
      const page = await admin.get(`/wp-admin/admin.php?page=wc-orders&id=${id}`);
      return /<div class="notice notice-(\w+) is-dismissible"><p>(.*?)<\/p>/.exec(page)?.slice(1) ?? [];
    }

    const countMails = (id: number) => shop.mails().filter(({ subject }) => subject === `Order on hold ${id}`).length;

    test('sends one mail if a person turns its QR code into a reference', async () => {
      const { id } = await shop.control({ do: 'buy', method: 'balcao_qrcode' });
      expect(await press(id, 'reference')).toEqual(['success', expect.stringContaining('can now pay the reference')]);
      expect(countMails(id)).toBe(1);
    });

    test('sends one more mail if a person replaces its reference after a change of the total', async () => {
      const { id } = await buy();
      await setMeta(id, '_total', '1000.00');
      await press(id, 'reference');
      expect(countMails(id)).toBe(2);
    });

    test('is paid after a person has sent the request again', async () => {
      const { id, meta } = await shop.control({ do: 'buy', method: 'balcao_express' });
      const notice = await press(id, 'push', { phone: '900 000 000' });
      expect(notice).toEqual(['success', 'The request was sent to 900000000.']);
      await travelToStatus(app, meta._balcao_payment_id, 'Paid');
      await press(id, 'read');
      expect((await read(id)).status).toBe('processing');
    });

    test.each([
      ['pay', 'processing', false],
      ['late', 'processing', true],
    ])('is paid in the test environment by the button %s', async (button, status, isLate) => {
      const { id, paymentId } = await buy();
      expect(await press(id, button)).toEqual(['success', expect.stringContaining('on its way')]);
      await travelToStatus(app, paymentId, 'Paid');
      await sync(id);
      const order = await read(id);
      expect(order.status).toBe(status);
      expect(order.notes.some((note: string) => note.includes('after the end of the payment'))).toBe(isLate);
    });

    test('keeps its payment if the shop does not know the password of the test environment', async () => {
      const { id, paymentId } = await buy();
      const guarded = await startReceiver({
        answer: async ({ method, path, headers, body }) => {
          if (path.startsWith('/sandbox')) return { status: 401 };
          const { authorization = '', 'content-type': type = 'application/json' } = headers;
          const sent = { method, headers: { authorization, 'content-type': type }, ...(body !== '' && { body }) };
          const answer = await fetch(app.url + path, sent);
          return { status: answer.status, body: await answer.json() };
        },
      });
      await connect(guarded.url);
      const notice = await press(id, 'late');
      await connect(app.url);
      expect(notice).toEqual(['error', expect.stringContaining(`Open ${guarded.url}/sandbox/`)]);
      expect((await app.call(`/api/payments/${paymentId}`)).json.status).toBe('Pending');
    });

    test('is found by the digits of its reference, with and without spaces', async () => {
      const { id, meta } = await buy();
      const printed = meta._balcao_reference.replace(/(\d{3})(?=\d)/g, '$1 ');
      for (const digits of [meta._balcao_reference, printed]) {
        const page = await admin.get(`/wp-admin/admin.php?page=wc-orders&s=${encodeURIComponent(digits)}`);
        expect(page, digits).toContain(`>#${id}</a>`);
      }
    });

    test('refuses a button without the nonce of its page, and a person without the capability', async () => {
      const { id } = await buy();
      const typed = { action: 'balcao_order', order: String(id), do: 'push' };
      const forged = { ...typed, balcao_nonce: await admin.nonce(`balcao_order_${id + 1}`) };
      expect((await admin.post('/wp-admin/admin-post.php', forged)).status).toBe(403);
      await call('wp_insert_user', { user_login: 'buyer', user_pass: 'password', role: 'subscriber' });
      const buyer = await signIn(shop, 'buyer');
      const own = { ...typed, balcao_nonce: await buyer.nonce(`balcao_order_${id}`) };
      const answer = await buyer.post('/wp-admin/admin-post.php', own);
      expect([answer.status, await answer.text()]).toEqual([403, expect.stringContaining('may not change this order')]);
    });
  });

  test('follows its payment after the plug-in was deactivated and activated before the repeat of a report', async () => {
    const order = await buy();
    await payReference(order);
    await call('balcao_sync_later', order.id, order.paymentId, 1);
    await shop.control({ do: 'run', hook: 'deactivate_balcao/balcao.php' });
    // WordPress runs due events while the plug-in is inactive.
    await shop.control({ do: 'cron' });
    await shop.control({ do: 'run', hook: 'activate_balcao/balcao.php' });
    expect((await read(order.id)).status).toBe('on-hold');
    await shop.control({ do: 'cron' });
    expect((await read(order.id)).status).toBe('processing');
  });

  test('is all that remains after a person has deleted the plug-in', async () => {
    const { id, paymentId } = await buy();
    await call('balcao_sync_later', id, paymentId, 1);
    expect(await shop.control({ do: 'uninstall' })).toEqual([]);
    expect((await read(id)).meta._balcao_payment_id).toBe(paymentId);
    await connect(app.url);
  });

  describe('and the feed', () => {
    const cursor = () => call<string>('balcao_cursor');

    test('is followed after the gateway was restored from a backup', async () => {
      const order = await buy();
      await call('balcao_save_cursor', '999999');
      await payReference(order);
      for (let runs = 0; runs < 2; runs++) await shop.control({ do: 'run', hook: 'balcao_feed' });
      expect((await read(order.id)).status).toBe('processing');
    });

    test('is followed after the owner has changed the credentials', async () => {
      const body = { name: 'WordPress', scopes: PLUGIN_SCOPES };
      const { json } = await app.call(`/api/merchants/${DEMO_MERCHANT}/clients`, { body });
      const typed = { url: app.url, client_id: 'demo', client_secret: 'demo-secret', min_amount: '', max_amount: '' };
      await call('balcao_connect', typed);
      const order = await buy();
      await payReference(order);
      const before = await cursor();
      await call('balcao_connect', { ...typed, client_id: json.clientId, client_secret: json.clientSecret });
      expect(await cursor()).toBe(before);
      await shop.control({ do: 'run', hook: 'balcao_feed' });
      expect((await read(order.id)).status).toBe('processing');
    });
  });

  describe('and the connection to the gateway', () => {
    const guard = { 'www-authenticate': 'Basic realm="Balcao sandbox", charset="UTF-8"' };

    test.each([
      [200, {}, true],
      [401, guard, true],
      [401, { 'www-authenticate': 'Basic realm="proxy"' }, false],
      [302, { location: '/' }, false],
      [403, {}, false],
      [404, {}, false],
      [429, {}, false],
      [502, {}, false],
    ])('finds a test environment at status %i with the headers %j: %j', async (status, headers, isTest) => {
      const { url } = await startReceiver({ answer: { status, headers } });
      expect(await call('balcao_is_sandbox', url)).toBe(isTest);
    });
  });

  test('causes no notice, warning or error of PHP', () => {
    expect(shop.log().match(/^.*PHP (?:Notice|Warning|Deprecated|Fatal|Parse).*$/gm) ?? []).toEqual([]);
  });
});
