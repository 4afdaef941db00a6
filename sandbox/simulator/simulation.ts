// What the simulator's parts share: its database and clock, the gateway as its rails reach it, its stop.
import type { ServerResponse } from 'node:http';
import type { Pool } from 'pg';
import type { Clock } from '../../server/clock.ts';

export type RailName = 'gpo' | 'ppr' | 'sms';

/** The gateway as one of the rails reaches it. */
export type RailEnd = { key: string; notifyUrl: () => string };

/** What the simulator's parts share. */
export type Simulation = {
  pool: Pool;
  clock: Clock;
  /** Those that are simulated here: others keep what they left undone. */
  rails: Partial<Record<RailName, RailEnd>>;
  windowMs: number;
  log: (message: string, error: unknown) => void;
  stopping: AbortSignal;
  /** Responses that are never given, so that stopping can drop them. */
  hanging: Set<ServerResponse>;
  /** Word of a new order to decide, of money that everybody may know later, of a message to deliver, or of a new notification. */
  poke(what: 'decisions' | 'publications' | 'deliveries' | 'notifications'): void;
};
