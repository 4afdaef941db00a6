// One PostgreSQL for the run; its template database is migrated once, and each test file clones it.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { startEmbedded } from '../../server/database/embedded.ts';
import { migrate, openDatabase } from '../../server/database/orm.ts';
import { entities } from '../../server/entities.ts';
import { endOnTrouble, findTrouble } from './environment.ts';

declare module 'vitest' {
  interface ProvidedContext {
    databaseUrl: string;
    browserWs: string;
  }
}

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
  const dataDir = mkdtempSync(join(tmpdir(), 'balcao-test-'));
  const embedded = await startEmbedded({ dataDir, durable: false, database: 'template_balcao' });
  const database = await openDatabase(embedded.url, { entities, poolMax: 2 });
  await migrate(database);
  await database.orm.close();
  return {
    url: embedded.url,
    async stop() {
      await embedded.stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
