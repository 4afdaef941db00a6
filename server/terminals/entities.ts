// The table of terminals: a merchant's points of sale at the rail, with their last known state.
import { defineEntity, p } from '@mikro-orm/core';
import type { TerminalStatus } from '../providers/provider.ts';

export const TerminalSchema = defineEntity({
  name: 'Terminal',
  tableName: 'terminals',
  properties: {
    id: p.uuid().primary(),
    merchantId: p.uuid(),
    posId: p.text(),
    /** Only states.ts writes the terminal's status. */
    status: p.text().$type<TerminalStatus>(),
    /** The rail's number of the selling period, which grows at each opening. */
    period: p.text().nullable(),
    supervisorRequired: p.boolean().default(false),
    /** Id of the running opening or closing, and the rail's idempotency key. Null if the terminal is idle. */
    operationId: p.uuid().nullable(),
    /** `sentAt`: the start of the call with this operation. */
    sentAt: p.datetime(3).nullable(),
    changedAt: p.datetime(3),
    /** `dueAt`: time of the next poll. Null: the terminal is idle, or needs manual review. */
    dueAt: p.datetime(3).nullable(),
    dueCount: p.integer().default(0),
  },
  uniques: [{ name: 'terminals_pos', properties: ['merchantId', 'posId'] }],
  indexes: [{ name: 'terminals_due', properties: ['dueAt'], where: 'due_at is not null' }],
});

export class Terminal extends TerminalSchema.class {}
TerminalSchema.setClass(Terminal);

declare module '../database/db.ts' {
  interface Tables extends TablesOf<typeof TerminalSchema> {}
}
