// A merchant's point of sale at the rail, as last heard of.
import { defineEntity, p } from '@mikro-orm/core';
import type { TerminalStatus } from '../providers/provider.ts';

export const TerminalSchema = defineEntity({
  name: 'Terminal',
  tableName: 'terminals',
  properties: {
    id: p.uuid().primary(),
    merchantId: p.uuid(),
    posId: p.text(),
    /** Written by states.ts only. */
    status: p.text().$type<TerminalStatus>(),
    /** The rail's number of the selling period; grows at each opening. */
    period: p.text().nullable(),
    supervisorRequired: p.boolean().default(false),
    /** The opening or closing under way: also the rail's idempotency key; null when at rest. */
    operationId: p.uuid().nullable(),
    /** When the call with this operation began. */
    sentAt: p.datetime(3).nullable(),
    changedAt: p.datetime(3),
    /** When the rail is asked next; null = at rest, or left to a person. */
    dueAt: p.datetime(3).nullable(),
    dueCount: p.integer().default(0),
  },
  uniques: [{ name: 'terminals_pos', properties: ['merchantId', 'posId'] }],
  indexes: [{ name: 'terminals_due', properties: ['dueAt'], where: 'due_at is not null' }],
});

export class Terminal extends TerminalSchema.class {}
TerminalSchema.setClass(Terminal);

/** Their tables, to the typed queries. */
declare module '../database/db.ts' {
  interface Tables extends TablesOf<typeof TerminalSchema> {}
}
