// What the SMS rail tells: what became of a message, and what people answer (PARAR among it).
import type { Core } from '../core.ts';
import { em, prepared } from '../database/db.ts';
import { UUID } from '../http/fields.ts';
import type { SmsOutcome, SmsReply } from '../providers/message.ts';
import { SmsMessage } from './entities.ts';
import { optIn, optOut } from './opt-outs/refusals.ts';
import { noteDelivered, noteFailed, noteSent } from './states.ts';

/** False when there is no such message (yet). */
export async function receiveMessageNews(
  core: Core,
  rail: string,
  messageId: string,
  outcome: SmsOutcome,
): Promise<boolean> {
  if (!UUID.test(messageId)) return false;
  if ((await findMessage.run(core, { rail, messageId })) === 0) return false;
  await applyMessageOutcome(core, messageId, outcome);
  return true;
}

/** Another account's is not its to tell of. */
const findMessage = prepared((tables, { rail, messageId }: { rail: string; messageId: string }) =>
  tables
    .selectFrom('sms_messages as m')
    .innerJoin('sms_batches as b', 'b.id', 'm.batchId')
    .select('m.id')
    .where('m.id', '=', messageId)
    .where('b.rail', '=', rail),
);

/** These refuse as the first word of an answer, with any text behind. */
const STOP_FIRST = ['PARAR', 'PARE', 'STOP'];

/** These count only alone: people also write "Cancelar encomenda 5", or "Para amanhã". */
const STOP_ALONE = ['PARA', 'SAIR', 'CANCELAR'];
const START_ALONE = ['INICIAR', 'START', 'VOLTAR'];

/** Returns the wish in an answer, in any case, with any accents and signs. Null if the gateway does not act on it. */
export function readWish(text: string): 'stop' | 'start' | null {
  const plain = text.normalize('NFKD').replace(/\p{M}/gu, '').toUpperCase();
  const [first = '', ...others] = plain.match(/[\p{L}\p{N}]+/gu) ?? [];
  if (STOP_FIRST.includes(first)) return 'stop';
  if (others.length > 0) return null;
  return STOP_ALONE.includes(first) ? 'stop' : START_ALONE.includes(first) ? 'start' : null;
}

/** Marks or unmarks whoever answered, for the merchant whose message it was. False when nobody knows whose. */
export async function receiveReply(core: Core, reply: SmsReply): Promise<boolean> {
  const wish = readWish(reply.text);
  if (!wish) return true;
  const merchantId = await findAnswered(core, reply);
  if (!merchantId) return false;
  const { from: phone } = reply;
  if (wish === 'stop') await optOut.run(core, { merchantId, phone, source: 'reply', at: core.clock.now() });
  else await optIn(core, { merchantId, phone });
  return true;
}

/** The merchant of the message that was answered; where the rail does not say which, of the last one from that sender. */
async function findAnswered(core: Core, { from: phone, to: sender, messageId }: SmsReply): Promise<string | null> {
  if (messageId && !UUID.test(messageId)) return null;
  const found = messageId
    ? em(core).findOne(SmsMessage, { id: messageId, phone })
    : findLastOwner.first(core, { phone, sender });
  return (await found)?.merchantId ?? null;
}

const findLastOwner = prepared((tables, { phone, sender }: { phone: string; sender: string }) =>
  tables
    .selectFrom('sms_messages as m')
    .innerJoin('sms_batches as b', 'b.id', 'm.batchId')
    .select('m.merchantId')
    .where('m.phone', '=', phone)
    .where((eb) => eb(eb.fn('lower', ['b.sender']), '=', eb.fn('lower', [eb.val(sender)])))
    .where('m.listedAt', 'is not', null)
    .orderBy('m.listedAt', 'desc')
    .orderBy('m.id', 'desc')
    .limit(1),
);

const APPLY: Record<SmsOutcome['result'], ((core: Core, id: string, outcome: SmsOutcome) => Promise<void>) | null> = {
  accepted: (core, id) => noteSent(core, id),
  delivered: (core, id, { occurredAt }) => noteDelivered(core, id, occurredAt),
  failed: (core, id, { reason }) => noteFailed(core, id, reason ?? 'undeliverable'),
  unknown: null,
  not_found: null,
};

/** Applies what the rail says; repeats, and what comes after the end, change nothing. */
export async function applyMessageOutcome(core: Core, id: string, outcome: SmsOutcome): Promise<void> {
  await APPLY[outcome.result]?.(core, id, outcome);
}
