// Tables of states: which event leads a row from which statuses to which, and the one statement that moves it and writes it down.
import type { Kysely, Selectable, Updateable } from 'kysely';
import { isAny, prepared, type Db, type Tables } from '../database/db.ts';
import {
  announceEvent,
  awaitedBy,
  EVENT_COLUMNS,
  eventRow,
  eventValues,
  STATE_COLUMNS,
  stateOf,
  storedState,
  type EventRow,
  type NewEvent,
} from './record.ts';

/** A status × event that is in no table does not happen. */
export type Transition<Status extends string> = { from: readonly Status[]; to: Status; about: string };

/** The tables whose rows move by events, and their statuses. */
type Statuses = {
  payments: Selectable<Tables['payments']>['status'];
  payment_references: Selectable<Tables['payment_references']>['status'];
  terminals: Selectable<Tables['terminals']>['status'];
  refunds: Selectable<Tables['refunds']>['status'];
};
type Stateful = keyof Statuses;

/** What is written with a move: other columns, and the event, which has the new status. */
export type Move<T extends Stateful, E extends string> = {
  id: string;
  event: E;
  set: Omit<Updateable<Tables[T]>, 'id' | 'status'>;
  news: Omit<NewEvent, 'status'>;
};

/**
 * The way to move a row of `table`, in the transaction `db`: `moved`; `there`, where it was already and nothing is written;
 * `refused`, where the event does not apply to its status. @param counter a column that grows with each move
 */
export function defineStates<T extends Stateful, E extends string>(
  table: T,
  transitions: Record<E, Transition<Statuses[T]>>,
  counter: (keyof Tables[T] & string) | null = null,
) {
  const move = prepared((tables, asked: MovedRow) => writeMove(tables, table, counter, asked));
  const find = prepared((tables, { id }: { id: string }) =>
    tables
      .selectFrom(table as 'payments')
      .select('status')
      .where('id', '=', id),
  );
  return async (db: Db, { id, event, set, news }: Move<T, E>): Promise<'moved' | 'there' | 'refused'> => {
    const { from, to } = transitions[event];
    const row = eventRow({ ...news, status: to });
    const moved = await move.first(db, { id, from, set: { ...set, status: to }, row });
    if (!moved) return (await find.first(db, { id }))?.status === to ? 'there' : 'refused';
    announceEvent(db, row, moved);
    return 'moved';
  };
}

type MovedRow = { id: string; from: readonly string[]; set: object; row: EventRow };

function writeMove(tables: Kysely<Tables>, table: Stateful, counter: string | null, { id, from, set, row }: MovedRow) {
  const isPayment = table === 'payments';
  // Which table it is nobody knows here; what may be set of it is checked by `Move`, where it is known.
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
  return moving.selectFrom('moved').select(awaitedBy(row));
}
