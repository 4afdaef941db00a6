// The tables of rail accounts, which are contracts with acquirers, and of the inbox for their notifications.
// Two more tables have the reading positions in rails' lists of payments, and reserved digits.
import { defineEntity, p } from '@mikro-orm/core';
import type { ConnectorName, RailEnvironment, RailKind } from '../providers/connector.ts';

/** Statuses of a rail account. `draining`: finishes open work only. `disabled`: also stops reading the rail's list. */
export const RAIL_STATUSES = ['active', 'draining', 'disabled'] as const;
export type RailStatus = (typeof RAIL_STATUSES)[number];

/** A merchant's (or the operator's) contract with an acquirer. */
export const RailAccountSchema = defineEntity({
  name: 'RailAccount',
  tableName: 'rail_accounts',
  properties: {
    id: p.uuid().primary(),
    /** The account's owner. Null: the operator's account, for merchants without an account of their own. */
    merchantId: p.uuid().nullable(),
    kind: p.text().$type<RailKind>(),
    connector: p.text().$type<ConnectorName>(),
    label: p.text(),
    environment: p.text().$type<RailEnvironment>(),
    /** `priority`: the rail account with the lowest number is chosen first. */
    priority: p.smallint(),
    status: p.text().$type<RailStatus>().default('active'),
    settings: p.json().$type<Record<string, unknown>>(),
    /** The account's secrets as encrypted JSON, bound to the account's id. */
    secrets: p.text(),
    secretsSetAt: p.datetime(3),
    /** The time of the last successful test of the credentials. */
    verifiedAt: p.datetime(3).nullable(),
    createdAt: p.datetime(3),
    /** `updatedAt`: nodes read the rows that changed since their last read. */
    updatedAt: p.datetime(3),
    removedAt: p.datetime(3).nullable(),
  },
  indexes: [
    { name: 'rail_accounts_merchant', properties: ['merchantId'], where: 'removed_at is null' },
    { name: 'rail_accounts_changed', properties: ['updatedAt'] },
  ],
});

export class RailAccount extends RailAccountSchema.class {}
RailAccountSchema.setClass(RailAccount);

export const InboxSchema = defineEntity({
  name: 'InboxMessage',
  tableName: 'inbox',
  properties: {
    id: p.uuid().primary(),
    /** The rail account that received the message: its id, or `gpo`, `ppr`, `sms` for the node's own rails. */
    rail: p.text(),
    /** `isProven`: if false, `body` is a hint whose ids make the node query the rail. Hints expire after days. */
    isProven: p.boolean().default(true),
    /** `attemptId`: the attempt, if the notification URL belongs to one. */
    attemptId: p.uuid().nullable(),
    /** The rail's id of the notification, or a digest of its body. A repeat is stored once. */
    notificationId: p.text(),
    body: p.text(),
    receivedAt: p.datetime(3),
    appliedAt: p.datetime(3).nullable(),
    /** Outcome of the message: `applied`, `unmatched`, `unknown_reference` or `unreadable`. */
    outcome: p.text().nullable(),
    /** `about`: the attempt, transaction, terminal or SMS of an applied message, by which erasures find the message. */
    about: p.text().nullable(),
    dueAt: p.datetime(3).nullable(),
    dueCount: p.integer().default(0),
  },
  uniques: [{ name: 'inbox_notification', properties: ['rail', 'notificationId'] }],
  indexes: [
    { name: 'inbox_due', properties: ['dueAt'], where: 'due_at is not null' },
    { name: 'inbox_turn', properties: ['rail', 'dueAt'], where: 'due_at is not null' },
    { name: 'inbox_unmatched', properties: ['receivedAt'], where: "outcome <> 'applied'" },
    { name: 'inbox_about', properties: ['about'], where: 'about is not null' },
    { name: 'inbox_unlinked', properties: ['rail', 'id'], where: 'about is null and is_proven' },
    { name: 'inbox_hints', properties: ['receivedAt'], where: 'not is_proven' },
  ],
});

export class InboxMessage extends InboxSchema.class {}
InboxSchema.setClass(InboxMessage);

export const RailFeedSchema = defineEntity({
  name: 'RailFeed',
  tableName: 'rail_feeds',
  properties: {
    id: p.uuid().primary(),
    rail: p.text(),
    /** `cursor`: the rail's cursor after the last page that was read. Null: the next read starts at the beginning. */
    cursor: p.text().nullable(),
    /** `pausedAt`: the start of a pause after too many unusable entries. Null: the feed is not paused. */
    pausedAt: p.datetime(3).nullable(),
    dueAt: p.datetime(3).nullable(),
    dueCount: p.integer().default(0),
  },
  uniques: [{ name: 'rail_feeds_rail', properties: ['rail'] }],
  indexes: [
    { name: 'rail_feeds_due', properties: ['dueAt'], where: 'due_at is not null' },
    { name: 'rail_feeds_turn', properties: ['rail', 'dueAt'], where: 'due_at is not null' },
  ],
});

/** The reading position in a rail's list of payments, which also has payments whose notification was lost. */
export class RailFeed extends RailFeedSchema.class {}
RailFeedSchema.setClass(RailFeed);

export const ReservedReferenceSchema = defineEntity({
  name: 'ReservedReference',
  tableName: 'reserved_references',
  properties: {
    rail: p.text().primary(),
    environment: p.text().primary(),
    entity: p.text().primary(),
    reference: p.text().primary(),
    reservedAt: p.datetime(3),
  },
});

/** Digits that a rail assigned to this gateway for new references. */
export class ReservedReference extends ReservedReferenceSchema.class {}
ReservedReferenceSchema.setClass(ReservedReference);

/** Adds the tables of rail accounts to the typed queries. */
declare module '../database/db.ts' {
  interface Tables extends TablesOf<
    typeof RailAccountSchema | typeof InboxSchema | typeof RailFeedSchema | typeof ReservedReferenceSchema
  > {}
}
