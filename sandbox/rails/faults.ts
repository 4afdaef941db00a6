// The network and HTTP faults that all contract suites apply to each operation that moves money or sends a message.
import assert from 'node:assert/strict';
import type { Probe } from '../../server/providers/connector.ts';
import { Exactly, match, operation, type ContractCase, type Where } from './contract.ts';
import type { FakeFault } from './fake.ts';
import { CLOSED_PORT, watchConnections, type Fixture } from './fixture.ts';

type WireFault = {
  fault: FakeFault | 'unreachable';
  title: string;
  /** `hasEffect`: true if the provider executes the request before the fault occurs. */
  hasEffect: boolean;
  /** The expected `reason` of the unknown outcome after this fault. */
  reason: string;
  /** `isRare`: calls without an effect skip this fault, unless `instead` has it. A similar HTTP status covers them. */
  isRare?: boolean;
};

const answering = (reason: string, ...statuses: number[]): WireFault[] =>
  statuses.map((fault) => ({
    fault,
    title: `the provider answers ${fault}`,
    hasEffect: false,
    reason,
    isRare: RARE.includes(fault),
  }));

const RARE = [405, 406, 409, 415, 422, 425, 502];

/** The injected faults. Every suite applies all of them to each call that may move money or send a message. */
const WIRE_FAULTS: readonly WireFault[] = [
  { fault: 'unreachable', title: 'no host listens', hasEffect: false, reason: 'unreachable' },
  { fault: 'drop_before', title: 'the connection drops before the effect', hasEffect: false, reason: 'connection' },
  { fault: 'drop_after', title: 'the connection drops after the effect', hasEffect: true, reason: 'connection' },
  { fault: 'error_before', title: 'the provider fails before the effect', hasEffect: false, reason: 'rail_error' },
  { fault: 'error_after', title: 'the provider fails after the effect', hasEffect: true, reason: 'rail_error' },
  { fault: 'hang', title: 'the answer never comes', hasEffect: true, reason: 'timeout' },
  { fault: 'oversize', title: 'the answer exceeds 64 KiB', hasEffect: true, reason: 'too_large' },
  { fault: 'garbage', title: 'the answer is HTML', hasEffect: true, reason: 'unreadable' },
  ...answering('rail_error', 301, 302, 303, 307, 502, 503),
  ...answering('rail_refused', 400, 404, 405, 406, 408, 409, 415, 422, 425, 429),
  ...answering('token_refused', 401, 403),
];

export type FaultyOperation<F> = {
  call(fixture: F): Promise<unknown>;
  setUp?(fixture: F): unknown;
  where?: Where;
  dialects?: readonly string[];
  /** `countEffects`: counts the call's effects in the fake's data, 0 or 1. */
  countEffects?(fixture: F): number;
  /** `expected`: returns the unknown outcome that the case expects. `details` has the HTTP status of an answer. */
  expected(reason: string, details: object): object;
  /** `instead`: another reason or outcome for single faults. Null: the fault does not apply to the operation. */
  instead?: Record<string, string | object | null>;
  /** `requests`: the number of HTTP requests of the call. The default is 1, since no call is repeated. */
  requests?: number;
  /** `after`: runs after the fault, for example a repeat of the call or a status query. */
  after?(fixture: F, fault: WireFault): unknown;
};

/** Creates one contract case of the operation for each injected fault. */
export function wireCases<F extends Fixture>(name: string, tried: FaultyOperation<F>): ContractCase<F>[] {
  const { setUp, where, dialects, instead = {}, requests = 1, countEffects } = tried;
  const isTried = ({ fault, isRare }: WireFault) =>
    instead[String(fault)] !== null && (!isRare || countEffects !== undefined || String(fault) in instead);
  const rows = WIRE_FAULTS.filter(isTried).map((wireFault) => {
    const { fault, title, hasEffect, reason } = wireFault;
    const other = instead[String(fault)] ?? reason;
    const details = typeof fault === 'number' ? { httpStatus: String(fault) } : {};
    const expected = typeof other === 'string' ? tried.expected(other, details) : other;
    const run = async (fixture: F) => {
      const effects = countEffects?.(fixture) ?? 0;
      const before = fixture.calls.length;
      const isUnreachable = fault === 'unreachable';
      const target = isUnreachable ? fixture.with({ settings: { baseUrl: CLOSED_PORT } }) : fixture;
      if (!isUnreachable) fixture.fake.fault(fault, where);
      const call = () => tried.call(target);
      match(await (fault === 'hang' ? fixture.outwait(call) : call()), expected);
      assert.equal(fixture.calls.length - before, isUnreachable ? 0 : requests, 'requests');
      if (countEffects) assert.equal(countEffects(fixture) - effects, hasEffect ? 1 : 0, 'effects');
      await tried.after?.(fixture, wireFault);
    };
    return [`returns ${nameResult(expected)} if ${title}`, run] as const;
  });
  return operation<F>(name, { setUp, dialects })(Object.fromEntries(rows));
}

function nameResult(expected: object): string {
  const outcome = expected instanceof Exactly ? expected.value : expected;
  const { result, reason, details } = outcome as { result?: string; reason?: string; details?: { reason?: string } };
  const why = reason ?? details?.reason;
  return typeof why === 'string' ? `${result} (${why})` : String(result);
}

const PROBE_RESULTS: Record<string, Probe['result']> = {
  ...Object.fromEntries(
    ['oversize', 'garbage', 301, 302, 303, 307, 400, 404, 405, 408].map((one) => [one, 'wrong_host']),
  ),
  401: 'wrong_secret',
  403: 'not_allowed',
  429: 'no_connection',
};

/** Creates one contract case of the credential test for each injected fault. */
export function probeCases<F extends Fixture>(
  where: Where = {},
  instead: Record<string, Probe['result'] | null> = {},
  options: Partial<FaultyOperation<F>> = {},
): ContractCase<F>[] {
  const sentence = (result: Probe['result']) => (result === 'ok' ? { result } : { result, detail: /^[A-Z].*\.$/ });
  const results = Object.entries({ ...PROBE_RESULTS, ...instead });
  return wireCases<F>('probe', {
    call: (fixture) => fixture.probe(),
    where,
    expected: () => sentence('no_connection'),
    instead: Object.fromEntries(results.map(([fault, result]) => [fault, result && sentence(result)])),
    ...options,
  });
}

/** Creates cases about the provider's own hosts. The client reaches them only through the account's connections. */
export function hostCases<F extends Fixture>(
  name: string,
  call: (fixture: F) => Promise<unknown>,
  { hosts, settings, result, dialects, onlyTls = false }: HostOptions,
): ContractCase<F>[] {
  const environments = ['test', 'live'] as const;
  const rows = environments.map((environment, nth) => {
    const run = async (fixture: F) => {
      const { connections, hosts: reached } = watchConnections(undefined, onlyTls);
      match(await call(fixture.with({ environment, connections, settings })), { result });
      assert.deepEqual(reached, [hosts[nth]]);
      if (!onlyTls) assert.deepEqual(fixture.fake.requests, []);
    };
    return [`reaches ${hosts[nth]} in the environment ${environment}, by the account's connections`, run] as const;
  });
  return operation<F>(name, { dialects })(Object.fromEntries(rows));
}

type HostOptions = {
  hosts: readonly [test: string, live: string];
  /** `settings`: the account's settings without the fake's URL. */
  settings: object;
  /** `result`: the expected result if the connection is refused. */
  result: string;
  dialects?: readonly string[];
  onlyTls?: boolean;
};

export const UNREADABLE_AMOUNTS = [
  null,
  -1500,
  ['1500.00'],
  ...'|a lot|NaN|1e400|1500,00|1.500,00|1 500.00|1500.005|-1500.00'.split('|'),
];

export const NO_OBJECTS = ['', '{', 'null', '[]', '17', '"accepted"', '{"status":"accepted"'];

/** Ids that are not safe in a URL path. */
export const INVALID_IDS = [null, '', '.', '..', 'a/b', 'a b', '../charges/1', 'a\r\nb', 'x'.repeat(65)];

const UNSAFE_URLS = ['https://u:p@x.example', 'https://x.example?a', 'https://x.example/#a'];
export const INVALID_URLS = ['api.vpos.ao', 'ftp://x.example', 'javascript:1', '', 7, ...UNSAFE_URLS];

/** Payment times that are ambiguous or invalid: without a zone, on an impossible date, or not a string. */
export const UNCERTAIN_TIMES = ['2022-05-25T18:25:39', '2022-02-30T00:00:00Z', 'yesterday', 1653503139, null];
