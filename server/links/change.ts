// Creates, changes and withdraws payment links. Each change writes an event and an audit entry in its transaction.
import { v7 as uuid } from 'uuid';
import type { Core } from '../core.ts';
import { em, prepared, type Db } from '../database/db.ts';
import { actorOf, changesOf, recordAudit, type Actor } from '../audit/record.ts';
import { recordEvent } from '../events/record.ts';
import { runKeyed } from '../http/idempotency.ts';
import { invalidFields, Problem } from '../http/problem.ts';
import { route, type Route } from '../http/route.ts';
import { findMerchant } from '../merchants/find.ts';
import { Link } from './entities.ts';
import {
  byLink,
  checkLink,
  findLinkFaults,
  linkAnswer,
  linkChange,
  linkRequest,
  settingsOf,
  viewLink,
  type LinkRequest,
} from './schemas.ts';
import { drawSlug } from './slug.ts';

const about = {
  tag: 'Links',
  access: { kind: 'bearer', scope: 'payments:write' },
  bucket: 'write',
  idempotent: true,
} as const;

const EXAMPLE = {
  title: 'Bilhete para o concerto',
  amount: 7500,
  currency: 'AOA',
  stock: 50,
  asks: ['name', 'phone'],
  thanks: 'Até sábado! O seu nome está na lista.',
};

/** Returns the endpoints that change payment links. */
export function linkWrites(core: Core): Route[] {
  return [declareCreate(core), declareReplace(core), declareWithdraw(core)];
}

function declareCreate(core: Core): Route {
  return route({
    ...about,
    method: 'POST',
    path: '/api/links',
    operationId: 'createLink',
    summary: 'Create a payment link',
    description:
      'Creates a public page at `url` in your branding. ' +
      'Each submitted form creates a payment (with `linkId`), and the payer continues on the payment’s page. ' +
      'A new payment takes one unit of the `stock` and returns it if it fails, expires or is canceled. ' +
      'Money that arrives after that is recorded, with the event `link.oversold`.',
    body: linkRequest,
    checkBody: checkLink,
    example: EXAMPLE,
    answers: { 201: { description: 'Created', schema: linkAnswer, headers: { Location: 'The link' } } },
    async run({ caller, body, keyed, address }) {
      const { merchantId } = caller;
      return runKeyed(core, { merchantId, keyed }, async (db) => {
        await refuseFaults(core, merchantId, body);
        const link = await createLink(core, db, { merchantId, actor: actorOf(caller, address) }, body);
        const headers = { Location: `/api/links/${link.id}` };
        return { status: 201, body: await viewLink(core, link, core.clock.now()), headers };
      });
    },
  });
}

async function refuseFaults(core: Core, merchantId: string, request: LinkRequest): Promise<void> {
  const faults = findLinkFaults(core, await findMerchant(core, merchantId), request, core.clock.now());
  if (faults.length > 0) throw invalidFields(faults);
}

type By = { merchantId: string; actor: Actor };

/** Inserts a link. If the random slug is taken, the unique violation makes `runKeyed` retry with another slug. */
async function createLink(core: Core, db: Db, by: By, request: LinkRequest): Promise<Link> {
  const [id, at] = [uuid(), core.clock.now()];
  const settings = settingsOf(request);
  const times = { createdAt: at, updatedAt: at };
  await em(db).insert(Link, { id, merchantId: by.merchantId, slug: drawSlug(), ...settings, ...times });
  const link = await lockLink.one(db, { id, merchantId: by.merchantId });
  await recordChange(db, link, 'link.created', { ...by, changes: changesOf({}, settings), at });
  return link;
}

async function recordChange(
  db: Db,
  { id, merchantId, slug, title }: Link,
  type: 'link.created' | 'link.changed' | 'link.withdrawn',
  { actor, changes, at }: By & { changes: Record<string, unknown>; at: Date },
): Promise<void> {
  const details = { linkId: id, slug, title };
  await recordEvent(db, { merchantId, paymentId: null, type, status: null, occurredAt: at, details });
  await recordAudit(db, { merchantId, actor, action: type, target: id, changes, at });
}

/** Reads and locks a merchant's link until the transaction ends, so that uses are counted one at a time. */
export const lockLink = prepared((tables, { id, merchantId }: { id: string; merchantId: string }) =>
  tables.selectFrom('links').selectAll().where('id', '=', id).where('merchantId', '=', merchantId).forUpdate(),
);

function declareReplace(core: Core): Route {
  return route({
    ...about,
    method: 'PUT',
    path: '/api/links/{linkId}',
    operationId: 'replaceLink',
    summary: 'Change a payment link',
    description:
      'Replaces all settings; absent fields get the defaults of a new link. The URL stays. ' +
      '`revision` is that of the link as you read it. If the link was changed since, nothing changes, ' +
      'and the problem has the current link (`current`). Payments that exist already do not change.',
    params: byLink,
    body: linkChange,
    checkBody: checkLink,
    example: { ...EXAMPLE, stock: 80, revision: 1 },
    refusals: {
      400: 'The faults, by field; stock_taken: more payments are open or paid',
      409: 'link_changed (with current), link_withdrawn or idempotency_in_progress',
    },
    answers: { 200: { description: 'The changed link', schema: linkAnswer } },
    run({ caller, params, body, keyed, address }) {
      const { merchantId } = caller;
      return runKeyed(core, { merchantId, keyed }, async (db) => {
        const known = await findForChange(db, merchantId, params.linkId);
        if (known.withdrawnAt) throw new Problem('link_withdrawn');
        const at = core.clock.now();
        if (known.revision !== body.revision)
          throw new Problem('link_changed', { extra: { current: await viewLink(core, known, at) } });
        await refuseFaults(core, merchantId, body);
        const taken = known.openCount + known.paidCount;
        if (body.stock != null && body.stock < taken)
          throw invalidFields([{ pointer: '/stock', code: 'stock_taken', params: { taken } }]);
        const link = await changeLink(db, known, { ...settingsOf(body), updatedAt: at });
        const changes = changesOf<Partial<Link>>(known, settingsOf(body));
        await recordChange(db, link, 'link.changed', { merchantId, actor: actorOf(caller, address), changes, at });
        return { status: 200, body: await viewLink(core, link, at) };
      });
    },
  });
}

/** Finds and locks a link for a change. @throws Problem not_found for an unknown link, or another merchant's */
async function findForChange(db: Db, merchantId: string, id: string): Promise<Link> {
  const known = await lockLink.first(db, { id, merchantId });
  if (!known) throw new Problem('not_found');
  return known;
}

async function changeLink(db: Db, { id, merchantId, revision }: Link, set: Partial<Link>): Promise<Link> {
  await em(db).nativeUpdate(Link, { id }, { ...set, revision: revision + 1 });
  return lockLink.one(db, { id, merchantId });
}

function declareWithdraw(core: Core): Route {
  return route({
    ...about,
    method: 'DELETE',
    path: '/api/links/{linkId}',
    operationId: 'withdrawLink',
    summary: 'Withdraw a payment link',
    description:
      'The page says from now on that the link was withdrawn. Open payments can still be paid. ' +
      'Repeating the request changes nothing.',
    params: byLink,
    answers: { 204: { description: 'Withdrawn' } },
    run({ caller, params, keyed, address }) {
      const { merchantId } = caller;
      return runKeyed(core, { merchantId, keyed }, async (db) => {
        const known = await findForChange(db, merchantId, params.linkId);
        if (known.withdrawnAt) return { status: 204 };
        const at = core.clock.now();
        const link = await changeLink(db, known, { withdrawnAt: at, updatedAt: at });
        await recordChange(db, link, 'link.withdrawn', {
          merchantId,
          actor: actorOf(caller, address),
          changes: {},
          at,
        });
        return { status: 204 };
      });
    },
  });
}
