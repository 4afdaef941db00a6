// Tables of the nightly retention's progress, and of erasures of single persons.
import { defineEntity, p } from '@mikro-orm/core';
import type { ActorKind } from '../audit/entities.ts';

export const RetentionMarkSchema = defineEntity({
  name: 'RetentionMark',
  tableName: 'retention_marks',
  properties: {
    /** Name of the retention rule. */
    name: p.text().primary(),
    /** Key of the newest erased row. Keys grow with time: version 7 UUIDs, or serial numbers. */
    after: p.text(),
  },
});

/** Progress of a retention rule. A rule that keeps its rows reads each row once. */
export class RetentionMark extends RetentionMarkSchema.class {}
RetentionMarkSchema.setClass(RetentionMark);

/** Statuses of an erasure. `Waiting`: all data is erased except rows still in use, which a later step tries again. */
export const ERASURE_STATUSES = ['Pending', 'Waiting', 'Done'] as const;
export type ErasureStatus = (typeof ERASURE_STATUSES)[number];

/** Progress of an erasure: the finished tables, and the rows still in use. */
export type Progress = {
  /** Index of the current table walk (walks.ts), and the key of the last row that it read. */
  walk: number;
  after: string[] | null;
  /** `left`: rows still in use, such as an open payment or a message being sent. */
  left: RowInUse[];
  /** Ids of erased payments. Stored answers about these payments are erased last. */
  payments: string[];
};

/** Value of `turn` for an erasure across all merchants, which only the operator can request. */
export const OPERATORS_TURN = '00000000-0000-0000-0000-000000000000';

export type RowInUse = { table: 'payments' | 'sms_messages' | 'mails' | 'inbox'; id: string };

export const ErasureSchema = defineEntity({
  name: 'Erasure',
  tableName: 'erasures',
  properties: {
    id: p.uuid().primary(),
    /** `merchantId`: null for an erasure across all merchants, which the operator requested. */
    merchantId: p.uuid().nullable(),
    /** Keyed digest of the person. A repeated request returns the erasure that is already running. */
    subjectHash: p.text(),
    /** The person's phone or e-mail address, sealed. Null once the erasure is done. */
    sealedSubject: p.text().nullable(),
    status: p.text().$type<ErasureStatus>(),
    progress: p.json().$type<Progress>(),
    /** Number of changed rows, by table. */
    erased: p.json().$type<Record<string, number>>(),
    requestedByKind: p.text().$type<ActorKind>(),
    requestedById: p.text(),
    createdAt: p.datetime(3),
    completedAt: p.datetime(3).nullable(),
    dueAt: p.datetime(3).nullable(),
    dueCount: p.integer().default(0),
    /** The merchant's id, or the nil UUID for the operator. The queue runs erasures in turn by this key. */
    turn: p.uuid().default(OPERATORS_TURN),
  },
  indexes: [
    { name: 'erasures_due', properties: ['dueAt'], where: 'due_at is not null' },
    { name: 'erasures_turn', properties: ['turn', 'dueAt'], where: 'due_at is not null' },
    { name: 'erasures_subject', properties: ['subjectHash', 'createdAt'] },
  ],
});

/** A request to erase one person's data from all tables. */
export class Erasure extends ErasureSchema.class {}
ErasureSchema.setClass(Erasure);

declare module '../database/db.ts' {
  interface Tables extends TablesOf<typeof RetentionMarkSchema | typeof ErasureSchema> {}
}
