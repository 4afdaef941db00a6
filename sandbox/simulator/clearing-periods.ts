// Banking days and the numbers within them.
import { sql, type QueryCreator } from 'kysely';
import type { PoolClient } from 'pg';
import { prepared, type SimulatorTables } from './schema.ts';

/** The banking day's number: it closes at 20:00 in Luanda, which is 19:00 UTC all year. */
export function periodOf(time: Date): string {
  return String(Math.floor((time.getTime() + 5 * 3_600_000) / 86_400_000));
}

/** The next number of a payment to an entity, and an id of 18 digits, never used twice even by a simulator without its data. */
export async function numberPayment(
  db: PoolClient,
  entity: string,
  at: Date,
): Promise<{ period: string; number: string; transactionId: string }> {
  const period = periodOf(at);
  const { lastNumber, serial } = await numberNext.one(db, { terminalId: seriesOf(entity), period });
  return { period, number: String(lastNumber), transactionId: `${at.getTime()}${serial}` };
}

/** Whose numbers the payments to an entity, and their refunds, have. */
export const seriesOf = (entity: string) => `entity ${entity}`;

const numberNext = prepared((tables, { terminalId, period }: { terminalId: string; period: string }) =>
  tables
    .with('number', (part) => countUp(part, terminalId, period))
    .selectFrom('number')
    .select(['number.lastNumber', NEXT_SERIAL.as('serial')]),
);

/** The next number of a terminal's, or an entity's, period. */
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

/** Five digits behind a moment make an id of it. */
export const NEXT_SERIAL = sql<string>`lpad((nextval('simulator.transaction_ids') % 100000)::text, 5, '0')`;
