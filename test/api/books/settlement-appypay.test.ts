import { beforeAll, beforeEach, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { SETTLEMENTS, untilClosed, untilInboxEmpty, untilSettlements } from '../../support/books.ts';
import { openCallbackFixture } from '../../support/callbacks.ts';
import { creepUntil, untilStatus } from '../../support/payments.ts';
import { createPush, enterAppyPay, press, untilThere, type Merchant } from '../../support/rail-accounts.ts';

let app: TestApp;
let shop: Merchant;
let fake: Awaited<ReturnType<typeof enterAppyPay>>['fake'];
beforeAll(async () => {
  app = await startTestApp();
});
beforeEach(async () => {
  shop = { ...(await openCallbackFixture(app)), app };
  ({ fake } = await enterAppyPay(shop));
});

/** Creates a payment that the payer approves. Returns its id and the id of its charge at AppyPay. */
async function pay(): Promise<{ id: string; charge: string }> {
  const before = fake.book.charges.length;
  const { id } = await createPush(shop);
  const { id: charge } = await untilThere(() => fake.book.charges[before], 'the push');
  await press(fake, charge, 'approve');
  await untilStatus(shop, id, 'Paid');
  return { id, charge };
}

/** Moves the clock to noon of the next day, when the day's settlement is closed. */
function endDay(): void {
  const noon = new Date(app.clock.now());
  noon.setUTCHours(36, 0, 0, 0);
  app.clock.leap(noon.getTime() - app.clock.now().getTime());
}

async function reconciled(): Promise<any> {
  const [own] = await untilSettlements(app, shop, ([one]) => one?.reconciledAt, 'being compared');
  return (await shop.call(`${SETTLEMENTS}/${own.id}`)).json;
}

async function forget(charge: string): Promise<void> {
  await untilInboxEmpty(app);
  await app.sql(
    `with used as (
       delete from usage_entries where transaction_id in (select id from transactions where provider_ref = $1))
     delete from transactions where provider_ref = $1`,
    [charge],
  );
}

test('a day of an AppyPay account has no difference if AppyPay lists the same charges', async () => {
  await pay();
  endDay();
  await pay();
  await pay();
  const [, first] = await untilSettlements(app, shop, ([, one]) => one?.reconciledAt, 'being compared');
  expect(first).toMatchObject({ count: 1, differenceCount: 0 });
  endDay();
  const [second] = await untilSettlements(app, shop, ([one]) => one?.reconciledAt, 'being compared');
  expect(second).toMatchObject({ count: 2, differenceCount: 0 });
});

test('a charge that the gateway has not recorded is missing_here with its payment', async () => {
  const [kept, lost] = [await pay(), await pay()];
  await forget(lost.charge);
  endDay();
  const { differences, count } = await reconciled();
  expect([count, kept.id === lost.id]).toEqual([1, false]);
  expect(differences).toEqual([
    {
      kind: 'missing_here',
      providerRef: lost.charge,
      amount: 1500,
      ourAmount: null,
      transactionId: null,
      refundId: null,
      paymentId: lost.id,
    },
  ]);
});

test('a charge that AppyPay does not list is queried by id, and missing_there if unknown there', async () => {
  const [hidden, gone] = [await pay(), await pay()];
  const { charges } = fake.book;
  // AppyPay lists this charge on another day, which the comparison does not read.
  charges.find(({ id }) => id === hidden.charge)!.createdDate = '2026-01-01T00:00:00.0000000';
  charges.splice(
    charges.findIndex(({ id }) => id === gone.charge),
    1,
  );
  await pay();
  endDay();
  const { count, differences } = await reconciled();
  expect([count, differences]).toMatchObject([
    3,
    [{ kind: 'missing_there', providerRef: gone.charge, ourAmount: 1500 }],
  ]);
});

test('a charge with another amount is a difference, whether AppyPay lists it or returns it to a query', async () => {
  const [listed, unlisted] = [await pay(), await pay()];
  for (const charge of fake.book.charges) charge.amount = 1499;
  fake.book.charges.find(({ id }) => id === unlisted.charge)!.createdDate = '2026-01-01T00:00:00.0000000';
  endDay();
  const { differences } = await reconciled();
  const found = differences.map(({ kind, providerRef, amount }: any) => [kind, providerRef, amount]);
  expect(found.toSorted()).toEqual([listed, unlisted].map(({ charge }) => ['amount', charge, 1499]).toSorted());
});

test('a settlement stays without a comparison while a query to AppyPay fails', async () => {
  const { charge } = await pay();
  fake.book.charges[0]!.createdDate = '2026-01-01T00:00:00.0000000';
  fake.fault(500, { method: 'GET', path: `/v2.0/charges/${charge}`, times: 1 });
  endDay();
  const [closed] = await untilClosed(app, shop);
  const wasAsked = async () =>
    (
      await app.sql('select from reconciliations where id = $1 and due_count = 1 and due_at > $2', [
        closed.id,
        app.clock.now(),
      ])
    ).length > 0;
  await creepUntil(app, wasAsked, 'the postponed comparison');
  expect(await shop.call(`${SETTLEMENTS}/${closed.id}`)).toMatchObject({
    json: { reconciledAt: null, differences: [] },
  });
  expect(await reconciled()).toMatchObject({ differences: [] });
});
