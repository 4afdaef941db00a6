// Opt-outs from a merchant's SMS, by phone number.
// The opt-out of an erased number stays, stored under a keyed digest of the number.
import { createHmac, randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import type { Core } from '../../core.ts';
import { em, prepared, type Db } from '../../database/db.ts';
import { DigestKey, SmsOptOut, type OptOutSource } from '../entities.ts';

export const SEALED_FOR = 'digest key';

/** A recipient of one merchant. `phone` is E.164 or the digest of an erased number. */
export type MerchantPhone = { merchantId: string; phone: string };

type DigestHost = Db & Pick<Core, 'keyring'>;

/** A keyed digest of erased data. Without the key it can be neither inverted nor found by trying all numbers. */
export type Digest = (text: string) => string;

/**
 * Creates the digest key on the first start, or replaces a key that SECRETS_KEYS declares lost (docs/security.md).
 * The digest key is stored sealed and not derived: its digests must stay valid when SECRETS_KEYS change.
 */
export async function ensureDigestKey(core: DigestHost): Promise<void> {
  const createSealedKey = () => core.keyring.seal(randomBytes(32).toString('base64'), SEALED_FOR);
  await insertKey.run(core, { sealedKey: createSealedKey() });
  const { sealedKey } = await findKey.one(core, {});
  const isLost = core.keyring.find(sealedKey.split('.')[1] ?? '') === 'lost';
  if (isLost) await em(core).nativeUpdate(DigestKey, { id: KEY_ID, sealedKey }, { sealedKey: createSealedKey() });
}

/** Reads the digest key and returns the digest function. */
export async function openDigest(core: DigestHost): Promise<Digest> {
  const { sealedKey } = await findKey.one(core, {});
  const key = Buffer.from(core.keyring.open(sealedKey, SEALED_FOR), 'base64');
  return (text) => createHmac('sha256', key).update(text).digest('base64url');
}

const KEY_ID = 'erased';

const insertKey = prepared((tables, { sealedKey }: { sealedKey: string }) =>
  tables
    .insertInto('digest_keys')
    .values({ id: KEY_ID, sealedKey })
    .onConflict((existing) => existing.doNothing()),
);

const findKey = prepared((tables) => tables.selectFrom('digest_keys').select('sealedKey').where('id', '=', KEY_ID));

/** Returns the digest of an erased number. It differs by merchant, so that digests do not link a person's data. */
export function erasedPhone(digest: Digest, { merchantId, phone }: MerchantPhone): string {
  return isErased(phone) ? phone : `${DIGEST_MARK}${digest(`${merchantId} ${phone}`)}`;
}

export const DIGEST_MARK = 'digest:';

/** True if the value is the digest of an erased number. */
export const isErased = (phone: string) => phone.startsWith(DIGEST_MARK);

/** Returns the last three digits of a phone, for the opt-out page. Empty for an erased number. */
export const phoneEnd = (phone: string): string => (isErased(phone) ? '' : phone.slice(-3));

/** Finds all recipients who refuse SMS in one query. The returned function is true for those who refuse. */
export async function findRefusing(
  core: DigestHost,
  recipients: readonly MerchantPhone[],
): Promise<(one: MerchantPhone) => boolean> {
  if (recipients.length === 0) return () => false;
  const digest = await openDigest(core);
  const keys = recipients.flatMap((one) => [one, { ...one, phone: erasedPhone(digest, one) }]);
  const found = await selectRefusing.all(core, {
    merchantIds: keys.map(({ merchantId }) => merchantId),
    phones: keys.map(({ phone }) => phone),
  });
  const refusals = new Set(found.map(({ merchantId, phone }) => `${merchantId} ${phone}`));
  const isRefusing = ({ merchantId, phone }: MerchantPhone) => refusals.has(`${merchantId} ${phone}`);
  return (one) => isRefusing(one) || isRefusing({ ...one, phone: erasedPhone(digest, one) });
}

type PhoneKeys = { merchantIds: string[]; phones: string[] };

const selectRefusing = prepared((tables, { merchantIds, phones }: PhoneKeys) =>
  tables
    .selectFrom('sms_opt_outs as o')
    .innerJoin(
      sql<MerchantPhone>`unnest(${merchantIds}::uuid[], ${phones}::text[])`.as<'n'>(sql`n(merchant_id, phone)`),
      (on) => on.onRef('n.merchantId', '=', 'o.merchantId').onRef('n.phone', '=', 'o.phone'),
    )
    .select(['o.merchantId', 'o.phone']),
);

type Refusal = MerchantPhone & { source: Exclude<OptOutSource, 'merchant'>; at: Date };

/** Stores the person's own opt-out. It replaces the source `merchant`, so that the merchant cannot delete it. */
export const optOut = prepared((tables, { merchantId, phone, source, at }: Refusal) =>
  tables
    .insertInto('sms_opt_outs')
    .values({ merchantId, phone, source, createdAt: at })
    .onConflict((existing) =>
      existing.columns(['merchantId', 'phone']).doUpdateSet({ source }).where('sms_opt_outs.source', '=', 'merchant'),
    ),
);

/** Deletes an opt-out, so that the person gets the merchant's SMS again. */
export async function optIn(core: DigestHost, { merchantId, phone }: MerchantPhone): Promise<void> {
  const erased = erasedPhone(await openDigest(core), { merchantId, phone });
  await em(core).nativeDelete(SmsOptOut, { merchantId, phone: { $in: [phone, erased] } });
}
