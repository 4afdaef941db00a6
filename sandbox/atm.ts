// The sandbox's cash machine, bank site and banking app: each finds a reference, pays it and prints the slip.
import Router from '@koa/router';
import type { Context } from 'koa';
import { z } from 'zod';
import { readAmount } from '../shared/money.ts';
import type { AtmView, CashFault, SlipView } from '../shared/sandbox.ts';
import { readBody } from '../server/http/body.ts';
import { fault, faultsOf } from '../server/http/validate.ts';
import { numberText } from '../server/http/json.ts';
import { invalidFields, Problem } from '../server/http/problem.ts';
import { connectCash, DEMO_ENTITY, type RailCash } from './cash.ts';
import { showNotice, showPage, type SandboxOptions } from './page.ts';
import { payReference, type UnpaidReason } from './pay.ts';

const MAX_BYTES = 10_000;
const MAX_SLIPS = 10;
const CHANNELS = ['ATM', 'IB', 'MB', 'POS'] as const;
const FAULTS = ['twice', 'late', 'wrong_amount', 'notify_later', 'lost'] as const;

/** The digits of a reference as people type them, in groups. */
const spaced = z.string().transform((text) => text.replace(/\s/g, ''));

const digitsRequest = z.object({
  entity: spaced.refine((text) => /^\d{5}$/.test(text)),
  reference: spaced.refine((text) => /^\d{9,15}$/.test(text), fault('invalid_reference')),
});

const cashRequest = digitsRequest.extend({
  amount: z
    .custom<unknown>((value) => typeof value === 'string' || numberText(value) !== null, fault('invalid_format'))
    // `?` is not an amount in any currency, so the cash machine's page refuses it at the amount field.
    .transform((value) => numberText(value) ?? (String(value).trim() && (readAmount(String(value)) ?? '?')))
    .nullish()
    .transform((text) => text || null),
  channel: z.enum(CHANNELS).default('ATM'),
  fault: z
    .enum(FAULTS)
    .nullish()
    .transform((name) => name ?? null),
});

/** `/sandbox/atm`: a page for people, and JSON for scripts. */
export function atmPages(options: SandboxOptions): Router {
  const { render, pprUrl } = options;
  const cash = connectCash({ ...options, railUrl: pprUrl });
  const router = new Router({ prefix: '/sandbox/atm' });

  router.get('/', async (ctx) => {
    const typed = readTyped({ entity: DEMO_ENTITY, ...ctx.query });
    if (typed.reference !== '') return showForm(ctx, typed);
    return showPage(ctx, options, render.renderAtm({ ...typed, wrong: [], bill: null }));
  });

  router.post('/', async (ctx) => {
    const sent = (await readBody(ctx, true, MAX_BYTES)) ?? {};
    const isForm = Boolean(ctx.is('urlencoded'));
    const read = cashRequest.safeParse(sent);
    // A person sees the fault at the field of the page.
    // Only a script can send a wrong channel or fault, because our forms offer neither.
    if (isForm && read.error?.issues.every(({ path }) => isDigitField(path[0])))
      return showForm(ctx, readTyped(sent), 400);
    if (!read.success) throw invalidFields(faultsOf(read.error, sent));
    const paid = await payReference(cash, read.data);
    if (!isForm) return answerScript(ctx, paid, read.data.fault);
    if (!Array.isArray(paid)) return showForm(ctx, readTyped(sent), UNPAID_STATUS[paid.why], paid);
    ctx.status = 303;
    return ctx.redirect(addressOf(paid, read.data.fault));
  });

  router.get('/:ids', async (ctx) => {
    const slips = await findSlips(cash, ctx.params['ids'] ?? '');
    if (!slips) return showNotice(ctx, options, 404, NO_SLIP);
    const channel = CHANNELS.find((name) => name === slips[0]?.terminal.type) ?? 'ATM';
    const ordered = FAULTS.find((name) => name === ctx.query['fault']) ?? null;
    return showPage(ctx, options, render.renderSlips({ channel, fault: ordered, slips }));
  });

  return router;

  /** Shows the typed values and the reference's current state, which gives the reason for a refusal. */
  async function showForm(ctx: Context, typed: Typed, status = 200, unpaid?: UnpaidReason): Promise<void> {
    const read = digitsRequest.safeParse(typed);
    const bill = read.success ? await cash.readBill(read.data.entity, read.data.reference) : null;
    const fields = read.error?.issues.map(({ path }) => path[0]).filter(isDigitField) ?? [];
    const about = bill ? unpaid?.why : 'unknown';
    const wrong = fields.length > 0 ? fields : [about].filter(isShownByForm);
    showPage(ctx, options, render.renderAtm({ ...typed, wrong, bill }), status);
  }
}

type Typed = Omit<AtmView, 'wrong' | 'bill'>;
type Wrong = AtmView['wrong'][number];

const isDigitField = (name: unknown) => name === 'entity' || name === 'reference';

/** True for refusals that the form shows. For an ended reference, the form shows the reference's state. */
const isShownByForm = (why: UnpaidReason['why'] | undefined): why is Wrong & UnpaidReason['why'] =>
  why === 'unknown' || why === 'amount' || why === 'other_amount';

const UNPAID_STATUS: Record<UnpaidReason['why'], number> = {
  unknown: 404,
  amount: 400,
  other_amount: 400,
  paid: 409,
  expired: 409,
  withdrawn: 409,
};

const NO_SLIP = {
  title: 'Não encontramos esse talão',
  text: 'Pague a referência outra vez, se ela ainda o pedir.',
  link: { href: '/sandbox/atm', text: 'Ir para o caixa' },
};

/**
 * @throws Problem not_found for an unknown reference, state_conflict for an ended reference
 * @throws Problem with the faults of the amount
 */
function answerScript(ctx: Context, paid: SlipView[] | UnpaidReason, ordered: CashFault | null): void {
  if (!Array.isArray(paid)) {
    if (paid.why === 'unknown') throw new Problem('not_found');
    if (paid.faults.length > 0) throw invalidFields(paid.faults);
    throw new Problem('state_conflict', { extra: { reason: paid.why } });
  }
  ctx.status = 201;
  ctx.set({ 'Cache-Control': 'no-store', Location: addressOf(paid, ordered) });
  ctx.body = { payments: paid };
}

/** The URL of the payments' slips. */
function addressOf(slips: SlipView[], ordered: CashFault | null): string {
  const ids = slips.map(({ transactionId }) => encodeURIComponent(transactionId)).join(',');
  return `/sandbox/atm/${ids}${ordered ? `?fault=${ordered}` : ''}`;
}

/** Finds the slips of a URL. Null if the rail does not know one of the ids. */
async function findSlips(cash: RailCash, ids: string): Promise<SlipView[] | null> {
  const found = await Promise.all(
    ids
      .split(',')
      .slice(0, MAX_SLIPS)
      .map((id) => cash.findSlip(id)),
  );
  const slips = found.filter((slip) => slip !== null);
  return slips.length === found.length ? slips : null;
}

/** Reads the typed values, to fill the form again. */
function readTyped(given: object): Typed {
  const fields = given as Record<string, unknown>;
  const textOf = (name: string) => (typeof fields[name] === 'string' ? fields[name].trim().slice(0, 40) : '');
  return {
    channel: CHANNELS.find((name) => name === fields['channel']) ?? 'ATM',
    entity: textOf('entity'),
    reference: textOf('reference'),
    amount: textOf('amount'),
  };
}
