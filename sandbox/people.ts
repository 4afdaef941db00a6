// The demo merchant's people, for its console: made when the first of them comes in, so that a sandbox without them stays as it was.
import Router from '@koa/router';
import { DEMO_DOOR, DEMO_PEOPLE } from '../shared/sandbox.ts';
import type { Clock } from '../server/clock.ts';
import { query, type Db } from '../server/database/db.ts';
import { DEMO } from './seed.ts';

/** Before the gateway signs one of them in. */
export function demoPeople(core: Db & { clock: Clock }): Router {
  return new Router().post(DEMO_DOOR, async (_ctx, next) => {
    await seedPeople(core);
    return next();
  });
}

/** As in a shadow file: no password is right. Whoever was never given one at all begins no session. */
const NO_PASSWORD = '*';

/** Whoever was removed since, or given another role, is the merchant's choice. */
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
