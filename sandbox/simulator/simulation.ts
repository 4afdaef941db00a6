// State that the simulator's modules share: database, clock, rails and shutdown signal.
import type { ServerResponse } from 'node:http';
import type { Pool } from 'pg';
import type { Clock } from '../../server/clock.ts';

export type RailName = 'gpo' | 'ppr' | 'sms';

/** The signing key of a rail, and the gateway's notification URL for it. */
export type RailConnection = { key: string; notifyUrl: () => string };

export type Simulation = {
  pool: Pool;
  clock: Clock;
  /** The rails that this simulator runs. It leaves unfinished work of other rails unchanged. */
  rails: Partial<Record<RailName, RailConnection>>;
  windowMs: number;
  log: (message: string, error: unknown) => void;
  stopping: AbortSignal;
  /** Responses that a fault keeps open, so that a stop can close them. */
  hanging: Set<ServerResponse>;
  /** Wakes a loop after a new order, a payment to publish later, an SMS to deliver, or a new notification. */
  poke(what: 'decisions' | 'publications' | 'deliveries' | 'notifications'): void;
};
