// Rail accounts in memory. Effects, responses and notifications have separate times. Open pushes are counted.
import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import type { Core } from '../../server/core.ts';
import { applyOutcome } from '../../server/payments/core/apply-outcome.ts';
import { UNKNOWN_OUTCOME, makeUnknown } from '../../server/providers/rail-call.ts';
import { opgConnector } from '../../server/providers/opg/connector.ts';
import type { GpoCapabilities } from '../../server/providers/connector.ts';
import type { GpoRail, PushOrder, RailOutcome } from '../../server/providers/provider.ts';
import { capabilitiesOf, type GpoAccount, type RailAccounts } from '../../server/rails/rail.ts';
import { NO_GPO } from '../../server/rails/unavailable-clients.ts';
import type { TestClock } from './clock.ts';

/** The course of one request with a push. */
type Sending = {
  answer: keyof typeof ANSWERS;
  /** `late`: the rail knows the push only after `arriveAfterMs`. */
  effect: 'none' | 'now' | 'late';
  answerAfterMs: number;
  arriveAfterMs: number;
};

/** The course of one payment. */
export type Life = {
  sendings: Sending[];
  questions: ('told' | 'away' | 'error')[];
  verdict: 'approved' | 'declined' | 'silence';
  decideAfterMs: number;
  newsAfterMs: number;
  newsTimes: number;
};

const declined = (failureCode: RailOutcome['failureCode']): RailOutcome => ({
  ...UNKNOWN_OUTCOME,
  result: 'declined',
  failureCode,
});

const ANSWERS = {
  unreachable: makeUnknown('unreachable'),
  token_refused: declined('acquirer_setup'),
  unavailable: declined('rail_unavailable'),
  refused: declined('customer_refused'),
  timeout: makeUnknown('timeout'),
  reset: makeUnknown('connection'),
  error: makeUnknown('rail_error'),
  unreadable: makeUnknown('unreadable'),
  pending: { ...UNKNOWN_OUTCOME, result: 'pending' },
} as const satisfies Record<string, RailOutcome>;

const moments = {
  answerAfterMs: fc.integer({ min: 0, max: 9_900 }),
  arriveAfterMs: fc.integer({ min: 0, max: 45_000 }),
};

/** The outcomes of requests that certainly have no effect. */
const sure = fc.record({
  ...moments,
  answer: fc.constantFrom('unreachable', 'token_refused', 'unavailable', 'refused'),
  effect: fc.constant('none' as const),
});
const unsure = fc.record({
  ...moments,
  answer: fc.constantFrom('timeout', 'reset', 'error', 'unreadable'),
  effect: fc.constantFrom('none', 'now', 'late'),
});
const taken = fc.record({ ...moments, answer: fc.constant('pending' as const), effect: fc.constant('now' as const) });

const sending: fc.Arbitrary<Sending> = fc.oneof(
  { weight: 3, arbitrary: sure },
  { weight: 2, arbitrary: unsure },
  { weight: 1, arbitrary: taken },
);

/** Generates the course of an arbitrary payment. */
export const life: fc.Arbitrary<Life> = fc.record({
  sendings: fc.array(sending, { minLength: 4, maxLength: 4 }),
  questions: fc.array(fc.constantFrom('told', 'told', 'away', 'error'), { minLength: 3, maxLength: 3 }),
  verdict: fc.constantFrom('approved', 'declined', 'silence'),
  decideAfterMs: fc.integer({ min: 0, max: 50_000 }),
  newsAfterMs: fc.integer({ min: 0, max: 20_000 }),
  newsTimes: fc.integer({ min: 1, max: 2 }),
});

/** Generates the capabilities of an arbitrary connector. */
export const declared: fc.Arbitrary<Pick<GpoCapabilities, 'query' | 'repeat'>> = fc.record({
  query: fc.constantFrom('own_id', 'rail_id'),
  repeat: fc.constantFrom('same_key_same_result', 'refused_if_known', 'never'),
});

/** The state of a push. `coming`: the push has not reached the phone yet. `live`: the payer can approve it. */
type Push = { attemptId: string; account: string; state: 'coming' | 'live' | 'approved' | 'declined'; life: Life };

export type RailWorld = {
  book: RailAccounts;
  /** The planned course of each payment, by its reference. */
  lives: Map<string, Life>;
  /** Every push at a rail, by the payment's reference. */
  pushes: Map<string, Push[]>;
  /** References of payments with two pushes that a payer could approve at the same time. */
  violations: string[];
  /** The number of responses of each kind. */
  answers: Map<string, number>;
};

/** Three rail accounts by priority, which replace the accounts of a node. */
export function openRailWorld(
  { rails, config }: Pick<Core, 'rails' | 'config'>,
  clock: TestClock,
  accounts: Pick<GpoCapabilities, 'query' | 'repeat'>[],
  tell: (attemptId: string, account: string, outcome: RailOutcome) => Promise<unknown>,
): RailWorld {
  const world = { lives: new Map(), pushes: new Map(), violations: [], answers: new Map() } as Omit<RailWorld, 'book'>;
  const requestCounts = new Map<string, number>();
  // The nth request of a payment has its nth outcome at any account.
  const nextOf = <T>(name: string, of: readonly T[]): T => {
    const nth = requestCounts.get(name) ?? 0;
    requestCounts.set(name, nth + 1);
    return of[nth % of.length] as T;
  };
  const opened = accounts.map((can, nth) => {
    const id = randomUUID();
    const timeoutMs = config.GPO_TIMEOUT_S * 1000;
    const gpo = openRail({ ...world, clock, account: id, can, tell, timeoutMs, nextOf });
    return makeAccount(id, `account ${nth + 1}`, nth, can, gpo);
  });
  const find = (id: string) => opened.find((account) => account.id === id);
  // These accounts have no circuit breaker, which has its own tests.
  const circuits = { isClosed: () => true, begin() {}, note() {} };
  const book: RailAccounts = {
    ...rails,
    list: ((_merchantId: string, kind: string) => (kind === 'gpo' ? opened : [])) as RailAccounts['list'],
    find: async (id) => find(id) ?? rails.find(id),
    can: async (id, kind) => capabilitiesOf(find(id) ?? (await rails.find(id)), kind),
    gpo: async (id) => find(id)?.clients.gpo ?? NO_GPO,
    circuits,
  };
  return { ...world, book };
}

function makeAccount(
  id: string,
  label: string,
  priority: number,
  can: Pick<GpoCapabilities, 'query' | 'repeat'>,
  gpo: GpoRail,
): GpoAccount {
  const settings = { dialect: 'proxypay', posId: 1 } as const;
  const capabilities = { ...(opgConnector.capabilities('gpo', settings) as GpoCapabilities), ...can };
  const about = { id, label, priority, merchantId: null, kind: 'gpo', status: 'active', isRemoved: false } as const;
  return { ...about, connector: opgConnector, account: {} as never, capabilities, clients: { gpo } };
}

type Opening = Omit<RailWorld, 'book'> & {
  clock: TestClock;
  account: string;
  can: Pick<GpoCapabilities, 'query' | 'repeat'>;
  timeoutMs: number;
  nextOf<T>(name: string, of: readonly T[]): T;
  tell: (attemptId: string, account: string, outcome: RailOutcome) => Promise<unknown>;
};

function openRail(opening: Opening): GpoRail {
  const { clock, can, lives, timeoutMs, answers, nextOf } = opening;
  const known = new Map<string, Push>();
  const begun = new Set<string>();
  return {
    ...NO_GPO,
    async send(order) {
      const { attemptId, reference } = order as PushOrder;
      const own = lives.get(reference) as Life;
      const wanted = nextOf(reference, own.sendings);
      answers.set(wanted.answer, (answers.get(wanted.answer) ?? 0) + 1);
      // Two requests with one id are one push, unless the rail does not store ids.
      const isNew = can.repeat === 'never' || !begun.has(attemptId);
      if (wanted.effect !== 'none' && isNew) {
        begun.add(attemptId);
        begin(opening, known, { attemptId, reference, wanted });
      }
      await clock.wait(wanted.answer === 'timeout' ? timeoutMs : wanted.answerAfterMs);
      const outcome = ANSWERS[wanted.answer];
      return wanted.answer === 'pending' ? { ...outcome, railOrderId: attemptId } : outcome;
    },
    async query({ attemptId, railOrderId }) {
      if (can.query === 'rail_id' && railOrderId === null) return makeUnknown('no_rail_id');
      const push = known.get(attemptId);
      const said = push ? nextOf(attemptId, push.life.questions) : 'told';
      await clock.wait(20);
      if (said !== 'told') return makeUnknown(said === 'away' ? 'unreachable' : 'rail_error');
      return push ? readPush(push) : { ...UNKNOWN_OUTCOME, result: 'not_found' };
    },
  };
}

/** Creates a push, which ends by its payer's decision or at the end of the window. */
function begin(
  { clock, account, pushes, violations, lives, tell }: Opening,
  known: Map<string, Push>,
  { attemptId, reference, wanted }: { attemptId: string; reference: string; wanted: Sending },
): void {
  const own = lives.get(reference) as Life;
  const push: Push = { attemptId, account, state: 'coming', life: own };
  const all = [...(pushes.get(reference) ?? []), push];
  pushes.set(reference, all);
  if (all.filter(({ state }) => state !== 'declined').length > 1) violations.push(reference);
  const live = async () => {
    if (wanted.effect === 'late') await clock.wait(wanted.arriveAfterMs);
    // From this moment on, queries find the push.
    known.set(attemptId, push);
    push.state = 'live';
    await clock.wait(own.verdict === 'silence' ? WINDOW_MS : own.decideAfterMs);
    push.state = own.verdict === 'approved' ? 'approved' : 'declined';
    await clock.wait(own.newsAfterMs);
    for (let times = 0; times < own.newsTimes; times++) await tell(attemptId, account, readPush(push));
  };
  if (wanted.effect === 'now') known.set(attemptId, push);
  void live();
}

const WINDOW_MS = 60_000;

function readPush({ attemptId, state }: Push): RailOutcome {
  const about = { ...UNKNOWN_OUTCOME, railOrderId: attemptId };
  if (state === 'declined') return { ...about, ...declined('customer_refused') };
  if (state !== 'approved') return { ...about, result: 'pending' };
  return { ...about, result: 'approved', providerRef: attemptId, amountMinor: 150_000, currency: 'AOA' };
}

/** Applies an outcome as a notification does. */
export function tellCore(core: Core) {
  return (attemptId: string, account: string, outcome: RailOutcome) =>
    applyOutcome(core, attemptId, outcome, { via: 'notification', rail: account, kind: 'purchase' });
}
