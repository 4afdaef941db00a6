// Who refuses a merchant's SMS: by their number, and once that was erased by a keyed digest of it, so that a refusal outlives its number.
import { createHmac, randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import type { Core } from '../../core.ts';
import { em, prepared, type Db } from '../../database/db.ts';
import { DigestKey, SmsOptOut, type OptOutSource } from '../entities.ts';

export const SEALED_FOR = 'digest key';

/** A merchant's, or anybody's, name of somebody. */
export type Refuser = { merchantId: string; phone: string };

type Digesting = Db & Pick<Core, 'keyring'>;

/** One for all that is erased: what it makes of a number nobody can turn back, nor find by trying all numbers without the key. */
export type Digest = (text: string) => string;

/**
 * Creates the key on the first start, or replaces a key that SECRETS_KEYS declares lost (docs/operate.md). The key is
 * sealed and not derived, because its digests stay when SECRETS_KEYS change.
 */
export async function ensureDigestKey(core: Digesting): Promise<void> {
  const fresh = () => core.keyring.seal(randomBytes(32).toString('base64'), SEALED_FOR);
  await insertKey.run(core, { sealedKey: fresh() });
  const { sealedKey } = await findKey.one(core, {});
  const isLost = core.keyring.find(sealedKey.split('.')[1] ?? '') === 'lost';
  if (isLost) await em(core).nativeUpdate(DigestKey, { id: ID, sealedKey }, { sealedKey: fresh() });
}

/** Reads the key and returns its digest. */
export async function openDigest(core: Digesting): Promise<Digest> {
  const { sealedKey } = await findKey.one(core, {});
  const key = Buffer.from(core.keyring.open(sealedKey, SEALED_FOR), 'base64');
  return (text) => createHmac('sha256', key).update(text).digest('base64url');
}

const ID = 'erased';

const insertKey = prepared((tables, { sealedKey }: { sealedKey: string }) =>
  tables
    .insertInto('digest_keys')
    .values({ id: ID, sealedKey })
    .onConflict((known) => known.doNothing()),
);

const findKey = prepared((tables) => tables.selectFrom('digest_keys').select('sealedKey').where('id', '=', ID));

/** What stands for a number that was erased: of one merchant alone, so that nobody is followed from one to another. */
export function erasedPhone(digest: Digest, { merchantId, phone }: Refuser): string {
  return isErased(phone) ? phone : `${DIGEST_MARK}${digest(`${merchantId} ${phone}`)}`;
}

export const DIGEST_MARK = 'digest:';

/** Whether of a number its digest alone is left. */
export const isErased = (phone: string) => phone.startsWith(DIGEST_MARK);

/** What of a number may be shown to whoever has its page; of one that was erased nothing is known. */
export const phoneEnd = (phone: string): string => (isErased(phone) ? '' : phone.slice(-3));

/** Whether they refuse, of each. */
export async function findRefusing(core: Digesting, asked: readonly Refuser[]): Promise<(one: Refuser) => boolean> {
  if (asked.length === 0) return () => false;
  const digest = await openDigest(core);
  const names = asked.flatMap((one) => [one, { ...one, phone: erasedPhone(digest, one) }]);
  const found = await selectRefusing.all(core, {
    merchantIds: names.map(({ merchantId }) => merchantId),
    phones: names.map(({ phone }) => phone),
  });
  const known = new Set(found.map(({ merchantId, phone }) => `${merchantId} ${phone}`));
  const isKnown = ({ merchantId, phone }: Refuser) => known.has(`${merchantId} ${phone}`);
  return (one) => isKnown(one) || isKnown({ ...one, phone: erasedPhone(digest, one) });
}

type Names = { merchantIds: string[]; phones: string[] };

const selectRefusing = prepared((tables, { merchantIds, phones }: Names) =>
  tables
    .selectFrom('sms_opt_outs as o')
    .innerJoin(
      sql<Refuser>`unnest(${merchantIds}::uuid[], ${phones}::text[])`.as<'n'>(sql`n(merchant_id, phone)`),
      (on) => on.onRef('n.merchantId', '=', 'o.merchantId').onRef('n.phone', '=', 'o.phone'),
    )
    .select(['o.merchantId', 'o.phone']),
);

type Refusal = Refuser & { source: Exclude<OptOutSource, 'merchant'>; at: Date };

/** They get no more messages of this merchant. What the merchant had written down for them is theirs from then on. */
export const optOut = prepared((tables, { merchantId, phone, source, at }: Refusal) =>
  tables
    .insertInto('sms_opt_outs')
    .values({ merchantId, phone, source, createdAt: at })
    .onConflict((known) =>
      known.columns(['merchantId', 'phone']).doUpdateSet({ source }).where('sms_opt_outs.source', '=', 'merchant'),
    ),
);

/** They do again. */
export async function optIn(core: Digesting, { merchantId, phone }: Refuser): Promise<void> {
  const erased = erasedPhone(await openDigest(core), { merchantId, phone });
  await em(core).nativeDelete(SmsOptOut, { merchantId, phone: { $in: [phone, erased] } });
}
