// Payment references by SMS: the preview, the sending, and references that get no message.
import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { cancel, createReference, digits, PPR } from '../../support/ppr.ts';
import { addUnits } from '../../support/sms.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});

const preview = (body: object, options: object = {}) => app.call(`${PPR}/sms/preview`, { body, ...options });
const send = (body: object, options: object = {}) => app.call(`${PPR}/sms`, { body, ...options });
const contentsOf = async (batchId: string) =>
  app.sql('select phone, content from sms_messages where batch_id = $1 order by content', [batchId]);
const counts = async () =>
  app.sql('select (select count(*)::int from sms_batches) as batches, (select balance from sms_accounts limit 1)');

const TO = { customerTelephone: '923 456 001', customerName: 'Ana' };
const LINE = 'até 31/12/2026.';

/** The digits in groups of three, as the text has them. */
const grouped = ({ reference }: { reference: string }) => reference.replace(/(\d{3})(?=\d)/g, '$1 ');

describe('POST /api/references/ppr/sms', () => {
  test('sends to each customer the text of their own reference, two to a customer with two references', async () => {
    const about = { expiryDate: '2026-12-31', description: 'Propina' };
    const [one, two] = [
      await createReference(app, { ...TO, ...about }),
      await createReference(app, { ...TO, ...about }),
    ];
    const open = await createReference(app, {
      customerTelephone: '923456002',
      referenceType: 'Charging',
      amount: 0,
      description: null,
    });
    const references = [one, two, open].map(({ reference }) => reference);
    const before = (await preview({ references })).json;
    const { status, json } = await send({ references });
    expect([status, json]).toMatchObject([
      200,
      { totalDestinatarios: 3, unidades: 3, codificacao: 'GSM-7', semTelemovel: [], naoPagaveis: [] },
    ]);
    const sent = await contentsOf(json.batchId);
    expect(sent).toEqual(
      expect.arrayContaining([
        ...[one, two].map((each) => ({
          phone: '+244923456001',
          content: `Loja da Ilha: Propina. Entidade 00999, ref. ${grouped(each)}, 1 500,00 Kz, ${LINE}`,
        })),
        {
          phone: '+244923456002',
          content: `Loja da Ilha. Entidade 00999, ref. ${grouped(open)}, montante à escolha.`,
        },
      ]),
    );
    expect(before.mensagens.map(({ conteudo }: any) => conteudo).toSorted()).toEqual(
      sent.map(({ content }) => content).toSorted(),
    );
    expect((await app.call('/api/ContaSms/ObterSaldo')).json.saldoAtual).toBe(before.saldoAtual - before.unidades);
  });

  test('skips references without a valid phone number, references that ended, and people who refuse SMS', async () => {
    const [good, none, bad] = [
      await createReference(app, { customerTelephone: '923456011' }),
      await createReference(app),
      await createReference(app, { customerTelephone: '12345' }),
    ];
    const over = await createReference(app, { customerTelephone: '923456012' });
    await cancel(app, over.reference);
    const refusing = await createReference(app, { customerTelephone: '923456013' });
    await app.call('/api/sms/opt-outs', { body: { phone: '923456013' } });
    const references = [good, none, bad, over, refusing].map(({ reference }) => reference);
    const skipped = { semTelemovel: [none.reference, bad.reference], naoPagaveis: [over.reference], recusados: 1 };
    const shown = (await preview({ references })).json;
    expect(shown).toMatchObject({ totalDestinatarios: 1, ...skipped });
    expect(shown.mensagens).toMatchObject([{ reference: good.reference, numeroDestino: '+244923456011', partes: 1 }]);
    expect((await send({ references })).json).toMatchObject({ totalDestinatarios: 1, ...skipped });
  });

  test('sends once for one Idempotency-Key', async () => {
    const { reference } = await createReference(app, TO);
    const headers = { 'Idempotency-Key': randomUUID() };
    const first = await send({ references: [reference] }, { headers });
    const before = await counts();
    expect((await send({ references: [reference] }, { headers })).text).toBe(first.text);
    expect(await counts()).toEqual(before);
  });

  test('begins each text with `conteudo`, and counts characters that need more units', async () => {
    const { reference } = await createReference(app, { ...TO, expiryDate: '2026-12-31' });
    const body = { references: [reference], conteudo: 'Atenção: a propina de Novembro está por pagar' };
    const { json } = await preview(body);
    expect(json).toMatchObject({ codificacao: 'UCS-2', caracteresUcs2: ['ç', 'ã', 'á'], unidades: 2 });
    const text = `${body.conteudo}. Entidade 00999, ref. ${grouped({ reference })}, 1 500,00 Kz, ${LINE}`;
    expect(json.exemplo.conteudo).toBe(text);
    expect((await send(body)).json.unidades).toBe(2);
  });

  test.each([
    ['no reference', { references: [] }, '/references'],
    ['invalid digits', { references: ['12'] }, '/references/0'],
    ['an invisible text', { references: ['123456789'], conteudo: ' ' }, '/conteudo'],
  ])('returns 400 for %s', async (_what, body, pointer) => {
    for (const reply of [await send(body), await preview(body)])
      expect([reply.status, reply.json.errors[0].pointer]).toEqual([400, pointer]);
  });

  test('returns 404 and the position of an unknown reference or of another merchant’s, and sends nothing', async () => {
    const other = await app.addMerchant();
    const mine = await createReference(app, TO);
    const before = await counts();
    const unknown = await send({ references: [mine.reference, digits()] });
    expect([unknown.status, unknown.json.errors]).toMatchObject([404, [{ pointer: '/references/1' }]]);
    const foreign = { token: other.token };
    expect((await send({ references: [mine.reference] }, foreign)).status).toBe(404);
    expect((await preview({ references: [mine.reference] }, foreign)).status).toBe(404);
    expect(await counts()).toEqual(before);
  });

  test('returns 409 and sends nothing if the units do not suffice', async () => {
    const other = await app.addMerchant({ entity: '00998' });
    await addUnits(app, other.merchantId, 1);
    const options = { token: other.token };
    const made = [await createReference(app, TO, options), await createReference(app, TO, options)];
    const references = made.map(({ reference }) => reference);
    const { json } = await preview({ references }, options);
    expect(json).toMatchObject({ unidades: 2, saldoAtual: 1 });
    const refused = await send({ references }, options);
    expect(refused.json).toMatchObject({ status: 409, code: 'insufficient_sms_balance', unidades: 2, saldoAtual: 1 });
    expect(await app.sql('select from sms_messages where merchant_id = $1', [other.merchantId])).toEqual([]);
  });
});

test('POST /api/references/ppr/sms/preview without references takes payable ones of a type and a time', async () => {
  await app.clock.advance(1_000);
  const from = app.clock.now().toISOString();
  const dynamic = await createReference(app, TO);
  const charging = await createReference(app, { ...TO, referenceType: 'Charging' });
  const over = await createReference(app, TO);
  await cancel(app, over.reference);
  const shown = async (body: object) =>
    (await preview(body)).json.mensagens.map(({ reference }: any) => reference).toSorted();
  expect(await shown({ from })).toEqual([dynamic.reference, charging.reference].toSorted());
  expect(await shown({ from, type: 'Charging' })).toEqual([charging.reference]);
  const all = await shown({ to: from });
  expect(all).not.toContain(dynamic.reference);
});
