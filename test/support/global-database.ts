// Starts one PostgreSQL for the test run. Its template database is migrated once, and each test file clones it.
import { createHash } from 'node:crypto';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { join } from 'node:path';
import type { LaunchOptions } from 'playwright';
import type { TestProject } from 'vitest/node';
import { startEmbedded } from '../../server/database/embedded/start.ts';
import { migrate } from '../../server/database/migrate.ts';
import { openDatabase } from '../../server/database/orm.ts';
import { entities } from '../../server/entities.ts';
import { openPool, prepareTables } from '../../sandbox/simulator/tables.ts';
import { endOnTrouble, findTrouble } from './environment.ts';
import { SCRATCH } from './scratch.ts';
import { ROOT } from './source.ts';

declare module 'vitest' {
  interface ProvidedContext {
    databaseUrl: string;
    browser: LaunchOptions;
  }
}

const TEMPLATE = 'template_balcao';

const CACHE = join(ROOT, 'node_modules/.cache/balcao-database');

let running: Promise<{ url: string; stop(): Promise<void> }> | null = null;
let users = 0;

export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  users++;
  const { url, stop } = await (running ??= start());
  project.provide('databaseUrl', url);
  return async () => {
    if (--users === 0) await stop();
  };
}

async function start(): Promise<{ url: string; stop(): Promise<void> }> {
  endOnTrouble(await findTrouble());
  const dataDir = mkdtempSync(join(SCRATCH, 'balcao-test-'));
  cpSync(await findMigrated(), dataDir, { recursive: true });
  // A copied folder is readable by all users, which PostgreSQL refuses.
  chmodSync(join(dataDir, 'postgres'), 0o700);
  const embedded = await startEmbedded({ dataDir, durable: false, database: TEMPLATE });
  return {
    url: embedded.url,
    async stop() {
      await embedded.stop();
      reportCrash(readFileSync(join(dataDir, 'postgres.log'), 'utf8'));
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/** Prints PostgreSQL's log after a crash, because failed tests report only the lost connection. */
function reportCrash(log: string): void {
  const [, crash] = /^(.*(?:terminated by signal|PANIC).*\n(?:.*\n){0,30})/m.exec(log) ?? [];
  if (crash) console.error(`PostgreSQL crashed in this run:\n${crash}`);
}

/** Returns a data folder with the migrated template. It is made once for each state of the migrations, then copied. */
async function findMigrated(): Promise<string> {
  const kept = join(CACHE, hashMigrations());
  if (existsSync(kept)) return kept;
  rmSync(CACHE, { recursive: true, force: true });
  mkdirSync(CACHE, { recursive: true });
  const draft = mkdtempSync(join(CACHE, 'draft-'));
  const embedded = await startEmbedded({ dataDir: draft, durable: false, database: TEMPLATE });
  const database = await openDatabase(embedded.url, { entities, poolMax: 2 });
  await migrate(database);
  await database.orm.close();
  // A sandbox node creates these rows if they are missing, which would take a third of its start.
  const rails = await openPool(embedded.url, () => {});
  await prepareTables(rails);
  await rails.end();
  await embedded.stop();
  renameSync(draft, kept);
  return kept;
}

/** The template depends on these files and on PostgreSQL alone. */
function hashMigrations(): string {
  const folders = ['migrations', 'baseline', 'functions'].map((name) => join(ROOT, 'server/database', name));
  const others = ['sandbox/simulator/tables.ts', 'package-lock.json', 'test/support/global-database.ts'];
  const ours = folders.flatMap((folder) => readdirSync(folder).map((name) => join(folder, name)));
  const files = [...ours, ...others.map((file) => join(ROOT, file))];
  const hash = createHash('sha256');
  for (const file of files) hash.update(file).update(readFileSync(file));
  return hash.digest('hex').slice(0, 16);
}
