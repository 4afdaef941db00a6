// node sandbox/rails/check.ts <connector>: runs the connector's live cases against the provider's own sandbox.
// The check command writes nothing to a database or file.
import { AssertionError } from 'node:assert';
import { systemClock, type Clock } from '../../server/clock.ts';
import type { OpenAccount } from '../../server/providers/connector.ts';
import type { ContractCase, ContractSuite } from './contract.ts';
import type { FakeName } from './fakes.ts';
import type { Fixture } from './fixture.ts';
import { appypaySuite } from './suites/appypay.ts';
import { kambasmsSuite } from './suites/kambasms.ts';
import { ombalaSuite } from './suites/ombala.ts';
import { opgSuite } from './suites/opg.ts';
import { proxypaySuite } from './suites/proxypay.ts';

export const SUITES: Record<FakeName, ContractSuite> = {
  appypay: appypaySuite,
  proxypay: proxypaySuite,
  opg: opgSuite,
  kambasms: kambasmsSuite,
  ombala: ombalaSuite,
};

type CheckOptions = {
  env: NodeJS.ProcessEnv;
  print(line: string): void;
  clock?: Clock;
  /** `pass`: lets time pass between two calls. The default waits in real time, and tests move a clock. */
  pass?(ms: number): Promise<void>;
};

/** Checks one connector. Exit code 0: it behaves as with the fake, 1: a difference, 2: the check could not start. */
export async function checkRail(name: string, options: CheckOptions): Promise<0 | 1 | 2> {
  const suite = SUITES[name as FakeName];
  if (!suite) return giveUp(options, `Unknown connector. Known: ${Object.keys(SUITES).join(', ')}.`);
  const { clock = systemClock, env, pass = (ms) => clock.wait(ms) } = options;
  const opened = openAccount(suite, env);
  if (typeof opened === 'string') return giveUp(options, opened);
  const account = { ...opened, clock };
  const probe = await suite.connector.probe(account);
  if (probe.result !== 'ok') return giveUp(options, `${probe.result}: ${probe.detail}`);
  const cases = suite.cases.filter(({ dialect }) => !dialect || dialect === account.settings['dialect']);
  return tryAll(cases, () => suite.openLive(account, pass), options);
}

function giveUp({ print }: CheckOptions, why: string): 2 {
  print(why);
  return 2;
}

/** Returns the provider account, or an error message that names its missing environment variables. */
function openAccount({ liveAccount }: ContractSuite, env: NodeJS.ProcessEnv): OpenAccount | string {
  try {
    const live = liveAccount(env);
    return 'missing' in live ? `Not set: ${live.missing.join(', ')}.` : live.account;
  } catch (error) {
    return `Invalid account settings in the variables: ${String(error)}`;
  }
}

type CheckVerdict = 'ok' | 'differs' | 'uncertain';
const WORDS: Record<CheckVerdict, string> = { ok: 'ok', differs: 'differs', uncertain: 'still uncertain' };

async function tryAll(cases: ContractCase[], open: () => Fixture, { print }: CheckOptions): Promise<0 | 1> {
  const count: Record<CheckVerdict, number> = { ok: 0, differs: 0, uncertain: 0 };
  for (const one of cases.filter(({ isLive }) => isLive)) {
    const { verdict, why } = await tryOne(one, open());
    count[verdict]++;
    const word = verdict === 'ok' && one.isUncertain ? 'ok, was uncertain' : WORDS[verdict];
    print(`${word.padEnd(18)} ${one.name}${why && `\n${why.replace(/^/gm, '    ')}`}`);
  }
  print(`\n${count.ok} ok, ${count.differs} differ, ${count.uncertain} still uncertain.`);
  const untried = cases.filter(({ isLive, isUncertain }) => isUncertain && !isLive);
  if (untried.length > 0)
    print(`\nUncertain, and not tried there:\n${untried.map(({ name }) => `  ${name}`).join('\n')}`);
  return count.differs > 0 ? 1 : 0;
}

/** Runs one contract case. Only a failed assertion counts as a difference. Another error leaves the case uncertain. */
async function tryOne({ run }: ContractCase, fixture: Fixture): Promise<{ verdict: CheckVerdict; why: string }> {
  try {
    await run(fixture);
    return { verdict: 'ok', why: '' };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { verdict: error instanceof AssertionError ? 'differs' : 'uncertain', why };
  }
}

if (import.meta.main) {
  process.exitCode = await checkRail(process.argv[2] ?? '', { env: process.env, print: console.log });
}
