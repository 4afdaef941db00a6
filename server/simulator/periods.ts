// Banking days and the numbers within them.
import type { PoolClient } from 'pg';

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
  const { rows } = await db.query<{ last_number: number; serial: string }>(
    `with number as (
       insert into simulator.periods values ($1, $2, 1)
       on conflict (terminal_id, period) do update set last_number = periods.last_number + 1 returning last_number)
     select last_number, lpad((nextval('simulator.transaction_ids') % 100000)::text, 5, '0') as serial from number`,
    [`entity ${entity}`, period],
  );
  const { last_number: number = 0, serial = '' } = rows[0] ?? {};
  return { period, number: String(number), transactionId: `${at.getTime()}${serial}` };
}
