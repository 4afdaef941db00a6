// What people are notified of money given back: each trouble of a refund is told once, with how much and of which payment.
import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { inTransaction } from '../../../server/database/orm.ts';
import { recordEvent } from '../../../server/events/record.ts';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { create, webframe } from '../../support/payments.ts';

let app: TestApp;
let payment: any;
beforeAll(async () => {
  app = await startTestApp();
  payment = await create(app, webframe({ reference: 'PEDIDO-19' }));
});
beforeEach(() => app.sql('delete from notifications').then(() => {}));

/** An event of a refund of the payment, as refunds write them. */
async function happen(type: string, refundId: string, more: Record<string, unknown> = {}): Promise<void> {
  const { core } = app.node;
  const [{ merchant_id: merchantId }] = await app.sql('select merchant_id from payments where id = $1', [payment.id]);
  const details = { refundId, amount: '500.50', currency: 'AOA', method: 'rail', reference: 'PEDIDO-19', ...more };
  const occurredAt = core.clock.now();
  await inTransaction(core, (db) =>
    recordEvent(db, { merchantId, paymentId: payment.id, type: `refund.${type}`, status: null, occurredAt, details }),
  );
}

async function notes(): Promise<{ tipo: string; mensagem: string }[]> {
  const { json } = await app.call('/v1/notificacoes');
  return json.data.map((note: any) => ({ ...note, mensagem: note.mensagem.replaceAll('\u00a0', ' ') })).toReversed();
}

test.each([
  ['failed', {}, 'refund.failed', 'A devolução de 500,50 Kz do pagamento PEDIDO-19 não foi feita'],
  ['stuck', {}, 'refund.stuck', 'não diz se devolveu 500,50 Kz do pagamento PEDIDO-19'],
  ['excess', {}, 'refund.excess', 'Foram devolvidos 500,50 Kz do pagamento PEDIDO-19, e com isso já saiu mais'],
  ['succeeded', { late: true }, 'refund.late', 'Foram devolvidos 500,50 Kz do pagamento PEDIDO-19 depois de'],
])(
  'a refund that %s %j is %s: once, however often it is told of, and again for another',
  async (type, more, tipo, words) => {
    const [refund, other] = [randomUUID(), randomUUID()];
    for (const id of [refund, refund, other]) await happen(type, id, more);
    const told = await notes();
    expect(told).toMatchObject([{ tipo }, { tipo }]);
    expect(told[0]?.mensagem).toContain(words);
  },
);

test('one that fails, and then went back after all, is told as both', async () => {
  const refund = randomUUID();
  await happen('failed', refund);
  await happen('succeeded', refund, { late: true });
  expect(await notes()).toMatchObject([{ tipo: 'refund.failed' }, { tipo: 'refund.late' }]);
});

test.each([['created'], ['processing'], ['succeeded'], ['canceled']])(
  'that a refund is %s is no news',
  async (type) => {
    await happen(type, randomUUID(), { late: false });
    expect(await notes()).toEqual([]);
  },
);
