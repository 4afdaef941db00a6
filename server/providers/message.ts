// The interface of the SMS rails' clients. provider.ts has the interfaces of the payment rails.
/** A message to one phone. */
export type SmsOrder = {
  /** Our id, and the rail's idempotency key if the rail is `idempotent`. */
  messageId: string;
  /** E.164. */
  to: string;
  /** 1 to 11 letters and digits. */
  sender: string;
  text: string;
};

/**
 * The state of a message at the rail.
 * - `accepted`: the rail has the message and will try to deliver it.
 * - `delivered`, `failed`: the rail's final result. A failed message was not delivered and will not be.
 * - `unknown`: the call failed or its answer proves nothing. The message may have been sent.
 * - `not_found`: the rail answered a query that it never received this message.
 */
export type SmsOutcome = {
  result: 'accepted' | 'delivered' | 'failed' | 'unknown' | 'not_found';
  /** A code such as `number_not_active`. Set when `failed` or `unknown`. */
  reason: string | null;
  /** The rail's own id of the message; null or absent if the rail uses our id. */
  railMessageId?: string | null;
  /** The time of the delivery or the failure, by the rail's clock. */
  occurredAt: Date | null;
};

/** A recipient's reply to a message. */
export type SmsReply = {
  /** E.164. */
  from: string;
  /** The sender name of the message that the recipient replied to. */
  to: string;
  text: string;
  /** The message that the recipient replied to, if the rail knows it. */
  messageId: string | null;
};

/** Identifies a message in a status query. The message was sent, or it may have been. */
export type SmsQuery = Pick<SmsOrder, 'messageId' | 'to' | 'text'> & {
  railMessageId: string | null;
  /** The time of the first send; null if the time was not recorded. */
  sentAt: Date | null;
};

/** An SMS rail. The promises never reject because of the rail or the network. */
export type SmsRail = {
  /** The same order may be sent again only if the account's capability `idempotent` is true. */
  send(order: SmsOrder): Promise<SmsOutcome>;
  query(message: SmsQuery): Promise<SmsOutcome>;
};
