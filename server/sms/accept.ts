// Accepting a sending: messages, debit and ledger in one transaction, however many recipients.
import { v7 as uuid } from 'uuid';
import type { Core } from '../core.ts';
import { findRow, insertRow, type Db } from '../database/rows.ts';
import { Problem, type Fault } from '../http/problem.ts';
import type { SmsRail } from '../providers/provider.ts';
import { wakeSending } from './due.ts';
import { composeSending, type Asked, type Composed } from './compose.ts';
import { SmsAccount, SmsBatch } from './entities.ts';
import { debitUnits } from './units.ts';

export type Sending = {
  merchantId: string;
  asked: Asked & { remetente?: string | null | undefined };
  /** Null: at once. */
  runAt: Date | null;
  /** What is known to be wrong besides: told with the rest. */
  faults: Fault[];
};

/**
 * Writes a sending, whole, and answers what was accepted; `db` must be its transaction.
 * @throws Problem sms_unavailable, insufficient_sms_balance, 400 naming every fault, not_found naming the id
 */
export async function acceptSending(core: Core, db: Db, rail: SmsRail | null, sending: Sending) {
  if (!rail) throw new Problem('sms_unavailable');
  const { merchantId, asked, runAt, faults } = sending;
  const composed = await composeSending(db, merchantId, asked, faults);
  const batchId = uuid();
  const now = core.clock.now();
  const units = composed.messages.reduce((sum, { parts }) => sum + parts, 0);
  const recipients = composed.messages.length;
  await insertRow(db, SmsBatch, {
    id: batchId,
    merchantId,
    sender: asked.remetente ?? (await findSender(core, db, merchantId)),
    content: composed.content,
    recipients,
    units,
    status: runAt ? 'Scheduled' : 'Released',
    runAt,
    createdAt: now,
    releasedAt: runAt ? null : now,
    dueAt: runAt,
  });
  await insertMessages(db, { batchId, merchantId, composed, listedAt: runAt ? null : now });
  if (!runAt) db.afterCommit?.(() => wakeSending(core));
  await debitUnits(core, db, { merchantId, units, batchId, description: describe(recipients, runAt) });
  return viewAcceptance(batchId, composed, { units, runAt });
}

const describe = (count: number, runAt: Date | null) => `${runAt ? 'Agendamento' : 'Envio'} de ${count} SMS`;

async function findSender(core: Core, db: Db, merchantId: string): Promise<string> {
  return (await findRow(db, SmsAccount, 'merchant_id = $1', [merchantId]))?.sender ?? core.config.SMS_SENDER;
}

type Rows = { batchId: string; merchantId: string; composed: Composed; listedAt: Date | null };

/** All in one statement; those to be sent at once are due now. */
async function insertMessages({ pool }: Db, { batchId, merchantId, composed, listedAt }: Rows): Promise<void> {
  const { messages, content } = composed;
  if (messages.length === 0) return;
  await pool.query({
    name: 'sms_insert_messages',
    text: `insert into sms_messages (id, merchant_id, batch_id, phone, content, parts, status, listed_at, due_at)
      select m.id, $1::uuid, $2::uuid, m.phone, m.content, m.parts, 'Pending', $3::timestamptz, $3::timestamptz
      from unnest($4::uuid[], $5::text[], $6::text[], $7::smallint[]) m(id, phone, content, parts)`,
    values: [
      merchantId,
      batchId,
      listedAt,
      messages.map(() => uuid()),
      messages.map(({ phone }) => phone),
      messages.map(({ text }) => (text === content ? null : text)),
      messages.map(({ parts }) => parts),
    ],
  });
}

function viewAcceptance(
  batchId: string,
  { messages, parts, encoding, forcedBy, duplicates, refused }: Composed,
  { units, runAt }: { units: number; runAt: Date | null },
) {
  return {
    batchId,
    totalDestinatarios: messages.length,
    estado: runAt ? 'Agendado' : messages.length === 0 ? 'Ignorado' : 'Pendente',
    partes: parts,
    codificacao: encoding,
    caracteresUcs2: forcedBy,
    unidades: units,
    duplicados: duplicates,
    recusados: refused,
  };
}
