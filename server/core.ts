// Core: the services that every module gets, such as settings, clock, database, live updates, secrets and log.
import type { MikroORM } from '@mikro-orm/postgresql';
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import type { EventListeners } from './database/db.ts';
import type { Clock } from './clock.ts';
import type { Config } from './config.ts';
import type { Jobs } from './jobs/engine.ts';
import type { Changes } from './changes/notify.ts';
import type { RailAccounts } from './rails/rail.ts';
import type { Keyring } from './secrets.ts';

/** Cost parameters of argon2id. `memory` is in KiB. */
export type PasswordCost = { memory: number; passes: number; parallelism: number };

export type Core = {
  config: Config;
  clock: Clock;
  orm: MikroORM;
  /** MikroORM's connection pool. The typed queries of database/db.ts use it too. */
  pool: Pool;
  /** `listeners`: functions that are called with each event that this node commits. */
  listeners: EventListeners;
  changes: Changes;
  /** `jobs`: wakes this node's job queues when new jobs are due. */
  jobs: Jobs;
  /** `rails`: rail accounts that charge payments, register references and send messages. */
  rails: RailAccounts;
  keyring: Keyring;
  /** `passwordCost`: cost of new password hashes. Production always uses the default. */
  passwordCost: PasswordCost;
  log: Logger;
  /** `publicUrl`: public base URL of the gateway, without a trailing slash. */
  publicUrl: string;
  /** False while this node's clock differs too much from the database's clock. The node then claims no jobs. */
  isClockCorrect(): boolean;
  /** Registers a promise of background work. A stopping node waits for the promise, which must not reject. */
  inBackground(work: Promise<void>): void;
  /** `draining`: aborted when the node starts to drain. It still answers, and makes clients reconnect elsewhere. */
  draining: AbortSignal;
  /** `stopping`: aborted when the node stops. Background loops end, and running requests finish. */
  stopping: AbortSignal;
};
