// sandbox/rails/check.ts against a fake in place of the provider's sandbox: tried cases, output and exit code.
import { describe, expect, test } from 'vitest';
import { testClock } from '../../../../test/support/clock.ts';
import { checkRail, SUITES } from '../../../rails/check.ts';
import type { Fake } from '../../../rails/fake.ts';
import { FAKE_NAMES, type FakeName } from '../../../rails/fakes.ts';

type Env = Record<string, string>;
type Provider = { name: FakeName; dialect?: string };

const VPOS: Provider = { name: 'opg', dialect: 'vpos' };
const PROVIDERS: Provider[] = [...FAKE_NAMES.map((name) => ({ name })), VPOS];

/** Checks the fake as if it were the provider, after `change`. */
async function check({ name, dialect }: Provider, change: (fake: Fake, env: Env) => void = () => {}) {
  const suite = SUITES[name];
  const fixture = await suite.openFixture(testClock(), dialect);
  try {
    const { fake, account } = fixture;
    const variables = suite.writeEnv(account);
    change(fake, variables);
    const lines: string[] = [];
    const { clock } = account;
    const code = await checkRail(name, {
      env: variables,
      print: (line) => lines.push(line),
      clock,
      pass: fixture.pass,
    });
    return { code, text: lines.join('\n'), calls: fake.requests.length };
  } finally {
    await fixture.stop();
  }
}

describe('checkRail against a provider like its fake', () => {
  const titled = PROVIDERS.map((provider) => [Object.values(provider).join(', '), provider] as const);
  test.each(titled)('finds no difference for %s', async (_, provider) => {
    const { code, text, calls } = await check(provider);
    expect([code, text]).toEqual([0, expect.not.stringMatching(/^differs/m)]);
    expect(text).toMatch(/^ok +\S/m);
    expect(text).toMatch(/\n[1-9]\d* ok, 0 differ, 0 still uncertain\.\n/);
    expect(calls).toBeGreaterThan(0);
  });

  test('names the uncertain cases that passed, and the uncertain cases that it did not try', async () => {
    const { text } = await check({ name: 'proxypay' });
    expect(text).toContain('ok, was uncertain  registration writes the amount as text with two decimals');
    const [, untried = ''] = text.split('Uncertain, and not tried');
    expect(untried).toContain('\n  registration returns unknown for 200 instead of 204');
    expect(untried).not.toContain('the amount as text');
  });

  test.each(FAKE_NAMES)('sends a request in every uncertain case of %s', async (rail) => {
    for (const { name, run } of SUITES[rail].cases.filter(({ isLive, isUncertain }) => isLive && isUncertain)) {
      const fixture = await SUITES[rail].openFixture(testClock());
      try {
        await run(fixture);
        expect(fixture.fake.requests, name).not.toEqual([]);
      } finally {
        await fixture.stop();
      }
    }
  });

  test('tries the cases of the account’s protocol variant only', async () => {
    const { text } = await check(VPOS);
    expect(text).toContain('vpos: ');
    expect(text).not.toContain('proxypay: ');
  });
});

describe('checkRail against a provider that differs from its fake', () => {
  test('returns 1 and names the case that differs', async () => {
    const { code, text } = await check({ name: 'appypay' }, ({ fault }) => fault(503, { path: '/v2.0/charges' }));
    expect(code).toBe(1);
    expect(text).toMatch(/^differs +push is queried by the id of the rail.*\n +\S/m);
    expect(text).toContain(', 1 differ, ');
  });

  test('returns 2 for wrong credentials without trying any case', async () => {
    const wrong = await check({ name: 'ombala' }, ({ book }) => void (book.apiKey = 'another-token-by-now'));
    expect([wrong.code, wrong.text, wrong.calls]).toEqual([2, expect.stringMatching(/^wrong_secret: /), 1]);
  });

  test('returns 2 for missing or invalid variables, and for an unknown connector', async () => {
    const missing = await check({ name: 'kambasms' }, (_, env) => void delete env['KAMBASMS_SENDER']);
    expect([missing.code, missing.text]).toEqual([2, 'Not set: KAMBASMS_SENDER.']);
    const none = await check({ name: 'appypay' }, (_, env) => void (env['APPYPAY_RESOURCE'] = 'no uuid'));
    expect([none.code, none.text, none.calls]).toEqual([2, expect.stringContaining('must be the UUID'), 0]);
    const lines: string[] = [];
    expect(await checkRail('nobody', { env: {}, print: (line) => lines.push(line) })).toBe(2);
    expect(lines).toEqual(['Unknown connector. Known: appypay, proxypay, opg, kambasms, ombala.']);
  });
});
