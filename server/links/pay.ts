// A payer's use of a link: a payment is begun, with its place of the stock and what its payer was asked, in one transaction.
import { createHash } from 'node:crypto';
import type { LinkState } from '../../shared/link.ts';
import { toDecimal } from '../../shared/money.ts';
import type { Core } from '../core.ts';
import { prepared, type Db } from '../database/db.ts';
import { inTransaction } from '../database/orm.ts';
import { Problem } from '../http/problem.ts';
import { createPayment } from '../payments/create.ts';
import { insertWithin, type Creation, type InsertConflicts } from '../payments/core/insert.ts';
import { NO_PAYER, type Payer } from '../payments/core/rows.ts';
import { lockLink } from './change.ts';
import type { Link } from './entities.ts';
import { drawReference } from './slug.ts';
import { stateOf } from './state.ts';

type Use = {
  link: Link;
  amountMinor: number;
  payer: Partial<Payer>;
  /** Where the payer calls from, as limits count it. */
  address: string;
  /** The same form again is the same payment; another amount or another payer on it is another one. */
  formKey: string;
};

/** `changed`: the link is another one than its payer was shown; `unfit`: an amount that nobody can charge. */
type Refused = Exclude<LinkState, 'open'> | 'changed' | 'unfit';

/** The payment to go on to, or why there is none. */
type Begun = { paymentId: string } | { state: Refused };

/** References are drawn: one that another payment has is drawn anew. */
const ROUNDS = 3;

/** Begins a payment, or says why the link cannot be paid. @throws Problem of what is out of reach now */
export async function useLink(core: Core, use: Use): Promise<Begun> {
  for (let round = 1; ; round++) {
    try {
      const { answer } = await createPayment(core, requestOf(core, use));
      const { internalId } = JSON.parse(String(answer.body)) as { internalId: string };
      return { paymentId: internalId };
    } catch (error) {
      if (error instanceof NotPayable) return { state: error.state };
      if (!(error instanceof Problem)) throw error;
      if (error.code === 'reference_in_use' && round < ROUNDS) continue;
      const { faults } = error.options;
      if (!faults) throw error;
      const isUnfit = use.link.amountMinor == null && faults.every(({ pointer }) => pointer === '/amount');
      // Anything else that is wrong is its merchant's, and nothing that its payer could mend.
      return { state: isUnfit ? 'unfit' : 'unavailable' };
    }
  }
}

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
      write: (creation: Creation) => writeUse(core, { link, creation, address, payer: { ...NO_PAYER, ...payer } }),
    },
  } as const;
}

/**
 * Under the link's lock its uses are counted one after the other. Before it is asked whether one more is left, the same form is
 * known again: whoever has taken the last may tap twice.
 */
function writeUse(core: Core, { link, creation, address, payer }: NewPayment): Promise<InsertConflicts> {
  const { id, merchantId } = link;
  const openedFrom = digestOf(core, address);
  return inTransaction(core, async (db) => {
    const now = await lockLink.one(db, { id, merchantId });
    const found = await insertWithin(db, creation);
    if (found.keyed || found.isReferenceTaken) return found;
    const state = stateOf(now, core.clock.now());
    if (state !== 'open') throw new NotPayable(state);
    if (SHOWN.some((name) => String(now[name]) !== String(link[name]))) throw new NotPayable('changed');
    if (openedFrom !== null) await refuseHoarder(db, now, openedFrom);
    await countUse(db, { linkId: id, merchantId, openedFrom, payment: creation.payment, payer });
    return found;
  });
}

type NewPayment = { link: Link; creation: Creation; address: string; payer: Payer };

/** Null: the operator has switched off what counts addresses. */
function digestOf({ config, keyring }: Core, address: string): string | null {
  if (config.RATE_LIMIT_PUBLIC === 0) return null;
  return keyring.digests(address, 'link payments')[0]!.toString('base64url');
}

/**
 * A fifth of the stock, at least three, and never all of it. A carrier's address is many payers, but few of them are at the
 * same link at the same time.
 */
const mostOf = (stock: number) => Math.max(1, Math.min(stock - 1, Math.max(3, Math.ceil(stock / 5))));

/** Under the link's lock. @throws NotPayable if this address holds its part of the stock with unpaid payments */
async function refuseHoarder(db: Db, { id: linkId, stock }: Pick<Link, 'id' | 'stock'>, openedFrom: string) {
  if (stock == null) return;
  const { count } = await countOpen.one(db, { linkId, openedFrom });
  if (count >= mostOf(stock)) throw new NotPayable('busy');
}

const countOpen = prepared((tables, { linkId, openedFrom }: { linkId: string; openedFrom: string }) =>
  tables
    .selectFrom('link_payments')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('linkId', '=', linkId)
    .where('openedFrom', '=', openedFrom)
    .where('status', '=', 'Open'),
);

/** What its payer has seen of a link, and agrees to. */
const SHOWN = ['title', 'amountMinor', 'minMinor', 'maxMinor', 'currency', 'asks'] as const satisfies (keyof Link)[];

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
