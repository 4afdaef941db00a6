// A merchant's SMS account: its balance and sender, what was used, and how it is shown.
import { LockMode } from '@mikro-orm/postgresql';
import { z } from 'zod';
import type { Core } from '../core.ts';
import { em, prepared, type Db } from '../database/db.ts';
import { actorOf, changesOf, recordAudit, type Actor } from '../audit/record.ts';
import { fault } from '../http/validate.ts';
import { afterSeqQuery, viewPageWithNext } from '../http/cursor.ts';
import { oneOf, documentedAs } from '../http/fields.ts';
import { runKeyed } from '../http/idempotency.ts';
import { invalid } from '../http/problem.ts';
import { route, type Route } from '../http/route.ts';
import { readPage } from '../lists/page.ts';
import { SMS_MOVEMENTS } from '../database/functions/counted-lists.ts';
import { LEDGER_KINDS, OPT_OUT_TEXTS, SmsAccount, type OptOutText, type SmsLedgerEntry } from './entities.ts';
import { reads, smsPage, writes } from './fields.ts';
import { insertAccount } from './ledger.ts';
import { findOptOutFaults } from './opt-outs/endings.ts';

export function accountRoutes(core: Core): Route[] {
  return [declareRead(core), declareSender(core), declareBalance(core), declareMovements(core)];
}

function declareRead(core: Core): Route {
  return route({
    ...reads,
    path: '/api/ContaSms/ObterConta',
    operationId: 'readSmsAccount',
    summary: 'Read your SMS account',
    answers: { 200: { description: 'The account', schema: smsAccount } },
    async run({ caller: { merchantId } }) {
      const account = await em(core).findOne(SmsAccount, { merchantId });
      return { status: 200, body: viewAccount(core, merchantId, account) };
    },
  });
}

function declareSender(core: Core): Route {
  return route({
    ...writes,
    method: 'PUT',
    path: '/api/ContaSms/AtualizarRemetente',
    operationId: 'updateSmsSender',
    summary: 'Set whom your SMS come from, and how they can be refused',
    description:
      'From the next sending on. Networks deliver only senders that the operator registered with them. `optOutText` adds a line to the end of each message, in your default language; it counts as any other text. What the rail of your account does not have is refused: `reply` where nobody can answer, `link` where no links are carried. `number` needs `optOutNumber`, whose owner writes refusals down by `POST /api/sms/opt-outs`.',
    body: senderRequest,
    example: { nomeremetenteSms: 'LOJAILHA' },
    answers: { 200: { description: 'The account as it is now', schema: smsAccount } },
    run({ caller, body, keyed, address }) {
      const { merchantId } = caller;
      const { nomeremetenteSms: sender, optOutText, optOutNumber } = body;
      return runKeyed(core, { merchantId, keyed }, async (db) => {
        const faults = findOptOutFaults(core.rails.list(merchantId, 'sms')[0], optOutText ?? 'none', '/optOutText');
        if (faults.length > 0) throw invalid(faults);
        const set = { sender, ...(optOutText && { optOutText }), ...(optOutNumber !== undefined && { optOutNumber }) };
        const by = { actor: actorOf(caller, address), at: core.clock.now() };
        const account = await updateSender(db, { merchantId, set, ...by });
        return { status: 200, body: viewAccount(core, merchantId, account) };
      });
    },
  });
}

type SenderChange = {
  merchantId: string;
  set: { sender: string | null; optOutText?: OptOutText; optOutNumber?: string | null };
  actor: Actor;
  at: Date;
};

/** @throws Problem 400 where messages are to name a number, and there is none */
async function updateSender(db: Db, { merchantId, set, actor, at }: SenderChange): Promise<SmsAccount> {
  // An account without units begins here.
  await insertAccount.run(db, { merchantId, at });
  const locked = { lockMode: LockMode.PESSIMISTIC_WRITE } as const;
  const before = await em(db).findOneOrFail(SmsAccount, { merchantId }, locked);
  const { optOutText, optOutNumber } = { ...before, ...set };
  if (optOutText === 'number' && optOutNumber == null) throw invalid([{ pointer: '/optOutNumber', code: 'required' }]);
  const changes = changesOf<Partial<SmsAccount>>(before, set);
  if (Object.keys(changes).length === 0) return before;
  // `updatedAt` is the balance's.
  await em(db).nativeUpdate(SmsAccount, { merchantId }, set);
  await recordAudit(db, { merchantId, actor, action: 'sms.sender_changed', target: merchantId, changes, at });
  return { ...before, ...set };
}

function declareBalance(core: Core): Route {
  return route({
    ...reads,
    path: '/api/ContaSms/ObterSaldo',
    operationId: 'readSmsBalance',
    summary: 'Read how many SMS units are left',
    answers: { 200: { description: 'The balance', schema: smsBalance } },
    async run({ caller: { merchantId } }) {
      return { status: 200, body: viewBalance(merchantId, await findAccount.first(core, { merchantId })) };
    },
  });
}

const findAccount = prepared((tables, { merchantId }: { merchantId: string }) =>
  tables
    .selectFrom('sms_accounts as a')
    .select(['a.balance', 'a.updatedAt'])
    .select((eb) =>
      eb
        .exists(eb.selectFrom('sms_ledger as l').whereRef('l.merchantId', '=', 'a.merchantId'))
        .$castTo<boolean>()
        .as('isCredited'),
    )
    .where('a.merchantId', '=', merchantId),
);

function declareMovements(core: Core): Route {
  return route({
    ...reads,
    path: '/api/ContaSms/ListarMovimentos',
    operationId: 'listSmsMovements',
    summary: 'List movements of SMS units, newest first',
    description: 'Each with the balance after it. Balance: what was credited and given back, less what was used.',
    query: movementQuery,
    answers: { 200: { description: 'A page', schema: viewPageWithNext.schema(smsMovement) } },
    async run({ caller, query }) {
      const { tipo: kind, pageNumber: page, ...asked } = query;
      const { merchantId } = caller;
      const { page: found, total } = await readPage<SmsLedgerEntry>(core, {
        list: SMS_MOVEMENTS,
        merchantId,
        query: { ...asked, page },
        keys: { kind },
        rows: (tables) => {
          const mine = tables.selectFrom('sms_ledger').where('merchantId', '=', merchantId);
          return kind ? mine.where('kind', '=', kind) : mine;
        },
        mergedKeys: { kind: LEDGER_KINDS },
        alwaysMerged: true,
        order: ['seq'],
      });
      const shown = { ...found, rows: found.rows.map(viewMovement) };
      return { status: 200, body: viewPageWithNext(shown, { ...asked, page }, total) };
    },
  });
}

/** As networks take them. */
const SENDER = /^(?=.*[A-Za-z])[A-Za-z0-9]{1,11}$/;

/** Whom messages come from. */
export const senderText = z
  .string()
  .refine((text) => SENDER.test(text), fault('invalid_sender'))
  .meta(documentedAs({ type: 'string', pattern: SENDER.source, maxLength: 11 }))
  .describe('1 to 11 letters (without accents) and digits, one letter at least');

/** Of a mobile or a fixed line. */
const CALLED = /^[29]\d{8}$/;

const OPT_OUT_WORDS =
  'How messages end: `none`; `reply`: that one answers PARAR; `link`: with the address of a page on which one refuses; `number`: with `optOutNumber`, which one calls';

/** Body of `PUT /api/ContaSms/AtualizarRemetente`. */
const senderRequest = z.object({
  nomeremetenteSms: senderText.nullable().describe('1 to 11 letters and digits, one letter at least; null: none'),
  optOutText: z.enum(OPT_OUT_TEXTS).optional().describe(`${OPT_OUT_WORDS}. Absent: as it is`),
  optOutNumber: z
    .string()
    .transform((text) => text.replace(/\s/g, '').replace(/^(\+244|00244)/, ''))
    .refine((digits) => CALLED.test(digits), fault('invalid_format'))
    .nullish()
    .describe(
      'Whom people call who refuse: an Angolan number of 9 digits, mobile or fixed; null: none. Absent: as it is',
    ),
});

/** Whom messages come from while the merchant has set nobody: as its contract with the rail says, else the house's. */
export function defaultSenderOf({ rails, config }: Pick<Core, 'rails' | 'config'>, merchantId: string): string {
  const contracted = rails.list(merchantId, 'sms')[0]?.account.settings['sender'];
  return typeof contracted === 'string' ? contracted : config.SMS_SENDER;
}

function viewAccount(core: Core, merchantId: string, account: SmsAccount | null) {
  const nomeremetenteSms = account?.sender ?? null;
  const remetenteEfetivo = nomeremetenteSms ?? defaultSenderOf(core, merchantId);
  const { optOutText = 'none', optOutNumber = null } = account ?? {};
  return { merchantId, nomeremetenteSms, remetenteEfetivo, optOutText, optOutNumber };
}

export const smsAccount = z
  .object({
    merchantId: z.uuid(),
    nomeremetenteSms: z.string().nullable().describe('The sender that was set; null: none'),
    remetenteEfetivo: z.string().describe('Whom messages come from, unless a sending says otherwise'),
    optOutText: z.enum(OPT_OUT_TEXTS).describe(OPT_OUT_WORDS),
    optOutNumber: z.string().nullable().describe('Whom people call who refuse; null: none'),
  })
  .meta({ id: 'SmsMerchant' });

/** `isCredited`: there was a movement. */
type KnownBalance = Pick<SmsAccount, 'balance' | 'updatedAt'> & { isCredited: boolean };

/** @param account null: nothing is known of it */
function viewBalance(merchantId: string, account: KnownBalance | null) {
  const atualizadoEm = account?.isCredited ? account.updatedAt : null;
  return { merchantId, saldoAtual: account?.balance ?? 0, unidade: 'SMS', atualizadoEm };
}

export const smsBalance = z
  .object({
    merchantId: z.uuid(),
    saldoAtual: z.int().describe('Units left: one is one part of one message'),
    unidade: z.literal('SMS'),
    atualizadoEm: z.iso.datetime().nullable().describe('The last movement; null: none yet'),
  })
  .meta({ id: 'SmsBalance' });

const KINDS = { Credito: 'credit', Debito: 'debit', Reembolso: 'refund' } as const;
type KindWord = keyof typeof KINDS;
const KIND_WORDS = Object.keys(KINDS) as KindWord[];

/** Query of `GET /api/ContaSms/ListarMovimentos`. */
const movementQuery = z.object({
  ...smsPage,
  ...afterSeqQuery,
  tipo: oneOf(KIND_WORDS)
    .transform((word) => (word ? KINDS[word] : undefined))
    .meta({ ...documentedAs({ type: 'string', enum: KIND_WORDS }), description: 'Only movements of this kind' }),
});

function viewMovement({ id, kind, quantity, balanceAfter, description, createdAt, batchId }: SmsLedgerEntry) {
  return {
    id,
    tipo: KIND_WORDS.find((word) => KINDS[word] === kind),
    quantidade: quantity,
    saldoDepois: balanceAfter,
    descricao: description,
    criadoEm: createdAt,
    batchId: batchId ?? null,
  };
}

export const smsMovement = z
  .object({
    id: z.uuid(),
    tipo: z.enum(KIND_WORDS).describe('Credito: given by the operator · Debito: used · Reembolso: given back'),
    quantidade: z.int().describe('Units, above zero'),
    saldoDepois: z.int().describe('Units left after it'),
    descricao: z.string(),
    criadoEm: z.iso.datetime(),
    batchId: z.uuid().nullable().describe('The sending that used them or got them back'),
  })
  .meta({ id: 'SmsBalanceLedgerEntry' });
