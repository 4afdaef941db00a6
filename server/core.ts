// What every feature is handed: settings, time, the database, word of changes, secrets and the log.
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

/** Of argon2id; `memory` is in KiB. */
export type PasswordCost = { memory: number; passes: number; parallelism: number };

export type Core = {
  config: Config;
  clock: Clock;
  orm: MikroORM;
  /** MikroORM's own pool, on which the typed queries run (database/db.ts). */
  pool: Pool;
  /** Told of the events that this node commits. */
  listeners: EventListeners;
  changes: Changes;
  /** Wakes the queues of this node for jobs that are due. */
  jobs: Jobs;
  /** Whom payments are charged by, references registered and messages sent. */
  rails: RailAccounts;
  keyring: Keyring;
  /** Of new hashes; in production no other than the house's. */
  passwordCost: PasswordCost;
  log: Logger;
  /** Where the outside reaches us, without a trailing slash. */
  publicUrl: string;
  /** False while this node's clock is not the database's: nothing that is due is taken then. */
  isOnTime(): boolean;
  /** Work that goes on after an answer was sent; a node that stops waits for it. It must not reject. */
  inBackground(work: Promise<void>): void;
  /** Aborted when the node is about to stop: it still answers, and sends callers elsewhere. */
  draining: AbortSignal;
  /** Aborted when the node stops: loops end, long answers finish. */
  stopping: AbortSignal;
};
