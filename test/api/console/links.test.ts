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
    expect(late.text).toMatch(/id="linkCreate-expiresAt-error">Esta data já passou/);
    expect(late.text).toMatch(/id="linkCreate-returnUrl-error">Não é um endereço dos seus sites registados/);
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
    expect(second.text).toContain('Outra pessoa alterou o link entretanto');
    expect(second.text).toContain('<h1>Primeira</h1>');
    expect(second.text).toContain('value="Segunda"');
    expect(second.text).toContain('Está guardado agora: <strong>Primeira</strong>');
    expect(second.text).toContain('name="revision" value="2"');
    expect((await readLink(app, link)).title).toBe('Primeira');
  });

  test('ends the link, and then has no forms', async () => {
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
    expect((await owner.open(screenOf(link))).text).toContain('Este link ainda não tem pagamentos.');
    await sendForm(app, link, { name: 'Ana <script>' });
    expect((await owner.open(`${screenOf(link)}?show=Open`)).text).toContain('Ana &lt;script>');
    // By default the list has only payments that were paid.
    for (const group of ['', '?show=Released'])
      expect((await owner.open(`${screenOf(link)}${group}`)).text).not.toContain('Ana &lt;script>');
    const file = await owner.open(`${screenOf(link)}/payments.csv?show=all`);
    expect([file.status, file.text]).toEqual([200, expect.stringContaining('Ana <script>')]);
    const other = await app.addMerchant();
    const visitor = await enterConsole(app, await addMember(app, { merchantId: other.merchantId }));
    expect((await visitor.open(`${screenOf(link)}/payments.csv`)).status).toBe(404);
  });

  test('shows the cost of an SMS first, sends the link once, and names each wrong phone number', async () => {
    const link = await createLink(app);
    const fields = { numbers: '923 456 789', conteudo: 'Já pode pagar:', url: link.url };
    const wrong = await owner.act(screenOf(link), 'linkSmsPreview', { ...fields, numbers: '923 456 789\n12\nlixo' });
    expect([wrong.status, wrong.text]).toEqual([400, expect.stringContaining('Linha 2')]);
    expect(wrong.text).toContain('“lixo”');
    const preview = await owner.act(screenOf(link), 'linkSmsPreview', fields);
    expect([preview.status, preview.text]).toEqual([200, expect.stringContaining(`Já pode pagar: ${link.url}</p>`)]);
    expect(preview.text).toMatch(/<dt>[^<]+<\/dt><dd>á<\/dd>/);
    expect(await app.sql('select content from sms_batches')).toEqual([]);
    const [, key = ''] = /name="act" value="linkSms".*?name="key" value="([\w-]+)"/s.exec(preview.text) ?? [];
    const form = { act: 'linkSms', token: formTokenIn(preview), key, ...fields };
    for (const _time of [1, 2]) expect((await owner.post(screenOf(link), form)).status).toBe(303);
    expect(await app.sql('select content from sms_batches')).toEqual([{ content: `Já pode pagar: ${link.url}` }]);
  });

  test('has a WhatsApp message with shop, purpose, amount, address and end, and requests no third party', async () => {
    const link = await createLink(app, { title: 'Mesa & <vela>', expiresAt: '2026-12-24' });
    const { text, headers } = await owner.open(screenOf(link));
    const [, href = ''] =
      /<a class="button" href="(https:\/\/wa\.me[^"]+)" target="_blank" rel="noopener">/.exec(text) ?? [];
    const { pathname, searchParams } = new URL(href.replaceAll('&amp;', '&'));
    expect([pathname, searchParams.get('text')]).toEqual([
      '/',
      'Loja da Ilha\nMesa & <vela>\nMontante: 1\u00a0500,00\u00a0Kz\nPague aqui, sem criar conta:\n' +
        `${link.url}\nPode pagar até 24/12/2026.`,
    ]);
    expect(headers.get('content-security-policy')).not.toContain('wa.me');
    expect(text).toMatch(/<button type="button" class="plain" data-share="[^"]+" data-title="[^"]+" hidden>/);
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

describe('the copy of a payment link', () => {
  const copyOf = async ({ id }: { id: string }) => (await owner.open(`${LIST}?new=1&copy=${id}`)).text;

  test('is a form with every field of the link, and creates a second link', async () => {
    const fields = { methods: ['reference', 'push'], asks: ['nif', 'name'], stock: 3, thanks: 'Até já', minAmount: 5 };
    const link = await createLink(app, { ...fields, amount: null, expiresAt: '2026-12-24T10:00:00Z' });
    expect((await owner.open(screenOf(link))).text).toContain(`href="${LIST}?new=1&amp;copy=${link.id}"`);
    const text = await copyOf(link);
    const inputs = [...text.matchAll(/<input[^>]*?(?:name="([^"]+)")[^>]*>/g)];
    const valueOf = (tag: string) => /value="([^"]*)"/.exec(tag)?.[1] ?? (tag.includes('checkbox') ? 'on' : '');
    const sent = inputs.filter(([tag]) => !tag.includes('checkbox') || tag.includes('checked'));
    const form = Object.fromEntries(sent.map(([tag, name]) => [name!, valueOf(tag)]));
    expect(form).not.toHaveProperty('revision');
    const reply = await owner.post(LIST, { ...form, thanks: 'Até já' });
    const made = await readLink(app, { id: idIn(reply.headers.get('location')) });
    const { id, slug: _slug, url: _url, createdAt: _created, updatedAt: _updated, ...same } = link;
    expect(made).toMatchObject(same);
    expect(made.id).not.toBe(id);
  });

  test('leaves out an end that has passed', async () => {
    const link = await createLink(app, { expiresAt: new Date(app.clock.now().getTime() + 60_000).toISOString() });
    expect(await copyOf(link)).toMatch(/id="linkCreate-expiresAt"[^>]* value="2026/);
    await app.sql('update links set expires_at = created_at where id = $1', [link.id]);
    const text = await copyOf(link);
    expect(text).toContain('O prazo do link copiado já passou');
    expect(text).not.toMatch(/id="linkCreate-expiresAt"[^>]* value="2026/);
  });

  test('is an empty form for an unknown link and for a link of another merchant', async () => {
    const other = await app.addMerchant();
    const { json } = await app.call('/api/links', { body: { title: 'Alheio', currency: 'AOA' }, token: other.token });
    for (const id of [json.id, crypto.randomUUID()]) {
      const text = await copyOf({ id });
      expect(text).toContain('name="act" value="linkCreate"');
      expect(text).not.toContain('Alheio');
    }
  });
});

test('the poster of a payment link has no frame, and its shop, title, price, code, methods and address', async () => {
  const link = await createLink(app, { title: 'Mesa & <vela>', methods: ['push', 'reference'] });
  const { text } = await owner.open(`${screenOf(link)}/poster`);
  expect(text).not.toContain('<nav');
  expect(text).not.toMatch(/ style="|<form/);
  for (const part of [
    'Loja da Ilha</p>',
    'Mesa &amp; &lt;vela></h1>',
    '1\u00a0500,00\u00a0Kz',
    '<img class="square" src="data:image/svg+xml;base64,',
    'Pague com Multicaixa Express',
    'Também por referência',
    `<strong>${link.url.replace('http://', '')}</strong>`,
  ])
    expect(text).toContain(part);
});
