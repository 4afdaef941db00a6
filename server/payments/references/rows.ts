// References by their ids: read and changed. Their status is states.ts's.
import type { Selectable, Updateable } from 'kysely';
import { prepared, type Tables } from '../../database/db.ts';

/** Columns of a reference that may be set. */
export type ReferenceChange = Omit<Updateable<Tables['payment_references']>, 'id' | 'status'>;

export const findReference = prepared((tables, { id }: { id: string }) =>
  tables.selectFrom('payment_references').selectAll().where('id', '=', id),
);

/** When the rail is told of it next. */
export const setReferenceDue = prepared((tables, { id, dueAt }: { id: string; dueAt: Date | null }) =>
  tables.updateTable('payment_references').set({ dueAt }).where('id', '=', id),
);

type AsRead = Pick<Reference, 'id' | 'registeredAt' | 'withdrawnAt' | 'railFault'> & { isPending: boolean };

/** Only while the reference is as it was read. */
export const changeAsRead = prepared(
  (tables, { id, isPending, registeredAt, withdrawnAt, railFault, set }: AsRead & { set: ReferenceChange }) =>
    tables
      .updateTable('payment_references')
      .set(set)
      .where('id', '=', id)
      .where((eb) => eb(eb.parens('status', '=', 'Pending'), '=', isPending))
      .where('registeredAt', 'is not distinct from', registeredAt)
      .where('withdrawnAt', 'is not distinct from', withdrawnAt)
      .where('railFault', 'is not distinct from', railFault),
);

type Reference = Selectable<Tables['payment_references']>;
