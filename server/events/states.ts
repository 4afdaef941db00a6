// State machines of table rows. A table of transitions lists, for each event, the old statuses and the new status.
// One statement changes the row and inserts the event.
import type { Kysely, Selectable, Updateable } from 'kysely';
import { isAny, prepared, type Db, type Tables } from '../database/db.ts';
import {
  announceEvent,
  targetColumns,
  EVENT_COLUMNS,
  eventRow,
  eventValues,
  STATE_COLUMNS,
  stateOf,
  storedState,
  type EventRow,
  type NewEvent,
} from './record.ts';

/** The statuses in which an event is allowed, and the status that it leads to. Other combinations are refused. */
export type Transition<Status extends string> = { from: readonly Status[]; to: Status; about: string };

/** The tables with a state machine, and their statuses. */
type Statuses = {
  payments: Selectable<Tables['payments']>['status'];
  payment_references: Selectable<Tables['payment_references']>['status'];
  terminals: Selectable<Tables['terminals']>['status'];
  refunds: Selectable<Tables['refunds']>['status'];
};
type Stateful = keyof Statuses;

/**
 * A change of a row's status. `set`: other columns to write.
 * `eventFields`: fields of the event, which gets the new status.
 */
export type Move<T extends Stateful, E extends string> = {
  id: string;
  event: E;
  set: Omit<Updateable<Tables[T]>, 'id' | 'status'>;
  eventFields: Omit<NewEvent, 'status'>;
};

/**
 * Returns a function that changes the status of a row of `table`, in the transaction `db`. Its results:
 * - `moved`: the row and the event are written.
 * - `already`: the row has the new status already, and nothing is written.
 * - `refused`: the event is not allowed in the row's status.
 * @param counter a column that each change of status increments
 */
export function defineStates<T extends Stateful, E extends string>(
  table: T,
  transitions: Record<E, Transition<Statuses[T]>>,
  counter: (keyof Tables[T] & string) | null = null,
) {
  const move = prepared((tables, row: MovedRow) => writeMove(tables, table, counter, row));
  const find = prepared((tables, { id }: { id: string }) =>
    tables
      .selectFrom(table as 'payments')
      .select('status')
      .where('id', '=', id),
  );
  return async (db: Db, { id, event, set, eventFields }: Move<T, E>): Promise<'moved' | 'already' | 'refused'> => {
    const { from, to } = transitions[event];
    const row = eventRow({ ...eventFields, status: to });
    const moved = await move.first(db, { id, from, set: { ...set, status: to }, row });
    if (!moved) return (await find.first(db, { id }))?.status === to ? 'already' : 'refused';
    announceEvent(db, row, moved);
    return 'moved';
  };
}

type MovedRow = { id: string; from: readonly string[]; set: object; row: EventRow };

function writeMove(tables: Kysely<Tables>, table: Stateful, counter: string | null, { id, from, set, row }: MovedRow) {
  const isPayment = table === 'payments';
  // The type of the table is lost here. The type `Move` has checked the columns of the caller.
  const moving = (tables as unknown as Kysely<any>)
    .with('moved', (on) =>
      on
        .updateTable(table)
        .set(set)
        .$if(!!counter, (update) => update.set((eb: any) => ({ [counter as string]: eb(counter, '+', 1) })))
        .where('id', '=', id)
        .where('status', ...isAny(from))
        .returning(isPayment ? STATE_COLUMNS : ['id']),
    )
    .with('event', (on) => {
      const values = on.selectFrom('moved').select(eventValues(row));
      const state = isPayment ? stateOf('moved').as('state') : storedState(row.paymentId).as('state');
      return on.insertInto('events').columns(EVENT_COLUMNS).expression(values.select(state));
    });
  return moving.selectFrom('moved').select(targetColumns(row));
}
