import { beforeAll, describe, expect, test } from 'vitest';
import { query } from '../../../server/database/db.ts';
import { attentionOf, needsAttention } from '../../../server/payments/core/attention.ts';
import { ATTENTION_FLAGS, PAYMENT_STATUSES } from '../../../shared/status.ts';
import { DEMO } from '../../../sandbox/seed.ts';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { enterConsole, type Visit } from '../../support/console.ts';
import { createLink, listPayments, useLink } from '../../support/links.ts';
import { addMember } from '../../support/members.ts';
import { travelToStatus } from '../../support/payments.ts';
import { createPayable, pay, readReference, untilReceived } from '../../support/ppr.ts';
import { byHand, createPaid, createRefund } from '../../support/refunds.ts';

let app: TestApp;
let owner: Visit;
beforeAll(async () => {
  app = await startTestApp();
  owner = await enterConsole(app, await addMember(app, { merchantId: DEMO.merchantId }));
});

const read = async (id: string) => (await app.call(`/api/payments/${id}`)).json;
const listed = async (id: string) =>
  (await app.call('/api/payments?pageSize=100')).json.data.find(({ internalId }: any) => internalId === id);
const listBy = async (flag: string): Promise<string[]> =>
  (await app.call(`/api/payments?attention=${flag}&pageSize=100`)).json.data.map(({ internalId }: any) => internalId);
const countOf = async (kind: string): Promise<number> =>
  (await app.call('/api/summary')).json.attention.find((each: any) => each.kind === kind)?.count ?? 0;

async function badgeOf(id: string): Promise<string | undefined> {
  const { text } = await owner.open('/console/payments');
  const [, line = ''] = text.split(`data-live-key="${id}"`);
  return /<span class="(state \w+)"><svg.*?<\/svg>([^<]+)/.exec(line)?.slice(1, 3).join(': ');
}

/** Creates a reference over 1 500,00 and pays this amount, or 1 500,00 with the given fault. */
async function payReference(fault: string, amount: string | null, received: number): Promise<any> {
  const made = await createPayable(app);
  await pay(app, made, { fault, ...(amount && { amount }) });
  await untilReceived(app, made.reference, received);
  return readReference(app, made.reference);
}

describe('an overpaid payment', () => {
  test('has the attention field in every list until the excess is refunded', async () => {
    const before = await countOf('overpaid');
    const reference = await payReference('twice', null, 3000);
    const { internalId } = reference;
    expect([reference.attention, (await read(internalId)).attention]).toEqual(['overpaid', 'overpaid']);
    expect(await listed(internalId)).toMatchObject({
      attention: 'overpaid',
      flags: ['overpaid'],
      refundStatus: 'none',
    });
    expect(await listBy('overpaid')).toContain(internalId);
    expect(await countOf('overpaid')).toBe(before + 1);
    expect(await badgeOf(internalId)).toBe('state warning: Pago a mais');
    const today = (await owner.open('/console/today')).text;
    expect(today).toContain('Precisa da sua atenção');
    expect(today).toContain('href="/console/payments?status=overpaid"');

    const [{ transactionId }] = (await app.call(`/api/payments/${internalId}/refundable`)).json.data;
    await createRefund(app, internalId, byHand({ amount: 1500, transactionId }));
    expect(await listed(internalId)).toMatchObject({ attention: null, refundStatus: 'partial' });
    expect(await listBy('overpaid')).not.toContain(internalId);
    expect(await countOf('overpaid')).toBe(before);
  });
});

test('the refund form of a payment that received too much at once proposes the excess', async () => {
  const { internalId, attention } = await payReference('wrong_amount', '2000.50', 2000.5);
  expect(attention).toBe('overpaid');
  const { text } = await owner.open(`/console/payments/${internalId}`);
  expect(text).toMatch(/<input[^>]*name="amount"[^>]*value="500,5"/);
});

describe('a payment that received too little', () => {
  test('has the attention field in every list until the money is refunded', async () => {
    const before = await countOf('amount_mismatch');
    const { internalId, reference } = await payReference('wrong_amount', '0.01', 0.01);
    expect(await listed(internalId)).toMatchObject({ status: 'Pending', attention: 'amount_mismatch' });
    expect(await badgeOf(internalId)).toBe('state danger: Pago a menos');
    expect(await countOf('amount_mismatch')).toBe(before + 1);
    for (const at of [
      `/console/payments/${internalId}`,
      `/console/charge/${internalId}`,
      `/console/references/${reference}`,
    ])
      expect((await owner.open(at)).text, at).toContain('Pago a menos');
    expect((await owner.open('/console/references')).text).toContain('Pago a menos');
    await createRefund(app, internalId, byHand());
    expect(await listed(internalId)).toMatchObject({ attention: null, refundStatus: 'full' });
    expect(await countOf('amount_mismatch')).toBe(before);
  });
});

describe('a refunded payment', () => {
  test('has its refundStatus in the lists of payments', async () => {
    const { internalId } = await createPaid(app);
    expect(await badgeOf(internalId)).toBe('state success: Pago');
    await createRefund(app, internalId, byHand({ amount: 500 }));
    expect(await listed(internalId)).toMatchObject({ status: 'Paid', refundStatus: 'partial', attention: null });
    expect(await badgeOf(internalId)).toBe('state brand: Devolvido em parte');
    await createRefund(app, internalId, byHand());
    expect((await listed(internalId)).refundStatus).toBe('full');
    expect(await badgeOf(internalId)).toBe('state quiet: Devolvido');
    for (const at of ['payments', 'charge'])
      expect((await owner.open(`/console/${at}/${internalId}`)).text).toMatch(/state quiet"><svg.*?<\/svg>Devolvido</);
  });

  test('has its refundStatus in the list of payments of its link', async () => {
    const link = await createLink(app);
    const { token, id } = await useLink(app, link);
    await app.call(`/checkout/${token}/pay`, { body: { phoneNumber: '900000000' }, token: null });
    await travelToStatus(app, id, 'Paid');
    await createRefund(app, id, byHand());
    expect(await listPayments(app, link)).toMatchObject([{ refundStatus: 'full', attention: null }]);
    expect((await owner.open(`/console/links/${link.id}`)).text).toContain('Devolvido');
  });
});

test('the attention filter and the attention field agree for every combination of columns', async () => {
  const { merchantId, token } = await app.addMerchant();
  for (const status of PAYMENT_STATUSES)
    await app.sql(
      `insert into payments (id, merchant_id, reference, amount_minor, currency, payment_type, payment_method, status,
         flags, late, late_after, resolved_at, captured_minor, amount_paid_minor, refunded_minor, accepted_count,
         max_transactions, revision, created_at)
       select gen_random_uuid(), $1, 'R', amount, 'AOA', 'GPO', method, $2, flags::text[], late_after is not null,
         nullif(late_after, ''), resolved_at::timestamptz, nullif(least(paid, 400), 0), paid, least(refunded, paid),
         accepted, max, 1, now()
       from unnest(array[0, 1000]) as amount, unnest(array['onetimepurchase', 'authorization', 'qrcode']) as method,
         unnest(array['{}', '{overpaid}', '{amount_mismatch}', '{overpaid,amount_mismatch}', '{recovered}']) as flags,
         unnest(array[0, 400, 2500]) as paid, unnest(array[0, 1500]) as refunded,
         (values (null, null), ('', null), ('Expired', null), ('Canceled', null), (null, 'now'), ('Canceled', 'now'))
           as oddity (late_after, resolved_at),
         (values (0, null), (1, 2), (3, 2)) as count (accepted, max)`,
      [merchantId, status],
    );
  const { core } = app.node;
  const all = await query((tables) =>
    tables.selectFrom('payments').selectAll().where('merchantId', '=', merchantId),
  ).all(core);
  expect(all.length).toBeGreaterThan(5_000);
  for (const flag of ATTENTION_FLAGS) {
    const found = await query((tables) =>
      tables.selectFrom('payments').select('id').where('merchantId', '=', merchantId).where(needsAttention(flag)),
    ).all(core);
    const expected = all.filter((payment) => attentionOf(payment as never) === flag).map(({ id }) => id);
    expect(expected.length).toBeGreaterThan(100);
    expect(found.map(({ id }) => id).toSorted()).toEqual(expected.toSorted());
    const { json } = await app.call(`/api/payments?attention=${flag}`, { token });
    expect(json.totalItems).toBe(expected.length);
  }
});

describe('GET /api/payments/{paymentId}/refundable', () => {
  const listOf = (id: string, options = {}) => app.call(`/api/payments/${id}/refundable`, options);

  test('lists each transaction with the amount that is left to refund and the refund methods of its rail', async () => {
    const { internalId } = await createPaid(app);
    const [whole] = (await listOf(internalId)).json.data;
    expect(whole).toMatchObject({ amount: 1500, currency: 'AOA', byRail: 'part' });
    await createRefund(app, internalId, byHand({ amount: 500 }));
    expect((await listOf(internalId)).json.data).toMatchObject([{ transactionId: whole.transactionId, amount: 1000 }]);
    await createRefund(app, internalId, byHand());
    expect((await listOf(internalId)).json.data).toEqual([]);
  });

  test('lists a transaction of a removed rail account for a manual refund only', async () => {
    const { internalId } = await createPaid(app);
    await loseAccount(internalId);
    expect((await listOf(internalId)).json.data).toMatchObject([{ amount: 1500, byRail: 'none' }]);
  });
});

/** Assigns the transaction to an unknown account, which cannot refund. */
const loseAccount = (id: string) =>
  app.sql(`update transactions set rail = '00000000-0000-7000-8000-000000000000' where payment_id = $1`, [id]);

describe('the refund form of the console', () => {
  const screenOf = (id: string) => `/console/payments/${id}`;
  const plain = (text: string) => text.replaceAll('\u00a0', ' ').replaceAll(/<\/?span[^>]*>/g, '');

  test('contains the amount that is left to refund, and the button shows it', async () => {
    const { internalId } = await createPaid(app);
    await createRefund(app, internalId, byHand({ amount: 499.5 }));
    const text = plain((await owner.open(screenOf(internalId))).text);
    expect(text).toMatch(/id="refund-amount"[^>]*value="1000,5"|value="1000,5"[^>]*id="refund-amount"/);
    expect(text).toContain('>Devolver 1 000,50 Kz</button>');
    const typed = plain((await owner.act(screenOf(internalId), 'refund', { amount: '2000' })).text);
    expect(typed).toContain('>Devolver 2 000,00 Kz</button>');
  });

  test('refuses an empty amount', async () => {
    const { internalId } = await createPaid(app);
    for (const amount of ['', '   '])
      expect((await owner.act(screenOf(internalId), 'refund', { amount })).status).toBe(400);
    expect((await read(internalId)).amountRefunded).toBe(0);
  });

  test('offers the manual refund if the account cannot refund', async () => {
    const { internalId } = await createPaid(app);
    await loseAccount(internalId);
    const text = plain((await owner.open(screenOf(internalId))).text);
    expect(text).not.toContain('value="refund"');
    expect(text).toContain('não devolve dinheiro');
    expect(text).toContain('>Registar devolução de 1 500,00 Kz</button>');
    const lacking = await owner.act(screenOf(internalId), 'refundManual', { amount: '1500' });
    expect([lacking.status, lacking.text.includes('refundManual-proof-error')]).toEqual([400, true]);
    const made = await owner.act(screenOf(internalId), 'refundManual', { amount: '1500', proof: 'TRF 12' });
    expect(made.headers.get('location')).toBe(`${screenOf(internalId)}?done=refundManual`);
    expect((await app.call(`/api/payments/${internalId}/refunds`)).json.data).toMatchObject([
      { amount: 1500, method: 'manual', proof: 'TRF 12', status: 'Succeeded' },
    ]);
  });

  test('lets the user select one of several transactions', async () => {
    const { internalId } = await payReference('twice', null, 3000);
    const [first] = (await app.call(`/api/payments/${internalId}/refundable`)).json.data;
    const { text } = await owner.open(screenOf(internalId));
    expect(text).toContain(`href="${screenOf(internalId)}?money=${first.transactionId}"`);
    const chosen = await owner.open(`${screenOf(internalId)}?money=${first.transactionId}`);
    expect(chosen.text).toContain(`name="transactionId" value="${first.transactionId}"`);
    const form = { amount: '1500', transactionId: first.transactionId };
    expect((await owner.act(screenOf(internalId), 'refund', form)).status).toBe(303);
  });
});
