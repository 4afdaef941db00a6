// Writes the SMS text of each payment reference, and sorts out references that cannot be sent or paid.
import type { Language } from '../../shared/language.ts';
import { showMoment } from '../../shared/luanda.ts';
import { showMoney } from '../../shared/money.ts';
import { normalizePhone } from '../../shared/phone.ts';
import { NO_END_DATE, showReference, type ReferenceType } from '../../shared/reference.ts';
import type { Core } from '../core.ts';
import { isAny, prepared, query, type Db } from '../database/db.ts';
import { Problem } from '../http/problem.ts';
import { findMerchant } from '../merchants/find.ts';

/** Maximum number of references in one request. A bulk creation has the same limit. */
export const MAX_REFERENCES = 500;

type Selection = {
  references?: string[] | null | undefined;
  type?: ReferenceType | undefined;
  from?: Date | null | undefined;
  to?: Date | null | undefined;
  conteudo?: string | null | undefined;
};

type OwnText = { reference: string; customerName: string | null; phone: string; text: string };

export type Texts = {
  own: OwnText[];
  /** The digits of references without a valid phone number, and of those that cannot be paid any more. */
  withoutPhone: string[];
  notPayable: string[];
  hasMore: boolean;
};

/** Composes the texts of the selected references. @throws Problem not_found with each unknown reference */
export async function composeTexts(core: Core, db: Db, merchantId: string, selection: Selection): Promise<Texts> {
  const now = core.clock.now();
  const { name, defaultLanguage } = await findMerchant(core, merchantId);
  const found = selection.references
    ? await findNamed(db, merchantId, [...new Set(selection.references)])
    : await findPayable(db, merchantId, selection);
  const rows = found.slice(0, MAX_REFERENCES);
  const isPayable = ({ status, expiresAt }: Row) => status === 'Pending' && expiresAt > now;
  const payable = rows.filter(isPayable);
  const own = payable.flatMap((row) => {
    const phone = normalizePhone(row.customerTelephone ?? '');
    if (!phone) return [];
    const start = selection.conteudo ?? [name, row.description].filter(Boolean).join(': ');
    const text = `${endSentence(start)} ${describe(row, defaultLanguage as Language)}`;
    return [{ reference: row.reference, customerName: row.customerName ?? null, phone, text }];
  });
  const sendable = new Set(own.map(({ reference }) => reference));
  return {
    own,
    withoutPhone: payable.flatMap(({ reference }) => (sendable.has(reference) ? [] : reference)),
    notPayable: rows.flatMap((row) => (isPayable(row) ? [] : row.reference)),
    hasMore: found.length > MAX_REFERENCES,
  };
}

/** Ends the beginning of a text with a full stop, unless it ends in a sign already. */
const endSentence = (text: string) => (/[\p{P}]$/u.test(text.trim()) ? text.trim() : `${text.trim()}.`);

/** The words of each language. They have only GSM-7 characters, so that they never switch a message to UCS-2. */
const WORDS: Record<Language, { entity: string; reference: string; open: string; until: string }> = {
  pt: { entity: 'Entidade', reference: 'ref.', open: 'montante à escolha', until: 'até' },
  en: { entity: 'Entity', reference: 'ref.', open: 'amount of your choice', until: 'by' },
  fr: { entity: 'Entité', reference: 'réf.', open: 'montant au choix', until: 'avant le' },
};

function describe({ entity, reference, amountMinor, currency, expiresAt }: Row, language: Language): string {
  const words = WORDS[language];
  // A no-break space is not in the GSM-7 alphabet.
  const amount = amountMinor === 0 ? words.open : showMoney(amountMinor, currency).replaceAll('\u00a0', ' ');
  const parts = [`${words.entity} ${entity}`, `${words.reference} ${showReference(reference)}`, amount];
  if (expiresAt < new Date(NO_END_DATE)) parts.push(`${words.until} ${showMoment(expiresAt).slice(0, 10)}`);
  return `${parts.join(', ')}.`;
}

type Row = Awaited<ReturnType<typeof findNamed>>[number];

const COLUMNS = [
  'r.reference',
  'r.entity',
  'r.status',
  'r.expiresAt',
  'r.customerName',
  'r.customerTelephone',
  'p.amountMinor',
  'p.currency',
  'p.description',
] as const;

/** Finds the newest reference with each of the digits. @throws Problem not_found */
async function findNamed(db: Db, merchantId: string, digits: string[]) {
  const found = await selectNamed.all(db, { merchantId, digits });
  const byDigits = new Map(found.map((row) => [row.reference, row]));
  const faults = digits.flatMap((one, nth) =>
    byDigits.has(one) ? [] : [{ pointer: `/references/${nth}`, code: 'unknown_id' as const }],
  );
  if (faults.length > 0) throw new Problem('not_found', { faults });
  return digits.flatMap((one) => byDigits.get(one) ?? []);
}

const selectNamed = prepared((tables, { merchantId, digits }: { merchantId: string; digits: string[] }) =>
  tables
    .selectFrom('payment_references as r')
    .innerJoin('payments as p', 'p.id', 'r.paymentId')
    .select(COLUMNS)
    .distinctOn('r.reference')
    .where('r.merchantId', '=', merchantId)
    .where('r.reference', ...isAny(digits))
    .orderBy('r.reference')
    .orderBy('r.createdAt', 'desc')
    .orderBy('r.id', 'desc'),
);

/** Finds the newest references that can be paid, and one more than the maximum. */
function findPayable(db: Db, merchantId: string, { type, from, to }: Selection) {
  return query((tables) =>
    tables
      .selectFrom('payment_references as r')
      .innerJoin('payments as p', 'p.id', 'r.paymentId')
      .select(COLUMNS)
      .where('r.merchantId', '=', merchantId)
      .where('r.status', '=', 'Pending')
      .$if(!!type, (rows) => rows.where('r.type', '=', type as ReferenceType))
      .$if(!!from, (rows) => rows.where('r.createdAt', '>=', from as Date))
      .$if(!!to, (rows) => rows.where('r.createdAt', '<', to as Date))
      .orderBy('r.createdAt', 'desc')
      .orderBy('r.id', 'desc')
      .limit(MAX_REFERENCES + 1),
  ).all(db);
}
