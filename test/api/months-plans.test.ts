// However many months there are, what the house asks of events and deliveries is found by an index of each, and what is asked by number is
// looked for in the months of those numbers alone: read off the plans of what a node asked while it did its work.
import { beforeAll, describe, expect, test } from 'vitest';
import { beginOf, monthOf, openMonths } from '../../server/database/months.ts';
import { erasedNightly } from '../../server/privacy/retention.ts';
import { startTestApp, until, type TestApp } from '../support/app.ts';
import { openShop, type Shop } from '../support/callbacks.ts';
import { openReference, receive } from '../support/deliveries.ts';
import { foldLists } from '../../server/lists/fold.ts';
import { create, travelUntil, webframe } from '../support/payments.ts';
import { explain } from '../support/plans.ts';
import { PPR } from '../support/ppr.ts';
import { RECEIVER_ENV, startReceiver, TAKEN, type Receiver } from '../support/receiver.ts';
import { listAsked, type Asked } from '../support/statements.ts';

let app: TestApp;
let shop: Shop;
let merchant: Receiver;
let plans: { asked: Asked; plan: string }[];

const isTold = async () => (await shop.deliveries()).every(({ status }) => status !== 'Pending');

/** A reference is paid, and the merchant is told by a callback and by webhooks. */
async function sell() {
  const sold = await openReference(app, { token: await shop.tokenFor({}) });
  await receive(app, sold);
  await until(isTold, 'it being told');
  return sold;
}

/** What a merchant and a node do in a day, as far as events and deliveries are asked for. */
async function work(): Promise<void> {
  const { reference } = await sell();
  const asked = ['/api/events', '/api/events?after=now', '/api/callbacks', '/api/payments', '/api/refunds', PPR];
  for (const path of [...asked, `${PPR}/${reference}`]) expect((await shop.call(path)).status).toBe(200);
  const { internalId } = await create(app, webframe());
  await app.call(`/api/payments/${internalId}/cancel`, { method: 'POST', body: {} });
  const [{ id }] = await shop.deliveries();
  await shop.call(`/api/callbacks/${id}`);
  merchant.say({ status: 500 });
  await shop.call(`/api/callbacks/${id}/replay`, { method: 'POST' });
  await until(
    async () => (await app.sql('select from deliveries where tries > 0 and due_at is not null')).length > 0,
    'a failure',
  );
  merchant.say(TAKEN);
  await travelUntil(app, isTold, 'it being told again', 60_000);
  await shop.call('/api/callbacks/replay', { method: 'POST', body: { status: 'Delivered' } });
  await until(isTold, 'all being told again');
  await foldLists(app.node.core);
  for (const { run } of erasedNightly(app.node.core)) await run();
  await app.clock.advance(2_000);
}

/** Of what is written by hand the name, of the others the beginning. */
const nameOf = ({ name, text = '' }: Asked) => (name?.includes('_') ? name : text.slice(0, 200));

beforeAll(async () => {
  app = await startTestApp({ env: RECEIVER_ENV });
  merchant = await startReceiver();
  shop = await openShop(app, merchant.url);
  expect((await shop.call('/api/webhooks', { body: { url: merchant.url } })).status).toBe(201);
  for (let month = 0; month < 3; month++) {
    await sell();
    app.clock.leap(beginOf(monthOf(app.clock.now()) + 1).getTime() - app.clock.now().getTime());
    await openMonths(app.node.core);
  }
  const { asked } = await listAsked(work);
  // Each with the values that it was asked with first.
  const texts = new Map(asked.toReversed().map((one) => [one.text, one]));
  // The test's own are not prepared.
  const ours = [...texts.values()].filter(({ name, text = '' }) => name && /\b(events|deliveries)\b(?!_)/.test(text));
  plans = [];
  for (const one of ours) plans.push({ asked: one, plan: await explain(app, one) });
});

/** Each look into a part, and the line behind it: by what it is found. */
function looksOf(plan: string): { look: string; by: string }[] {
  const lines = plan.split('\n').map((line) => line.trim());
  return lines.flatMap((look, nth) =>
    /Scan.* on (events|deliveries)(_\d+)*\b/.test(look) && !/Bitmap Heap/.test(look)
      ? [{ look, by: lines[nth + 1] ?? '' }]
      : [],
  );
}

/** In order, up to the first few or the last: no condition is needed. */
const ENDS = ['select max("seq")', 'due_endpoints', 'next_due'];

describe('of what a node asks', () => {
  test('there is all that it asks often', () => {
    const names = plans.map(({ asked }) => nameOf(asked));
    const often = ['create_payments', 'claim_deliveries', 'record_attempts', 'fold_payments', 'count_refunds'];
    for (const name of often) expect(names).toContain(name);
    expect(plans.length).toBeGreaterThan(20);
  });

  test('nothing reads a part from its beginning to its end', () => {
    const wrong = plans.flatMap(({ asked, plan }) =>
      looksOf(plan)
        .filter(({ look, by }) => /Seq Scan/.test(look) || !/^(Index|Recheck) Cond/.test(by))
        .map(({ look }) => ({ name: nameOf(asked), look })),
    );
    expect(wrong.filter(({ name }) => !ENDS.some((end) => name.startsWith(end)))).toEqual([]);
  });

  // Three months before it, and what was before there were months, are passed over.
  test.each([/^record_attempts/, /^select.* from "events" where "seq" = any/])(
    '%s looks into the month of its numbers alone',
    async (name) => {
      const { asked } = plans.find((one) =>
        name.test(one.asked.name?.includes('_') ? one.asked.name : one.asked.text!),
      )!;
      const looked = looksOf(await explain(app, asked, true)).filter(({ look }) => /loops=[1-9]/.test(look));
      const months = looked.map(({ look }) => /_(\d{4}_\d\d)/.exec(look)?.[1]);
      expect(new Set(months)).toEqual(new Set(['2026_06']));
    },
  );
});
