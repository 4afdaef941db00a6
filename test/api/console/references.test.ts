import { beforeAll, describe, expect, test } from 'vitest';
import { DEMO } from '../../../sandbox/seed.ts';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { enterConsole, formTokenIn, type Visit } from '../../support/console.ts';
import { addMember } from '../../support/members.ts';
import {
  cancel,
  createPayable,
  createReference,
  digits,
  pay,
  readReference,
  untilReceived,
} from '../../support/ppr.ts';

const { merchantId } = DEMO;
let app: TestApp;
let cashier: Visit;
beforeAll(async () => {
  app = await startTestApp();
  cashier = await enterConsole(app, await addMember(app, { merchantId, role: 'Cashier' }));
});

const LIST = '/console/references';
const screenOf = ({ reference }: { reference: string }) => `${LIST}/${reference}`;
const plain = (text: string) => text.replaceAll('\u00a0', ' ');
const lookAt = async (path: string) => plain((await cashier.open(path)).text);
const count = async () => (await app.sql<{ n: number }>('select count(*)::int as n from payment_references'))[0]!.n;

describe('the form of a new reference', () => {
  test('creates the reference with every field once, even if it is sent several times', async () => {
    const form = {
      act: 'referenceCreate',
      token: formTokenIn(await cashier.open(`${LIST}?new=one`)),
      key: crypto.randomUUID(),
      amount: '15 000,50',
      kind: 'Dynamic',
      expiryDate: '2026-12-24',
      description: 'Matrícula <b>2027</b>',
      customerName: 'Ana Domingos',
      customerTelephone: '923 456 789',
      reference: '',
    };
    const before = await count();
    const [first, again] = [await cashier.post(LIST, form), await cashier.post(LIST, form)];
    const place = first.headers.get('location')!;
    expect([first.status, again.headers.get('location')]).toEqual([303, place]);
    const otherwise = await cashier.post(LIST, { ...form, amount: '1' });
    expect([otherwise.status, otherwise.text]).toEqual([422, expect.stringContaining('enviado com outros dados')]);
    expect(await count()).toBe(before + 1);
    const [, reference = ''] = /references\/(\d{9})\?done=referenceCreate$/.exec(place) ?? [];
    expect(await readReference(app, reference)).toMatchObject({
      amount: 15_000.5,
      referenceType: 'Dynamic',
      description: 'Matrícula <b>2027</b>',
      customerName: 'Ana Domingos',
      expiresAt: '2026-12-24T22:59:59.999Z',
    });
    const text = await lookAt(place);
    expect(text).toContain('15 000,50 Kz');
    expect(text).toContain('Matrícula &lt;b>2027&lt;/b>');
    expect(text).toContain('Entidade 00999, referência:');
  });

  test('creates a permanent reference with given digits whose amount the payer chooses', async () => {
    const reference = digits();
    await cashier.act(LIST, 'referenceCreate', { amount: '', kind: 'Charging', reference });
    expect(await readReference(app, reference)).toMatchObject({ amount: 0, referenceType: 'Charging' });
    expect(await lookAt(`${LIST}/${reference}`)).toContain('O cliente escolhe');
  });

  test('shows an error beside each wrong field and keeps the values', async () => {
    const { reference } = await createReference(app, { reference: digits() });
    const before = await count();
    const fields = { amount: 'mil', kind: 'Dynamic', expiryDate: '2020-01-01', reference };
    const { status, text } = await cashier.act(LIST, 'referenceCreate', fields);
    expect(status).toBe(400);
    for (const field of ['amount', 'expiryDate', 'reference'])
      expect(text).toContain(`id="referenceCreate-${field}-error"`);
    expect(text).toContain('Este número está em uso');
    expect(text).toContain('value="mil"');
    const none = await cashier.act(LIST, 'referenceCreate', { amount: '', kind: 'Dynamic' });
    expect(none.text).toContain('id="referenceCreate-amount-error">Preencha este campo.');
    expect(await count()).toBe(before);
  });
});

describe('a pasted list of references', () => {
  const LINES = '15000;Matrícula;Ana;923456789;31/12/2026;\r\n\t\r\n7500,50\tPropina\tRui\r\n;Quotas';

  test('is previewed, and creates its references once at the next submit', async () => {
    const before = await count();
    const preview = await cashier.act(LIST, 'referencesCheck', { lines: LINES });
    expect(preview.text).toContain('class="notice quiet"');
    expect(preview.status).toBe(200);
    expect(plain(preview.text)).toMatch(/22 500,50 Kz.*Referências: 3</s);
    expect(preview.text).toContain('31/12/2026');
    expect(preview.text).toContain('Ainda nada foi criado.');
    expect(await count()).toBe(before);
    const [, key = ''] = /value="referencesCreate".*?name="key" value="([\w-]+)"/s.exec(preview.text) ?? [];
    const [, kept = ''] = /type="hidden" name="lines" value="([^"]+)"/.exec(preview.text) ?? [];
    const form = { act: 'referencesCreate', token: formTokenIn(preview), key, lines: kept };
    const pressed = await Promise.all([1, 2, 3].map(() => cashier.post(LIST, form)));
    expect(pressed.map(({ status }) => status).filter((status) => ![303, 409].includes(status))).toEqual([]);
    for (const _time of [1, 2])
      expect((await cashier.post(LIST, form)).headers.get('location')).toEqual(
        expect.stringMatching(/references\?status=Pending&from=2026[^&]+&to=2026[^&]+&done=referencesCreate$/),
      );
    expect(await count()).toBe(before + 3);
    const made = (await app.call('/api/references/ppr?pageSize=3')).json.data;
    const about = made.map((one: any) => [
      one.amount,
      one.referenceType,
      one.description,
      one.customerName,
      one.expiresAt,
    ]);
    expect(about).toEqual(
      expect.arrayContaining([
        [15_000, 'Dynamic', 'Matrícula', 'Ana', '2026-12-31T22:59:59.999Z'],
        [7_500.5, 'Dynamic', 'Propina', 'Rui', expect.any(String)],
        [0, 'Charging', 'Quotas', null, '2099-12-31T23:59:59.000Z'],
      ]),
    );
  });

  test('names each wrong line before it creates anything: unreadable, expired, in use or repeated', async () => {
    const { reference } = await createReference(app, { reference: digits() });
    const before = await count();
    const twice = digits();
    const lines = [
      'mil;x',
      '100;x;;;01/01/2020',
      `100;<b>;;;;${reference}`,
      `1;;;;;${twice}`,
      `2;;;;;${twice}`,
      '3',
    ].join('\n');
    for (const act of ['referencesCheck', 'referencesCreate']) {
      const { status, text } = await cashier.act(LIST, act, { lines });
      expect(status).toBe(400);
      expect(text).toMatch(/Linha 1<\/strong> “mil;x” · montante:/);
      expect(text).toMatch(/Linha 2<\/strong> “100;x;;;01\/01\/2020” · válida até: Esta data já passou/);
      expect(text).toContain(`Linha 3</strong> “100;&lt;b>;;;;${reference}” · número: Este número está em uso`);
      expect(text).toMatch(/Linha 5<\/strong>.*duas vezes/);
      expect(text).not.toContain('Linha 6');
      expect(text).not.toContain('value="referencesCreate"');
    }
    // The preview also names an error that only the database detects.
    const alone = await cashier.act(LIST, 'referencesCheck', { lines: `100;;;;;${reference}` });
    expect([alone.status, alone.text]).toEqual([400, expect.stringContaining('Este número está em uso')]);
    expect(await count()).toBe(before);
  });

  test('must have 1 to 500 lines', async () => {
    const many = await cashier.act(LIST, 'referencesCheck', { lines: '100;Propina do ano\n'.repeat(501) });
    expect([many.status, many.text]).toEqual([413, expect.stringContaining('São mais de 500 linhas')]);
    expect((await cashier.act(LIST, 'referencesCheck', { lines: '100;Propina do ano\n'.repeat(500) })).status).toBe(
      200,
    );
    const none = await cashier.act(LIST, 'referencesCheck', { lines: ' \n' });
    expect([none.status, none.text]).toEqual([400, expect.stringContaining('id="referencesCheck-lines-error"')]);
  });
});

test('the list of references can be filtered, searched by grouped digits, and exported', async () => {
  const open = await createReference(app, { referenceType: 'Charging', amount: 0 });
  const over = await createReference(app);
  await cancel(app, over.reference);
  const shown = async (query: string) => {
    const text = await lookAt(`${LIST}${query}`);
    return [open, over].map(({ reference }) => text.includes(`${LIST}/${reference}`));
  };
  expect(await shown('?status=Pending&type=Charging')).toEqual([true, false]);
  expect(await shown('?status=Canceled')).toEqual([false, true]);
  expect(await shown('?status=lixo')).toEqual([true, true]);
  const slip = encodeURIComponent(over.reference.replace(/(\d{3})(?=\d)/g, '$1 '));
  expect(await shown(`?q=${slip}`)).toEqual([false, true]);
  expect(await lookAt(`${LIST}?q=ninguém`)).toContain('Limpar');
  const { text } = await cashier.open(`${LIST}.csv?status=Canceled`);
  expect([text.includes(over.reference), text.includes(open.reference)]).toEqual([true, false]);
});

test('the page of a reference shows payments and history, withdraws it, and then has no actions', async () => {
  const reference = await createPayable(app, { referenceType: 'Charging', amount: 0 });
  await pay(app, reference, { amount: '2500.00' });
  await untilReceived(app, reference.reference, 2_500);
  const text = await lookAt(screenOf(reference));
  expect(text).toMatch(/Pagamentos recebidos.*2 500,00 Kz/s);
  expect(text).toContain('pago: 2 500,00 Kz');
  const reply = await cashier.act(screenOf(reference), 'referenceWithdraw');
  expect(reply.headers.get('location')).toBe(`${screenOf(reference)}?done=referenceWithdraw`);
  expect(await readReference(app, reference.reference)).toMatchObject({ referenceStatus: 'Canceled' });
  const after = await lookAt(screenOf(reference));
  expect(after).toContain('Retirada');
  expect(after).not.toContain('name="act"');
});

test('the page at reused digits shows the newest reference and links to the older one', async () => {
  const own = digits();
  const first = await createReference(app, { reference: own });
  await cancel(app, own);
  expect(await lookAt(LIST)).toContain(`${LIST}/${own}?of=${first.internalId}`);
  const second = await createReference(app, { reference: own });
  const text = await lookAt(`${LIST}/${own}?of=${first.internalId}`);
  expect(text).toMatch(new RegExp(`foi usado de novo.*href="/console/payments/${first.internalId}"`, 's'));
  expect(await lookAt(`${LIST}/${own}?of=${second.internalId}`)).not.toContain('foi usado de novo');
});

describe('the screen that sends references by SMS', () => {
  const SMS = `${LIST}/sms`;
  const keyIn = ({ text }: { text: string }, act: string) =>
    new RegExp(`name="act" value="${act}".*?name="key" value="([\\w-]+)"`, 's').exec(text)?.[1] ?? '';
  const digitsIn = ({ text }: { text: string }) => /name="references" value="([\d ]+)"/.exec(text)?.[1] ?? '';
  const batches = async () => (await app.sql('select id from sms_batches')).length;

  test('shows the cost and every text of a list that was just created, and sends each once at one press', async () => {
    const owner = await enterConsole(app, await addMember(app, { merchantId }));
    // The clock of the test stands still, and the link selects by the time of creation.
    await app.clock.advance(1_000);
    const lines = '15000;Matrícula;Ana;923456021\n7500;Propina;Rui;923456022\n100;Visita;Eva;';
    const created = await owner.act(LIST, 'referencesCreate', { lines });
    const list = await owner.open(created.headers.get('location')!);
    const [, path = ''] = /<a class="button" href="([^"]+)">Enviar estas referências por SMS/.exec(list.text) ?? [];
    const before = await batches();
    const shown = await owner.open(path.replaceAll('&amp;', '&'));
    expect(shown.text).toMatch(/<p class="amount">2 mensagens<\/p>/);
    expect(plain(shown.text)).toMatch(/Loja da Ilha: Matrícula\. Entidade 00999, ref\. [\d ]+, 15 000,00 Kz, até/);
    expect(shown.text).toMatch(/Sem telemóvel válido, por isso sem SMS: <a href="\/console\/references\/\d{9}">/);
    expect(shown.text).toMatch(/<dd>í<\/dd>/);
    expect(await batches()).toBe(before);
    const references = digitsIn(shown);
    expect(references.split(' ')).toHaveLength(2);
    const key = keyIn(shown, 'referenceSms');
    const form = { act: 'referenceSms', token: formTokenIn(shown), key, references, conteudo: '' };
    const pressed = await Promise.all([owner.post(SMS, form), owner.post(SMS, form)]);
    expect(pressed.map(({ status }) => status).filter((status) => ![303, 409].includes(status))).toEqual([]);
    const { headers } = await owner.post(SMS, form);
    expect(headers.get('location')).toMatch(/^\/console\/sms\/history\?batch=[\w-]+&done=referenceSms$/);
    expect(await batches()).toBe(before + 1);
  });

  test('shows the cost of another beginning of the texts before it sends them', async () => {
    const owner = await enterConsole(app, await addMember(app, { merchantId }));
    const { reference } = await createReference(app, { customerTelephone: '923456031' });
    expect((await owner.open(screenOf({ reference }))).text).toContain(`href="${SMS}?digits=${reference}"`);
    const typed = { references: reference, conteudo: 'Olá <b>, pague já' };
    const { status, text } = await owner.act(SMS, 'referenceSmsPreview', typed);
    expect([status, text]).toEqual([200, expect.stringContaining('Olá &lt;b>, pague já. Entidade 00999')]);
    expect(text).toContain('name="conteudo" value="Olá &lt;b>, pague já"');
  });

  test('has no button if the units do not suffice', async () => {
    const owner = await enterConsole(app, await addMember(app, { merchantId }));
    const { reference } = await createReference(app, { customerTelephone: '923456041' });
    const [{ balance }] = await app.sql('select balance from sms_accounts where merchant_id = $1', [merchantId]);
    await app.sql('update sms_accounts set balance = 0 where merchant_id = $1', [merchantId]);
    const { text } = await owner.open(`${SMS}?digits=${reference}`);
    expect(text).toContain('SMS que faltam: 1');
    expect(text).not.toContain('value="referenceSms"');
    await app.sql('update sms_accounts set balance = $2 where merchant_id = $1', [merchantId, balance]);
  });
});
