// Sent receipts, which count for the limits of receipts. They have no phone number and no e-mail address.
import { defineEntity, p } from '@mikro-orm/core';

export const RECEIPT_CHANNELS = ['sms', 'mail'] as const;
export type ReceiptChannel = (typeof RECEIPT_CHANNELS)[number];

export const SentReceiptSchema = defineEntity({
  name: 'SentReceipt',
  tableName: 'sent_receipts',
  properties: {
    id: p.uuid().primary(),
    merchantId: p.uuid(),
    paymentId: p.uuid(),
    channel: p.text().$type<ReceiptChannel>(),
    createdAt: p.datetime(3),
  },
  indexes: [{ name: 'sent_receipts_list', properties: ['merchantId', 'createdAt'] }],
});

export class SentReceipt extends SentReceiptSchema.class {}
SentReceiptSchema.setClass(SentReceipt);

/** Adds the table of sent receipts to the typed queries. */
declare module '../database/db.ts' {
  interface Tables extends TablesOf<typeof SentReceiptSchema> {}
}
