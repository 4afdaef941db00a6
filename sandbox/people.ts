// The demo merchant's users, for the console.
// The first sign-in of a demo user creates all of them, so a sandbox without console use stays unchanged.
import Router from '@koa/router';
import { DEMO_SIGN_IN_PATH, DEMO_PEOPLE } from '../shared/sandbox.ts';
import type { Clock } from '../server/clock.ts';
import { query, type Db } from '../server/database/db.ts';
import { DEMO } from './seed.ts';

/** Creates the demo users before the gateway signs one of them in. */
export function demoPeople(core: Db & { clock: Clock }): Router {
  return new Router().post(DEMO_SIGN_IN_PATH, async (_ctx, next) => {
    await seedPeople(core);
    return next();
  });
}

/** A password hash that matches no password. Demo people sign in by a button, which needs an account with a hash. */
const NO_PASSWORD = '*';

/** Creates the demo users, but keeps the merchant's changes: a removed user stays removed, a changed role changed. */
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
