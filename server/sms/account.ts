// A merchant's SMS account: sender, opt-out text, balance of units and ledger.
import { LockMode } from '@mikro-orm/postgresql';
import { z } from 'zod';
import type { Core } from '../core.ts';
import { em, prepared, type Db } from '../database/db.ts';
import { actorOf, changesOf, recordAudit, type Actor } from '../audit/record.ts';
import { fault } from '../http/validate.ts';
import { afterSeqQuery, viewPageWithNext } from '../http/cursor.ts';
import { oneOf, documentedAs } from '../http/fields.ts';
import { runKeyed } from '../http/idempotency.ts';
import { invalidFields } from '../http/problem.ts';
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
    summary: 'Set the sender and the opt-out text of your SMS',
    description:
      'Applies to SMS accepted from now on. Networks deliver only senders that the operator registered with them. ' +
      '`optOutText` adds a line in your default language to the end of each message. The line counts towards the ' +
      'parts of the message. The request returns 400 if your SMS rail does not support the text: `reply` needs a ' +
      'rail that receives answers, `link` needs a rail that delivers links. `number` needs `optOutNumber`. Record ' +
      'the refusals of people who call that number with `POST /api/sms/opt-outs`.',
    body: senderRequest,
    example: { nomeremetenteSms: 'LOJAILHA' },
    answers: { 200: { description: 'The account as it is now', schema: smsAccount } },
    run({ caller, body, keyed, address }) {
      const { merchantId } = caller;
      const { nomeremetenteSms: sender, optOutText, optOutNumber } = body;
      return runKeyed(core, { merchantId, keyed }, async (db) => {
        const faults = findOptOutFaults(core.rails.list(merchantId, 'sms')[0], optOutText ?? 'none', '/optOutText');
        if (faults.length > 0) throw invalidFields(faults);
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

/** Changes the sender settings. @throws Problem 400 if the opt-out text is `number` and no `optOutNumber` is set */
async function updateSender(db: Db, { merchantId, set, actor, at }: SenderChange): Promise<SmsAccount> {
  // A merchant without any credited units has no SMS account yet.
  await insertAccount.run(db, { merchantId, at });
  const locked = { lockMode: LockMode.PESSIMISTIC_WRITE } as const;
  const before = await em(db).findOneOrFail(SmsAccount, { merchantId }, locked);
  const { optOutText, optOutNumber } = { ...before, ...set };
  if (optOutText === 'number' && optOutNumber == null)
    throw invalidFields([{ pointer: '/optOutNumber', code: 'required' }]);
  const changes = changesOf<Partial<SmsAccount>>(before, set);
  if (Object.keys(changes).length === 0) return before;
  // The update does not change `updatedAt`, which is the time of the last movement of units.
  await em(db).nativeUpdate(SmsAccount, { merchantId }, set);
  await recordAudit(db, { merchantId, actor, action: 'sms.sender_changed', target: merchantId, changes, at });
  return { ...before, ...set };
}

function declareBalance(core: Core): Route {
  return route({
    ...reads,
    path: '/api/ContaSms/ObterSaldo',
    operationId: 'readSmsBalance',
    summary: 'Read the balance of SMS units',
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
    description: 'Each movement has the balance after it. The balance is the sum of credits and refunds minus debits.',
    query: movementQuery,
    answers: { 200: { description: 'A page', schema: viewPageWithNext.schema(smsMovement) } },
    async run({ caller, query }) {
      const { tipo: kind, pageNumber: page, ...paging } = query;
      const { merchantId } = caller;
      const { page: found, total } = await readPage<SmsLedgerEntry>(core, {
        list: SMS_MOVEMENTS,
        merchantId,
        query: { ...paging, page },
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
      return { status: 200, body: viewPageWithNext(shown, { ...paging, page }, total) };
    },
  });
}

/** Pattern of sender names that mobile networks accept. */
const SENDER = /^(?=.*[A-Za-z])[A-Za-z0-9]{1,11}$/;

/** Schema of an SMS sender. */
export const senderText = z
  .string()
  .refine((text) => SENDER.test(text), fault('invalid_sender'))
  .meta(documentedAs({ type: 'string', pattern: SENDER.source, maxLength: 11 }))
  .describe('1 to 11 letters (without accents) and digits, at least one letter');

/** Pattern of an Angolan mobile or fixed number without the country code. */
const OPT_OUT_NUMBER = /^[29]\d{8}$/;

const OPT_OUT_TEXT_DESCRIPTION =
  'The line that ends each message. `none`: no line. `reply`: answer PARAR. `link`: the address of an opt-out page. ' +
  '`number`: call `optOutNumber`';

/** Body of `PUT /api/ContaSms/AtualizarRemetente`. */
const senderRequest = z.object({
  nomeremetenteSms: senderText
    .nullable()
    .describe('1 to 11 letters and digits, at least one letter; null removes your sender'),
  optOutText: z.enum(OPT_OUT_TEXTS).optional().describe(`${OPT_OUT_TEXT_DESCRIPTION}. Absent: unchanged`),
  optOutNumber: z
    .string()
    .transform((text) => text.replace(/\s/g, '').replace(/^(\+244|00244)/, ''))
    .refine((digits) => OPT_OUT_NUMBER.test(digits), fault('invalid_format'))
    .nullish()
    .describe(
      'Number that people call to refuse your SMS: 9 digits, Angolan mobile or fixed. null: none. Absent: unchanged',
    ),
});

/** Returns the sender for merchants without their own: the rail account's setting, or SMS_SENDER. */
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
    nomeremetenteSms: z.string().nullable().describe('Your own sender; null: none is set'),
    remetenteEfetivo: z.string().describe('Sender of messages whose request names no `remetente`'),
    optOutText: z.enum(OPT_OUT_TEXTS).describe(OPT_OUT_TEXT_DESCRIPTION),
    optOutNumber: z.string().nullable().describe('Number that people call to refuse your SMS; null: none'),
  })
  .meta({ id: 'SmsMerchant' });

/** A balance of units. `isCredited`: true if the account has at least one ledger entry. */
type BalanceRow = Pick<SmsAccount, 'balance' | 'updatedAt'> & { isCredited: boolean };

/** Returns a balance for the API. @param account null if the merchant has no SMS account yet */
function viewBalance(merchantId: string, account: BalanceRow | null) {
  const atualizadoEm = account?.isCredited ? account.updatedAt : null;
  return { merchantId, saldoAtual: account?.balance ?? 0, unidade: 'SMS', atualizadoEm };
}

export const smsBalance = z
  .object({
    merchantId: z.uuid(),
    saldoAtual: z.int().describe('Units left; one unit pays one part of one message'),
    unidade: z.literal('SMS'),
    atualizadoEm: z.iso.datetime().nullable().describe('Time of the last movement; null: none yet'),
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
    tipo: z.enum(KIND_WORDS).describe('Credito: added by the operator · Debito: used · Reembolso: refunded'),
    quantidade: z.int().describe('Units, at least 1'),
    saldoDepois: z.int().describe('Balance after the movement'),
    descricao: z.string(),
    criadoEm: z.iso.datetime(),
    batchId: z.uuid().nullable().describe('The batch that the units paid for, or null for a credit'),
  })
  .meta({ id: 'SmsBalanceLedgerEntry' });
