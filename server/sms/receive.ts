// Applies notifications of SMS rails: statuses of messages, and replies such as PARAR.
import type { Core } from '../core.ts';
import { em, prepared } from '../database/db.ts';
import { UUID } from '../http/fields.ts';
import type { SmsOutcome, SmsReply } from '../providers/message.ts';
import { SmsMessage } from './entities.ts';
import { optIn, optOut } from './opt-outs/refusals.ts';
import { noteDelivered, noteFailed, noteSent } from './states.ts';

/** Applies a status of an SMS. Returns false if this rail account has no such message, or not yet. */
export async function receiveMessageStatus(
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

/** Finds a message by id and rail account, since an account may only report its own messages. */
const findMessage = prepared((tables, { rail, messageId }: { rail: string; messageId: string }) =>
  tables
    .selectFrom('sms_messages as m')
    .innerJoin('sms_batches as b', 'b.id', 'm.batchId')
    .select('m.id')
    .where('m.id', '=', messageId)
    .where('b.rail', '=', rail),
);

/** Words at the start of a reply that mean an opt-out, with any text after them. */
const STOP_FIRST = ['PARAR', 'PARE', 'STOP'];

/** Opt-out words that must be the whole reply, since people also write "Cancelar encomenda 5" or "Para amanhã". */
const STOP_ALONE = ['PARA', 'SAIR', 'CANCELAR'];
const START_ALONE = ['INICIAR', 'START', 'VOLTAR'];

/** Returns the wish in a reply, without regard to case, accents and punctuation. Null without a known word. */
export function readWish(text: string): 'stop' | 'start' | null {
  const plain = text.normalize('NFKD').replace(/\p{M}/gu, '').toUpperCase();
  const [first = '', ...others] = plain.match(/[\p{L}\p{N}]+/gu) ?? [];
  if (STOP_FIRST.includes(first)) return 'stop';
  if (others.length > 0) return null;
  return STOP_ALONE.includes(first) ? 'stop' : START_ALONE.includes(first) ? 'start' : null;
}

/** Records or deletes the opt-out of a person who replied. Returns false if the answered message is unknown. */
export async function receiveReply(core: Core, reply: SmsReply): Promise<boolean> {
  const wish = readWish(reply.text);
  if (!wish) return true;
  const merchantId = await findRepliedMerchant(core, reply);
  if (!merchantId) return false;
  const { from: phone } = reply;
  if (wish === 'stop') await optOut.run(core, { merchantId, phone, source: 'reply', at: core.clock.now() });
  else await optIn(core, { merchantId, phone });
  return true;
}

/** Finds the merchant of a reply by the answered message's id, or by the last message with that sender and phone. */
async function findRepliedMerchant(
  core: Core,
  { from: phone, to: sender, messageId }: SmsReply,
): Promise<string | null> {
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

const APPLY_OUTCOME: Record<
  SmsOutcome['result'],
  ((core: Core, id: string, outcome: SmsOutcome) => Promise<void>) | null
> = {
  accepted: (core, id) => noteSent(core, id),
  delivered: (core, id, { occurredAt }) => noteDelivered(core, id, occurredAt),
  failed: (core, id, { reason }) => noteFailed(core, id, reason ?? 'undeliverable'),
  unknown: null,
  not_found: null,
};

/** Applies an outcome to an SMS. Repeats, and outcomes after a final status, change nothing. */
export async function applyMessageOutcome(core: Core, id: string, outcome: SmsOutcome): Promise<void> {
  await APPLY_OUTCOME[outcome.result]?.(core, id, outcome);
}
