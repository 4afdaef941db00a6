// The opt-out text at the end of messages, and the codes of opt-out pages.
import { randomInt } from 'node:crypto';
import { sql } from 'kysely';
import type { Language } from '../../../shared/language.ts';
import type { Core } from '../../core.ts';
import { isAny, prepared, type Db } from '../../database/db.ts';
import type { Fault } from '../../http/problem.ts';
import { findMerchant } from '../../merchants/find.ts';
import type { SmsRailAccount } from '../../rails/rail.ts';
import type { OptOutText } from '../entities.ts';

/**
 * Reports an opt-out text that the rail account does not support, since its instruction would not work.
 * @param account undefined while no SMS account of a rail is connected, which allows every opt-out text
 */
export function findOptOutFaults(
  account: SmsRailAccount | undefined,
  optOutText: OptOutText,
  pointer: string,
): Fault[] {
  if (!account) return [];
  const { links, replies } = account.capabilities;
  const can = ['none', 'number', ...(replies ? ['reply'] : []), ...(links ? ['link'] : [])];
  if (can.includes(optOutText)) return [];
  const params = { way: optOutText, account: account.label, can: can.join(', ') };
  return [{ pointer, code: 'opt_out_not_possible', params }];
}

/** The opt-out texts by language. They have only GSM-7 characters, so that they never switch a message to UCS-2. */
const LINES: Record<Exclude<OptOutText, 'none'>, Record<Language, string>> = {
  reply: { pt: '\nRecusar SMS: responda PARAR', en: '\nNo more SMS: reply STOP', fr: '\nPlus de SMS: repondez STOP' },
  link: { pt: '\nRecusar SMS: ', en: '\nNo more SMS: ', fr: '\nPlus de SMS: ' },
  number: { pt: '\nRecusar SMS: ligue ', en: '\nNo more SMS: call ', fr: '\nPlus de SMS: appelez ' },
};

type EndingInput = {
  merchantId: string;
  account: SmsRailAccount;
  optOutText: OptOutText;
  optOutNumber: string | null;
  /** `isPreview`: writes nothing. A recipient without a page gets a sample URL of the same length. */
  isPreview: boolean;
};

/**
 * Returns the opt-out text of each phone's message.
 * Recipients who cannot reply get an opt-out page, even if the message does not contain its URL.
 */
export async function writeEndings(
  core: Core,
  db: Db,
  { merchantId, account, optOutText, optOutNumber, isPreview }: EndingInput,
  phones: string[],
): Promise<(phone: string) => string> {
  const hasPages = !isPreview && (optOutText === 'link' || !account.capabilities.replies);
  const codes =
    hasPages && phones.length > 0 ? await findCodes(core, db, merchantId, phones) : new Map<string, string>();
  if (optOutText === 'none') return () => '';
  const { defaultLanguage } = await findMerchant(core, merchantId);
  const line = LINES[optOutText][defaultLanguage as Language];
  const ends: Record<typeof optOutText, (phone: string) => string> = {
    reply: () => '',
    link: (phone) => optOutUrlOf(core, codes.get(phone) ?? SAMPLE),
    number: () => optOutNumber ?? '',
  };
  return (phone) => line + ends[optOutText](phone);
}

/** Returns the URL of a recipient's opt-out page for one merchant. */
export function optOutUrlOf({ publicUrl }: Pick<Core, 'publicUrl'>, code: string): string {
  return `${publicUrl}/parar/${code}`;
}

/** Characters of an opt-out code, without those that look alike, such as 0 and O. Eight of them are 46 bits. */
const LETTERS = '23456789abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ';
const LENGTH = 8;
const SAMPLE = 'x'.repeat(LENGTH);
/** Maximum number of rounds to find unused opt-out codes. A collision is very rare. */
const MAX_ROUNDS = 5;

export const OPT_OUT_CODE = new RegExp(`^[${LETTERS}]{${LENGTH}}$`);

const randomCode = () => Array.from({ length: LENGTH }, () => LETTERS[randomInt(LETTERS.length)]).join('');

/** Returns the permanent opt-out code of each phone, and creates missing codes. */
async function findCodes(core: Core, db: Db, merchantId: string, phones: string[]): Promise<Map<string, string>> {
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const codes = new Map((await selectCodes.all(db, { merchantId, phones })).map(({ phone, code }) => [phone, code]));
    // The phones are sorted, so that two batches to the same people cannot deadlock.
    const missing = phones.filter((phone) => !codes.has(phone)).toSorted();
    if (missing.length === 0) return codes;
    await insertCodes.run(db, { merchantId, phones: missing, codes: missing.map(randomCode), at: core.clock.now() });
  }
  throw new Error(`no unused opt-out codes after ${MAX_ROUNDS} rounds`);
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
    .onConflict((existing) => existing.doNothing()),
);
