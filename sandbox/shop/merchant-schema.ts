// Types of the demo shop's tables in the simulator's schema, and typed queries on them.
import { defineEntity, p } from '@mikro-orm/core';
import type { ArrivalView, ShopMode } from '../../shared/sandbox.ts';
import type { TablesOf } from '../../server/database/db.ts';
import { queriesOn } from '../../server/database/queries.ts';
import type { Notice } from './merchant-notices.ts';

/** A call to the demo shop before the shop processes it. */
export type ReceivedCall = Pick<ArrivalView, 'receivedAt' | 'kind' | 'delivery' | 'attempt' | 'isKeyRight'> &
  Pick<ArrivalView, 'amountText' | 'about' | 'headers'> & { text: string };

export type SentAnswer = { status: number; body: unknown };

/** The demo shop's result of processing a call. */
export type ProcessedCall = { isRepeat: boolean; sale: string | null };

const mode = defineEntity({
  name: 'simulator.callbacks_mode',
  tableName: 'callbacks_mode',
  properties: {
    isOnly: p.boolean().primary().default(true),
    mode: p.text().$type<ShopMode>(),
    delaySeconds: p.integer(),
  },
});

const arrived = defineEntity({
  name: 'simulator.callbacks_arrived',
  tableName: 'callbacks_arrived',
  properties: {
    id: p.integer().primary().autoincrement(),
    arrival: p.json().$type<ReceivedCall & ProcessedCall>(),
    outcome: p.text().$type<ArrivalView['outcome']>().default('open'),
    answer: p.json().$type<SentAnswer>().nullable(),
  },
});

const dealtWith = defineEntity({
  name: 'simulator.callbacks_dealt_with',
  tableName: 'callbacks_dealt_with',
  properties: {
    kind: p.text().$type<Notice['kind']>().primary(),
    id: p.text().primary(),
    /** The number of the sale, if the call created one. */
    number: p.integer().nullable(),
  },
});

export const SCHEMAS = [mode, arrived, dealtWith] as const;

export interface ShopTables extends TablesOf<(typeof SCHEMAS)[number]> {}

const columns = new Map(SCHEMAS.map(({ meta }) => [meta.tableName, Object.keys(meta.properties)]));

/** Query builders for the demo shop's tables, on a pool or on a connection. */
export const { prepared } = queriesOn<ShopTables>(columns, 'simulator');
