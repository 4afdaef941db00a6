// Send requests: each writes a batch of messages and debits its units in one transaction.
import { sql, type Insertable } from 'kysely';
import { v7 as uuid } from 'uuid';
import type { Core } from '../core.ts';
import { prepared, type Db, type Tables } from '../database/db.ts';
import { runKeyed } from '../http/idempotency.ts';
import { invalidFields, Problem, type Fault } from '../http/problem.ts';
import { findUnsupported } from '../../shared/sms-text.ts';
import type { SmsRailAccount } from '../rails/rail.ts';
import { route, type Request, type Route } from '../http/route.ts';
import { composeSending, type SendRequest, type ComposedMessages } from './recipients.ts';
import { wakeSending } from './due.ts';
import { defaultSenderOf } from './account.ts';
import { writes } from './fields.ts';
import { debitUnits, findBalance } from './ledger.ts';
import { findOptOutFaults, writeEndings } from './opt-outs/endings.ts';
import {
  acceptance,
  checkEither,
  listSending,
  MAX_RECIPIENTS,
  templateSending,
  textSending,
} from './sending-schemas.ts';

const about = {
  ...writes,
  method: 'POST',
  /** The field `errors` can list every phone number of the request. */
  maxFaults: MAX_RECIPIENTS,
  answers: { 200: { description: 'Accepted and debited; the messages are sent immediately', schema: acceptance } },
} as const;

export const REFUSALS = {
  404: 'not_found: `errors` names the id',
  409: 'insufficient_sms_balance (with `saldoAtual`, `unidades`); sms_unavailable; idempotency_in_progress',
};

const COUNTING_DESCRIPTION =
  'A part costs one unit. A part has 160 characters of the GSM alphabet, or 153 if the message needs several parts. ' +
  'One other character in a message, such as ã or ç, reduces its parts to 70 characters (67 if it has several). ' +
  '`caracteresUcs2` lists such characters. A message has at most 10 parts.\n\n' +
  'A repeated number gets one message (`duplicados`). People who refuse your SMS are skipped (`recusados`). If a ' +
  'number is invalid, the whole request fails and `errors` lists every invalid number.';

export function sendingRoutes(core: Core): Route[] {
  type SendingInput = Pick<Request<unknown, unknown, Batch['request']>, 'caller' | 'keyed' | 'body'>;
  const run = ({ caller: { merchantId }, keyed, body }: SendingInput) =>
    runKeyed(core, { merchantId, keyed }, async (db) => {
      const accepted = await acceptSending(core, db, { merchantId, request: body, runAt: null, faults: [] });
      return { status: 200, body: accepted };
    });
  return [
    route({
      ...about,
      path: '/api/Envio/enviarSms',
      operationId: 'sendSms',
      summary: 'Send a text to one or more numbers',
      description: COUNTING_DESCRIPTION,
      body: textSending,
      example: {
        numerosDestino: ['923456789'],
        conteudo: 'A sua encomenda chegou. Pode levantar hoje.',
        remetente: 'LOJA',
      },
      refusals: { 409: REFUSALS[409] },
      run,
    }),
    route({
      ...about,
      path: '/api/Envio/enviarSmsTemplate',
      operationId: 'sendSmsTemplate',
      summary: 'Send a template to one or more numbers',
      description:
        'Every `{{chave}}` of the template needs a value in `valores`. `nome` is optional for numbers of contacts.' +
        `\n\n${COUNTING_DESCRIPTION}`,
      body: templateSending,
      example: {
        smsId: '0198f3a2-7c11-7e55-9d20-6a1f0c3b9e01',
        numerosDestino: ['923456789'],
        valores: { nome: 'Ana', total: '1 500 Kz' },
      },
      refusals: REFUSALS,
      run,
    }),
    route({
      ...about,
      path: '/api/Envio/enviarSmsParaLista',
      operationId: 'sendSmsToList',
      summary: 'Send a text or a template to a contact list',
      description: `Needs either \`conteudo\` or \`smsId\`.\n\n${COUNTING_DESCRIPTION}`,
      body: listSending,
      checkBody: checkEither('conteudo', 'smsId'),
      example: { listaId: '0198f3a2-7c11-7e55-9d20-6a1f0c3b9e02', conteudo: 'Sábado abrimos às 8h.' },
      refusals: REFUSALS,
      run,
    }),
  ];
}

type Sending = {
  merchantId: string;
  request: SendRequest & { remetente?: string | null | undefined };
  /** `faults`: faults that were found earlier. The same error response lists them. */
  faults: Fault[];
};

/** A batch. `runAt`: the scheduled minute. Null: the batch is sent immediately. */
type Batch = Sending & { runAt: Date | null };

/**
 * Writes a batch with all messages, debits its units, and returns the response body.
 * `db` must be a transaction, so that the batch is committed as a whole or not at all.
 * @throws Problem sms_unavailable, insufficient_sms_balance, 400 with every fault, not_found with the unknown ids
 */
export async function acceptSending(core: Core, db: Db, sending: Batch) {
  const { merchantId, runAt } = sending;
  const { account, sender, composed, units } = await prepareBatch(core, db, sending, false);
  const batchId = uuid();
  const now = core.clock.now();
  const recipients = composed.messages.length;
  const row: Insertable<Tables['sms_batches']> = {
    id: batchId,
    merchantId,
    rail: account.id,
    sender,
    content: composed.content,
    recipients,
    units,
    status: runAt ? 'Scheduled' : 'Released',
    runAt,
    createdAt: now,
    releasedAt: runAt ? null : now,
    dueAt: runAt,
  };
  await insertBatch.run(db, { row });
  await insertMessages(db, { batchId, merchantId, composed, listedAt: runAt ? null : now });
  if (!runAt) db.afterCommit?.(() => wakeSending(core));
  await debitUnits(core, db, { merchantId, units, batchId, description: describe(recipients, runAt) });
  return viewAcceptance(batchId, composed, { units, runAt });
}

type PreparedBatch = { account: SmsRailAccount; sender: string; composed: ComposedMessages; units: number };

/**
 * Validates a send request and composes its messages. It does not check the balance.
 * @param isPreview true: writes nothing, not even codes of opt-out pages
 * @throws Problem sms_unavailable, 400 with every fault, not_found with the unknown ids
 */
export async function prepareBatch(
  core: Core,
  db: Db,
  { merchantId, request, faults }: Sending,
  isPreview: boolean,
): Promise<PreparedBatch> {
  const [account] = core.rails.list(merchantId, 'sms');
  if (!account) throw new Problem('sms_unavailable');
  const settings = (await selectSettings.first(db, { merchantId })) ?? NO_SETTINGS;
  const { sender, optOutText, optOutNumber } = settings;
  const ending = { merchantId, account, optOutText, optOutNumber, isPreview };
  const composed = await composeSending(core, db, merchantId, request, {
    otherFaults: [...faults, ...findOptOutFaults(account, optOutText, '')],
    findEndings: (phones) => writeEndings(core, db, ending, phones),
  });
  checkSupportedText(account, composed);
  const units = composed.messages.reduce((sum, { parts }) => sum + parts, 0);
  return { account, sender: request.remetente ?? sender ?? defaultSenderOf(core, merchantId), composed, units };
}

const insertBatch = prepared((tables, { row }: { row: Insertable<Tables['sms_batches']> }) =>
  tables.insertInto('sms_batches').values(row),
);

const describe = (count: number, runAt: Date | null) => `${runAt ? 'Agendamento' : 'Envio'} de ${count} SMS`;

const selectSettings = prepared((tables, { merchantId }: { merchantId: string }) =>
  tables
    .selectFrom('sms_accounts')
    .select(['sender', 'optOutText', 'optOutNumber'])
    .where('merchantId', '=', merchantId),
);

const NO_SETTINGS = { sender: null, optOutText: 'none', optOutNumber: null } as const;

type Rows = { batchId: string; merchantId: string; composed: ComposedMessages; listedAt: Date | null };

/** Inserts the messages of a batch. Messages without a schedule are due immediately. */
async function insertMessages(db: Db, { composed: { messages, content }, ...about }: Rows): Promise<void> {
  if (messages.length === 0) return;
  await insertUnnested.run(db, {
    ...about,
    ids: messages.map(() => uuid()),
    phones: messages.map(({ phone }) => phone),
    contents: messages.map(({ text }) => (text === content ? null : text)),
    parts: messages.map(({ parts }) => parts),
  });
}

type NewMessage = { id: string; phone: string; content: string | null; parts: number };

/** The messages of a batch, one array per column. */
type Columns = Omit<Rows, 'composed'> & {
  ids: string[];
  phones: string[];
  contents: (string | null)[];
  parts: number[];
};

const insertUnnested = prepared((tables, { batchId, merchantId, listedAt, ids, phones, contents, parts }: Columns) =>
  tables
    .insertInto('sms_messages')
    .columns(['id', 'merchantId', 'batchId', 'phone', 'content', 'parts', 'status', 'listedAt', 'dueAt'])
    .expression((eb) =>
      eb
        .selectFrom(
          sql<NewMessage>`unnest(${ids}::uuid[], ${phones}::text[], ${contents}::text[], ${parts}::smallint[])`.as<'m'>(
            sql`m(id, phone, content, parts)`,
          ),
        )
        .select([
          'm.id',
          eb.val(merchantId).as('merchantId'),
          eb.val(batchId).as('batchId'),
          'm.phone',
          'm.content',
          'm.parts',
          eb.val('Pending' as const).as('status'),
          eb.val(listedAt).as('listedAt'),
          eb.val(listedAt).as('dueAt'),
        ]),
    ),
);

/**
 * Refuses a text that the rail account would refuse, before any units are debited.
 * @throws Problem validation_failed with `text_not_supported`
 */
function checkSupportedText({ label, capabilities }: SmsRailAccount, { content, messages }: ComposedMessages): void {
  const texts = [content, ...messages.map(({ text }) => text)];
  const why = texts.map((text) => findUnsupported(text, capabilities)).find((reason) => reason !== null);
  if (!why) return;
  throw invalidFields([{ pointer: '/conteudo', code: 'text_not_supported', params: { account: label, why } }]);
}

function viewAcceptance(
  batchId: string,
  composed: ComposedMessages,
  { units, runAt }: { units: number; runAt: Date | null },
) {
  const estado = runAt ? 'Agendado' : composed.messages.length === 0 ? 'Ignorado' : 'Pendente';
  const { totalDestinatarios, ...cost } = viewCost(composed, units);
  return { batchId, totalDestinatarios, estado, ...cost };
}

/** Returns the price, the balance, the sender and the first message of a sending that is only previewed. */
export async function viewPreview(core: Core, merchantId: string, { sender, composed, units }: PreparedBatch) {
  const [first] = composed.messages;
  return {
    ...viewCost(composed, units),
    saldoAtual: await findBalance(core, merchantId),
    remetente: sender,
    exemplo: first ? { numeroDestino: first.phone, conteudo: first.text } : null,
  };
}

/** Returns the number of messages and the price, for the response. */
function viewCost({ messages, parts, encoding, forcedBy, duplicates, refused }: ComposedMessages, units: number) {
  return {
    totalDestinatarios: messages.length,
    partes: parts,
    codificacao: encoding,
    caracteresUcs2: forcedBy,
    unidades: units,
    duplicados: duplicates,
    recusados: refused,
  };
}
