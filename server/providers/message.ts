// What every SMS rail's client looks like from the inside, as provider.ts says it of payments.
/** A message to one phone. */
export type SmsOrder = {
  /** Ours, and the rail's idempotency key: the same id never sends twice. */
  messageId: string;
  /** E.164. */
  to: string;
  /** 1 to 11 letters and digits. */
  sender: string;
  text: string;
};

/**
 * What the rail says of a message. `accepted`: it has it and will deliver it, or try. `failed`: it surely was not and will
 * not be delivered, and why. `unknown`: nothing sure was learned. `not_found`: the rail itself says, to a query, that it never saw it.
 */
export type SmsOutcome = {
  result: 'accepted' | 'delivered' | 'failed' | 'unknown' | 'not_found';
  /** Of a failed or unknown one, never null then: a word such as `number_not_active`. */
  reason: string | null;
  /** The rail's own id of the message; null or absent where it is known there by ours. */
  railMessageId?: string | null;
  /** When it was delivered or failed, by the rail's clock. */
  occurredAt: Date | null;
};

/** What somebody answered to a message. */
export type SmsReply = {
  /** E.164. */
  from: string;
  /** The sender that was answered. */
  to: string;
  text: string;
  /** The message that was answered, where the rail knows it. */
  messageId: string | null;
};

/** What is asked about a message that was handed in, or may have been. */
export type SmsQuery = Pick<SmsOrder, 'messageId' | 'to' | 'text'> & {
  railMessageId: string | null;
  /** When it was handed in first; null: never, for all we know. */
  sentAt: Date | null;
};

/** An SMS rail. No call ever rejects because of the rail or the network. */
export type SmsRail = {
  /** May be repeated with the same order, where the capabilities say `idempotent`. */
  send(order: SmsOrder): Promise<SmsOutcome>;
  query(message: SmsQuery): Promise<SmsOutcome>;
};
