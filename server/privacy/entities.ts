// How far the nightly erasing has come, and the erasures of single people that were asked for.
import { defineEntity, p } from '@mikro-orm/core';
import type { ActorKind } from '../audit/entities.ts';

export const RetentionMarkSchema = defineEntity({
  name: 'RetentionMark',
  tableName: 'retention_marks',
  properties: {
    /** The rule's. */
    name: p.text().primary(),
    /** The newest row whose personal data are erased, by its key, which grows with time: a UUID version 7, or a serial number. */
    after: p.text(),
  },
});

/** How far a rule has come that erases and does not delete: no row is looked at twice. */
export class RetentionMark extends RetentionMarkSchema.class {}
RetentionMarkSchema.setClass(RetentionMark);

/** `Waiting`: all is erased but what is still under way; it is looked at again and again. */
export const ERASURE_STATUSES = ['Pending', 'Waiting', 'Done'] as const;
export type ErasureStatus = (typeof ERASURE_STATUSES)[number];

/** How far an erasure has come: places of a table that are over, and what of it is under way. */
export type Progress = {
  /** Of the walks (reach.ts) the one that is being done, and the key of the last row that it went over. */
  walk: number;
  after: string[] | null;
  /** Rows that are still needed: a payment that is open, a message on its way. */
  left: Left[];
  /** Payments that were erased: stored answers about them are erased last. */
  payments: string[];
};

/** The `turn` of an erasure of all merchants. */
export const OPERATORS_TURN = '00000000-0000-0000-0000-000000000000';

export type Left = { table: 'payments' | 'sms_messages' | 'mails' | 'inbox'; id: string };

export const ErasureSchema = defineEntity({
  name: 'Erasure',
  tableName: 'erasures',
  properties: {
    id: p.uuid().primary(),
    /** Null: of all merchants, asked for by the operator. */
    merchantId: p.uuid().nullable(),
    /** A keyed digest of whom it is about: who asks again is told of the same one. */
    subjectHash: p.text(),
    /** Their phone or e-mail, sealed; null once it is done. */
    sealedSubject: p.text().nullable(),
    status: p.text().$type<ErasureStatus>(),
    progress: p.json().$type<Progress>(),
    /** Rows that lost something, by table. */
    erased: p.json().$type<Record<string, number>>(),
    requestedByKind: p.text().$type<ActorKind>(),
    requestedById: p.text(),
    createdAt: p.datetime(3),
    completedAt: p.datetime(3).nullable(),
    dueAt: p.datetime(3).nullable(),
    dueCount: p.integer().default(0),
    /** The merchant, or the nil UUID for the operator: erasures take turns by it. */
    turn: p.uuid().default(OPERATORS_TURN),
  },
  indexes: [
    { name: 'erasures_due', properties: ['dueAt'], where: 'due_at is not null' },
    { name: 'erasures_turn', properties: ['turn', 'dueAt'], where: 'due_at is not null' },
    { name: 'erasures_subject', properties: ['subjectHash', 'createdAt'] },
  ],
});

/** A person's data are to be erased, wherever they are. */
export class Erasure extends ErasureSchema.class {}
ErasureSchema.setClass(Erasure);

declare module '../database/db.ts' {
  interface Tables extends TablesOf<typeof RetentionMarkSchema | typeof ErasureSchema> {}
}
