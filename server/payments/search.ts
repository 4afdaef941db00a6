// Finding payments by what the merchant wrote into customMetadata: under up to three keys, which its settings name (decisions §3.27).
import { sql } from 'kysely';
import { z } from 'zod';
import type { Core } from '../core.ts';
import { prepared, type Db } from '../database/db.ts';
import { numberText, parseExactJson } from '../http/body.ts';
import type { Fault } from '../http/problem.ts';
import { findMerchant } from '../merchants/find.ts';
import { searchKey } from '../merchants/schemas.ts';

const MAX_VALUE = 200;

/** `customMetadata.order=7` of a query: exactly this value, as text, under keys that the merchant has named. */
export const metadataFilter = z
  .record(searchKey, z.string().max(MAX_VALUE))
  .optional()
  .meta({
    description:
      'Exactly this value, as text, under a key that `searchKeys` of the merchant names. `customMetadata.order=7` is the same as `customMetadata[order]=7`',
    param: { style: 'deepObject', explode: true },
  });

const termOf = (key: string, value: string) => `${key}=${value}`;

/** What a payment is found by; null where it has nothing under the keys. Texts, numbers and booleans are found, long ones are not. */
export function searchTermsOf(keys: string[], custom: object | null | undefined): string[] | null {
  const values = (custom ?? {}) as Record<string, unknown>;
  const terms = keys.flatMap((key) => {
    const value = Object.hasOwn(values, key) ? values[key] : undefined;
    const text = typeof value === 'boolean' ? String(value) : typeof value === 'string' ? value : numberText(value);
    return text !== null && text.length <= MAX_VALUE ? [termOf(key, text)] : [];
  });
  return terms.length > 0 ? terms : null;
}

/** The terms that a query asks for. */
export function termsAsked(asked: Record<string, string> | undefined): string[] {
  return Object.entries(asked ?? {}).map(([key, value]) => termOf(key, value));
}

/** Keys that the merchant has not named: nothing could be found under them. */
export async function checkSearchKeys(
  core: Core,
  merchantId: string,
  asked: Record<string, string> | undefined,
): Promise<Fault[]> {
  if (!asked) return [];
  const { searchKeys } = await findMerchant(core, merchantId);
  const unknown = Object.keys(asked).filter((key) => !searchKeys.includes(key));
  return unknown.map((key) => ({ pointer: `/query/customMetadata/${key}`, code: 'search_key_not_named' as const }));
}

const BATCH = 2_000;
const MOST = 50_000;

/** After its keys have changed: the newest payments of the merchant are found by the new ones. Part of the change, all or nothing. */
export async function renewSearchTerms(db: Db, merchantId: string, keys: string[]): Promise<void> {
  let before: string | null = null;
  for (let done = 0; done < MOST; done += BATCH) {
    const rows: { id: string; customMetadata: string }[] = await listDescribed.all(db, { merchantId, before });
    const terms = rows.map(({ customMetadata }) => searchTermsOf(keys, parseExactJson(customMetadata) as object));
    await writeTerms.run(db, { ids: rows.map(({ id }) => id), terms: terms.map((all) => JSON.stringify(all ?? [])) });
    before = rows.at(-1)?.id ?? null;
    if (rows.length < BATCH) return;
  }
}

const listDescribed = prepared((tables, { merchantId, before }: { merchantId: string; before: string | null }) =>
  tables
    .selectFrom('payments')
    .select(['id', 'customMetadata'])
    .where('merchantId', '=', merchantId)
    .where('customMetadata', 'is not', null)
    .where(sql<boolean>`${before}::uuid is null or id < ${before}::uuid`)
    .$narrowType<{ customMetadata: string }>()
    .orderBy('id', 'desc')
    .limit((eb) => eb.lit(BATCH)),
);

const writeTerms = prepared((tables, { ids, terms }: { ids: string[]; terms: string[] }) =>
  tables
    .updateTable('payments')
    .from(
      sql<{ id: string; terms: string }>`unnest(${ids}::uuid[], ${terms}::text[])`.as<'written'>(
        sql`written(id, terms)`,
      ),
    )
    .set({ searchTerms: sql`(select array_agg(term) from json_array_elements_text(written.terms::json) as term)` })
    .whereRef('payments.id', '=', 'written.id'),
);
