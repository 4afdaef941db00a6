// What the SMS rail tells of its own accord: what became of messages, and what people answered.
import type { Core } from '../core.ts';
import { UUID } from '../http/fields.ts';
import type { SmsOutcome, SmsReply } from '../providers/provider.ts';
import { settleMessage } from './settle.ts';

/** False when there is no such message (yet). */
export async function receiveMessageNews(core: Core, messageId: string, outcome: SmsOutcome): Promise<boolean> {
  if (!UUID.test(messageId)) return false;
  const { rowCount } = await core.pool.query('select from sms_messages where id = $1::uuid', [messageId]);
  if (!rowCount) return false;
  await settleMessage(core, messageId, outcome);
  return true;
}

type Wish = 'stop' | 'start';

/** What decides as the first word of an answer, whatever follows it. */
const FIRST_WORDS: ReadonlyMap<string, Wish> = new Map([
  ['PARAR', 'stop'],
  ['PARE', 'stop'],
  ['STOP', 'stop'],
]);

/** What decides only where nothing else is said: people also write "Cancelar encomenda 5", or "Para amanhã". */
const ALONE: ReadonlyMap<string, Wish> = new Map([
  ['PARA', 'stop'],
  ['SAIR', 'stop'],
  ['CANCELAR', 'stop'],
  ['INICIAR', 'start'],
  ['START', 'start'],
  ['VOLTAR', 'start'],
]);

/** What somebody wants by an answer, whatever the case, the accents and the signs; null: nothing that we act on. */
export function readWish(text: string): Wish | null {
  const plain = text.normalize('NFKD').replace(/\p{M}/gu, '').toUpperCase();
  const [first = '', ...others] = plain.match(/[\p{L}\p{N}]+/gu) ?? [];
  return FIRST_WORDS.get(first) ?? (others.length === 0 ? (ALONE.get(first) ?? null) : null);
}

/** Marks or unmarks whoever answered, for the merchant whose message it was. False when nobody knows whose. */
export async function receiveReply(core: Core, reply: SmsReply): Promise<boolean> {
  const wish = readWish(reply.text);
  if (!wish) return true;
  const merchantId = await findAnswered(core, reply);
  if (!merchantId) return false;
  const [text, values] =
    wish === 'stop'
      ? [
          `insert into sms_opt_outs (merchant_id, phone, created_at) values ($1::uuid, $2, $3::timestamptz) on conflict do nothing`,
          [merchantId, reply.from, core.clock.now()],
        ]
      : [`delete from sms_opt_outs where merchant_id = $1::uuid and phone = $2`, [merchantId, reply.from]];
  await core.pool.query(text, values);
  return true;
}

/** The merchant of the message that was answered; where the rail does not say which, of the last one from that sender. */
async function findAnswered({ pool }: Core, { from, to, messageId }: SmsReply): Promise<string | null> {
  if (messageId && !UUID.test(messageId)) return null;
  const { rows } = await pool.query<{ merchant_id: string }>(
    messageId
      ? { text: 'select merchant_id from sms_messages where id = $1::uuid and phone = $2', values: [messageId, from] }
      : {
          text: `select m.merchant_id from sms_messages m join sms_batches b on b.id = m.batch_id
            where m.phone = $1 and lower(b.sender) = lower($2) and m.listed_at is not null
            order by m.listed_at desc, m.id desc limit 1`,
          values: [from, to],
        },
  );
  return rows[0]?.merchant_id ?? null;
}
