// What the rails told us, word for word, before anything is done with it; and how far a rail's own list was read.
import { defineEntity, p } from '@mikro-orm/core';

export const InboxSchema = defineEntity({
  name: 'InboxMessage',
  tableName: 'inbox',
  properties: {
    id: p.uuid().primary(),
    rail: p.text(),
    /** The rail's id of the notification: a repeat is stored once. */
    notificationId: p.text(),
    body: p.text(),
    receivedAt: p.datetime(3),
    appliedAt: p.datetime(3).nullable(),
    /** What came of it: `applied`, `unmatched`, `unknown_reference`, `unreadable`. */
    outcome: p.text().nullable(),
    dueAt: p.datetime(3).nullable(),
    dueCount: p.integer().default(0),
  },
  uniques: [{ name: 'inbox_notification', properties: ['rail', 'notificationId'] }],
  indexes: [{ name: 'inbox_due', properties: ['dueAt'], where: 'due_at is not null' }],
});

export class InboxMessage extends InboxSchema.class {}
InboxSchema.setClass(InboxMessage);

export const RailFeedSchema = defineEntity({
  name: 'RailFeed',
  tableName: 'rail_feeds',
  properties: {
    id: p.uuid().primary(),
    rail: p.text(),
    /** The rail's own mark of what was read; null = from the beginning. */
    cursor: p.text().nullable(),
    dueAt: p.datetime(3).nullable(),
    dueCount: p.integer().default(0),
  },
  uniques: [{ name: 'rail_feeds_rail', properties: ['rail'] }],
  indexes: [{ name: 'rail_feeds_due', properties: ['dueAt'], where: 'due_at is not null' }],
});

/** A rail lists all payments it took: what no notification told is found there. */
export class RailFeed extends RailFeedSchema.class {}
RailFeedSchema.setClass(RailFeed);

/** Their tables, to the typed queries. */
declare module '../database/db.ts' {
  interface Tables extends TablesOf<typeof InboxSchema | typeof RailFeedSchema> {}
}
