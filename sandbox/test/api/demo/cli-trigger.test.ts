// `balcao trigger` on a real gateway: each situation of its table produces the expected payments and events.
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { TRIGGERS } from '../../../triggers/triggers.ts';
import { systemClock } from '../../../../server/clock.ts';
import { startTestApp, until, type TestApp } from '../../../../test/support/app.ts';
import { runCli, runHere, startHere, stopClis } from '../../../../test/support/cli.ts';
import { jumpClock, type JumpClock } from '../../../../test/support/jump-clock.ts';
import { startReceiver } from '../../../../test/support/receiver.ts';

/** The payments that each `balcao trigger` creates, in their order, and one event of each payment. */
const EXPECTED: Record<string, { payments: object[]; event: string }> = {
  'payment.created': { payments: [{ status: 'Pending', paymentMethod: 'webframe' }], event: 'payment.created' },
  'payment.paid': { payments: [{ status: 'Paid', paymentMethod: 'onetimepurchase' }], event: 'payment.paid' },
  'payment.paid.page': { payments: [{ status: 'Paid', paymentMethod: 'webframe' }], event: 'payment.paid' },
  'payment.paid.slow': { payments: [{ status: 'Paid' }], event: 'payment.paid' },
  'payment.paid.repeated': { payments: [{ status: 'Paid', amountPaid: 1500 }], event: 'payment.paid' },
  'payment.paid.unheard': { payments: [{ status: 'Paid' }], event: 'payment.paid' },
  'payment.failed': failed('customer_refused'),
  'payment.failed.funds': failed('insufficient_funds'),
  'payment.failed.inactive': failed('number_not_active'),
  'payment.failed.timeout': failed('timed_out'),
  'payment.failed.rail': failed('rail_unavailable'),
  'payment.attempt_failed': { payments: [{ status: 'Pending' }], event: 'payment.attempt_failed' },
  'payment.authorized': { payments: [{ status: 'Authorized', amountAuthorized: 1500 }], event: 'payment.authorized' },
  'payment.captured': { payments: [{ status: 'Captured' }, { status: 'Paid' }], event: 'payment.captured' },
  'payment.canceled': { payments: [{ status: 'Canceled' }], event: 'payment.canceled' },
  'payment.expired': { payments: [{ status: 'Expired', paymentMethod: 'qrcode' }], event: 'payment.expired' },
  'qrcode.paid': { payments: [{ status: 'Paid', paymentMethod: 'qrcode' }], event: 'payment.paid' },
  'qrcode.paid_twice': { payments: [{ status: 'Paid', amountPaid: 3000 }], event: 'payment.transaction_accepted' },
  'reference.registered': { payments: [{ status: 'Pending', paymentType: 'PPR' }], event: 'reference.registered' },
  'reference.paid': { payments: [{ status: 'Paid', referenceStatus: 'Paid' }], event: 'reference.paid' },
  'reference.charged': {
    payments: [{ status: 'Paid', referenceStatus: 'Pending', amountPaid: 3000 }],
    event: 'payment.transaction_accepted',
  },
  'reference.overpaid': {
    payments: [{ status: 'Paid', flags: ['overpaid'], amountPaid: 3000 }],
    event: 'payment.overpaid',
  },
  'reference.amount_mismatch': {
    payments: [{ status: 'Pending', flags: ['amount_mismatch'], amountPaid: 0.01 }],
    event: 'payment.amount_mismatch',
  },
  'reference.late': { payments: [{ status: 'Paid', late: true }], event: 'reference.canceled' },
  'reference.unheard': { payments: [{ status: 'Paid' }], event: 'reference.paid' },
  'reference.canceled': { payments: [{ referenceStatus: 'Canceled' }], event: 'reference.canceled' },
  'reference.expired': { payments: [{ referenceStatus: 'Expired' }], event: 'reference.expired' },
  'callback.delivered': { payments: [{ status: 'Paid' }], event: 'callback.delivered' },
  'callback.failed': { payments: [{ status: 'Paid' }], event: 'callback.delivered' },
  'callback.abandoned': { payments: [{ status: 'Paid' }], event: 'callback.abandoned' },
  'terminal.open': { payments: [], event: 'terminal.open' },
};

function failed(code: string) {
  return { payments: [{ status: 'Failed', failure: expect.objectContaining({ code }) }], event: 'payment.failed' };
}

/** These triggers need minutes or hours, so the test advances the clock. */
const SLOW = [
  'payment.paid.slow',
  'payment.paid.unheard',
  'payment.failed.timeout',
  'payment.failed.rail',
  'reference.unheard',
];
/** These triggers wait for a long time after the named event. */
const ENDING: Record<string, string> = {
  'payment.expired': 'payment.created',
  'reference.expired': 'reference.registered',
  'callback.failed': 'callback.failed',
};
/** These triggers change shared state, so they run alone. */
const ALONE = ['callback.delivered', 'callback.abandoned', 'terminal.open'];
const REST = Object.keys(EXPECTED).filter((name) => ![...SLOW, ...Object.keys(ENDING), ...ALONE].includes(name));

test('the tests cover every trigger', () => {
  expect(Object.keys(EXPECTED)).toEqual(Object.keys(TRIGGERS));
});

let app: TestApp;
let clock: JumpClock;
beforeAll(async () => {
  clock = jumpClock();
  app = await startTestApp({ clock, env: { PORT: '0' } });
});
afterEach(stopClis);

async function play(name: string): Promise<any> {
  const { stdout, stderr } = await startHere(['trigger', name, '--url', app.url, '--json'], { clock }).ended;
  if (stderr) throw new Error(stderr);
  return JSON.parse(stdout);
}

/** Runs all triggers concurrently. */
function playAll(names: string[]): (name: string) => Promise<any> {
  let playing: Map<string, Promise<any>>;
  beforeAll(() => {
    playing = new Map(names.map((name) => [name, play(name)]));
    for (const played of playing.values()) played.catch(() => {});
  });
  return async (name) => playing.get(name);
}

/** Advances the clock about 20 times as fast as real time until the work ends. */
async function hurry<T>(work: Promise<T>): Promise<T> {
  let isOver = false;
  const over = work.finally(() => (isOver = true));
  over.catch(() => {});
  while (!isOver) {
    clock.jump(400);
    await sleep(20);
  }
  return over;
}

function expectPlayed(name: string, played: any): void {
  const { payments, event } = EXPECTED[name] as (typeof EXPECTED)[string];
  expect(played.trigger).toBe(name);
  expect(played.payments).toMatchObject(payments);
  expect(played.events.map(({ type }: { type: string }) => type)).toContain(event);
}

describe('a trigger without waiting', () => {
  const played = playAll(REST);
  test.each(REST)('plays %s', async (name) => expectPlayed(name, await played(name)));
});

describe('a trigger that needs time', () => {
  const played = playAll(SLOW);
  test.each(SLOW)('plays %s', async (name) => expectPlayed(name, await hurry(played(name))));
});

describe('a trigger that ends with time', () => {
  test.each(Object.entries(ENDING))('plays %s', async (name, event) => {
    const count = async () => (await app.sql('select from events where type = $1', [event])).length;
    const before = await count();
    const played = play(name);
    await until(async () => (await count()) > before, event);
    expectPlayed(name, await hurry(played));
  });
});

describe('`balcao trigger` of one situation', () => {
  test.each(ALONE)('creates the situation %s', async (name) => expectPlayed(name, await play(name)));

  test('restores the response mode of the demo shop, and leaves the terminal open', async () => {
    await play('callback.abandoned');
    await play('terminal.open');
    const { json } = await app.call('/sandbox/callbacks', { headers: { accept: 'application/json' } });
    expect(json.mode).toBe('ok');
    const terminal = await app.call('/api/terminals/demo-pos', { headers: { prefer: 'return=representation' } });
    expect(terminal.json.status).toBe('Open');
  });

  test('prints its steps, the events as they occur, and the payment on the command line', async () => {
    const { code, stdout, stderr } = await runCli('trigger', 'qrcode.paid', '--url', app.url, '--amount', '20.5');
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^ {2}payment\.created +Pending\n(.*\n)* {2}payment\.paid +Paid\n/);
    expect(stdout).toMatch(
      /\nPaid: payment [-\da-f]{36}, reference TRG-[\da-f]{8}, 20\.5 AOA\n {2}http\S+\/checkout\/\S+\n$/,
    );
  });

  test('prints JSON with --json', async () => {
    const { code, stdout } = await runHere('trigger', 'payment.created', '--url', app.url, '--json');
    expect(code).toBe(0);
    expectPlayed('payment.created', JSON.parse(stdout));
  });

  test('exits with 1 and prints the fault if the gateway refuses the request', async () => {
    const { code, stderr } = await runHere('trigger', 'payment.paid', '--url', app.url, '--amount', '10000001');
    expect(code).toBe(1);
    expect(stderr).toMatch(/^POST \/api\/payments: 400 amount_out_of_range: .*\n {2}\/amount: /);
  });

  test('exits with 1 for invalid credentials', async () => {
    const { code, stderr } = await runHere('trigger', 'payment.paid', '--url', app.url, '--client-secret', 'wrong');
    expect([code, stderr]).toEqual([1, 'The gateway refuses the credentials of demo: client authentication failed.\n']);
  });
});

test('a trigger against a gateway outside of a sandbox exits with 1 and sends no push', async () => {
  const token = { body: { access_token: 'x', expires_in: 3600 } };
  const gateway = await startReceiver({ answer: ({ path }) => (path === '/oauth/token' ? token : { status: 404 }) });
  const { code, stderr } = await runHere('trigger', 'payment.paid', '--url', gateway.url);
  await gateway.stop();
  expect([code, stderr]).toEqual([1, `${gateway.url} is not a sandbox. A trigger needs its simulated rails.\n`]);
  expect(gateway.requests.filter(({ path }) => path === '/api/payments')).toEqual([]);
});

describe('a trigger in a sandbox with a password', () => {
  const password = 'a-password-of-tests';
  let guarded: TestApp;
  beforeAll(async () => {
    guarded = await startTestApp({ clock: systemClock, env: { SANDBOX_PASSWORD: password } });
  });

  test('works with the password', async () => {
    const flags = ['--url', guarded.url, '--sandbox-password', password];
    expect(await runHere('trigger', 'reference.paid', ...flags)).toMatchObject({ code: 0, stderr: '' });
  });

  test('exits with 1 without the password and creates nothing', async () => {
    const { code, stderr } = await runHere(
      'trigger',
      'payment.paid',
      '--url',
      guarded.url,
      `--client-secret=${password}`,
    );
    expect(code).toBe(1);
    expect(stderr).toBe(`The sandbox of ${guarded.url} requires --sandbox-password.\n`);
    expect(await guarded.sql(`select from payments where payment_method = 'onetimepurchase'`)).toEqual([]);
  });
});
