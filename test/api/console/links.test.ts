import { beforeAll, describe, expect, test } from 'vitest';
import { DEMO } from '../../../sandbox/seed.ts';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { enterConsole, formTokenIn, type Visit } from '../../support/console.ts';
import { createLink, readLink, sendForm } from '../../support/links.ts';
import { addMember } from '../../support/members.ts';

const { merchantId } = DEMO;
let app: TestApp;
let owner: Visit;
beforeAll(async () => {
  app = await startTestApp();
  owner = await enterConsole(app, await addMember(app, { merchantId }));
});

const LIST = '/console/links';
const screenOf = ({ id }: { id: string }) => `${LIST}/${id}`;
const idIn = (location: string | null) => /links\/([\w-]{36})/.exec(location ?? '')?.[1] ?? '';
const countLinks = async () => (await app.sql<{ n: number }>('select count(*)::int as n from links'))[0]!.n;

describe('the form of a new payment link', () => {
  test('creates the link with every field once, even if it is sent several times', async () => {
    const token = formTokenIn(await owner.open(`${LIST}?new=1`));
    const form = {
      act: 'linkCreate',
      token,
      key: crypto.randomUUID(),
      title: 'Bilhete <b>de sábado</b>',
      amount: '7 500,50',
      stock: '50',
      expiresAt: '2026-12-24',
      thanks: 'Até sábado!',
      'ask.phone': 'on',
      'ask.name': 'on',
      'way.reference': 'on',
    };
    const before = await countLinks();
    const first = await owner.post(LIST, form);
    const place = first.headers.get('location');
    expect([first.status, place]).toEqual([303, expect.stringMatching(/\?done=linkCreate$/)]);
    expect((await owner.post(LIST, form)).headers.get('location')).toBe(place);
    expect(await countLinks()).toBe(before + 1);
    expect(await readLink(app, { id: idIn(place) })).toMatchObject({
      title: 'Bilhete <b>de sábado</b>',
      amount: 7500.5,
      stock: 50,
      currency: 'AOA',
      thanks: 'Até sábado!',
      asks: ['name', 'phone'],
      methods: ['reference'],
      expiresAt: '2026-12-24T22:59:59.999Z',
      returnUrl: null,
    });
    const { text } = await owner.open(place!);
    expect(text).toContain('Bilhete &lt;b>de sábado&lt;/b>');
    expect(text).toContain('O link foi criado.');
    expect(text).toMatch(/<img class="qr" src="data:image\/svg\+xml;base64,[\w+/=]+"/);
    expect(text).toMatch(/href="data:image\/png;base64,[\w+/=]+" download/);
  });

  test('shows an error beside each wrong field and keeps the values', async () => {
    const before = await countLinks();
    const fields = {
      title: '',
      amount: 'mil',
      stock: 'dois',
      expiresAt: '2020-01-01',
      returnUrl: 'https://a.example/',
    };
    const { status, text } = await owner.act(LIST, 'linkCreate', fields);
    expect(status).toBe(400);
    for (const field of ['title', 'amount', 'stock']) expect(text).toContain(`id="linkCreate-${field}-error"`);
    expect(text).toContain('value="mil"');
    const late = await owner.act(LIST, 'linkCreate', { ...fields, title: 'X', amount: '', stock: '' });
    expect(late.text).toMatch(/id="linkCreate-expiresAt-error">Já passou/);
    expect(late.text).toMatch(/id="linkCreate-returnUrl-error">Não é de um site registado/);
    expect(await countLinks()).toBe(before);
  });
});

describe('the page of a payment link', () => {
  test('changes the link, and keeps values that the API has set', async () => {
    const link = await createLink(app, { methods: ['reference', 'push'], expiresAt: '2026-12-24T10:00:00Z' });
    const form = {
      title: 'Outro',
      amount: '',
      minAmount: '100',
      currency: 'AOA',
      revision: '1',
      expiresAt: '2026-12-24',
      until: '2026-12-24T10:00:00.000Z',
      'way.order': 'reference,push',
      'way.push': 'on',
      'way.reference': 'on',
    };
    expect((await owner.act(screenOf(link), 'linkChange', form)).status).toBe(303);
    expect(await readLink(app, link)).toMatchObject({
      title: 'Outro',
      amount: null,
      minAmount: 100,
      revision: 2,
      methods: ['reference', 'push'],
      expiresAt: '2026-12-24T10:00:00.000Z',
    });
  });

  test('does not overwrite a concurrent change', async () => {
    const link = await createLink(app);
    const form = { currency: 'AOA', revision: '1', amount: '2000' };
    await owner.act(screenOf(link), 'linkChange', { ...form, title: 'Primeira' });
    const second = await owner.act(screenOf(link), 'linkChange', { ...form, title: 'Segunda' });
    expect(second.status).toBe(409);
    expect(second.text).toContain('Alguém o alterou entretanto');
    expect(second.text).toContain('<h1>Primeira</h1>');
    expect(second.text).toContain('value="Segunda"');
    expect(second.text).toContain('Está guardado agora: <strong>Primeira</strong>');
    expect(second.text).toContain('name="revision" value="2"');
    expect((await readLink(app, link)).title).toBe('Primeira');
  });

  test('ends the link, and then has no actions', async () => {
    const link = await createLink(app);
    const reply = await owner.act(screenOf(link), 'linkWithdraw');
    expect(reply.headers.get('location')).toBe(`${screenOf(link)}?done=linkWithdraw`);
    const { text } = await owner.open(screenOf(link));
    expect(text).toContain('Terminado');
    expect(text).not.toContain('name="act"');
    expect((await owner.act(screenOf(link), 'linkChange', { title: 'X', revision: '2' })).status).toBe(409);
  });

  test('shows only the payments of this link, also as a file', async () => {
    const link = await createLink(app, { asks: ['name'] });
    expect((await owner.open(screenOf(link))).text).toContain('Ainda ninguém usou este link');
    await sendForm(app, link, { name: 'Ana <script>' });
    expect((await owner.open(screenOf(link))).text).toContain('Ana &lt;script>');
    const file = await owner.open(`${screenOf(link)}/payments.csv`);
    expect([file.status, file.text]).toEqual([200, expect.stringContaining('Ana <script>')]);
    const other = await app.addMerchant();
    const visitor = await enterConsole(app, await addMember(app, { merchantId: other.merchantId }));
    expect((await visitor.open(`${screenOf(link)}/payments.csv`)).status).toBe(404);
  });

  test('sends the link once by SMS, and names each wrong phone number', async () => {
    const link = await createLink(app);
    const wrong = await owner.act(screenOf(link), 'linkSms', { numbers: '923 456 789\n12\nlixo', conteudo: 'Olá:' });
    expect([wrong.status, wrong.text]).toEqual([400, expect.stringContaining('Linha 2')]);
    expect(wrong.text).toContain('“lixo”');
    const token = formTokenIn(await owner.open('/console/account'));
    const form = { act: 'linkSms', token, key: crypto.randomUUID(), numbers: '923 456 789', conteudo: 'Olá:' };
    for (const _time of [1, 2]) expect((await owner.post(screenOf(link), form)).status).toBe(303);
    expect(await app.sql('select content from sms_batches')).toEqual([{ content: `Olá: ${link.url}` }]);
  });

  test('finds the link by status, and sends it by mail with its purpose', async () => {
    const link = await createLink(app, { title: 'Excursão & almoço' });
    const [open, over] = [`${LIST}?status=Active`, `${LIST}?status=Withdrawn`];
    expect((await owner.open(open)).text).toContain(link.id);
    expect((await owner.open(over)).text).not.toContain(link.id);
    const [, mail = ''] = /href="(mailto:[^"]+)"/.exec((await owner.open(screenOf(link))).text) ?? [];
    const { searchParams } = new URL(mail.replaceAll('&amp;', '&'));
    expect(searchParams.get('subject')).toBe('Excursão & almoço');
    expect(searchParams.get('body')).toMatch(/^Excursão & almoço: 1\s500,00\sKz\r\n\r\nPode pagar aqui[^]+\/l\//);
    await owner.act(screenOf(link), 'linkWithdraw');
    expect((await owner.open(over)).text).toContain(link.id);
  });
});
