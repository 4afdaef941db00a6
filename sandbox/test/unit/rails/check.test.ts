// sandbox/rails/check.ts against a fake in place of the provider's sandbox: tried cases, output and exit code.
import { describe, expect, test } from 'vitest';
import { checkRail } from '../../../rails/check.ts';
import type { ContractSuite } from '../../../rails/contract.ts';
import type { Fake } from '../../../rails/fake.ts';
import { appypaySuite } from '../../../rails/suites/appypay.ts';
import { kambasmsSuite } from '../../../rails/suites/kambasms.ts';
import { ombalaSuite } from '../../../rails/suites/ombala.ts';
import { opgSuite } from '../../../rails/suites/opg.ts';
import { proxypaySuite } from '../../../rails/suites/proxypay.ts';

type Env = Record<string, string>;
type Provider = { name: string; suite: ContractSuite; dialect?: string };

const PROVIDERS: Provider[] = [
  { name: 'appypay', suite: appypaySuite },
  { name: 'proxypay', suite: proxypaySuite },
  { name: 'opg', suite: opgSuite },
  { name: 'opg', suite: opgSuite, dialect: 'vpos' },
  { name: 'kambasms', suite: kambasmsSuite },
  { name: 'ombala', suite: ombalaSuite },
];

/** Checks the fake as if it were the provider, after `change`. */
async function check(
  { name, suite, dialect }: Provider,
  change: (fake: Fake & { book: any }, env: Env) => void = () => {},
) {
  const fixture = await suite.openFixture(dialect);
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

const find = (name: string) => PROVIDERS.find((provider) => provider.name === name)!;

describe('checkRail against a provider like its fake', () => {
  test.each(PROVIDERS.map((provider, nth) => [`${provider.name} ${nth}`, provider] as const))(
    'finds no difference for %s',
    async (_, provider) => {
      const { code, text, calls } = await check(provider);
      expect([code, text]).toEqual([0, expect.not.stringMatching(/^differs/m)]);
      expect(text).toMatch(/^ok +\S/m);
      expect(text).toMatch(/\n[1-9]\d* ok, 0 differ, 0 still uncertain\.\n/);
      expect(calls).toBeGreaterThan(0);
    },
  );

  test('names the uncertain cases that passed, and the uncertain cases that it did not try', async () => {
    const { text } = await check(find('proxypay'));
    expect(text).toContain('ok, was uncertain  registration writes the amount as text with two decimals');
    const [, untried = ''] = text.split('Uncertain, and not tried');
    expect(untried).toContain('\n  registration returns unknown for 200 instead of 204');
    expect(untried).not.toContain('the amount as text');
  });

  test.each([...new Set(PROVIDERS.map(({ suite }) => suite))])(
    'sends a request in every uncertain case of $connector.name',
    async (suite) => {
      for (const { name, run } of suite.cases.filter(({ isLive, isUncertain }) => isLive && isUncertain)) {
        const fixture = await suite.openFixture();
        try {
          await run(fixture);
          expect(fixture.fake.requests, name).not.toEqual([]);
        } finally {
          await fixture.stop();
        }
      }
    },
  );

  test('tries the cases of the account’s protocol variant only', async () => {
    const { text } = await check(PROVIDERS[3]!);
    expect(text).toContain('vpos: ');
    expect(text).not.toContain('proxypay: ');
  });
});

describe('checkRail against a provider that differs from its fake', () => {
  test('returns 1 and names the case that differs', async () => {
    const { code, text } = await check(find('appypay'), ({ fault }) => fault(503, { path: '/v2.0/charges' }));
    expect(code).toBe(1);
    expect(text).toMatch(/^differs +push is queried by the id of the rail.*\n +\S/m);
    expect(text).toContain(', 1 differ, ');
  });

  test('returns 2 for wrong credentials without trying any case', async () => {
    const wrong = await check(find('ombala'), ({ book }) => void (book.apiKey = 'another-token-by-now'));
    expect([wrong.code, wrong.text, wrong.calls]).toEqual([2, expect.stringMatching(/^wrong_secret: /), 1]);
  });

  test('returns 2 for missing or invalid variables, and for an unknown connector', async () => {
    const missing = await check(find('kambasms'), (_, env) => void delete env['KAMBASMS_SENDER']);
    expect([missing.code, missing.text]).toEqual([2, 'Not set: KAMBASMS_SENDER.']);
    const none = await check(find('appypay'), (_, env) => void (env['APPYPAY_RESOURCE'] = 'no uuid'));
    expect([none.code, none.text, none.calls]).toEqual([2, expect.stringContaining('must be the UUID'), 0]);
    const lines: string[] = [];
    expect(await checkRail('nobody', { env: {}, print: (line) => lines.push(line) })).toBe(2);
    expect(lines).toEqual(['Unknown connector. Known: appypay, proxypay, opg, kambasms, ombala.']);
  });
});
