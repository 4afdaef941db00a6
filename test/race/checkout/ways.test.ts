// Concurrent methods of one page on two nodes: no money is lost, and codes that no tab shows are withdrawn.
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { startTwinsBehind, until, type Reply, type TestApp } from '../../support/app.ts';
import { expectOnePayable, switchOver } from '../../support/fallback.ts';
import { raceForPayment } from '../../support/locks.ts';
import { readAttempts, readPayment, sendNotification, PENDING_PHONE } from '../../support/notify.ts';
import { create, creepUntil, travelUntil, webframe } from '../../support/payments.ts';
import { scanOf, SCANNER, untilCodeHeld, writeScanNews } from '../../support/qrcodes.ts';
import { RAIL_KEY, startRail, type Rail } from '../../support/rail.ts';

let app: TestApp;
let twin: TestApp;
let rail: Rail;
beforeAll(async () => {
  ({ app, twin, rail } = await startTwinsBehind(startRail));
});

type Page = { id: string; clientToken: string; reference: string };

const open = (): Promise<Page> => create(app, webframe({ metadata: { methods: ['push', 'qrcode', 'reference'] } }));
const offer = (node: TestApp, { clientToken }: Page): Promise<Reply> =>
  node.call(`/checkout/${clientToken}/qrcode`, { method: 'POST', body: {}, token: null });
const submit = (node: TestApp, { clientToken }: Page, phoneNumber = PENDING_PHONE): Promise<Reply> =>
  node.call(`/checkout/${clientToken}/pay`, { body: { phoneNumber }, token: null });
const codesOf = async ({ reference }: Page) => (await rail.allBooks(reference)).qrcodes;
const makerOf = async ({ id }: Page) => (await readAttempts(app, id)).find(({ kind }) => kind === 'qrcode');
const secondOf = async ({ id }: Page) =>
  (await app.sql('select status from payments where replaces_id = $1', [id]))[0] ?? null;

async function openWithCode(): Promise<Page & { content: string; attemptId: string }> {
  const page = await open();
  expect((await offer(app, page)).status).toBe(201);
  const [code] = await codesOf(page);
  return { ...page, content: code!.content!, attemptId: (await makerOf(page)).id };
}

/** Waits until the gateway has recorded the payment of the code that the rail reports. */
async function tellScan(code: { id: string; attemptId: string }): Promise<void> {
  const now = app.clock.now();
  await sendNotification(app, writeScanNews(scanOf(code, now), now), { key: RAIL_KEY });
  const received = 'select from transactions where payment_id = $1';
  await until(async () => (await app.sql(received, [code.id])).length > 0, 'the money of the code');
}

const race = (page: Page, one: () => Promise<any>, other: () => Promise<any>) =>
  raceForPayment(app, page.id, one, other);

describe('a QR code of one tab against a push of another tab', () => {
  test('is not created if the push wins', async () => {
    const page = await open();
    const [pushed, offered] = await race(
      page,
      () => submit(app, page),
      () => offer(twin, page),
    );
    expect(pushed.status).toBe(202);
    expect(offered).toMatchObject({ status: 409, json: { code: 'payment_in_progress' } });
    expect(await codesOf(page)).toEqual([]);
  });

  test('is withdrawn without being shown if the push starts while the rail creates the code', async () => {
    const page = await open();
    rail.calls.holdAt('request');
    const offered = offer(twin, page);
    await untilCodeHeld(rail.calls, page.reference);
    rail.calls.holdAt(null);
    expect((await submit(app, page)).status).toBe(202);
    rail.calls.release();
    await offered;
    await travelUntil(app, async () => (await codesOf(page))[0]?.status === 'WITHDRAWN', 'the code being taken back');
    const [row] = await app.sql('select qr_content, status from payments where id = $1', [page.id]);
    expect(row).toEqual({ qr_content: null, status: 'Processing' });
  });
});

test('two tabs that request a QR code of one page receive the same code', async () => {
  const page = await open();
  rail.calls.holdAt('request');
  const first = offer(twin, page);
  await untilCodeHeld(rail.calls, page.reference);
  const second = offer(twin, page);
  rail.calls.holdAt(null);
  rail.calls.release();
  const answers = await Promise.all([first, second]);
  expect(answers.map(({ status }) => status)).toEqual([201, 201]);
  expect(answers[1]!.json.qr).toEqual(answers[0]!.json.qr);
  expect(answers[0]!.json.qr).toMatchObject({ accepted: 0 });
  expect(await codesOf(page)).toHaveLength(1);
});

describe('the payment of a QR code on a page', () => {
  test('before a push prevents the push', async () => {
    const page = await openWithCode();
    const [, pushed] = await race(
      page,
      () => tellScan(page),
      () => submit(twin, page),
    );
    expect(pushed).toMatchObject({ status: 409, json: { code: 'payment_not_payable' } });
    expect((await readAttempts(app, page.id)).filter(({ kind }) => kind === 'purchase')).toEqual([]);
    expect(await readPayment(app, page.id)).toMatchObject({ status: 'Paid', amountPaid: 1500, flags: [] });
  });

  test('after a push makes the page Paid, and the money of the push is an overpayment', async () => {
    const page = await openWithCode();
    const [pushed] = await race(
      page,
      () => submit(twin, page),
      () => tellScan(page),
    );
    expect(pushed.status).toBe(202);
    expect(await readPayment(app, page.id)).toMatchObject({ status: 'Paid', amountPaid: 1500, flags: [] });
    await until(async () => (await rail.books(page.reference)).length === 1, 'the push being there');
    await rail.answerPush(page.reference, 'approve');
    await travelUntil(app, async () => (await readPayment(app, page.id)).amountPaid === 3000, 'the second money');
    expect(await readPayment(app, page.id)).toMatchObject({ status: 'Paid', flags: ['overpaid'] });
  });

  test('before a tap on "pay by reference" refuses the tap', async () => {
    const page = await openWithCode();
    const [, tapped] = await race(
      page,
      () => tellScan(page),
      () => switchOver(twin, page),
    );
    expect(tapped).toMatchObject({ status: 409, json: { code: 'payment_not_payable' } });
    expect(await secondOf(page)).toBeNull();
  });

  test('after a tap on "pay by reference" is late money, and cancels the reference', async () => {
    const page = await openWithCode();
    const [tapped] = await race(
      page,
      () => switchOver(twin, page),
      () => tellScan(page),
    );
    expect(tapped.status).toBe(201);
    expect(await readPayment(app, page.id)).toMatchObject({ status: 'Paid', amountPaid: 1500, late: true });
    expect(await secondOf(page)).toMatchObject({ status: 'Canceled' });
    await expectOnePayable(app);
  });
});

/** The actions of payers on one page, from several tabs. */
const ACTS = {
  offer: (node: TestApp, page: Page) => offer(node, page),
  push: (node: TestApp, page: Page) => submit(node, page, '900000000'),
  refused: (node: TestApp, page: Page) => submit(node, page, '900000001'),
  reference: (node: TestApp, page: Page) => switchOver(node, page),
  cancel: (node: TestApp, page: Page) => node.call(`/api/payments/${page.id}/cancel`, { method: 'POST' }),
  async scan(_node: TestApp, page: Page) {
    const [code] = await codesOf(page);
    return code?.content ? rail.scan(code.content, SCANNER) : null;
  },
} as const;

const PAGES = 40;

test(`random concurrent actions on ${PAGES} pages lose no money and leave no code open that no tab shows`, async () => {
  const act = fc.constantFrom(...(Object.keys(ACTS) as (keyof typeof ACTS)[]));
  const pageful = fc.tuple(fc.boolean(), fc.array(act, { minLength: 2, maxLength: 6 }));
  const lives = fc.sample(pageful, { numRuns: PAGES, seed: 20_261_123 });
  const pages = await Promise.all(lives.map(([hasCode]) => (hasCode ? openWithCode() : open())));
  const acting = Promise.all(
    lives.flatMap(([, acts], nth) => acts.map((name, turn) => ACTS[name](turn % 2 ? twin : app, pages[nth] as Page))),
  );
  let isDone = false;
  // A new code waits for the withdrawal of an older one, which needs the clock to move.
  await Promise.all([acting.finally(() => (isDone = true)), creepUntil(app, () => isDone, 'everybody being answered')]);
  const isSettled = async () =>
    (await app.sql(`select from attempts where resolved_at is null and kind <> 'qrcode'`)).length === 0 &&
    (await app.sql(`select from payments where status = 'Processing'`)).length === 0;
  // The pushes of earlier tests get no response until their timeout.
  await travelUntil(app, isSettled, 'everything being decided', 300_000);
  const seen = new Set<string>();
  for (const page of pages) {
    const books = await rail.allBooks(page.reference);
    const taken = [
      ...books.data.filter(({ status }) => status === 'APPROVED'),
      ...books.qrcodes.flatMap(({ payments }) => payments.filter(({ status }) => status === 'ACCEPTED')),
    ].map(({ transactionId }) => transactionId as string);
    const recorded = 'select provider_ref as ref from transactions where payment_id = $1';
    const refs = async () => (await app.sql(recorded, [page.id])).map(({ ref }) => ref as string);
    await travelUntil(app, async () => (await refs()).length >= taken.length, 'all money being recorded');
    expect((await refs()).toSorted()).toEqual(taken.toSorted());
    const payment = await readPayment(app, page.id);
    expect(payment).toMatchObject({ amountPaid: 1500 * taken.length, flags: taken.length > 1 ? ['overpaid'] : [] });
    expect(payment.status === 'Paid').toBe(taken.length > 0);
    const [{ content }] = await app.sql('select qr_content as content from payments where id = $1', [page.id]);
    const shown = payment.status === 'Pending' ? content : null;
    const areBack = async () =>
      (await codesOf(page)).every((code) => code.status !== 'ACTIVE' || (shown && code.content === shown));
    await travelUntil(app, areBack, 'codes that nobody is shown being taken back');
    seen.add(`${payment.status} ${taken.length} ${books.qrcodes.length > 0}`);
  }
  await expectOnePayable(app);
  expect([...seen]).toEqual(expect.arrayContaining(['Paid 1 true', 'Canceled 0 true', 'Pending 0 true']));
});
