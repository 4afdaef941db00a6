// The API of shifts: open, record cash, close, read and list.
import { z } from 'zod';
import type { Core } from '../core.ts';
import { query } from '../database/db.ts';
import { inSnapshot } from '../database/orm.ts';
import { readNewestFirst } from '../exports/batches.ts';
import { cursorQuery, cutPage, nextPage } from '../http/cursor.ts';
import { moment, oneOf, singleLine, uuidText } from '../http/fields.ts';
import { runKeyed } from '../http/idempotency.ts';
import { route, type Route } from '../http/route.ts';
import { fault } from '../http/validate.ts';
import { kwanzas } from '../merchants/schemas.ts';
import { CASH_KINDS, SHIFT_STATUSES } from '../../shared/shift.ts';
import { closeShift, openShift, recordCash } from './change.ts';
import type { Shift } from './entities.ts';
import { findOpenShift } from './counting.ts';
import { findShift, personOf, selectShifts } from './find.ts';
import { SHIFT_COLUMNS, shiftAnswer, viewOne, viewShifts, withSums } from './view.ts';

const tag = 'Shifts';
const reads = { tag, access: { kind: 'bearer', scope: 'payments:read' }, bucket: 'read', method: 'GET' } as const;
const writes = {
  tag,
  access: { kind: 'bearer', scope: 'payments:write' },
  bucket: 'write',
  method: 'POST',
  idempotent: true,
} as const;

const byShift = z.object({ shiftId: uuidText.describe('`id` of the shift') });
const one = { description: 'The shift', schema: shiftAnswer };
const note = singleLine(200).nullish();

const OWN =
  'A person has her own shifts. With the scope `users:write` (administrator, owner), a caller has all shifts of the ' +
  'merchant.';

export function shiftRoutes(core: Core): Route[] {
  return [
    declareOpen(core),
    declareList(core),
    declareCurrent(core),
    declareRead(core),
    declareCash(core),
    declareClose(core),
  ];
}

function declareOpen(core: Core): Route {
  return route({
    ...writes,
    path: '/api/shifts',
    operationId: 'openShift',
    summary: 'Open your shift',
    description:
      'A person has at most one open shift at a merchant, on all devices. Payments and refunds of that person then ' +
      'carry its id. Their money counts in the shift if it arrives before the close.',
    body: z.object({
      openingCash: kwanzas.nullish().describe('Cash in the till at the start, in kwanzas. Default: 0'),
    }),
    example: { openingCash: 5_000 },
    refusals: {
      403: 'insufficient_scope; user_required: an API client has no shift',
      409: 'cash_not_taken: `openingCash` for a shift that takes no cash; idempotency_in_progress',
    },
    answers: {
      200: { description: 'This person’s shift, which was open already', schema: shiftAnswer },
      201: { description: 'Opened', schema: shiftAnswer, headers: { Location: 'The shift' } },
    },
    run({ caller, body, keyed, address }) {
      personOf(caller);
      return runKeyed(core, { merchantId: caller.merchantId, keyed }, async (db) => {
        const { shift, isNew } = await openShift(core, db, { caller, address }, body.openingCash ?? null);
        const view = await viewOne(db, shift);
        if (!isNew) return { status: 200, body: view };
        return { status: 201, body: view, headers: { Location: `/api/shifts/${shift.id}` } };
      });
    },
  });
}

const shiftQuery = z
  .object({
    ...cursorQuery(100, 20, 'Shifts at most'),
    from: moment.optional().describe('Opened at or after (ISO 8601)'),
    to: moment.optional().describe('Opened before (ISO 8601)'),
    user: uuidText.optional().describe('Only shifts of this person'),
    status: oneOf(SHIFT_STATUSES),
  })
  .refine(({ from, to }) => !from || !to || from <= to, { path: ['to'], ...fault('date_range') });

function declareList(core: Core): Route {
  return route({
    ...reads,
    path: '/api/shifts',
    operationId: 'listShifts',
    summary: 'List shifts, newest first',
    description: OWN,
    query: shiftQuery,
    answers: { 200: { description: 'A page', schema: z.object({ data: z.array(shiftAnswer), next: nextPage }) } },
    csv: {
      name: { pt: 'turnos', en: 'shifts', fr: 'services' },
      columns: SHIFT_COLUMNS,
      rows: ({ caller, query: filter }) =>
        withSums(
          core,
          readNewestFirst(core, core.clock.now(), { at: 'openedAt', id: 'id' }, (tables) =>
            selectShifts(tables, caller, filter),
          ),
        ),
    },
    async run({ caller, query: { after, limit, ...filter } }) {
      const page = await inSnapshot(core, async (db) => {
        const rows: Shift[] = await query((tables) => {
          const found = selectShifts(tables, caller, filter).orderBy('openedAt', 'desc').orderBy('id', 'desc');
          if (!after) return found.limit(limit + 1);
          return found
            .where((eb) => eb(eb.refTuple('openedAt', 'id'), '<', eb.tuple(after.at, after.id)))
            .limit(limit + 1);
        }).all(db);
        const cut = cutPage(rows, limit, ({ openedAt, id }) => ({ at: openedAt, id }));
        return { data: await viewShifts(db, cut.rows), next: cut.next };
      });
      return { status: 200, body: page };
    },
  });
}

function declareCurrent(core: Core): Route {
  return route({
    ...reads,
    path: '/api/shifts/current',
    operationId: 'readCurrentShift',
    summary: 'Read your open shift',
    description: '`shift` is null while the calling person has no open shift.',
    answers: { 200: { description: 'The open shift', schema: z.object({ shift: shiftAnswer.nullable() }) } },
    async run({ caller }) {
      const own = { merchantId: caller.merchantId, userId: personOf(caller) };
      const shift = await inSnapshot(core, async (db) => {
        const open = await findOpenShift.first(db, own);
        return open && viewOne(db, open);
      });
      return { status: 200, body: { shift } };
    },
  });
}

function declareRead(core: Core): Route {
  return route({
    ...reads,
    path: '/api/shifts/{shiftId}',
    operationId: 'readShift',
    summary: 'Read a shift',
    description: `${OWN} The sums of an open shift are those of this moment. A closed shift never changes.`,
    params: byShift,
    answers: { 200: one },
    run: async ({ caller, params }) => ({
      status: 200,
      body: await inSnapshot(core, async (db) => viewOne(db, await findShift(db, caller, params.shiftId, 'read'))),
    }),
  });
}

function declareCash(core: Core): Route {
  return route({
    ...writes,
    path: '/api/shifts/{shiftId}/cash',
    operationId: 'recordCash',
    summary: 'Record cash of an open shift',
    description: `${OWN} Cash stays beside the gateway: it is no movement, and no settlement has it.`,
    params: byShift,
    body: z.object({
      kind: z.enum(CASH_KINDS).describe('`sale`: a sale in cash. `in`, `out`: cash put into the till or taken out'),
      amount: kwanzas.refine((minor) => minor > 0, fault('amount_out_of_range', { minimum: '0.01', currency: 'AOA' })),
      note: note.describe('Why, for people'),
    }),
    example: { kind: 'sale', amount: 1_500 },
    refusals: { 409: 'shift_closed; cash_not_taken; idempotency_in_progress' },
    answers: { 201: { description: 'Recorded', schema: shiftAnswer } },
    run({ caller, params, body: { kind, amount: amountMinor, note: why = null }, keyed, address }) {
      return runKeyed(core, { merchantId: caller.merchantId, keyed }, async (db) => {
        const cash = { kind, amountMinor, note: why };
        const shift = await recordCash(core, db, { caller, address }, params.shiftId, cash);
        return { status: 201, body: await viewOne(db, shift) };
      });
    },
  });
}

function declareClose(core: Core): Route {
  return route({
    ...writes,
    path: '/api/shifts/{shiftId}/close',
    operationId: 'closeShift',
    summary: 'Close a shift',
    description:
      `${OWN} Money that arrives after the close counts in no shift. ` +
      'The second of two closes is refused with `shift_closed`, also on another device.',
    params: byShift,
    body: z.object({
      countedCash: kwanzas.nullish().describe('The counted cash, in kwanzas. Required in a shift with cash'),
      note: note.describe('For people, such as the reason of a difference'),
    }),
    example: { countedCash: 6_500 },
    refusals: { 409: 'shift_closed; cash_not_taken: `countedCash` of a shift without cash; idempotency_in_progress' },
    answers: { 200: { description: 'Closed', schema: shiftAnswer } },
    run({ caller, params, body: { countedCash: countedMinor = null, note: why = null }, keyed, address }) {
      return runKeyed(core, { merchantId: caller.merchantId, keyed }, async (db) => {
        const shift = await closeShift(core, db, { caller, address }, params.shiftId, { countedMinor, note: why });
        return { status: 200, body: await viewOne(db, shift) };
      });
    },
  });
}
