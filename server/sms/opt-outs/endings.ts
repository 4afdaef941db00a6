// How people refuse a merchant's SMS, by an answer or on a page of their own: what a message says of it.
import { randomInt } from 'node:crypto';
import { sql } from 'kysely';
import type { Language } from '../../../shared/language.ts';
import type { Core } from '../../core.ts';
import { isAny, prepared, type Db } from '../../database/db.ts';
import type { Fault } from '../../http/problem.ts';
import { findMerchant } from '../../merchants/find.ts';
import type { SmsRailAccount } from '../../rails/rail.ts';
import type { OptOutText } from '../entities.ts';

/** A way that the account's rail does not have would be a promise that nobody keeps. @param account none is connected: any will do */
export function findOptOutFaults(account: SmsRailAccount | undefined, way: OptOutText, pointer: string): Fault[] {
  if (!account) return [];
  const { links, replies } = account.capabilities;
  const can = ['none', 'number', ...(replies ? ['reply'] : []), ...(links ? ['link'] : [])];
  if (can.includes(way)) return [];
  const params = { way, account: account.label, can: can.join(', ') };
  return [{ pointer, code: 'opt_out_not_possible', params }];
}

/** Letters of the GSM alphabet alone: a line that makes no text dearer than by its length. */
const LINES: Record<Exclude<OptOutText, 'none'>, Record<Language, string>> = {
  reply: { pt: '\nRecusar SMS: responda PARAR', en: '\nNo more SMS: reply STOP', fr: '\nPlus de SMS: repondez STOP' },
  link: { pt: '\nRecusar SMS: ', en: '\nNo more SMS: ', fr: '\nPlus de SMS: ' },
  number: { pt: '\nRecusar SMS: ligue ', en: '\nNo more SMS: call ', fr: '\nPlus de SMS: appelez ' },
};

type EndedSending = {
  merchantId: string;
  account: SmsRailAccount;
  way: OptOutText;
  number: string | null;
  /** Nothing is written: whoever has no page yet gets an address of the same length. */
  isPreview: boolean;
};

/** What stands at the end of the message to each of these phones. Who cannot answer has a page, whether or not the message names it. */
export async function writeEndings(
  core: Core,
  db: Db,
  { merchantId, account, way, number, isPreview }: EndedSending,
  phones: string[],
): Promise<(phone: string) => string> {
  const hasPages = !isPreview && (way === 'link' || !account.capabilities.replies);
  const codes =
    hasPages && phones.length > 0 ? await findCodes(core, db, merchantId, phones) : new Map<string, string>();
  if (way === 'none') return () => '';
  const { defaultLanguage } = await findMerchant(core, merchantId);
  const line = LINES[way][defaultLanguage as Language];
  const ends: Record<typeof way, (phone: string) => string> = {
    reply: () => '',
    link: (phone) => optOutUrlOf(core, codes.get(phone) ?? SAMPLE),
    number: () => number ?? '',
  };
  return (phone) => line + ends[way](phone);
}

/** A person's page, for one merchant. */
export function optOutUrlOf({ publicUrl }: Pick<Core, 'publicUrl'>, code: string): string {
  return `${publicUrl}/parar/${code}`;
}

/** Without those that look alike. Eight of them are 46 bits. */
const LETTERS = '23456789abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ';
const LENGTH = 8;
const SAMPLE = 'x'.repeat(LENGTH);
/** A code that somebody else has is drawn anew, which hardly ever happens once. */
const ROUNDS = 5;

export const OPT_OUT_CODE = new RegExp(`^[${LETTERS}]{${LENGTH}}$`);

const drawCode = () => Array.from({ length: LENGTH }, () => LETTERS[randomInt(LETTERS.length)]).join('');

/** Each phone's code, the same for ever. */
async function findCodes(core: Core, db: Db, merchantId: string, phones: string[]): Promise<Map<string, string>> {
  for (let round = 0; round < ROUNDS; round++) {
    const known = new Map((await selectCodes.all(db, { merchantId, phones })).map(({ phone, code }) => [phone, code]));
    // In one order, so that two sendings to the same people never wait for one another in a circle.
    const missing = phones.filter((phone) => !known.has(phone)).toSorted();
    if (missing.length === 0) return known;
    await insertCodes.run(db, { merchantId, phones: missing, codes: missing.map(drawCode), at: core.clock.now() });
  }
  throw new Error('no codes could be drawn that nobody has');
}

const selectCodes = prepared((tables, { merchantId, phones }: { merchantId: string; phones: string[] }) =>
  tables
    .selectFrom('sms_opt_out_codes')
    .select(['phone', 'code'])
    .where('merchantId', '=', merchantId)
    .where('phone', ...isAny(phones)),
);

type NewCodes = { merchantId: string; phones: string[]; codes: string[]; at: Date };

const insertCodes = prepared((tables, { merchantId, phones, codes, at }: NewCodes) =>
  tables
    .insertInto('sms_opt_out_codes')
    .columns(['code', 'merchantId', 'phone', 'createdAt'])
    .expression((eb) =>
      eb
        .selectFrom(
          sql<{ phone: string; code: string }>`unnest(${phones}::text[], ${codes}::text[])`.as<'n'>(
            sql`n(phone, code)`,
          ),
        )
        .select(['n.code', eb.val(merchantId).as('merchantId'), 'n.phone', eb.val(at).as('createdAt')]),
    )
    .onConflict((known) => known.doNothing()),
);
