// Access tokens that were revoked before their time, as every node knows them within seconds.
import type { Core } from '../core.ts';

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
        const { rows } = await core.pool.query<{ jti: string }>({
          name: 'revoked_tokens',
          text: 'select jti from revoked_tokens where expires_at > $1::timestamptz',
          values: [now],
        });
        known = new Set(rows.map((row) => row.jti));
        readAtMs = now.getTime();
      }
      return known.has(jti);
    },
    async add(jti, expiresAt) {
      await core.pool.query(
        'insert into revoked_tokens (jti, expires_at) values ($1, $2::timestamptz) on conflict do nothing',
        [jti, expiresAt],
      );
      known.add(jti);
    },
  };
}
