// ProxyPay knows references by their digits alone: what is withdrawn there and then registered by a call that came late could be paid
// again, and must be let go of all the same.
import { beforeAll, describe, expect, test } from 'vitest';
import { startProxypay } from '../../../sandbox/rails/proxypay.ts';
import { startTestApp, until, type TestApp } from '../../support/app.ts';
import { travelUntil } from '../../support/payments.ts';
import { PPR } from '../../support/ppr.ts';
import { startProxy, type Proxy } from '../../support/proxy.ts';
import { countCalls, enterProxypay, openShop, type Shop } from '../../support/rail-stage.ts';
import { stopLater } from '../../support/stop-later.ts';

const TIMEOUT_S = 40;
/** A call that began is over: the rail's time, and 5 s more. */
const LEASE_MS = (TIMEOUT_S + 5) * 1_000;

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ env: { PPR_TIMEOUT_S: String(TIMEOUT_S) } });
});

/** A registration. */
const PUT = { method: 'PUT', path: '/references' };

/** Every test's entity is its own. */
let entities = 800;

type Fake = Awaited<ReturnType<typeof startProxypay>>;
type Stage = { shop: Shop; fake: Fake; calls: Proxy };

/** A shop whose account is behind a proxy, and nothing under way. */
async function openStage(): Promise<Stage> {
  const entity = `00${++entities}`;
  const fake = stopLater(await startProxypay({ clock: app.clock, entity, apiKey: `key-of-${entity}` }));
  const calls = stopLater(await startProxy(() => fake.url));
  const shop = await openShop(app, { entity: null });
  await enterProxypay(shop, { fake, entity, settings: { baseUrl: calls.url } });
  // At first it is read until it says the same again.
  await travelUntil(app, () => countCalls(fake, 'GET', '/payments') > 1, 'its queue being read');
  return { shop, fake, calls };
}

/** The one call that this makes the gateway begin stays on its way to the rail. */
async function holdCall(calls: Proxy, work: () => Promise<unknown>): Promise<void> {
  calls.holdAt('request');
  await work();
  await until(() => calls.held() === 1, 'a call on its way');
  calls.holdAt(null);
}

/** The registration that was on its way arrives now. */
async function arrive({ fake, calls }: Stage): Promise<void> {
  const seen = countCalls(fake, PUT.method, PUT.path);
  calls.release();
  await until(() => countCalls(fake, PUT.method, PUT.path) > seen, 'the registration arriving');
}

async function create({ shop }: Stage, reference?: string): Promise<{ internalId: string; reference: string }> {
  const { status, text, json } = await shop.call(PPR, { body: { amount: 1500, ...(reference && { reference }) } });
  expect(status, text).toBe(201);
  return json;
}

async function cancel({ shop }: Stage, { reference }: { reference: string }): Promise<void> {
  expect((await shop.call(`${PPR}/${reference}/cancel`, { method: 'POST' })).status).toBe(200);
}

const readReference = async ({ internalId }: { internalId: string }) =>
  (await app.sql('select * from payment_references where payment_id = $1', [internalId]))[0];
const isWithdrawn = async (one: { internalId: string }) => (await readReference(one)).withdrawn_at !== null;
const countEvents = async ({ internalId }: { internalId: string }, type: string) =>
  (await app.sql('select from events where payment_id = $1 and type = $2', [internalId, type])).length;
const ownerOf = ({ fake }: Stage, digits: string) => fake.book.references.get(digits)?.customFields['balcao_reference'];

describe('a registration whose answer was lost, and which is repeated while it is paid', () => {
  /** Paid and withdrawn, with the repetition still on its way. */
  async function payWhileRepeated(stage: Stage) {
    const { fake, calls } = stage;
    fake.fault('drop_after', PUT);
    const made = await create(stage);
    const { reference } = made;
    await until(() => fake.book.references.has(reference), 'the rail having it');
    await holdCall(calls, () => travelUntil(app, () => calls.held() === 1, 'the repetition'));
    await fake.book.pay(reference, '1500.00');
    await until(() => !fake.book.references.has(reference), 'the withdrawal');
    return made;
  }

  test('is withdrawn at once when its answer is heard', async () => {
    const stage = await openStage();
    const { reference } = await payWhileRepeated(stage);
    await arrive(stage);
    await until(() => countCalls(stage.fake, 'DELETE', '/references') === 2, 'it being withdrawn again');
    expect(stage.fake.book.references.has(reference)).toBe(false);
  });

  test('is withdrawn when it must be over, heard or not, and told once', async () => {
    const stage = await openStage();
    const made = await payWhileRepeated(stage);
    const closedAt = app.clock.now().getTime();
    stage.fake.fault('drop_after', PUT);
    await arrive(stage);
    await until(() => stage.fake.book.references.has(made.reference), 'the rail having it again');
    await travelUntil(app, () => isWithdrawn(made), 'the withdrawal');
    expect(stage.fake.book.references.has(made.reference)).toBe(false);
    expect(app.clock.now().getTime() - closedAt).toBeGreaterThanOrEqual(LEASE_MS);
    expect(await countEvents(made, 'reference.withdrawn')).toBe(1);
    const { json } = await stage.shop.call(`/api/payments/${made.internalId}`);
    expect(json).toMatchObject({ status: 'Paid', amountPaid: 1500, transactions: [{ amount: 1500 }] });
  });
});

test('digits that a late registration may still take are nobody else’s until it is over', async () => {
  const stage = await openStage();
  const digits = '012000001';
  let first = { internalId: '', reference: digits };
  await holdCall(stage.calls, async () => (first = await create(stage, digits)));
  await cancel(stage, first);
  await until(() => countCalls(stage.fake, 'DELETE', '/references') === 1, 'the withdrawal');
  const next = await create(stage, digits);
  await until(async () => (await readReference(next)).rail_fault === 'REFERENCE_TAKEN', 'the next one waiting');
  await arrive(stage);
  await travelUntil(app, async () => (await readReference(next)).registered_at, 'the next one being registered');
  expect(ownerOf(stage, digits)).toBe((await readReference(next)).id);
  expect(await isWithdrawn(first)).toBe(true);
  await stage.fake.book.pay(digits, '1500.00');
  const isPaid = async () => (await stage.shop.call(`/api/payments/${next.internalId}`)).json.status === 'Paid';
  await until(isPaid, 'the next one being paid');
});

test('a reference that was registered long ago is let go of by one withdrawal', async () => {
  const stage = await openStage();
  const made = await create(stage);
  await until(async () => (await readReference(made)).registered_at, 'it being registered');
  app.clock.leap(LEASE_MS);
  await cancel(stage, made);
  await until(() => isWithdrawn(made), 'the withdrawal');
  expect(countCalls(stage.fake, 'DELETE', '/references')).toBe(1);
});
