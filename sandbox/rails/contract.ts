// The contract of a connector, as tables of cases: a request, the provider's answer, and the expected outcome.
// The tests run all cases against the provider's fake. An operator runs the live cases at the provider's own sandbox.
import assert, { AssertionError } from 'node:assert/strict';
import { inspect, isDeepStrictEqual } from 'node:util';
import { systemClock, type Clock } from '../../server/clock.ts';
import type { Connector, OpenAccount } from '../../server/providers/connector.ts';
import type { Fake, FakeFault } from './fake.ts';
import { openConnections, type Fixture, type FixtureClock, type FixtureParts } from './fixture.ts';

type CaseFlags = {
  /** `isUncertain`: the provider does not document this case, so the connector assumes the safe outcome. */
  isUncertain?: boolean;
  /** `isLive`: true if the case needs neither a fault nor the fake's data. Such a case can run at the provider. */
  isLive?: boolean;
  /** Limits the case to accounts with this `settings.dialect`. */
  dialect?: string | null;
};

export type ContractCase<F = any> = CaseFlags & {
  /** `name`: operation and expected result of the case, for example `push returns declined for …`. */
  name: string;
  /** @throws AssertionError if the connector breaks the contract */
  run(fixture: F): Promise<unknown>;
};

type Changes = Record<string, unknown>;
type Expected<F> = object | string | number | boolean | null | undefined | ((fixture: F) => unknown);

/** One call of the connector with its expected outcome. Every field of a step is optional. */
type Step<F, Request = any, Answer = Changes> = {
  /** `act`: replaces the table's `call` in this step. */
  act?(fixture: F, request: Request): unknown;
  request?: Request;
  /** The provider's answer, which the table's `answer` gives to the fake; or a function that changes the fake. */
  answer?: Answer | ((fixture: F) => unknown);
  fault?: FakeFault;
  passMs?: number;
  /** `expected`: the expected outcome, compared by `match`, so only the keys given here count. */
  expected?: Expected<F>;
  /** `wire`: the HTTP requests that the call should send, for example `POST /transactions`. */
  wire?: string[] | ((fixture: F) => string[]);
  /** `sent`: the last expected HTTP request, compared by `match`. `body` is parsed JSON, `text` the raw body. */
  sent?: { headers?: object; body?: unknown; text?: RegExp; query?: object } | ((fixture: F) => object);
};

export type Row<F, Request = any, Answer = Changes> = CaseFlags &
  Step<F, Request, Answer> & {
    /** `requests`: several requests with the same expected outcome. */
    requests?: readonly Request[];
    answers?: readonly Answer[];
    /** `outcomes`: several provider answers, each with its own expected outcome. */
    outcomes?: readonly (readonly [Answer, Expected<F>])[];
    /** `steps`: several calls on one fixture. Each step inherits the fields of its row. */
    steps?: readonly Step<F, Request, Answer>[];
    run?(fixture: F): unknown;
  };

type RequestOrAnswer<F, Request, Answer> = Request | Answer | ((fixture: F) => unknown);

/**
 * The rows of a contract table. A key is a verb phrase about the operation, such as `returns pending for a new push`.
 * Two short forms of a row are allowed:
 * - An array has one or more answers and the expected outcome. In a table without `answer` it has requests instead.
 * - A function replaces the row and is called as its `run`.
 */
export type Rows<F, Request = any, Answer = Changes> = Readonly<
  Record<
    string,
    | Row<F, Request, Answer>
    | readonly [
        RequestOrAnswer<F, Request, Answer> | readonly RequestOrAnswer<F, Request, Answer>[],
        Expected<F>,
        CaseFlags?,
      ]
    | ((fixture: F) => unknown)
  >
>;

export type Table<F, Request = any, Answer = Changes> = {
  /** `dialects`: each row becomes one case per dialect, unless the row has its own `dialect`. */
  dialects?: readonly string[] | undefined;
  setUp?: ((fixture: F) => unknown) | undefined;
  call?(fixture: F, request: Request): unknown;
  answer?(fixture: F, answer: Answer): unknown;
  /** `where`: the requests to which a step's injected fault applies. */
  where?: Where;
};

export type Where = { method?: string; path?: string };

/**
 * Creates the contract cases of one operation: `operation('push', table)(rows)`.
 * The name of a case is the operation's name and the row's key.
 */
export function operation<F extends Fixture, Request = any, Answer = Changes>(
  operationName: string,
  table: Table<F, Request, Answer> = {},
) {
  return (rows: Rows<F, Request, Answer>): ContractCase<F>[] =>
    Object.entries(rows).flatMap(([key, short]) => {
      const row = readRow(short, table.answer !== undefined);
      const run = async (fixture: F) => {
        await table.setUp?.(fixture);
        if (row.run) return void (await row.run(fixture));
        for (const step of listSteps(row)) await runStep(fixture, table as Table<F, any, any>, { ...row, ...step });
      };
      const { isUncertain = false, isLive = false } = row;
      const dialects = row.dialect === undefined ? (table.dialects ?? [null]) : [row.dialect];
      return dialects.map((dialect) => {
        const name = `${dialect === null ? '' : `${dialect}: `}${operationName} ${key}`;
        return { name, isUncertain, isLive, dialect, run };
      });
    });
}

/** Creates cases that change an account's settings or secrets and expect validation faults from its schema. */
export const schema = <F extends Fixture>(part: 'settings' | 'secrets') =>
  operation<F>(part, { call: (fixture, change) => fixture.findFaults(part, change) });

/** Marks a case whose outcome the provider does not document. */
export const uncertain = <F extends Fixture>(run: (fixture: F) => unknown) => ({ run, isUncertain: true });

function readRow<F>(row: Rows<F, any, any>[string], hasAnswers: boolean): Row<F, any, any> {
  if (typeof row === 'function') return { run: row };
  if (!Array.isArray(row)) return row as Row<F, any, any>;
  const [input, expected, flags] = row;
  const list = Array.isArray(input) ? input : [input];
  return { ...(hasAnswers ? { answers: list } : { requests: list }), expected, ...flags };
}

function listSteps<F>({ steps, requests, answers, outcomes }: Row<F, any, any>): readonly Step<F, any, any>[] {
  if (requests) return requests.map((request) => ({ request }));
  if (answers) return answers.map((answer) => ({ answer }));
  return outcomes?.map(([answer, expected]) => ({ answer, expected })) ?? steps ?? [{}];
}

async function runStep<F extends Fixture>(
  fixture: F,
  table: Table<F, any, any>,
  step: Step<F, any, any>,
): Promise<void> {
  const { act: call = table.call, request, answer, fault, passMs, expected, wire, sent } = step;
  assert.ok(call, 'the table has no call');
  if (passMs !== undefined) await fixture.pass(passMs);
  if (typeof answer === 'function') await answer(fixture);
  else if ('answer' in step) await table.answer?.(fixture, answer);
  if (fault !== undefined) fixture.fake.fault(fault, table.where);
  const before = fixture.server ? fixture.calls.length : 0;
  const make = async () => call(fixture, request);
  try {
    const outcome = await (fault === 'hang' ? fixture.outwait(make) : make());
    if ('expected' in step) match(outcome, typeof expected === 'function' ? expected(fixture) : expected);
    if (wire) assert.deepEqual(fixture.calls.slice(before), typeof wire === 'function' ? wire(fixture) : wire);
    if (sent) match(readLast(fixture), typeof sent === 'function' ? sent(fixture) : sent);
  } catch (error) {
    if (error instanceof AssertionError) error.message += `\nin the step ${inspect({ request, answer, fault })}`;
    throw error;
  }
}

function readLast(fixture: Fixture) {
  const last = fixture.requests.at(-1);
  assert.ok(last, 'no request was sent');
  const body: unknown = last.body.startsWith('{') ? JSON.parse(last.body) : last.body;
  return { ...last, body, text: last.body, query: Object.fromEntries(last.query) };
}

export const each = (field: string, values: readonly unknown[]) => values.map((value) => ({ [field]: value }));

export class Exactly {
  readonly value: unknown;
  constructor(value: unknown) {
    this.value = value;
  }
}

/** Wraps an expected object for `match`: the actual object must have no further keys. */
export const exactly = (value: unknown) => new Exactly(value);

/**
 * Asserts that `actual` matches `expected`.
 * Objects are compared by the keys of `expected`, and arrays by length and elements.
 * A string matches a regular expression in `expected`. All other values must be strictly equal.
 */
export function match(actual: unknown, expected: unknown): void {
  assert.deepEqual(project(actual, expected), expected);
}

/** Returns the part of `actual` with the keys of `expected`. A string that matches a pattern becomes the pattern. */
function project(actual: any, expected: any): unknown {
  if (expected instanceof RegExp) return typeof actual === 'string' && expected.test(actual) ? expected : actual;
  if (expected instanceof Exactly) return isDeepStrictEqual(actual, expected.value) ? expected : actual;
  if (Array.isArray(expected) && Array.isArray(actual)) {
    return actual.map((one, nth) => (nth < expected.length ? project(one, expected[nth]) : one));
  }
  const isPlain = typeof expected === 'object' && expected !== null && !(expected instanceof Date);
  if (!isPlain || typeof actual !== 'object' || actual === null) return actual;
  return Object.fromEntries(Object.keys(expected).map((key) => [key, project(actual[key], expected[key])]));
}

type SuiteParts<F extends Fixture> = {
  connector: Connector;
  Fixture: new (parts: FixtureParts<any>) => F;
  /** Starts an empty fake. */
  start(options: { clock: Clock }): Promise<Fake>;
  /** Environment variables with the account's values at the provider's sandbox, by field: `secrets.token`, … */
  live: Readonly<Record<string, string>>;
  /** Fixed settings of the rail account at the provider's own sandbox. */
  liveSettings?: object;
  cases: ContractCase<F>[];
};

const split = (path: string) => path.replace('?', '').split('.');

function put(into: any, [key = '', ...rest]: string[], value: unknown): unknown {
  return { ...into, [key]: rest.length > 0 ? put(into[key], rest, value) : value };
}

export function createSuite<F extends Fixture>({ connector, live, cases, ...suite }: SuiteParts<F>) {
  const about = { kind: connector.kinds[0]!, environment: 'test', connections: openConnections() } as const;
  const openFixture = async (clock: FixtureClock, dialect?: string | null): Promise<F> => {
    const server = await suite.start({ clock });
    const id = '0197f1f0-0000-7000-8000-000000000001';
    const account = { ...about, ...server.account(dialect ?? undefined), id, timeoutMs: 10_000, clock };
    return new suite.Fixture({ connector, account, server, pass: (ms) => clock.advance(ms) });
  };
  return {
    connector,
    cases,
    openFixture,
    /** Creates the fixture of a rail account at the provider's own sandbox. */
    openLive: (account: OpenAccount, pass: (ms: number) => Promise<void>) =>
      new suite.Fixture({ connector, account, server: null, pass }),
    /** Builds the rail account from environment variables, or returns the missing variables. @throws ZodError */
    liveAccount(env: NodeJS.ProcessEnv): { account: OpenAccount } | { missing: string[] } {
      const missing = Object.keys(live).filter((name) => !env[name] && !live[name]!.endsWith('?'));
      if (missing.length > 0) return { missing };
      const entered = Object.entries(live)
        .filter(([name]) => env[name])
        .reduce((all, [name, path]) => put(all, split(path), env[name]) as typeof all, {
          settings: suite.liveSettings ?? {},
          secrets: {},
        });
      const account: OpenAccount = {
        ...about,
        id: 'live',
        settings: connector.settings.parse(entered.settings),
        secrets: connector.secrets.parse(entered.secrets),
        timeoutMs: 30_000,
        clock: systemClock,
      };
      return { account };
    },
    /** Returns the environment variables that describe this rail account. */
    writeEnv: (account: OpenAccount) =>
      Object.fromEntries(
        Object.entries(live).map(([name, path]) => [
          name,
          String(split(path).reduce((part: any, key) => part[key], account)),
        ]),
      ),
    async run(one: ContractCase<F>, clock: FixtureClock): Promise<void> {
      const fixture = await openFixture(clock, one.dialect);
      try {
        await one.run(fixture);
      } finally {
        await fixture.stop();
      }
    },
  };
}

export type ContractSuite<F extends Fixture = any> = ReturnType<typeof createSuite<F>>;
