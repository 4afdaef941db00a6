import { afterEach, expect, test } from 'vitest';
import { PRODUCTION_ENV, startTestApp, type TestApp } from '../../support/app.ts';
import { addUnits, listSent, readBalance, sendText } from '../../support/sms.ts';

let app: TestApp;
afterEach(() => app?.stop());

async function start(env: Record<string, string>) {
  app = await startTestApp({ env: { ...PRODUCTION_ENV, ...env } });
  const merchant = await app.addMerchant();
  await addUnits(app, merchant.merchantId, 10);
  return merchant;
}

test('a production gateway without an SMS rail returns 409 for a sending request', async () => {
  const { merchantId, token } = await start({});
  const moment = { dia: 1, mes: 4, ano: 2026, hora: 9, minuto: 0 };
  const body = { numerosDestino: ['923456789'], conteudo: 'Olá' };
  for (const path of ['enviarSms', 'agendarSms']) {
    const reply = await app.call(`/api/Envio/${path}`, { body: { ...body, ...moment }, token });
    expect([reply.status, reply.json.code]).toEqual([409, 'sms_unavailable']);
  }
  expect(await readBalance(app, merchantId)).toBe(10);
  expect(await app.sql('select from sms_batches')).toEqual([]);
  const contact = { nome: 'Ana', telefone: '923456789' };
  expect((await app.call('/api/Contactos/CadastrarContacto', { body: contact, token })).status).toBe(201);
  expect((await app.call('/rails/sms/notifications', { body: {}, token: null })).status).toBe(401);
});

test('a production gateway with an unreachable rail accepts a sending request and keeps its SMS pending', async () => {
  const { merchantId, token } = await start({ SMS_URL: 'https://127.0.0.1:9', SMS_KEY: 'a key of a real SMS rail' });
  const reply = await sendText(app, ['923456789'], 'Olá', { token });
  expect(reply.status, reply.text).toBe(200);
  await app.clock.advance(5_000);
  expect((await listSent(app, '', { token })).map(({ estado }) => estado)).toEqual(['Pendente']);
  expect(await readBalance(app, merchantId)).toBe(9);
});
