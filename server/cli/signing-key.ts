// balcao rotate-signing-key: a new key for access tokens, on the running database or one started for the moment.
import { makeSigningKey } from '../accounts/keys.ts';
import { systemClock } from '../clock.ts';
import { readConfig, type Config } from '../config.ts';
import { attachEmbedded, startEmbedded } from '../database/embedded.ts';
import { migrate, openDatabase, type Database } from '../database/orm.ts';
import { entities } from '../entities.ts';
import { openKeyring } from '../secrets.ts';
import type { Command, Output } from './command.ts';

export const rotateSigningKey: Command = {
  usage: '[--json]',
  options: {},
  async run() {
    const config = readConfig();
    return withDatabase(config, async ({ orm, pool }) => {
      const core = { orm, pool, clock: systemClock, keyring: openKeyring(config) };
      const kid = await makeSigningKey(core, { retireOthers: true });
      return { text: `New signing key ${kid}; running nodes use it within 30 seconds.`, json: { kid } };
    });
  },
};

async function withDatabase(config: Config, work: (database: Database) => Promise<Output>): Promise<Output> {
  const embedded = config.DATABASE_URL
    ? null
    : ((await attachEmbedded(config.DATA_DIR)) ?? (await startEmbedded({ dataDir: config.DATA_DIR })));
  const url = config.DATABASE_URL ?? (embedded?.url as string);
  const database = await openDatabase(url, { entities, poolMax: 2 });
  try {
    await migrate(database);
    return await work(database);
  } finally {
    await database.orm.close(true);
    await embedded?.stop();
  }
}
