// Failed sign-ins, counted by account and address: guessing soon waits, and nobody can keep another out for long.
import type { Core } from '../core.ts';
import { em, isAny, prepared, query, type Db } from '../database/db.ts';
import { inTransaction } from '../database/orm.ts';
import { tryLater } from '../http/problem.ts';
import { SignInFailure } from './entities.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../shared/durations.ts';

/** Who tries: the address as shared/email.ts has it, known or not, and where from as http/limits.ts tells it (IPv6: a /64). */
export type Who = {
  email: string;
  address: string;
  /** A code of the second step is tried: by somebody who has the password already. */
  isCode?: boolean;
};

type LockCore = Pick<Core, 'orm' | 'pool' | 'listeners' | 'clock' | 'keyring'>;

const SECOND_MS = 1_000;

type Rule = {
  /** From this failure on each locks, the first for `baseMs`, each further one for twice as long, up to `maxMs`. */
  after: number;
  baseMs: number;
  maxMs: number;
};

/**
 * `pair`: of an account from an address, in a row. The others count by clock hours: `account`, from everywhere, locks
 * briefly, since a stranger must not keep its owner out; `address`, over all accounts, allows much, since carriers put
 * thousands of people behind one; neither holds up somebody where they signed in before. `codes`: of the second step, in a row, from everywhere. There are only a million, and who
 * tries them has the password: the owner who is kept out by that needs another one anyway, which lifts it.
 */
const RULES = {
  pair: { after: 5, baseMs: 30 * SECOND_MS, maxMs: 30 * MINUTE_MS },
  account: { after: 30, baseMs: 15 * SECOND_MS, maxMs: MINUTE_MS },
  address: { after: 200, baseMs: MINUTE_MS, maxMs: MINUTE_MS },
  codes: { after: 10, baseMs: MINUTE_MS, maxMs: HOUR_MS },
} satisfies Record<string, Rule>;

/** Failures in a row are forgotten after a day without one. */
const FORGOTTEN_MS = DAY_MS;
/** Where somebody signed in, they are not kept out by what others try elsewhere. */
export const KNOWN_MS = 90 * DAY_MS;

/**
 * Tries once: `check` says whether the secret was right. What it says is not told when failures beside it locked
 * meanwhile, so that many at once learn no more than one after another.
 * @throws Problem too_many_failures with Retry-After while locked
 */
export async function tryOnce<T>(core: LockCore, who: Who, check: () => Promise<T | null>): Promise<T | null> {
  const refuse = (seconds: number) => {
    if (seconds > 0) throw tryLater('too_many_failures', seconds);
  };
  refuse(await findLock(core, who));
  const result = await check().catch(async (error: unknown) => {
    // What is thrown tells too.
    refuse(await findLock(core, who));
    throw error;
  });
  if (result === null) refuse(await noteFailure(core, who));
  else {
    refuse(await findLock(core, who));
    await noteSuccess(core, who);
  }
  return result;
}

/** For how many seconds nobody may try; 0: now. */
export async function findLock(core: Db & Pick<Core, 'clock' | 'keyring'>, who: Who): Promise<number> {
  const now = core.clock.now();
  const { pair, known, codes, accountOf, addressOf } = subjectsOf(core, who);
  // A lock of the last hour may reach into this one.
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
 * Counts a failure. Answers for how many seconds it was locked already when this one came to be counted: it began before
 * the lock, and is to be answered as those that came after.
 */
export function noteFailure(core: LockCore, who: Who): Promise<number> {
  const now = core.clock.now();
  const { pair, codes, accountOf, addressOf } = subjectsOf(core, who);
  const rules = new Map<string, Rule>([
    [pair, RULES.pair],
    [accountOf(now), RULES.account],
    [addressOf(now), RULES.address],
    ...codes.map((subject): [string, Rule] => [subject, RULES.codes]),
  ]);
  // Always in the same order: two at once must not wait for one another.
  const subjects = [...rules.keys()].sort();
  return inTransaction(core, async (db) => {
    // Each row is held from here on, its lock still the one before.
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

/** How long the nth failure locks. */
function lockedMs({ after, baseMs, maxMs }: Rule, failures: number): number {
  return failures < after ? 0 : Math.min(maxMs, baseMs * 2 ** (failures - after));
}

/** Ends the row of failures from this address, which is known to be theirs from now on. */
export async function noteSuccess(core: LockCore, who: Who): Promise<void> {
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

/** Lets an account be tried again from everywhere: its owner proved who they are by mail. */
export async function clearLocks(core: Pick<Core, 'keyring'>, db: Db, email: string): Promise<void> {
  const account = digest(core, email);
  const like = (prefix: string) => ({ subject: { $like: `${prefix}:${account}:%` } });
  const subjects = [{ subject: `codes:${account}` }, like('pair'), like('account')];
  await em(db).nativeDelete(SignInFailure, { $or: subjects });
}

/** Keyed digests: the table tells neither addresses of mail nor of machines. */
function subjectsOf(core: Pick<Core, 'keyring'>, { email, address, isCode }: Who) {
  const account = digest(core, email);
  const place = digest(core, address);
  const hourOf = (at: Date) => Math.floor(at.getTime() / HOUR_MS);
  return {
    pair: `pair:${account}:${place}`,
    known: `known:${account}:${place}`,
    codes: isCode ? [`codes:${account}`] : [],
    accountOf: (at: Date) => `account:${account}:${hourOf(at)}`,
    addressOf: (at: Date) => `address:${place}:${hourOf(at)}`,
  };
}

function digest({ keyring }: Pick<Core, 'keyring'>, value: string): string {
  return keyring.digests(value, 'sign-in failures')[0]!.toString('hex').slice(0, 32);
}
