// The checkout of a payment by reference, live: its stream turns to paid, goes on for Charging, and its token opens it for a day after.
import { beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, until, type TestApp } from '../../support/app.ts';
import { travelUntil } from '../../support/payments.ts';
import { cancel, createPayable, pay, readReference, untilReceived } from '../../support/ppr.ts';
import { openStream, type StreamReader } from '../../support/stream.ts';

const HOUR_MS = 3_600_000;

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});

const open = { referenceType: 'Charging', amount: 0 };
const ask = (token: string, leaf = '') => app.call(`/checkout/${token}${leaf}`, { token: null });
const openEvents = ({ clientToken }: any) => openStream(`${app.url}/checkout/${clientToken}/events`);
const tellings = (stream: StreamReader) =>
  stream.events.map(({ event, data }) => (event === 'session' ? `${data.status} ${data.ppr.status}` : event));

describe('the stream', () => {
  test('turns to paid while the payer looks on, and ends', async () => {
    const made = await createPayable(app);
    const stream = await openEvents(made);
    await stream.untilEvent(({ data }) => data.status === 'Pending', 'Pending');
    await pay(app, made);
    await stream.untilEnd();
    const told = tellings(stream);
    expect(told[0]).toBe('Pending Pending');
    expect(told.slice(-2)).toEqual(['Paid Paid', 'end']);
    const revisions = stream.events.slice(0, -1).map(({ data }) => data.revision);
    expect(revisions).toEqual([...new Set(revisions)].toSorted((a, b) => a - b));
  });

  test('of a Charging one goes on after each payment, until it is canceled', async () => {
    const made = await createPayable(app, open);
    const stream = await openEvents(made);
    for (const [nth, amount] of ['1.00', '2.00'].entries()) {
      await pay(app, made, { amount });
      await stream.untilEvent(({ data }) => data.ppr?.received?.count === nth + 1, `payment ${nth + 1}`);
    }
    expect(tellings(stream)).not.toContain('end');
    await cancel(app, made.reference);
    await stream.untilEnd();
    expect(tellings(stream).slice(-2)).toEqual(['Paid Canceled', 'end']);
  });

  test.each([
    ['canceled', 'Canceled Canceled'],
    ['expired', 'Expired Expired'],
  ])('of one that is %s says so and ends', async (end, told) => {
    const expiryDate = new Date(app.clock.now().getTime() + 20_000).toISOString();
    const made = await createPayable(app, { expiryDate });
    const stream = await openEvents(made);
    await stream.untilEvent(({ data }) => data.status === 'Pending', 'Pending');
    if (end === 'canceled') await cancel(app, made.reference);
    else await travelUntil(app, async () => (await readReference(app, made.reference)).status === 'Expired', 'its end');
    await stream.untilEnd();
    expect(tellings(stream).slice(-2)).toEqual([told, 'end']);
  });
});

// The last ones: they leap over days.
describe('its token opens it until a day after the end', () => {
  const statuses = (token: string) =>
    Promise.all(['', '/session', '/qrcode.svg'].map(async (leaf) => (await ask(token, leaf)).status));

  test.each([
    ['a canceled one', {}, ({ reference }: any) => cancel(app, reference)],
    ['a paid one', {}, (made: any) => pay(app, made)],
    [
      'a Charging one that was paid and canceled',
      open,
      async (made: any) => {
        await pay(app, made, { amount: '1.00' });
        await untilReceived(app, made.reference, 1);
        app.clock.leap(48 * HOUR_MS);
        expect((await ask(made.clientToken, '/session')).status).toBe(200);
        await cancel(app, made.reference);
      },
    ],
  ])('of %s', async (_name, fields, finish) => {
    const made = await createPayable(app, fields);
    await finish(made);
    await until(async () => (await readReference(app, made.reference)).referenceStatus !== 'Pending', 'its end');
    app.clock.leap(24 * HOUR_MS);
    expect(await statuses(made.clientToken)).toEqual([200, 200, 404]);
    await app.clock.advance(1);
    expect(await statuses(made.clientToken)).toEqual([404, 404, 404]);
    expect((await readReference(app, made.reference)).clientToken).toBe(made.clientToken);
  });

  test('of a Charging one that is paid again and again it stays', async () => {
    const made = await createPayable(app, open);
    await pay(app, made, { amount: '1.00' });
    await untilReceived(app, made.reference, 1);
    app.clock.leap(30 * 24 * HOUR_MS);
    expect((await ask(made.clientToken, '/session')).json.isFinal).toBe(false);
  });
});
