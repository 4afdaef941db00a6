// Counters of failed sign-ins. They slow down guessing without locking the account's owner out for long.
import type { Core } from '../core.ts';
import { em, isAny, prepared, query, type Db } from '../database/db.ts';
import { inTransaction } from '../database/orm.ts';
import { tryLater } from '../http/problem.ts';
import { SignInFailure } from './entities.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../shared/durations.ts';

/** A sign-in attempt, with its user account and its origin. */
export type SignInAttempt = {
  email: string;
  address: string;
  /** `isCode`: true for a code of the second step, whose sender has already proved the password. */
  isCode?: boolean;
};

type LockCore = Pick<Core, 'orm' | 'pool' | 'listeners' | 'clock' | 'keyring'>;

const SECOND_MS = 1_000;

type Rule = {
  /** `after`: the number of failures that causes a lock of `baseMs`. Each further failure doubles it, up to `maxMs`. */
  after: number;
  baseMs: number;
  maxMs: number;
};

/**
 * `pair`: consecutive failures of one account from one IP address.
 * `account`: failures of one account from everywhere, per clock hour.
 * The lock of `account` is brief, so that attackers cannot lock the owner out.
 * `address`: failures from one IP address over all accounts, per clock hour.
 * The limit of `address` is high, because carriers put thousands of people behind one IP address.
 * `account` and `address` do not lock a person at an IP address where they signed in before (`KNOWN_MS`).
 * `codes`: consecutive wrong codes of the second step, from everywhere. There are only a million codes.
 * An attacker who tries codes already has the password. A password reset by the owner lifts the lock of `codes`.
 */
const RULES = {
  pair: { after: 5, baseMs: 30 * SECOND_MS, maxMs: 30 * MINUTE_MS },
  account: { after: 30, baseMs: 15 * SECOND_MS, maxMs: MINUTE_MS },
  address: { after: 200, baseMs: MINUTE_MS, maxMs: MINUTE_MS },
  codes: { after: 10, baseMs: MINUTE_MS, maxMs: HOUR_MS },
} satisfies Record<string, Rule>;

/** A counter of consecutive failures restarts after a day without a failure. */
const FORGOTTEN_MS = DAY_MS;
/** How long a sign-in protects its IP address: failures elsewhere do not lock the user account there. */
export const KNOWN_MS = 90 * DAY_MS;

/**
 * Runs `check` once, which returns null for a wrong password or code, and counts the result.
 * The result of `check` is withheld if concurrent failures have locked the user account.
 * Parallel guesses therefore learn no more than sequential ones.
 * @throws Problem too_many_failures with Retry-After while locked
 */
export async function tryOnce<T>(
  core: LockCore,
  attempt: SignInAttempt,
  check: () => Promise<T | null>,
): Promise<T | null> {
  const refuse = (seconds: number) => {
    if (seconds > 0) throw tryLater('too_many_failures', seconds);
  };
  refuse(await findLock(core, attempt));
  const result = await check().catch(async (error: unknown) => {
    // An exception would also reveal whether the password was right, so a lock replaces the exception.
    refuse(await findLock(core, attempt));
    throw error;
  });
  if (result === null) refuse(await recordFailure(core, attempt));
  else {
    refuse(await findLock(core, attempt));
    await recordSuccess(core, attempt);
  }
  return result;
}

/** Returns the seconds until the lock of a sign-in attempt ends. 0: not locked. */
export async function findLock(core: Db & Pick<Core, 'clock' | 'keyring'>, who: SignInAttempt): Promise<number> {
  const now = core.clock.now();
  const { pair, known, codes, accountOf, addressOf } = subjectsOf(core, who);
  // A lock of the previous clock hour may last into the current one.
  const hours = [now, new Date(now.getTime() - HOUR_MS)];
  const knownSince = new Date(now.getTime() - KNOWN_MS);
  const [own, shared] = [
    [pair, ...codes],
    [...hours.map(accountOf), ...hours.map(addressOf)],
  ];
  const { until } = await readLock.one(core, { now, own, shared, known, knownSince });
  return until ? Math.ceil((until.getTime() - now.getTime()) / SECOND_MS) : 0;
}

type Locks = { now: Date; own: string[]; shared: string[]; known: string; knownSince: Date };

const readLock = prepared((tables, { now, own, shared, known, knownSince }: Locks) => {
  const home = tables
    .selectFrom('sign_in_failures as home')
    .select('home.subject')
    .where('home.subject', '=', known)
    .where('home.lastAt', '>', knownSince);
  return tables
    .selectFrom('sign_in_failures')
    .select((eb) => eb.fn.max<Date | null>('lockedUntil').as('until'))
    .where('lockedUntil', '>', now)
    .where((eb) =>
      eb.or([eb('subject', ...isAny(own)), eb.and([eb('subject', ...isAny(shared)), eb.not(eb.exists(home))])]),
    );
});

/**
 * Counts a failed sign-in. Returns the seconds of the lock that already existed before this failure.
 * If a lock existed, the attempt began before the lock, and the caller refuses it like later attempts.
 */
export function recordFailure(core: LockCore, who: SignInAttempt): Promise<number> {
  const now = core.clock.now();
  const { pair, codes, accountOf, addressOf } = subjectsOf(core, who);
  const rules = new Map<string, Rule>([
    [pair, RULES.pair],
    [accountOf(now), RULES.account],
    [addressOf(now), RULES.address],
    ...codes.map((subject): [string, Rule] => [subject, RULES.codes]),
  ]);
  // The subjects are sorted, so that concurrent transactions lock the rows in the same order and cannot deadlock.
  const subjects = [...rules.keys()].sort();
  return inTransaction(core, async (db) => {
    // The insert locks the counter's row. `findLock` then still reads the lock of earlier failures.
    const counted = await countFailures(now, subjects).all(db);
    const seconds = await findLock({ ...core, ...db }, who);
    const locks = counted.flatMap(({ subject, failures }) => {
      const forMs = lockedMs(rules.get(subject) as Rule, failures);
      return forMs > 0 ? [{ subject, until: new Date(now.getTime() + forMs) }] : [];
    });
    for (const { subject, until } of locks)
      await em(db).nativeUpdate(SignInFailure, { subject }, { lockedUntil: until });
    return seconds;
  });
}

const countFailures = (now: Date, subjects: string[]) =>
  query((tables) =>
    tables
      .insertInto('sign_in_failures')
      .values(subjects.map((subject) => ({ subject, failures: 1, lastAt: now })))
      .onConflict((known) =>
        known.column('subject').doUpdateSet((eb) => ({
          lastAt: eb.ref('excluded.lastAt'),
          failures: eb
            .case()
            .when('sign_in_failures.lastAt', '<=', new Date(now.getTime() - FORGOTTEN_MS))
            .then(eb.lit(1))
            .else(eb('sign_in_failures.failures', '+', 1))
            .end(),
        })),
      )
      .returning(['subject', 'failures']),
  );

/** Returns the lock's duration in milliseconds after this many failures. */
function lockedMs({ after, baseMs, maxMs }: Rule, failures: number): number {
  return failures < after ? 0 : Math.min(maxMs, baseMs * 2 ** (failures - after));
}

/** Resets consecutive failures, and remembers the IP address as one where the person signs in. */
export async function recordSuccess(core: LockCore, who: SignInAttempt): Promise<void> {
  const { pair, known, codes } = subjectsOf(core, who);
  await endFailures.run(core, { ended: [pair, ...codes], known, now: core.clock.now() });
}

const endFailures = prepared((tables, { ended, known, now }: { ended: string[]; known: string; now: Date }) =>
  tables
    .with('ended', (on) => on.deleteFrom('sign_in_failures').where('subject', ...isAny(ended)))
    .insertInto('sign_in_failures')
    .values({ subject: known, failures: 0, lastAt: now })
    .onConflict((home) => home.column('subject').doUpdateSet((eb) => ({ lastAt: eb.ref('excluded.lastAt') }))),
);

/** Removes a user account's locks after its owner has proved by mail to read the e-mail address. */
export async function clearLocks(core: Pick<Core, 'keyring'>, db: Db, email: string): Promise<void> {
  const account = digest(core, email);
  const like = (prefix: string) => ({ subject: { $like: `${prefix}:${account}:%` } });
  const subjects = [{ subject: `codes:${account}` }, like('pair'), like('account')];
  await em(db).nativeDelete(SignInFailure, { $or: subjects });
}

/** Returns the keys of the counters. Keyed digests hide e-mail and IP addresses in the table. */
function subjectsOf(core: Pick<Core, 'keyring'>, { email, address, isCode }: SignInAttempt) {
  const account = digest(core, email);
  const origin = digest(core, address);
  const hourOf = (at: Date) => Math.floor(at.getTime() / HOUR_MS);
  return {
    pair: `pair:${account}:${origin}`,
    known: `known:${account}:${origin}`,
    codes: isCode ? [`codes:${account}`] : [],
    accountOf: (at: Date) => `account:${account}:${hourOf(at)}`,
    addressOf: (at: Date) => `address:${origin}:${hourOf(at)}`,
  };
}

function digest({ keyring }: Pick<Core, 'keyring'>, value: string): string {
  return keyring.digests(value, 'sign-in failures')[0]!.toString('hex').slice(0, 32);
}
