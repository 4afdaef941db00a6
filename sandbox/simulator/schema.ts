// Types of the simulator's tables, and typed queries on the tables. The gateway's ORM does not know these tables.
import { defineEntity, p } from '@mikro-orm/core';
import type { Selectable } from 'kysely';
import type { TablesOf } from '../../server/database/db.ts';
import { queriesOn } from '../../server/database/queries.ts';
import type { FaultKind, FaultTarget } from './fault-kinds.ts';
import type { MessagePlan, PhoneVerdict } from './test-numbers.ts';
import type { RailName } from './simulation.ts';

/** A payment of a reference in the format of docs/rail.md. */
export type Payment = {
  transactionId: string;
  entity: string;
  reference: string;
  amount: string;
  currency: string;
  paidAt: string;
  period: string;
  number: string;
  terminal: { type: Channel; id: string; location: string };
  nib: string | null;
  bank: string | null;
};

export type Channel = 'ATM' | 'POS' | 'IB' | 'MB';

export type OrderKind = 'purchase' | 'authorization' | 'capture' | 'void' | 'scan' | 'refund';

/** The target of a void, or the kind of money in a refund: an order (GPO) or a reference (PPR). */
export type OrderTarget = 'authorization' | 'qrcode' | 'order' | 'reference';

/** The table of orders of every kind. Texts that a kind does not have are empty. */
const purchases = defineEntity({
  name: 'simulator.purchases',
  tableName: 'purchases',
  properties: {
    id: p.text().primary(),
    kind: p.text().$type<OrderKind>().default('purchase'),
    merchantId: p.text(),
    terminalId: p.text(),
    reference: p.text(),
    phone: p.text(),
    amount: p.text(),
    currency: p.text(),
    description: p.text().nullable(),
    /** The gateway's own JSON that came with the order. */
    ours: p.text().nullable(),
    /** The authorization or QR code of a capture, void or scan, or the transaction of a refund. */
    parentId: p.text().nullable(),
    target: p.text().$type<OrderTarget>().nullable(),
    status: p.text().$type<'PENDING' | 'APPROVED' | 'DECLINED'>(),
    reason: p.text().nullable(),
    transactionId: p.text().nullable(),
    transactionNumber: p.text().nullable(),
    clearingPeriod: p.text().nullable(),
    calls: p.integer().default(1),
    createdAt: p.datetime(),
    expiresAt: p.datetime(),
    decidedAt: p.datetime().nullable(),
    verdict: p.text().$type<PhoneVerdict>(),
    decideAt: p.datetime().nullable(),
  },
});

const notifications = defineEntity({
  name: 'simulator.notifications',
  tableName: 'notifications',
  properties: {
    seq: p.bigint('number').primary().autoincrement(),
    id: p.text(),
    rail: p.text().$type<RailName>().default('gpo'),
    purchaseId: p.text(),
    body: p.text(),
    createdAt: p.datetime(),
    attempts: p.integer().default(0),
    dueAt: p.datetime().nullable(),
    isHeld: p.boolean().default(false),
    deliveredAt: p.datetime().nullable(),
  },
});

const faults = defineEntity({
  name: 'simulator.faults',
  tableName: 'faults',
  properties: {
    seq: p.bigint('number').primary().autoincrement(),
    target: p.text().$type<FaultTarget>(),
    kind: p.text().$type<FaultKind>(),
    phone: p.text().nullable(),
    delayMs: p.integer(),
  },
});

const periods = defineEntity({
  name: 'simulator.periods',
  tableName: 'periods',
  properties: { terminalId: p.text().primary(), period: p.text().primary(), lastNumber: p.integer() },
});

const qrcodes = defineEntity({
  name: 'simulator.qrcodes',
  tableName: 'qrcodes',
  properties: {
    id: p.text().primary(),
    merchantId: p.text(),
    terminalId: p.text(),
    reference: p.text(),
    amount: p.text(),
    currency: p.text(),
    description: p.text().nullable(),
    type: p.text(),
    maxTransactions: p.integer(),
    endDate: p.datetime(),
    content: p.text().nullable(),
    reason: p.text().nullable(),
    accepted: p.integer().default(0),
    withdrawnAt: p.datetime().nullable(),
    calls: p.integer().default(1),
    createdAt: p.datetime(),
  },
});

export const TERMINAL_STATUSES = ['OPEN', 'OPENING', 'CLOSED', 'CLOSING'] as const;

const terminals = defineEntity({
  name: 'simulator.terminals',
  tableName: 'terminals',
  properties: {
    posId: p.text().primary(),
    status: p.text().$type<(typeof TERMINAL_STATUSES)[number]>().default('OPEN'),
    period: p.integer().default(1),
    supervisors: p.array().$type<string[]>().default([]),
  },
});

const moves = defineEntity({
  name: 'simulator.terminal_moves',
  tableName: 'terminal_moves',
  properties: {
    id: p.text().primary(),
    posId: p.text(),
    action: p.text().$type<'open' | 'close'>(),
    supervisorId: p.text().nullable(),
  },
});

/** The table of references. A reference that was withdrawn before its registration has empty texts. */
const references = defineEntity({
  name: 'simulator.ppr_references',
  tableName: 'ppr_references',
  properties: {
    seq: p.bigint('number').autoincrement(),
    id: p.text().primary(),
    entity: p.text(),
    reference: p.text(),
    type: p.text().$type<'DYNAMIC' | 'CHARGING' | ''>(),
    amount: p.text().nullable(),
    currency: p.text(),
    description: p.text().nullable(),
    expiresAt: p.datetime(),
    withdrawnAt: p.datetime().nullable(),
    calls: p.integer(),
    createdAt: p.datetime(),
  },
});

const payments = defineEntity({
  name: 'simulator.ppr_payments',
  tableName: 'ppr_payments',
  properties: {
    seq: p.bigint('number').autoincrement(),
    transactionId: p.text().primary(),
    referenceId: p.text(),
    payment: p.json().$type<Payment>(),
    publicAt: p.datetime(),
    /** The payment's position in the rail's list. Null until the payment is published. */
    position: p.bigint('number').nullable(),
    isLost: p.boolean(),
    notificationId: p.text(),
  },
});

const messages = defineEntity({
  name: 'simulator.messages',
  tableName: 'messages',
  properties: {
    seq: p.bigint('number').autoincrement(),
    id: p.text().primary(),
    sender: p.text(),
    phone: p.text(),
    text: p.text(),
    status: p.text().$type<'QUEUED' | 'SENT' | MessagePlan['status']>(),
    reason: p.text().nullable(),
    calls: p.integer(),
    createdAt: p.datetime(),
    decidedAt: p.datetime().nullable(),
    verdict: p.text().$type<MessagePlan['status']>().nullable(),
    verdictReason: p.text().nullable(),
    decideAt: p.datetime().nullable(),
  },
});

const inbox = defineEntity({
  name: 'simulator.inbox',
  tableName: 'inbox',
  properties: {
    seq: p.bigint('number').primary().autoincrement(),
    id: p.text(),
    kind: p.text().$type<'mail' | 'sms'>(),
    recipient: p.text(),
    subject: p.text().nullable(),
    text: p.text(),
    html: p.text().nullable(),
    receivedAt: p.datetime(),
  },
});

const clock = defineEntity({
  name: 'simulator.clock',
  tableName: 'clock',
  properties: { id: p.integer().primary(), aheadMs: p.bigint('number') },
});

export const SCHEMAS = [
  purchases,
  notifications,
  faults,
  periods,
  qrcodes,
  terminals,
  moves,
  references,
  payments,
  messages,
  inbox,
  clock,
] as const;

export interface SimulatorTables extends TablesOf<(typeof SCHEMAS)[number]> {}

/** A row of a table as queries return it. */
export type Row<T extends keyof SimulatorTables> = Selectable<SimulatorTables[T]>;

const columns = new Map(SCHEMAS.map(({ meta }) => [meta.tableName, Object.keys(meta.properties)]));

/** Query builders for the simulator's tables, on a pool or on a connection. */
export const { prepared, query } = queriesOn<SimulatorTables>(columns, 'simulator');
