// The fakes as people start them: what is said of each is what a gateway takes, their page can be acted on, and ids are never told twice.
import { describe, expect, test } from 'vitest';
import { CONNECTORS } from '../../../../server/providers/registry.ts';
import { testClock } from '../../../../test/support/clock.ts';
import { explainFake } from '../../../rails/explain.ts';
import { FAKE_NAMES, FAKES, type FakeName, type RailFake } from '../../../rails/fakes.ts';

const AT = '2026-03-02T09:00:00.000Z';

async function withFake<T>(name: FakeName, use: (started: RailFake) => T | Promise<T>, at = AT): Promise<T> {
  const started = await FAKES[name].start(testClock(at), 0);
  try {
    return await use(started);
  } finally {
    await started.fake.stop();
  }
}

test('each connector that merchants enter has one, on a port of its own', () => {
  const offered = Object.keys(CONNECTORS).filter((name) => name !== 'balcao');
  expect(FAKE_NAMES.toSorted()).toEqual(offered.toSorted());
  expect(new Set(FAKE_NAMES.map((name) => FAKES[name].port)).size).toBe(FAKE_NAMES.length);
});

describe.each(FAKE_NAMES)('%s', (name) => {
  test('the commands that it prints hold accounts that its connector opens and that it lets in', async () => {
    await withFake(name, async (started) => {
      const text = explainFake(name, started);
      const bodies = [...text.matchAll(/ -d '(\{.*\})'$/gm)].map(([, body]) => JSON.parse(String(body)));
      const connector = CONNECTORS[name]!;
      expect(bodies.map(({ kind }) => kind)).toEqual(connector.kinds);
      expect(text.includes('--notify')).toBe(started.tellTo !== null);
      for (const { kind, settings, secrets } of bodies) {
        expect(connector.findGaps?.(kind, settings) ?? []).toEqual([]);
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

  test('a later start begins with later ids', async () => {
    const first = ({ fake }: RailFake) => (fake as unknown as { book: { lastId: number } }).book.lastId;
    const [early, late] = [await withFake(name, first), await withFake(name, first, '2026-03-02T09:00:10.000Z')];
    expect(late - early).toBe(1_000);
  });
});

test('its page shows the newest first, escapes what it was sent, and its forms act', async () => {
  await withFake('ombala', async ({ fake, accounts }) => {
    const token = String(accounts[0]?.secrets['apiKey']);
    const send = (message: string) =>
      fetch(`${fake.url}/messages`, {
        method: 'POST',
        headers: { Authorization: `Token ${token}` },
        body: JSON.stringify({ message, from: 'LOJAILHA', to: '923456789' }),
      });
    expect(await (await fetch(fake.url)).text()).toContain('Nothing has been asked of it yet.');
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
