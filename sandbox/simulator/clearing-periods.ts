// Clearing periods (banking days), and the transaction numbers in each of them.
import { sql, type QueryCreator } from 'kysely';
import type { PoolClient } from 'pg';
import { DAY_MS, HOUR_MS } from '../../shared/durations.ts';
import { prepared, type SimulatorTables } from './schema.ts';

/** The number of a time's banking day, which closes at 20:00 in Luanda (19:00 UTC all year). */
export function periodOf(time: Date): string {
  return String(Math.floor((time.getTime() + 5 * HOUR_MS) / DAY_MS));
}

/**
 * Assigns the next payment number of a PPR entity, and an id of 18 digits.
 * The ids do not repeat, even after the simulator lost its data.
 */
export async function numberPayment(
  db: PoolClient,
  entity: string,
  at: Date,
): Promise<{ period: string; number: string; transactionId: string }> {
  const period = periodOf(at);
  const { lastNumber, serial } = await numberNext.one(db, { terminalId: seriesOf(entity), period });
  return { period, number: String(lastNumber), transactionId: `${at.getTime()}${serial}` };
}

/** The series of numbers for a PPR entity's payments and refunds. */
export const seriesOf = (entity: string) => `entity ${entity}`;

const numberNext = prepared((tables, { terminalId, period }: { terminalId: string; period: string }) =>
  tables
    .with('number', (part) => countUp(part, terminalId, period))
    .selectFrom('number')
    .select(['number.lastNumber', NEXT_SERIAL.as('serial')]),
);

/** Increases the number of a terminal or a PPR entity in a period. */
export function countUp(tables: QueryCreator<SimulatorTables>, terminalId: string, period: string) {
  return tables
    .insertInto('periods')
    .values({ terminalId, period, lastNumber: 1 })
    .onConflict((on) =>
      on
        .columns(['terminalId', 'period'])
        .doUpdateSet((eb) => ({ lastNumber: eb('periods.lastNumber', '+', eb.lit(1)) })),
    )
    .returning('lastNumber');
}

/** Five digits that make a timestamp a unique id. */
export const NEXT_SERIAL = sql<string>`lpad((nextval('simulator.transaction_ids') % 100000)::text, 5, '0')`;
