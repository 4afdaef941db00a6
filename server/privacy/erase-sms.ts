// Erases a person from a merchant's SMS: messages, contact, opt-out, and entries of the SMS ledger.
import { sql } from 'kysely';
import { isAny, prepared } from '../database/db.ts';
import { erasedPhone, openDigest, type MerchantPhone } from '../sms/opt-outs/refusals.ts';
import { noteFailed } from '../sms/states.ts';
import { ERASED } from './forget.ts';
import { maskMessage } from './mask.ts';
import { readRows, type Row } from './reach.ts';
import { changeRows, redactRows, type Erased, type Erasing, type ErasingCore, type EraseRows } from './redact.ts';

export const SMS_ERASERS: Partial<Record<string, EraseRows>> = {
  sms_messages: eraseMessages,
  sms_contacts: eraseContacts,
  sms_opt_outs: digestPhones('sms_opt_outs'),
  sms_opt_out_codes: digestPhones('sms_opt_out_codes'),
  sms_ledger: eraseLedgerEntries,
};

type Ids = { ids: string[] };
type Digested = MerchantPhone & { erased: string };

/** Erases number and text of messages to the person. Messages that only name the person lose the name. */
async function eraseMessages(core: ErasingCore, { walk, scope, rows }: Erasing): Promise<Erased> {
  const own = rows.filter(({ phone }) => 'phone' in scope.subject && phone === scope.subject.phone);
  const idsOf = (some: Row[]) => some.map(({ id }) => String(id));
  const isPending = ({ status }: Row) => status === 'Pending';
  // Scheduled messages are withdrawn, which refunds their units.
  const withdrawn = own.filter((row) => isPending(row) && row['listedAt'] === null);
  for (const one of idsOf(withdrawn)) await noteFailed(core, one, ERASED);
  const left = own.filter((row) => isPending(row) && row['listedAt'] !== null);
  const gone = own.filter((row) => !left.includes(row));
  await eraseTexts.run(core, { ids: idsOf(gone) });
  await eraseOnlyTexts.run(core, { ids: gone.map(({ batchId }) => String(batchId)) });
  await maskReports(core, idsOf(gone));
  const named = await redactRows(core, { walk, scope, rows: rows.filter((row) => !own.includes(row)) });
  return {
    counts: { sms_messages: gone.length + (named.counts['sms_messages'] ?? 0) },
    left: idsOf(left).map((id) => ({ table: 'sms_messages', id })),
  };
}

/** Masks delivery reports about these messages, since a report has the recipient's number. */
async function maskReports(core: ErasingCore, ids: string[]): Promise<void> {
  const keys = (await findReports.all(core, { ids })).map(({ id }) => [id]);
  if (keys.length === 0) return;
  const walk = { table: 'inbox' as const, key: [{ column: 'id', type: 'uuid' as const }] };
  await changeRows(core, { walk, rows: await readRows(core, walk, keys, { forUpdate: true }) }, maskMessage);
}

const findReports = prepared((tables, { ids }: Ids) =>
  tables
    .selectFrom('inbox')
    .select('id')
    .where('about', 'is not', null)
    .where('about', ...isAny(ids)),
);

/** Erases the texts of messages and ends their polling: a query to the rail would need the erased number. */
const eraseTexts = prepared((tables, { ids }: Ids) =>
  tables
    .updateTable('sms_messages')
    .set((eb) => ({ phone: ERASED, content: ERASED, dueAt: null, dueCount: eb('dueCount', '+', 1) }))
    .where('id', ...isAny(ids)),
);

/** Erases the text of SMS batches with a single recipient. */
const eraseOnlyTexts = prepared((tables, { ids }: Ids) =>
  tables
    .updateTable('sms_batches')
    .set({ content: ERASED })
    .where('id', ...isAny(ids))
    .where('recipients', '=', 1),
);

async function eraseContacts(core: ErasingCore, { walk, scope, rows }: Erasing): Promise<Erased> {
  const own = rows.filter(({ phone }) => 'phone' in scope.subject && phone === scope.subject.phone);
  const ids = own.map(({ id }) => String(id));
  await leaveLists.run(core, { ids });
  await deleteContacts.run(core, { ids });
  const named = await redactRows(core, { walk, scope, rows: rows.filter((row) => !own.includes(row)) });
  return { counts: { sms_contacts: ids.length + (named.counts['sms_contacts'] ?? 0) }, left: [] };
}

const leaveLists = prepared((tables, { ids }: Ids) =>
  tables.deleteFrom('sms_list_contacts').where('contactId', ...isAny(ids)),
);

const deleteContacts = prepared((tables, { ids }: Ids) => tables.deleteFrom('sms_contacts').where('id', ...isAny(ids)));

/**
 * Replaces the number of an opt-out or an opt-out page by its digest, under which both still work.
 * Each merchant keeps one row per digest of a number.
 */
function digestPhones(table: 'sms_opt_outs' | 'sms_opt_out_codes'): EraseRows {
  const ofPhone = (phone: string, merchantId: string) =>
    sql<boolean>`merchant_id = ${merchantId}::uuid and phone = ${phone}`;
  const dropRepeated = prepared((tables, { merchantId, phone, erased }: Digested) =>
    tables
      .deleteFrom(table)
      .where(ofPhone(phone, merchantId))
      .where(sql<boolean>`exists (select from ${sql.table(table)} where ${ofPhone(erased, merchantId)})`),
  );
  const digestPhone = prepared((tables, { merchantId, phone, erased }: Digested) =>
    tables.updateTable(table).set({ phone: erased }).where(ofPhone(phone, merchantId)),
  );
  return async (core, { rows }) => {
    const digest = await openDigest(core);
    for (const { merchantId, phone } of rows as MerchantPhone[]) {
      const digested = { merchantId, phone, erased: erasedPhone(digest, { merchantId, phone }) };
      if (digested.erased === phone) continue;
      await dropRepeated.run(core, digested);
      await digestPhone.run(core, digested);
    }
    return { counts: { [table]: rows.length }, left: [] };
  };
}

/** Erases the number at the end of a ledger entry's text, the only change that the database allows. Units stay. */
async function eraseLedgerEntries(core: ErasingCore, { rows }: Erasing): Promise<Erased> {
  const count = await eraseNumbers.run(core, { seqs: rows.map(({ seq }) => String(seq)) });
  return { counts: { sms_ledger: count }, left: [] };
}

const NUMBER_AT_END = '\\d[\\d ]{8,}$';

const eraseNumbers = prepared((tables, { seqs }: { seqs: string[] }) =>
  tables
    .updateTable('sms_ledger')
    .set({ description: sql<string>`regexp_replace(description, ${sql.lit(NUMBER_AT_END)}, ${sql.lit(ERASED)})` })
    .where('seq', '=', sql<number>`any(${seqs}::bigint[])`)
    .where(sql<boolean>`description ~ ${sql.lit(NUMBER_AT_END)}`),
);
