// The interface of the SMS rails' clients. provider.ts has the interfaces of the payment rails.
/** An order to send one SMS to one phone. */
export type SmsOrder = {
  /** Our id of the message, and the rail's idempotency key if the rail is `idempotent`. */
  messageId: string;
  /** `to`: the recipient's phone in E.164. */
  to: string;
  /** `sender`: 1 to 11 letters and digits. */
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
  /** `reason`: a code such as `number_not_active`. Set when `failed` or `unknown`. */
  reason: string | null;
  /** `railMessageId`: the rail's own id of the message. Null or absent if the rail uses our id. */
  railMessageId?: string | null;
  /** The time of the message's delivery or failure, by the rail's clock. */
  occurredAt: Date | null;
};

/** A recipient's reply to an SMS. */
export type SmsReply = {
  /** `from`: the phone of the person who replied, in E.164. */
  from: string;
  /** `to`: the sender name of the message to which the recipient replied. */
  to: string;
  text: string;
  /** The message to which the recipient replied, if the rail knows it. */
  messageId: string | null;
};

/** Identifies an SMS in a status query. The message was sent, or it may have been. */
export type SmsQuery = Pick<SmsOrder, 'messageId' | 'to' | 'text'> & {
  railMessageId: string | null;
  /** `sentAt`: the time of the first call that sent the message. Null if it was not recorded. */
  sentAt: Date | null;
};

/** The client of an SMS rail. Its promises never reject because of the rail or the network. */
export type SmsRail = {
  /** Sends an SMS. The same order may be sent again only if the capability `idempotent` is true. */
  send(order: SmsOrder): Promise<SmsOutcome>;
  query(message: SmsQuery): Promise<SmsOutcome>;
};
