// Access tokens that were revoked before their time, as every node knows them within seconds.
import type { Core } from '../core.ts';
import { prepared } from '../database/db.ts';

export type Revoked = {
  has(jti: string): Promise<boolean>;
  add(jti: string, expiresAt: Date): Promise<void>;
};

/** Few and short-lived: all of them are reread together, at least every `rereadMs`. */
export function createRevoked(core: Core, rereadMs: number): Revoked {
  let known = new Set<string>();
  let readAtMs = -Infinity;
  return {
    async has(jti) {
      const now = core.clock.now();
      if (now.getTime() - readAtMs >= rereadMs) {
        const revoked = await listRevoked.all(core, { now });
        known = new Set(revoked.map((token) => token.jti));
        readAtMs = now.getTime();
      }
      return known.has(jti);
    },
    async add(jti, expiresAt) {
      await writeRevoked.run(core, { row: { jti, expiresAt } });
      known.add(jti);
    },
  };
}

const listRevoked = prepared((tables, { now }: { now: Date }) =>
  tables.selectFrom('revoked_tokens').select('jti').where('expiresAt', '>', now),
);

const writeRevoked = prepared((tables, { row }: { row: { jti: string; expiresAt: Date } }) =>
  tables
    .insertInto('revoked_tokens')
    .values(row)
    .onConflict((known) => known.doNothing()),
);
