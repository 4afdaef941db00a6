import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { addPlan, choose, endMonth, untilInvoices, use } from '../../support/billing.ts';
import { openCallbackFixture, type CallbackFixture } from '../../support/callbacks.ts';
import { enterConsole, type Visit } from '../../support/console.ts';
import { addMember } from '../../support/members.ts';

let app: TestApp;
let shop: CallbackFixture;
let owner: Visit;
beforeAll(async () => {
  app = await startTestApp();
});
beforeEach(async () => {
  shop = await openCallbackFixture(app);
  owner = await signIn();
});

const signIn = async (role: 'Owner' | 'Cashier' = 'Owner') =>
  enterConsole(app, await addMember(app, { merchantId: shop.merchantId, role }));

const UUID = '00000000-0000-4000-8000-00000000000a';

describe('the list of notifications', () => {
  const PATH = '/console/notices';

  async function note(count: number, name = 'ERP'): Promise<string[]> {
    const details = { name, clientId: 'bc_1' };
    const rows = await app.sql<{ id: string }>(
      `insert into notifications (id, merchant_id, type, details, subject, created_at)
       select gen_random_uuid(), $1, 'client.created', $2, gen_random_uuid()::text, $3 from generate_series(1, $4::int)
       returning id`,
      [shop.merchantId, details, app.clock.now(), count],
    );
    return rows.map(({ id }) => id);
  }
  const countLines = async (path = PATH) => (await owner.open(path)).text.split('data-live-key=').length - 1;

  test('shows a notification as unread until the person marks it as read, which can be undone', async () => {
    const [first, second] = (await note(2)) as [string, string];
    expect(await countLines()).toBe(2);
    expect((await owner.act(PATH, 'markRead', { id: first })).headers.get('location')).toBe(`${PATH}?done=markRead`);
    expect([await countLines(), await countLines(`${PATH}?show=all`)]).toEqual([1, 2]);
    const again = await owner.act(`${PATH}?show=all`, 'markUnread', { id: first });
    expect(again.headers.get('location')).toBe(`${PATH}?show=all&done=markUnread`);
    expect(await countLines(`${PATH}?show=read`)).toBe(0);
    for (const id of [first, second]) await owner.act(PATH, 'markRead', { id });
    expect(await countLines(`${PATH}?show=read`)).toBe(2);
    expect((await owner.open(PATH)).text).toContain('Não há avisos por ler.');
  });

  test('marks all notifications of the page as read with one press, but not later ones', async () => {
    const ids = await note(30);
    const upTo = ids.at(-1)!;
    expect((await owner.open(PATH)).text).toContain(`name="upTo" value="${upTo}"`);
    await note(1);
    await owner.act(PATH, 'markAll', { upTo });
    expect([await countLines(), await countLines(`${PATH}?show=read`)]).toEqual([1, 25]);
  });

  test('opens the object of a notification and marks the notification as read', async () => {
    const [id] = (await note(1)) as [string];
    const { text } = await owner.open(PATH);
    expect(text).toContain(`action="${PATH}?about=client&amp;objectId=bc_1"`);
    const webhook = `${PATH}?about=webhook&objectId=..%2F%2Fevil.example`;
    const targets = [`${PATH}?about=client&objectId=bc_1`, webhook, `${PATH}?about=https://evil.example`];
    const opened = await Promise.all(targets.map((target) => owner.act(target, 'open', { id })));
    expect(opened.map(({ headers }) => headers.get('location'))).toEqual([
      '/console/developers?done=open',
      '/console/webhooks/..%2F%2Fevil.example?done=open',
      `${PATH}?done=open`,
    ]);
    expect(await countLines()).toBe(0);
  });

  test('shows no notification to a cashier that owners and developers must act on', async () => {
    await note(1);
    const { text } = await (await signIn('Cashier')).open(PATH);
    expect(text).toContain('Não há avisos por ler.');
    expect(text).not.toMatch(/\d por ler\)/);
  });

  test('counts unread notifications in the menu of an owner, and of no other shop', async () => {
    const unreadIn = ({ text }: { text: string }) => /\(([\d+]+) por ler\)/.exec(text)?.[1];
    const [first] = await note(3);
    expect(unreadIn(await owner.open('/console/today'))).toBe('3');
    await owner.act(PATH, 'markRead', { id: first! });
    expect(unreadIn(await owner.open('/console/today'))).toBe('2');
    shop = await openCallbackFixture(app);
    expect(unreadIn(await (await signIn()).open('/console/today'))).toBeUndefined();
  });

  test('is in the language of the page, and escapes names', async () => {
    await note(1, '<script>x');
    const headers = { 'accept-language': 'de' };
    expect((await owner.open(PATH, { headers })).text).toContain('Novas credenciais');
    const french = await owner.open(`${PATH}?lang=fr`, { headers });
    expect(french.text).not.toContain('Novas credenciais');
    expect(french.text).not.toContain('<script>x');
  });

  test('has a link to the next page', async () => {
    await note(30);
    const { text } = await owner.open(PATH);
    const next = /data-more[^>]* href="([^"]+)"/.exec(text)![1]!.replaceAll('&amp;', '&');
    expect([await countLines(), await countLines(next)]).toEqual([25, 5]);
  });
});

describe('the plan page', () => {
  const PATH = '/console/plan';

  test('changes the plan from the next month', async () => {
    const [small, large] = [await addPlan(app, { name: 'Pequeno' }), await addPlan(app, { name: 'Grande' })];
    expect((await owner.open(PATH)).text).toContain('Ainda sem plano');
    expect((await owner.act(PATH, 'choosePlan', { planId: small })).status).toBe(303);
    await owner.act(PATH, 'choosePlan', { planId: large });
    const { text } = await owner.open(PATH);
    expect(text).toMatch(/<h2>Pequeno<\/h2>.*15\s000,00\sKz/s);
    expect(text).toMatch(/Grande a partir de [A-Z][a-zç]+ de \d{4}\./);
    const none = await owner.act(PATH, 'choosePlan', { planId: shop.merchantId });
    expect([none.status, (await shop.call('/api/billing/subscription')).json.plan.name]).toEqual([400, 'Pequeno']);
  });

  test("shows the current month's usage", async () => {
    await choose(shop, await addPlan(app));
    await use(app, shop, app.clock.now().toISOString(), { count: 3 });
    expect((await owner.open(PATH)).text).toMatch(/<p class="amount">3<\/p><p class="quiet">[^<]*de 2 incluídos/);
  });
});

describe('the invoice page', () => {
  test('shows the lines, the account to pay to, and the PDF to people with the scope', async () => {
    await choose(shop, await addPlan(app));
    await use(app, shop, app.clock.now().toISOString(), { count: 5 });
    const { config } = app.node.core;
    config.BILLING_IBAN = 'AO83004000001234567810114';
    endMonth(app);
    const [{ id, number, total }] = await untilInvoices(app, shop, 1);
    config.BILLING_IBAN = undefined;
    // The person must sign in again, because the clock advanced by a month and sessions end earlier.
    owner = await signIn();
    expect((await owner.open('/console/plan')).text).toContain(`href="/console/invoices/${id}"`);
    const { text } = await owner.open(`/console/invoices/${id}`);
    expect(text).toContain(number);
    expect(text).toContain('Pagamentos além dos 2 incluídos');
    for (const copied of ['AO83 0040 0000 1234 5678 1011 4', number]) expect(text).toContain(`value="${copied}"`);
    expect(text).toMatch(/<dt>Pagar até<\/dt><dd>\d\d\/\d\d\/\d{4}<\/dd>/);
    expect(total).toBe(17_271);

    const pdf = await owner.open(`/console/invoices/${id}/pdf`);
    expect([pdf.status, pdf.headers.get('content-type')]).toEqual([200, 'application/pdf']);
    expect(pdf.text.slice(0, 5)).toBe('%PDF-');
    const other = await openCallbackFixture(app);
    const visitor = await enterConsole(app, await addMember(app, { merchantId: other.merchantId }));
    for (const path of [`/console/invoices/${id}/pdf`, `/console/credit-notes/${id}/pdf`])
      expect((await visitor.open(path)).status).toBe(404);
    const nobody = await app.call(`/console/invoices/${id}/pdf`, { token: null });
    expect(nobody.headers.get('location')).toContain('/console/sign-in');
  });
});

describe('the audit page', () => {
  const PATH = '/console/audit';

  test('shows who changed what, with the old value', async () => {
    await owner.act('/console/settings', 'saveBrand', { name: 'Loja <b>', defaultLanguage: 'pt', brandColor: '' });
    const { text } = await owner.open(PATH);
    expect(text).toContain('<h2>Definições alteradas</h2>');
    expect(text).toMatch(/→ Loja &lt;b>/);
    expect(text).toMatch(/@loja\.example/);
  });

  test('names changed fields in words, shows amounts as money, and links to the refunded payment', async () => {
    await owner.act('/console/settings', 'saveShop', { cashierRefundLimit: '2000', push: 'on' });
    await app.sql(
      `insert into audit_entries (id, merchant_id, action, actor_kind, actor_id, target, changes, occurred_at)
       values (gen_random_uuid(), $1, 'refund.requested', 'operator', 'x', gen_random_uuid()::text, $2, $3)`,
      [shop.merchantId, { paymentId: UUID, amount: '500.00', currency: 'AOA', method: 'rail' }, app.clock.now()],
    );
    const text = (await owner.open(PATH)).text.replaceAll('\u00a0', ' ');
    expect(text).toContain('<strong>Limite de devolução do caixa</strong><span>nenhum → 2 000,00 Kz</span>');
    expect(text).toContain(`<a href="/console/payments/${UUID}">Ver o pagamento</a>`);
    expect(text).toContain('<strong>Montante</strong><span>500,00 Kz</span>');
    expect(text).toContain('<strong>Forma de devolução</strong><span>Pelo prestador</span>');
  });

  test('names the values of a contract in words', async () => {
    const contract = { kind: 'gpo', connector: 'appypay', status: 'active', environment: 'test' };
    await app.sql(
      `insert into audit_entries (id, merchant_id, action, actor_kind, actor_id, target, changes, occurred_at)
       values (gen_random_uuid(), $1, 'rail_account.created', 'operator', 'x', gen_random_uuid()::text, $2, $3)`,
      [shop.merchantId, contract, app.clock.now()],
    );
    const { text } = await owner.open(PATH);
    for (const value of ['Multicaixa Express e código QR', 'AppyPay', 'A funcionar', 'Ambiente de testes'])
      expect(text).toContain(`<span>${value}</span>`);
  });

  test('filters by person', async () => {
    const member = await addMember(app, { merchantId: shop.merchantId });
    const other = await enterConsole(app, member);
    await owner.act('/console/settings', 'saveBrand', { name: 'Um', defaultLanguage: 'pt', brandColor: '' });
    await other.act('/console/settings', 'saveBrand', { name: 'Dois', defaultLanguage: 'pt', brandColor: '' });
    const { text } = await owner.open(`${PATH}?person=${member.userId}`);
    expect(text).toMatch(/→ Dois/);
    expect(text).not.toMatch(/→ Um/);
    expect(text).toContain(`<option value="${member.userId}" selected`);
  });

  test('filters by action and by days of Luanda', async () => {
    await owner.act('/console/developers', 'createClient', { name: 'ERP', 'payments:read': 'on' });
    const listOf = async (query: string) => [
      ...(await owner.open(PATH + query)).text.matchAll(/<li [^>]*><h2>([^<]+)/g),
    ];
    const named = async (query: string) => (await listOf(query)).map(([, name]) => name);
    await owner.act('/console/settings', 'saveOrigins', { allowedOrigins: '', returnOrigins: 'https://a.example' });
    expect(await named('')).toHaveLength(2);
    expect(await named('?action=client.created')).toEqual(['Credenciais criadas: ERP']);
    const day = new Date(app.clock.now().getTime() + 3_600_000).toISOString().slice(0, 10);
    expect(await named(`?from=${day}&to=${day}`)).toEqual(await named(''));
    expect(await named('?to=2020-01-01')).toEqual([]);
    // The page ignores invalid filter values.
    expect(await named(`?action=x&from=ontem&to=2020-13-01`)).toEqual(await named(''));
    expect((await owner.open(`${PATH}?to=2020-01-01`)).text).toContain('Nada com estes filtros.');
  });
});
