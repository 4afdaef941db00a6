// An operator starts a fake provider from the command line. Tests its printed commands, its page and its ids.
import { describe, expect, test } from 'vitest';
import { CONNECTORS } from '../../../../server/providers/registry.ts';
import { testClock } from '../../../../test/support/clock.ts';
import { explainFake } from '../../../rails/explain.ts';
import { FAKE_NAMES, FAKES, type FakeName, type RailFake } from '../../../rails/fakes.ts';
import type { OpgFake } from '../../../rails/opg.ts';

const AT = '2026-03-02T09:00:00.000Z';

async function withFake<T>(name: FakeName, use: (started: RailFake) => T | Promise<T>, at = AT): Promise<T> {
  const started = await FAKES[name].start(testClock(at), 0);
  try {
    return await use(started);
  } finally {
    await started.fake.stop();
  }
}

test('each connector that merchants can configure has a fake provider on its own port', () => {
  const offered = Object.keys(CONNECTORS).filter((name) => name !== 'balcao');
  expect(FAKE_NAMES.toSorted()).toEqual(offered.toSorted());
  expect(new Set(FAKE_NAMES.map((name) => FAKES[name].port)).size).toBe(FAKE_NAMES.length);
});

describe.each(FAKE_NAMES)('the fake provider %s', (name) => {
  test('prints commands whose accounts its connector opens and the fake accepts', async () => {
    await withFake(name, async (started) => {
      const text = explainFake(name, started, 'http://127.0.0.1:18080');
      expect(text).toContain('U=http://127.0.0.1:18080\n');
      const bodies = [...text.matchAll(/ -d '(\{.*\})'$/gm)].map(([, body]) => JSON.parse(String(body)));
      const connector = CONNECTORS[name]!;
      expect(bodies.map(({ kind }) => kind)).toEqual(connector.kinds);
      expect(text.includes('--notify')).toBe(started.notifyTo !== null);
      for (const { kind, settings, secrets } of bodies) {
        expect(connector.findMissingSettings?.(kind, settings) ?? []).toEqual([]);
        const account = {
          id: '0197f1f0-0000-7000-8000-000000000003',
          kind,
          environment: 'test' as const,
          settings: connector.settings.parse(settings),
          secrets: connector.secrets.parse(secrets),
          timeoutMs: 5_000,
          clock: testClock(AT),
        };
        expect(await connector.probe(account)).toEqual({ result: 'ok' });
      }
    });
  });

  test('does not repeat the ids of an earlier start', async () => {
    const first = ({ fake }: RailFake): number => fake.book.lastId;
    const [early, late] = [await withFake(name, first), await withFake(name, first, '2026-03-02T09:00:10.000Z')];
    expect(late - early).toBe(1_000);
  });
});

test('the page of a fake shows the newest order first, escapes texts, and has working forms', async () => {
  await withFake('ombala', async ({ fake, accounts }) => {
    const token = String(accounts[0]?.secrets['apiKey']);
    const send = (message: string) =>
      fetch(`${fake.url}/messages`, {
        method: 'POST',
        headers: { Authorization: `Token ${token}` },
        body: JSON.stringify({ message, from: 'LOJAILHA', to: '923456789' }),
      });
    expect(await (await fetch(fake.url)).text()).toContain('No requests yet.');
    await send('A <b>primeira</b>');
    await send('A segunda');
    const html = await (await fetch(fake.url)).text();
    expect(html.indexOf('A segunda')).toBeLessThan(html.indexOf('A &#60;b&#62;primeira'));
    expect(html).not.toContain('<b>');
    const [, id = ''] = /name="id" value="(\d+)"/.exec(html) ?? [];
    const form = new URLSearchParams({ id, action: 'deliver' });
    const acted = await fetch(`${fake.url}/_act`, { method: 'POST', body: form });
    expect([acted.redirected, new URL(acted.url).pathname]).toEqual([true, '/']);
    expect(await acted.text()).toMatch(/A segunda<\/p><p>DELIVERED<\/p>/);
  });
});

test('a button of the OPG page decides a push and scans a code', async () => {
  await withFake('opg', async (started) => {
    const { url, book }: OpgFake = started.fake;
    const press = (id: string, action: string) =>
      fetch(`${url}/_act`, { method: 'POST', body: new URLSearchParams({ id, action }) });
    const order = { amount: '10.00', callbackUrl: 'http://127.0.0.1:1/x' };
    const push = await book.push({ ...order, mobile: '923456789' });
    const code = book.makeCharge(order);
    expect(await (await fetch(url)).text()).toMatch(/923456789: 10\.00 AOA<\/p><p>waiting/);
    await press(push.id, 'No funds');
    await press(code.id, 'Approve');
    expect([push.status_reason, code.status]).toEqual([2001, 'used']);
  });
});
