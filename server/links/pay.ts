// Uses a payment link: one transaction creates the payment, takes one unit of stock, and stores the payer's fields.
import { createHash } from 'node:crypto';
import type { LinkState } from '../../shared/link.ts';
import { toDecimal } from '../../shared/money.ts';
import type { Core } from '../core.ts';
import { prepared, type Db } from '../database/db.ts';
import { inTransaction } from '../database/orm.ts';
import { Problem } from '../http/problem.ts';
import { createPayment } from '../payments/create.ts';
import { insertInTransaction, type Creation, type InsertConflicts } from '../payments/core/insert.ts';
import { payerOf, type Payer } from '../payments/core/rows.ts';
import { lockLink } from './change.ts';
import type { Link } from './entities.ts';
import { drawReference } from './slug.ts';
import { stateOf } from './state.ts';

type Use = {
  link: Link;
  amountMinor: number;
  payer: Partial<Payer>;
  /** `address`: the payer's IP address, in the form that rate limits count. */
  address: string;
  /**
   * `formKey`: a resubmitted form returns its payment, while that can be paid or is paid.
   * Another amount or payer makes another payment.
   */
  formKey: string;
};

/** Refusal of a use. `changed`: the link changed after the payer saw it. `unfit`: no account can charge the amount. */
type Refused = Exclude<LinkState, 'open'> | 'changed' | 'unfit';

/** Result of a use: the payment to continue, or the reason for the refusal. */
type UseResult = { paymentId: string } | { state: Refused };

/** Maximum attempts with random references, in case other payments have the drawn ones. */
const ROUNDS = 3;

/** Creates a payment, or returns why the link cannot be paid now. @throws Problem if a service is unavailable */
export async function useLink(core: Core, use: Use): Promise<UseResult> {
  let { formKey } = use;
  for (let round = 1; ;) {
    try {
      const { answer, ...made } = await createPayment(core, requestOf(core, { ...use, formKey }));
      const paymentId = made.paymentId as string;
      const isRepeat = answer.headers?.['Idempotency-Replayed'] !== undefined;
      if (!isRepeat || !(await isReleased(core, paymentId))) return { paymentId };
      // The form's payment failed, expired or was canceled. The next key follows from it, so that a repeat finds it.
      formKey = `${use.formKey} ${paymentId}`;
    } catch (error) {
      if (error instanceof NotPayable) return { state: error.state };
      if (!(error instanceof Problem)) throw error;
      if (error.code === 'reference_in_use' && round++ < ROUNDS) continue;
      const { faults } = error.options;
      if (!faults) throw error;
      const isUnfit = use.link.amountMinor == null && faults.every(({ pointer }) => pointer === '/amount');
      // Any other fault comes from the merchant's settings, which the payer cannot fix.
      return { state: isUnfit ? 'unfit' : 'unavailable' };
    }
  }
}

const isReleased = async (core: Core, paymentId: string) =>
  (await findUse.first(core, { paymentId }))?.status === 'Released';

const findUse = prepared((tables, { paymentId }: { paymentId: string }) =>
  tables.selectFrom('link_payments').select('status').where('paymentId', '=', paymentId),
);

class NotPayable extends Error {
  readonly state: Refused;
  constructor(state: Refused) {
    super(state);
    this.state = state;
  }
}

function requestOf(core: Core, { link, amountMinor, payer, formKey, address }: Use) {
  const { id, merchantId, slug, currency, title: description, methods = null, returnUrl = null } = link;
  const used = JSON.stringify([id, formKey, amountMinor, Object.entries(payer)]);
  const fingerprint = createHash('sha256').update(used).digest('base64url');
  const metadata = { paymentMethod: 'webframe', description, methods, returnUrl };
  const amount = toDecimal(amountMinor, currency);
  return {
    merchantId,
    request: { amount, currency, paymentType: 'GPO', reference: drawReference(slug), metadata },
    keyed: { key: `link ${fingerprint}`, fingerprint },
    wantsRepresentation: false,
    link: {
      id,
      write: (creation: Creation) => writeUse(core, { link, creation, address, payer: payerOf(payer) }),
    },
  } as const;
}

/** A repeated form is found before the stock is checked, because the payer who took the last unit may submit twice. */
function writeUse(core: Core, { link, creation, address, payer }: NewPayment): Promise<InsertConflicts> {
  const { id, merchantId } = link;
  const openedFrom = digestOf(core, address);
  return inTransaction(core, async (db) => {
    const now = await lockLink.one(db, { id, merchantId });
    const found = await insertInTransaction(db, creation);
    if (found.keyed || found.isReferenceTaken) return found;
    const state = stateOf(now, core.clock.now());
    if (state !== 'open') throw new NotPayable(state);
    if (SHOWN_FIELDS.some((name) => String(now[name]) !== String(link[name]))) throw new NotPayable('changed');
    if (openedFrom !== null) await refuseTooManyOpen(db, now, openedFrom);
    await countUse(db, { linkId: id, merchantId, openedFrom, payment: creation.payment, payer });
    return found;
  });
}

type NewPayment = { link: Link; creation: Creation; address: string; payer: Payer };

/** Returns the keyed digest of an IP address. Null if the operator has switched off rate limits per IP address. */
function digestOf({ config, keyring }: Core, address: string): string | null {
  if (config.RATE_LIMIT_PUBLIC === 0) return null;
  return keyring.digests(address, 'link payments')[0]!.toString('base64url');
}

/**
 * Maximum unpaid uses of a link from one IP address: a fifth of the stock, or three if a fifth is less. A stock of two
 * or more leaves at least one use to other addresses.
 * Carriers put many payers behind one IP address, but few of them use the same link at the same time.
 */
const maxOpenOf = (stock: number) => Math.max(1, Math.min(stock - 1, Math.max(3, Math.ceil(stock / 5))));

/** Limits unpaid uses per IP address of a link with limited stock. Needs the link's lock. @throws NotPayable */
async function refuseTooManyOpen(db: Db, { id: linkId, stock }: Pick<Link, 'id' | 'stock'>, openedFrom: string) {
  if (stock == null) return;
  const { count } = await countOpen.one(db, { linkId, openedFrom });
  if (count >= maxOpenOf(stock)) throw new NotPayable('busy');
}

const countOpen = prepared((tables, { linkId, openedFrom }: { linkId: string; openedFrom: string }) =>
  tables
    .selectFrom('link_payments')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('linkId', '=', linkId)
    .where('openedFrom', '=', openedFrom)
    .where('status', '=', 'Open'),
);

/** Fields of a link that the payer saw and agreed to when submitting the form. */
const SHOWN_FIELDS = [
  'title',
  'amountMinor',
  'minMinor',
  'maxMinor',
  'currency',
  'asks',
] as const satisfies (keyof Link)[];

type CountedUse = Pick<NewUse, 'linkId' | 'merchantId' | 'openedFrom'> & {
  payment: Creation['payment'];
  payer: Payer;
};

async function countUse(db: Db, { payment, payer, ...use }: CountedUse): Promise<void> {
  const { id: paymentId, createdAt } = payment;
  await insertUse.run(db, { row: { paymentId, ...use, status: 'Open', ...payer, createdAt } });
  await addOpen.run(db, { linkId: use.linkId });
}

type NewUse = Payer & {
  paymentId: string;
  linkId: string;
  merchantId: string;
  openedFrom: string | null;
  status: 'Open';
  createdAt: Date;
};

const insertUse = prepared((tables, { row }: { row: NewUse }) => tables.insertInto('link_payments').values(row));

const addOpen = prepared((tables, { linkId }: { linkId: string }) =>
  tables
    .updateTable('links')
    .set((eb) => ({ openCount: eb('openCount', '+', 1) }))
    .where('id', '=', linkId),
);
