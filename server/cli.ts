// npm run balcao -- <command>: what operators do from the shell, on the running database or one started for the moment.
import { parseArgs } from 'node:util';
import { makeSigningKey } from './accounts/keys.ts';
import { systemClock } from './clock.ts';
import { ConfigError, listConfig, readConfig, type Config } from './config.ts';
import { attachEmbedded, startEmbedded } from './database/embedded.ts';
import { migrate, openDatabase, type Database } from './database/orm.ts';
import { entities } from './entities.ts';
import { openKeyring } from './secrets.ts';

type Output = { text: string; json: unknown };
type Command = { about: string; run(config: Config): Promise<Output> | Output };

const COMMANDS: Record<string, Command> = {
  config: {
    about: 'every setting with its meaning and value in force; secrets are masked',
    run(config) {
      const settings = listConfig(config);
      const width = Math.max(...settings.map(({ name }) => name.length));
      const lines = settings.map(({ name, value, about }) => `${name.padEnd(width)}  ${value.padEnd(24)}  ${about}`);
      return { text: lines.join('\n'), json: settings };
    },
  },
  'rotate-signing-key': {
    about: 'sign access tokens with a new key; tokens of the old one live out their hour',
    run: (config) =>
      withDatabase(config, async ({ orm, pool }) => {
        const core = { orm, pool, clock: systemClock, keyring: openKeyring(config) };
        const kid = await makeSigningKey(core, { retireOthers: true });
        return { text: `New signing key ${kid}; running nodes use it within 30 seconds.`, json: { kid } };
      }),
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

function describeUsage(): string {
  const lines = Object.entries(COMMANDS).map(([name, { about }]) => `  ${name.padEnd(22)}${about}`);
  return `Usage: npm run balcao -- <command> [--json]\n\n${lines.join('\n')}\n`;
}

/** Exit codes: 0 done, 1 failed, 2 the call or the configuration is wrong. */
async function runCommand(args: string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { json: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } },
  });
  const command = COMMANDS[positionals[0] ?? ''];
  if (values.help || !command) {
    (values.help ? console.log : console.error)(describeUsage());
    return values.help ? 0 : 2;
  }
  const { text, json } = await command.run(readConfig());
  console.log(values.json ? JSON.stringify(json, null, 2) : text);
  return 0;
}

try {
  process.exitCode = await runCommand(process.argv.slice(2));
} catch (error) {
  const isUsage =
    error instanceof ConfigError || String((error as { code?: string }).code).startsWith('ERR_PARSE_ARGS');
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = isUsage ? 2 : 1;
}
