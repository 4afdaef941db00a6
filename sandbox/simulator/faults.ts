// Faults on demand: a tester orders a fault, the database stores it, and it happens once.
import type { Context } from 'koa';
import type { Pool } from 'pg';
import type { Connection } from '../../server/database/queries.ts';
import type { FaultKind, FaultTarget } from './fault-kinds.ts';
import { findScript, type Script } from './test-numbers.ts';
import { refuse } from './refusal.ts';
import { prepared, query } from './schema.ts';
import type { Simulation } from './simulation.ts';

export type Fault = { kind: FaultKind; delayMs: number };
/** An ordered fault. `phone`: only requests about this phone, or about these digits of a reference. */
export type FaultOrder = Fault & { on: FaultTarget; phone: string | null; times: number };

/** The response of a `garbage` fault, sent instead of JSON. */
export const GARBAGE = '<html><body>Bad gateway';

/** Claims the oldest matching fault, so that two requests cannot get the same fault. Null without a match. */
export function claimFault(db: Connection, target: FaultTarget, faultKey: string | null): Promise<Fault | null> {
  return takeFault.first(db, { target, faultKey });
}

const takeFault = prepared((tables, { target, faultKey }: { target: FaultTarget; faultKey: string | null }) =>
  tables
    .deleteFrom('faults')
    .where('seq', '=', (eb) =>
      eb
        .selectFrom('faults')
        .select('seq')
        .where('target', '=', target)
        .where(({ or, eb: is }) => or([is('phone', 'is', null), is('phone', '=', faultKey)]))
        .orderBy('seq')
        .limit(1)
        .forUpdate()
        .skipLocked(),
    )
    .returning(['kind', 'delayMs']),
);

/** Claims the fault of a request about this phone: first an ordered fault, otherwise the phone's scripted fault. */
export async function claimRequestFault(
  sim: Simulation,
  target: FaultTarget,
  faultKey: string | null,
  script: Script = findScript(faultKey ?? ''),
): Promise<Fault | null> {
  const scripted = script.requestFault;
  return (await claimFault(sim.pool, target, faultKey)) ?? (scripted ? { kind: scripted, delayMs: 0 } : null);
}

/** Answers a request with the behaviour of its fault, or normally without a fault. */
export async function answerWithFault(
  sim: Simulation,
  ctx: Context,
  fault: Fault | null,
  answer: () => Promise<void>,
): Promise<void> {
  if (fault?.kind === 'unavailable') refuse(503, 'UNAVAILABLE', 'The rail is temporarily unavailable.');
  if (fault?.kind === 'reset_before') return cutConnection(ctx);
  const delayed = fault?.kind === 'delay' ? sim.clock.wait(fault.delayMs, sim.stopping) : null;
  await answer();
  await delayed;
  if (fault) AFTERWARDS[fault.kind]?.(ctx, sim);
}

/** Faults that happen after the request has taken effect. */
const AFTERWARDS: Partial<Record<FaultKind, (ctx: Context, sim: Simulation) => void>> = {
  reset_after: cutConnection,
  hang(ctx, sim) {
    ctx.respond = false;
    sim.hanging.add(ctx.res);
    ctx.res.once('close', () => sim.hanging.delete(ctx.res));
  },
  garbage(ctx) {
    ctx.body = GARBAGE;
  },
};

function cutConnection(ctx: Context): void {
  ctx.respond = false;
  ctx.req.socket.destroy();
}

/** Stores a fault as many times as it must happen. */
export async function orderFault(pool: Pool, { on: target, kind, phone, delayMs, times }: FaultOrder): Promise<void> {
  const faults = Array.from({ length: times }, () => ({ target, kind, phone, delayMs }));
  await query((tables) => tables.insertInto('faults').values(faults)).run(pool);
}

/** Lists the ordered faults that have not happened yet, in order. */
export function listFaults(pool: Pool): Promise<FaultOrder[]> {
  return countFaults.all(pool, {});
}

const countFaults = prepared((tables) =>
  tables
    .selectFrom('faults')
    .select((eb) => ['target as on', 'kind', 'phone', 'delayMs', eb.fn.countAll<number>().as('times')])
    .groupBy(['target', 'kind', 'phone', 'delayMs'])
    .orderBy((eb) => eb.fn.min('seq')),
);

/** Removes all ordered faults. */
export async function clearFaults(pool: Pool): Promise<void> {
  await deleteFaults.run(pool, {});
}

const deleteFaults = prepared((tables) => tables.deleteFrom('faults'));
