// Stores the API's refusals to a merchant for a week, for the developers who integrate its systems.
// Refusals are written after the answer. A limit per second stops a flood of wrong requests from filling the table.
import type { Context } from 'koa';
import type { Insertable } from 'kysely';
import type { Logger } from 'pino';
import { v7 as uuid } from 'uuid';
import { PROBLEMS } from '../../shared/errors.ts';
import type { Clock } from '../clock.ts';
import { query, type Db, type Tables } from '../database/db.ts';
import type { Fault, Problem } from '../http/problem.ts';

const WRITE_INTERVAL_MS = 1_000;
/** Maximum number of stored refusals per merchant, and in total, between two writes. */
const MAX_PER_MERCHANT = 10;
const MAX_ROWS = 500;
const MAX_FAULTS = 20;

type Row = Insertable<Tables['request_errors']>;

export type Refusals = {
  /** Notes a refusal for the next write. Refusals without a known merchant are not stored. */
  note(ctx: Context, problem: Problem): void;
  /** Notes the warnings of an accepted request. */
  warn(ctx: Context, warnings: Fault[]): void;
  /** Writes the noted refusals every second. When the node stops, it writes the remaining ones. */
  write(host: Db & { stopping: AbortSignal; log: Pick<Logger, 'warn'> }): Promise<void>;
};

export function createRefusals(clock: Clock): Refusals {
  let noted: Row[] = [];
  let perMerchant = new Map<string, number>();
  const flush = async (db: Db): Promise<void> => {
    const rows = noted;
    if (rows.length === 0) return;
    noted = [];
    perMerchant = new Map();
    await query((tables) => tables.insertInto('request_errors').values(rows)).run(db);
  };
  const add = (ctx: Context, status: number, code: string, faults: Fault[]): void => {
    const { merchantId, clientId, route, requestId } = ctx.state as Record<string, string | undefined>;
    if (!merchantId || !route || noted.length >= MAX_ROWS) return;
    const already = perMerchant.get(merchantId) ?? 0;
    if (already >= MAX_PER_MERCHANT) return;
    perMerchant.set(merchantId, already + 1);
    noted.push({
      id: uuid(),
      merchantId,
      occurredAt: clock.now(),
      method: ctx.method,
      path: route,
      status,
      code,
      // JSON text, because the driver would convert a JavaScript array to a PostgreSQL array.
      faults: JSON.stringify(
        faults.slice(0, MAX_FAULTS).map(({ pointer, code }) => ({ pointer, code })),
      ) as unknown as Row['faults'],
      requestId: requestId ?? '',
      clientId: clientId ?? null,
    });
  };
  return {
    note: (ctx, { code, options }) => add(ctx, PROBLEMS[code].status, code, options.faults ?? []),
    warn: (ctx, warnings) => add(ctx, ctx.status, warnings[0]?.code ?? '', warnings),
    async write(host) {
      while (!host.stopping.aborted) {
        await clock.wait(WRITE_INTERVAL_MS, host.stopping);
        await flush(host).catch((error: unknown) => host.log.warn({ err: error }, 'could not store refused requests'));
      }
    },
  };
}
