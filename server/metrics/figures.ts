// The figures of the database for /metrics, for instance queue lengths.
// They use a separate connection with a short timeout, so that a slow database delays no scrape.
// A scrape therefore takes no connection from the pool of the requests.
import pg from 'pg';
import type { Clock } from '../clock.ts';
import { connectTo } from '../database/connect.ts';
import { SESSION_SETTINGS, withSettings } from '../database/orm.ts';
import { COLUMN_TYPES } from '../database/queries.ts';
import type { Figure, Figures } from './registry.ts';
import type { Kind } from '../jobs/claim.sql.ts';
import { figuresStatement, ORDER_AGES } from './figures.sql.ts';

/** The time in milliseconds in which scrapes share one query. */
const FRESH_MS = 5_000;
/** The time limit of the connection and of the statement, in milliseconds. */
const WITHIN_MS = 1_500;

type Row = { name: string; label: string | null; count: number; seconds: string | null };
type Deps = { clock: Clock; databaseUrl: string; kinds: Kind[]; withinMs?: number };

/** Opens the reader of the database figures. `read` returns null if the database does not respond in time. */
export async function openFigures({ clock, databaseUrl, kinds, withinMs = WITHIN_MS }: Deps): Promise<Figures> {
  const statement = figuresStatement(kinds);
  const pool = new pg.Pool({
    ...(await connectTo(databaseUrl, { withinMs, isLimit: true })),
    max: 1,
    ...withSettings({ ...SESSION_SETTINGS, statement_timeout: withinMs }),
    query_timeout: withinMs + 500,
    idleTimeoutMillis: 60_000,
    types: COLUMN_TYPES,
  });
  pool.on('error', () => {});
  let last: { atMs: number; figures: Promise<Figure[] | null> } | null = null;
  const query = async (): Promise<Figure[] | null> => {
    try {
      const startedAt = clock.outside().getTime();
      const { rows } = await pool.query<Row>({ ...statement, values: [clock.now()] });
      const middleS = (startedAt + clock.outside().getTime()) / 2_000;
      return [...EMPTY, ...rows.flatMap((row) => FIGURES[row.name]?.(row, middleS) ?? [])];
    } catch {
      return null;
    }
  };
  return {
    read() {
      const nowMs = clock.outside().getTime();
      if (!last || nowMs - last.atMs >= FRESH_MS || nowMs < last.atMs) last = { atMs: nowMs, figures: query() };
      return last.figures;
    },
    close: () => pool.end(),
  };
}

/**
 * Converts rows of the statement into figures, by name.
 * The gateway defines all label values: kinds, outcomes, ages.
 */
const FIGURES: Record<string, (row: Row, nowS: number) => Figure[]> = {
  jobs: pair('balcao_jobs_due', 'balcao_jobs_oldest_due_seconds', 'queue'),
  deliveries: pair('balcao_deliveries_pending', 'balcao_deliveries_oldest_due_seconds', 'endpoint'),
  endpoints_failing: pair('balcao_endpoints_failing', 'balcao_endpoints_failing_oldest_seconds'),
  orders: (row) => {
    const counted = one('balcao_orders_undecided', row.count, { older_than_seconds: row.label ?? '' });
    return row.label === '0' ? [counted, one('balcao_orders_oldest_seconds', secondsOf(row))] : [counted];
  },
  orders_left: ({ count }) => [one('balcao_orders_left_to_person', count)],
  unmatched: ({ count, label }) => [one('balcao_rail_messages_unmatched', count, { outcome: label ?? '' })],
  messages: pair('balcao_messages_pending', 'balcao_messages_oldest_seconds', 'channel'),
  events_seq: ({ count }) => [one('balcao_events_seq', count)],
  events_unread: ({ count }) => [one('balcao_events_unread', count)],
  connections: ({ count }) => [one('balcao_database_connections', count)],
  connections_max: ({ count }) => [one('balcao_database_connections_max', count)],
  schema: ({ label }) => [one('balcao_database_info', 1, { schema: label ?? '' })],
  clock: (row, nowS) => [one('balcao_clock_offset_seconds', nowS - secondsOf(row))],
};

function pair(counted: string, oldest: string, label?: string) {
  return (row: Row): Figure[] => {
    const labels = label ? { [label]: row.label ?? '' } : {};
    return [one(counted, row.count, labels), one(oldest, secondsOf(row), labels)];
  };
}

function one(name: string, value: number, labels: Record<string, string> = {}): Figure {
  return { name, value, labels };
}

const secondsOf = ({ seconds }: Row) => Number(seconds ?? 0);

/** The figures of empty queues. Without them, an alert could not distinguish an empty queue from a missing figure. */
const EMPTY: Figure[] = ['working', 'failing']
  .flatMap((endpoint) => FIGURES['deliveries']!({ name: '', label: endpoint, count: 0, seconds: '0' }, 0))
  .concat(
    ['unmatched', 'unknown_reference', 'unreadable'].map((outcome) =>
      one('balcao_rail_messages_unmatched', 0, { outcome }),
    ),
    ORDER_AGES.map((age) => one('balcao_orders_undecided', 0, { older_than_seconds: String(age) })),
  );
