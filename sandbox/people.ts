// Users of the demo merchant, for its console.
// The first sign-in of one creates them all, so that a sandbox whose console is not used stays unchanged.
import Router from '@koa/router';
import { DEMO_SIGN_IN_PATH, DEMO_PEOPLE } from '../shared/sandbox.ts';
import type { Clock } from '../server/clock.ts';
import { query, type Db } from '../server/database/db.ts';
import { DEMO } from './seed.ts';

/** Runs before the gateway signs a demo user in. */
export function demoPeople(core: Db & { clock: Clock }): Router {
  return new Router().post(DEMO_SIGN_IN_PATH, async (_ctx, next) => {
    await seedPeople(core);
    return next();
  });
}

/** Like `*` in a shadow file: no password matches. A user without a password hash could not begin a session. */
const NO_PASSWORD = '*';

/** Keeps the merchant's own changes: a removed user stays removed, and a changed role stays changed. */
async function seedPeople(core: Db & { clock: Clock }): Promise<void> {
  const now = core.clock.now();
  const people = Object.values(DEMO_PEOPLE);
  await query((tables) =>
    tables
      .with('made', (part) =>
        part
          .insertInto('users')
          .values(
            people.map(({ id, email, firstName }) => ({
              id,
              email,
              firstName,
              lastName: 'da Ilha',
              verifiedAt: now,
              passwordHash: NO_PASSWORD,
              createdAt: now,
              updatedAt: now,
            })),
          )
          .onConflict((on) => on.doNothing())
          .returning('id'),
      )
      .insertInto('memberships')
      .columns(['merchantId', 'userId', 'role', 'createdAt', 'acceptedAt'])
      .expression((eb) =>
        eb
          .selectFrom('made')
          .select((made) => [
            made.cast<string>(made.val(DEMO.merchantId), 'uuid').as('merchantId'),
            'made.id',
            made
              .case()
              .when('made.id', '=', DEMO_PEOPLE.owner.id)
              .then(DEMO_PEOPLE.owner.role)
              .else(DEMO_PEOPLE.cashier.role)
              .end()
              .as('role'),
            made.cast<Date>(made.val(now), 'timestamptz').as('createdAt'),
            made.cast<Date>(made.val(now), 'timestamptz').as('acceptedAt'),
          ]),
      ),
  ).run(core);
}
