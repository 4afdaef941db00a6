// Endpoints for a merchant's opt-outs: list, record a person's refusal, delete such a record.
import { sql } from 'kysely';
import { z } from 'zod';
import { OPT_OUT_WORDS } from '../../../shared/state-words.ts';
import type { Core } from '../../core.ts';
import { readNewestFirst } from '../../exports/batches.ts';
import { em, prepared, query as select, type Db } from '../../database/db.ts';
import { actorOf, recordAudit } from '../../audit/record.ts';
import type { CsvColumn } from '../../exports/csv.ts';
import { cursorQuery, cutPage, nextPage, type Cursor } from '../../http/cursor.ts';
import { runKeyed } from '../../http/idempotency.ts';
import { Problem } from '../../http/problem.ts';
import { route, type Route } from '../../http/route.ts';
import { OPT_OUT_SOURCES, SmsOptOut } from '../entities.ts';
import { idText, phoneText, reads, writes } from '../fields.ts';
import { DIGEST_MARK, erasedPhone, isErased, openDigest } from './refusals.ts';

const PATH = '/api/sms/opt-outs';

export function optOutListRoutes(core: Core): Route[] {
  return [declareList(core), declareCreate(core), declareDelete(core)];
}

function declareList(core: Core): Route {
  return route({
    ...reads,
    path: PATH,
    operationId: 'listSmsOptOuts',
    summary: 'List refusals of your SMS, newest first',
    description: 'These numbers get none of your SMS: no direct, list, scheduled or payment link messages.',
    query: listQuery,
    answers: { 200: { description: 'A page', schema: z.object({ data: z.array(optOutAnswer), next: nextPage }) } },
    csv: {
      name: { pt: 'nao-contactar', en: 'do-not-contact', fr: 'ne-pas-contacter' },
      columns: COLUMNS,
      async *rows({ caller: { merchantId }, query: { phone } }) {
        const phones = await storedFormsOf(core, merchantId, phone);
        yield* readNewestFirst(core, core.clock.now(), { at: 'createdAt', id: 'id' }, (tables) =>
          tables
            .selectFrom('sms_opt_outs')
            .select(['createdAt', 'id', visiblePhone.as('phone'), 'source'])
            .where('merchantId', '=', merchantId)
            .where((eb) => (phones ? eb('phone', 'in', phones) : eb.lit(true))),
        );
      },
    },
    async run({ caller: { merchantId }, query }) {
      const { limit, after } = query;
      const phones = await storedFormsOf(core, merchantId, query.phone);
      const found = await listOwn(core, merchantId, { limit, after, phones });
      const { rows, next } = cutPage(found, limit, ({ createdAt: at, id }) => ({ at, id }));
      return { status: 200, body: { data: rows.map(viewOptOut), next } };
    },
  });
}

const listQuery = z.object({
  ...cursorQuery(1_000, 100, 'Refusals at most'),
  phone: phoneText.optional().describe('Only this number, in any usual format'),
});

/** Returns the stored forms of a phone: itself, and its digest in case it was erased. Null: no filter by phone. */
async function storedFormsOf(core: Core, merchantId: string, phone: string | undefined): Promise<string[] | null> {
  return phone === undefined ? null : [phone, erasedPhone(await openDigest(core), { merchantId, phone })];
}

const visiblePhone = sql<string | null>`case when starts_with(phone, ${sql.lit(DIGEST_MARK)}) then null else phone end`;

type Page = { after: Cursor | undefined; limit: number; phones: string[] | null };

/** Returns up to `limit` + 1 opt-outs: the extra row shows that another page exists. */
function listOwn(db: Db, merchantId: string, { after, limit, phones }: Page): Promise<SmsOptOut[]> {
  return select((tables) => {
    let rows = tables.selectFrom('sms_opt_outs').selectAll().where('merchantId', '=', merchantId);
    if (phones) rows = rows.where('phone', 'in', phones);
    if (after) rows = rows.where((eb) => eb(eb.refTuple('createdAt', 'id'), '<', eb.tuple(after.at, after.id)));
    return rows
      .orderBy('createdAt', 'desc')
      .orderBy('id', 'desc')
      .limit(limit + 1);
  }).all(db);
}

const COLUMNS = [
  { kind: 'time', from: 'createdAt', pt: 'Recusado em', en: 'Refused at', fr: 'Refusé le' },
  { kind: 'code', from: 'id', pt: 'Id', en: 'Id', fr: 'Id' },
  { kind: 'code', from: 'phone', pt: 'Número', en: 'Number', fr: 'Numéro' },
  { kind: 'code', from: 'source', words: OPT_OUT_WORDS, pt: 'Origem', en: 'Source', fr: 'Origine' },
] as const satisfies CsvColumn<string>[];

function declareCreate(core: Core): Route {
  return route({
    ...writes,
    method: 'POST',
    path: PATH,
    operationId: 'createSmsOptOut',
    summary: 'Record that a person refuses your SMS',
    description:
      'For refusals that reach you directly: at the counter, or by a call to your `optOutNumber`. An existing ' +
      'refusal stays unchanged and returns 200. Messages that are not sent yet fail and are refunded, as after PARAR.',
    body: z.object({ phone: phoneText }),
    example: { phone: '923 456 789' },
    answers: {
      201: { description: 'Recorded', schema: optOutAnswer },
      200: { description: 'The person refused before', schema: optOutAnswer },
    },
    async run({ caller, body: { phone }, keyed, address }) {
      const { merchantId } = caller;
      const erased = erasedPhone(await openDigest(core), { merchantId, phone });
      return runKeyed(core, { merchantId, keyed }, async (db) => {
        const existing = await em(db).findOne(SmsOptOut, { merchantId, phone: erased });
        if (existing) return { status: 200, body: viewOptOut(existing) };
        const at = core.clock.now();
        const made = await upsertOptOut.one(db, { merchantId, phone, at });
        const { isNew, ...row } = made;
        if (isNew) {
          const about = { merchantId, actor: actorOf(caller, address), at };
          await recordAudit(db, { ...about, action: 'sms.opt_out_recorded', target: made.id });
        }
        return { status: isNew ? 201 : 200, body: viewOptOut(row) };
      });
    },
  });
}

/** Inserts an opt-out or returns the existing one with its source, also under concurrent inserts. */
const upsertOptOut = prepared((tables, { merchantId, phone, at }: { merchantId: string; phone: string; at: Date }) =>
  tables
    .insertInto('sms_opt_outs')
    .values({ merchantId, phone, source: 'merchant', createdAt: at })
    .onConflict((existing) => existing.columns(['merchantId', 'phone']).doUpdateSet({ phone }))
    .returningAll()
    .returning(sql<boolean>`xmax = 0`.as('isNew')),
);

function declareDelete(core: Core): Route {
  return route({
    ...writes,
    method: 'DELETE',
    path: `${PATH}/{optOutId}`,
    operationId: 'deleteSmsOptOut',
    summary: 'Delete a refusal that you recorded',
    description:
      'Only if the person asked you for it. A refusal by the person (PARAR or page) can only be undone by the person.',
    params: z.object({ optOutId: idText.describe('`id` of a refusal in the list') }),
    refusals: { 409: 'opt_out_theirs' },
    answers: { 204: { description: 'Deleted: the person gets your SMS again' } },
    run({ caller, params: { optOutId }, keyed, address }) {
      const { merchantId } = caller;
      return runKeyed(core, { merchantId, keyed }, async (db) => {
        const own = { merchantId, id: optOutId.toLowerCase() };
        const deleted = await em(db).nativeDelete(SmsOptOut, { ...own, source: 'merchant' });
        if (deleted === 0) throw new Problem((await em(db).findOne(SmsOptOut, own)) ? 'opt_out_theirs' : 'not_found');
        const about = { merchantId, actor: actorOf(caller, address), at: core.clock.now() };
        await recordAudit(db, { ...about, action: 'sms.opt_out_removed', target: own.id });
        return { status: 204 };
      });
    },
  });
}

function viewOptOut({ id, phone, source, createdAt }: SmsOptOut) {
  return { id, phone: isErased(phone) ? null : phone, source: source ?? null, createdAt };
}

const optOutAnswer = z
  .object({
    id: z.uuid(),
    phone: z.string().nullable().describe('E.164; null if the number was erased. The refusal stays in force'),
    source: z
      .enum(OPT_OUT_SOURCES)
      .nullable()
      .describe(
        '`reply`: the person answered PARAR; `page`: the person used the opt-out page; `merchant`: you recorded it; ' +
          'null: refused by the person, before origins were recorded',
      ),
    createdAt: z.iso.datetime(),
  })
  .meta({ id: 'SmsOptOut' });
