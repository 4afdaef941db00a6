// Months of events and deliveries that lie in files, and what of their events is still asked for.
import { defineEntity, p } from '@mikro-orm/core';

export const ArchiveSchema = defineEntity({
  name: 'Archive',
  tableName: 'archives',
  properties: {
    /** `2026_01`, as its file is called; `first`: what was there before there were months. */
    part: p.text().primary(),
    /** Since then its rows are no part of their tables any more. */
    detachedAt: p.datetime(3),
    /** Of the file, once it was read back and found whole. */
    sha256: p.text().nullable(),
    /** Since then its rows are in the file alone. */
    droppedAt: p.datetime(3).nullable(),
  },
});

export class Archive extends ArchiveSchema.class {}
ArchiveSchema.setClass(Archive);

export const ArchivedEventSchema = defineEntity({
  name: 'ArchivedEvent',
  tableName: 'archived_events',
  properties: {
    seq: p.bigint('number').primary().autoincrement(false),
    paymentId: p.uuid(),
    part: p.text(),
    type: p.text(),
    status: p.text().nullable(),
    /** Status, money received and given back. */
    state: p.json().$type<Record<string, unknown>>().nullable(),
    /** Which money or refund it told of. */
    details: p.json().$type<Record<string, unknown>>(),
  },
  indexes: [{ name: 'archived_events_payment', properties: ['paymentId', 'seq'] }],
});

/**
 * Of each payment the last events of an archived month: where late news goes on from (lists, takings, the money told before), and by which
 * its file is found.
 */
export class ArchivedEvent extends ArchivedEventSchema.class {}
ArchivedEventSchema.setClass(ArchivedEvent);

/** Their tables, to the typed queries. */
declare module '../database/db.ts' {
  interface Tables extends TablesOf<typeof ArchiveSchema | typeof ArchivedEventSchema> {}
}
