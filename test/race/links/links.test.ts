// The stock of a link with concurrent forms and events on two nodes.
import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { startTwinsBehind, until, type Reply, type TestApp } from '../../support/app.ts';
import { expectLinkCounts } from '../../support/links.ts';
import { createLink, linkBody, readLink, sendForm, tokenOf, type Link } from '../../support/links.ts';
import {
  approved,
  declined,
  readAttempts,
  sendNotification,
  PENDING_PHONE,
  untilSent,
  writeNotification,
} from '../../support/notify.ts';
import { RAIL_KEY, startRail } from '../../support/rail.ts';

let app: TestApp;
let twin: TestApp;
beforeAll(async () => {
  ({ app, twin } = await startTwinsBehind(startRail));
});

const nodeOf = (nth: number) => (nth % 2 ? twin : app);
const useAtOnce = (link: Link, count: number): Promise<Reply[]> =>
  Promise.all(Array.from({ length: count }, (_, nth) => sendForm(nodeOf(nth), link)));
const statusesOf = (replies: Reply[]) => replies.map(({ status }) => status).toSorted();
const countsOf = async ({ slug }: Link) => (await expectLinkCounts(app.sql)).get(slug);
const tell = (nth: number, attemptId: string, verdict: ReturnType<typeof approved>) =>
  sendNotification(nodeOf(nth), writeNotification(app, attemptId, verdict), { key: RAIL_KEY });

test.each([
  [1, 50],
  [50, 60],
])('a link with a stock of %i accepts this many of %i concurrent payers', async (stock, count) => {
  const link = await createLink(app, { stock });
  const replies = await useAtOnce(link, count);
  const refused = count - stock;
  expect(statusesOf(replies)).toEqual([...Array(stock).fill(303), ...Array(refused).fill(409)]);
  expect(new Set(replies.filter(({ status }) => status === 303).map(tokenOf)).size).toBe(stock);
  expect(await countsOf(link)).toEqual({ open: stock, paid: 0 });
  const [{ made }] = await app.sql('select count(*)::int as made from payments where link_id = $1', [link.id]);
  expect(made).toBe(stock);
});

test('one form that is sent twenty times creates one payment, to which all responses redirect', async () => {
  const link = await createLink(app, { stock: 1 });
  const form = randomUUID();
  const replies = await Promise.all(Array.from({ length: 20 }, (_, nth) => sendForm(nodeOf(nth), link, { form })));
  expect(new Set(replies.map(tokenOf)).size).toBe(1);
  expect(await countsOf(link)).toEqual({ open: 1, paid: 0 });
});

test('a concurrent change never sets the stock below the number of open and paid payments', async () => {
  const link = await createLink(app, { stock: 20 });
  const change = async (nth: number) => {
    const { revision } = await readLink(app, link);
    const body = { ...linkBody({ stock: 12 - nth }), revision };
    return app.call(`/api/links/${link.id}`, { method: 'PUT', body });
  };
  const [replies, ...changes] = await Promise.all([useAtOnce(link, 30), change(0), change(4), change(8)]);
  const { stock } = await readLink(app, link);
  const { open } = (await countsOf(link))!;
  expect(open).toBeLessThanOrEqual(stock);
  expect(replies.filter(({ status }) => status === 303)).toHaveLength(open);
  const codeOf = ({ status, json }: Reply) => json.errors?.[0].code ?? json.code ?? status;
  for (const change of changes) expect([200, 'stock_taken', 'link_changed']).toContain(codeOf(change));
});

type Begun = { token: string; id: string };

async function begin(link: Link, count: number): Promise<Begun[]> {
  const tokens = (await useAtOnce(link, count)).map(tokenOf);
  return Promise.all(
    tokens.map(async (token) => {
      const { reference } = (await app.call(`/checkout/${token}/session`, { token: null })).json;
      const [row] = await app.sql('select id from payments where reference = $1', [reference]);
      return { token, id: row.id };
    }),
  );
}

async function push({ token, id }: Begun): Promise<string> {
  await app.call(`/checkout/${token}/pay`, { body: { phoneNumber: PENDING_PHONE }, token: null });
  return (await untilSent(app, id)).id;
}

test('the last payments of a link, paid at the same time on two nodes, sell out the link once', async () => {
  for (let round = 0; round < 5; round++) {
    const link = await createLink(app, { stock: 4 });
    const begun = await begin(link, 4);
    const attempts: string[] = [];
    for (const one of begun) attempts.push(await push(one));
    await Promise.all(attempts.map((attemptId, nth) => tell(nth, attemptId, approved())));
    await until(async () => (await readLink(app, link)).paidPayments === 4, 'all being paid');
    const told = `select type from events where type in ('link.sold_out', 'link.oversold') and details ->> 'linkId' = $1`;
    expect(await app.sql(told, [link.id])).toEqual([{ type: 'link.sold_out' }]);
    expect(await countsOf(link)).toEqual({ open: 0, paid: 4 });
  }
});

const ACTS = ['approve', 'decline', 'cancel', 'reference', 'nothing'] as const;

test("random concurrent events of a link's payments leave correct counts", async () => {
  const act: Record<(typeof ACTS)[number], (one: Begun, nth: number) => Promise<unknown>> = {
    approve: async ({ id }, nth) => {
      const attempt = (await readAttempts(app, id)).at(-1);
      return attempt && tell(nth, attempt.id, approved());
    },
    decline: async ({ id }, nth) => {
      const attempt = (await readAttempts(app, id)).at(-1);
      return attempt && tell(nth, attempt.id, declined('CUSTOMER_REFUSED'));
    },
    cancel: ({ id }) => app.call(`/api/payments/${id}/cancel`, { method: 'POST' }),
    reference: ({ token }, nth) => nodeOf(nth).call(`/checkout/${token}/reference`, { method: 'POST', token: null }),
    nothing: async () => {},
  };
  const steps = fc.array(fc.tuple(fc.constantFrom(...ACTS), fc.constantFrom(...ACTS)), { minLength: 4, maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(steps, async (chosen) => {
      const link = await createLink(app, { stock: 4, methods: ['push', 'reference'] });
      const begun = await begin(link, 4);
      for (const one of begun.slice(0, 3)) await push(one);
      for (const turn of [0, 1])
        await Promise.all(chosen.map((acts, nth) => act[acts[turn as 0 | 1]](begun[nth]!, nth + turn)));
      const open = `select from inbox where applied_at is null`;
      await until(async () => (await app.sql(open)).length === 0, 'everything being applied');
      await countsOf(link);
    }),
    { numRuns: 12 },
  );
});
