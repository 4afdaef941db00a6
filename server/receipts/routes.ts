// Sends the receipt of a payment by SMS or mail. The gateway writes its text, so a cashier may send it.
import { z } from 'zod';
import { normalizeEmail } from '../../shared/email.ts';
import { normalizePhone } from '../../shared/phone.ts';
import { describeReceipt, hasReceipt, writeReceiptSms, type ReceiptData } from '../../shared/receipt.ts';
import type { Core } from '../core.ts';
import { prepared, type Db } from '../database/db.ts';
import { uuidText } from '../http/fields.ts';
import { runKeyed } from '../http/idempotency.ts';
import { Problem, type Fault } from '../http/problem.ts';
import { route, type Route } from '../http/route.ts';
import { writeMail } from '../mail/write.ts';
import { findMerchant } from '../merchants/find.ts';
import { listCashiers } from '../payments/core/creator.ts';
import { byId, describePayment } from '../payments/read.ts';
import { viewRefund } from '../payments/refund/view.ts';
import { acceptSending } from '../sms/send.ts';
import { RECEIPT_CHANNELS } from './entities.ts';
import { countReceipt, MAX_OF_MERCHANT, MAX_OF_PAYMENT } from './limit.ts';

/** Maximum length of a recipient as typed, with the separators of a phone number. */
const MAX_RECIPIENT = 320;

const sending = z.object({
  channel: z.enum(RECEIPT_CHANNELS),
  to: z
    .string()
    .min(1)
    .max(MAX_RECIPIENT)
    .describe('sms: an Angolan mobile number. mail: an e-mail address. The gateway keeps it only with the message'),
  transactionId: uuidText
    .nullish()
    .describe('The only transaction of the receipt, for a payment that several customers pay'),
});

const sent = z
  .object({
    channel: z.enum(RECEIPT_CHANNELS),
    units: z.int().describe('The debited SMS units. 0 for a mail'),
  })
  .meta({ id: 'SentReceipt' });

export function receiptRoutes(core: Core): Route[] {
  return [
    route({
      method: 'POST',
      path: '/api/payments/{paymentId}/receipt',
      operationId: 'sendReceipt',
      tag: 'Payments',
      summary: 'Send the receipt of a payment',
      description:
        'The gateway writes the text in your default language, with all transactions and successful refunds. An SMS ' +
        `costs units like \`POST /api/Envio/enviarSms\`. In an hour, one payment has at most ${MAX_OF_PAYMENT} ` +
        `receipts, and a merchant at most ${MAX_OF_MERCHANT}.`,
      access: { kind: 'bearer', scope: 'payments:write' },
      bucket: 'write',
      params: byId,
      body: sending,
      checkBody: checkRecipient,
      idempotent: true,
      example: { channel: 'sms', to: '923456789' },
      refusals: {
        404: 'not_found: no such payment; `errors` names an unknown transaction',
        409:
          'receipt_unavailable: the payment received no money; sms_unavailable; insufficient_sms_balance; ' +
          'recipient_opted_out: the person refuses your SMS; idempotency_in_progress',
        429: 'too_many_receipts, with Retry-After',
      },
      answers: { 202: { description: 'Accepted. The message is sent after the answer', schema: sent } },
      async run({ caller: { merchantId }, params, body: { channel, to, transactionId }, keyed }) {
        const receipt = await collectReceipt(core, { merchantId, ...params, transactionId });
        return runKeyed(core, { merchantId, keyed }, async (db) => {
          await countReceipt(core, db, { merchantId, paymentId: receipt.paymentId, channel });
          const units = await SENDERS[channel](core, db, { merchantId, to, data: receipt.data });
          return { status: 202, body: { channel, units } };
        });
      },
    }),
  ];
}

const RECIPIENTS = {
  sms: { normalize: normalizePhone, code: 'invalid_phone' },
  mail: { normalize: normalizeEmail, code: 'invalid_email' },
} as const;

/** Returns a fault for a recipient that the channel cannot reach. */
function checkRecipient(input: unknown): Fault[] {
  const { channel, to } = (input ?? {}) as { channel?: unknown; to?: unknown };
  const rule = RECEIPT_CHANNELS.find((each) => each === channel);
  if (!rule || typeof to !== 'string' || to === '' || to.length > MAX_RECIPIENT) return [];
  const { normalize, code } = RECIPIENTS[rule];
  return normalize(to) === null ? [{ pointer: '/to', code }] : [];
}

type Wanted = { merchantId: string; paymentId: string; transactionId: string | null | undefined };

/** Collects the data of a receipt. @throws Problem not_found, receipt_unavailable */
async function collectReceipt(core: Core, { merchantId, paymentId, transactionId }: Wanted) {
  const payment = await describePayment(core, merchantId, paymentId);
  if (!hasReceipt(payment)) throw new Problem('receipt_unavailable');
  const only = transactionId?.toLowerCase();
  if (only && !payment.transactions.some(({ id }) => id === only))
    throw new Problem('not_found', { faults: [{ pointer: '/transactionId', code: 'unknown_id' }] });
  const refunds = payment.amountRefunded > 0 ? await listRefunds.all(core, { paymentId: payment.internalId }) : [];
  const { createdBy } = payment;
  const people = createdBy ? await listCashiers.all(core, { merchantId }) : [];
  const { name, taxId = null } = await findMerchant(core, merchantId);
  const data: ReceiptData = {
    payment,
    refunds: refunds.map(viewRefund),
    shop: { name, taxId },
    servedBy: people.find(({ id }) => id === createdBy)?.name ?? null,
    transactionId: only,
  };
  return { paymentId: payment.internalId, data };
}

const listRefunds = prepared((tables, { paymentId }: { paymentId: string }) =>
  tables.selectFrom('refunds').selectAll().where('paymentId', '=', paymentId).where('status', '=', 'Succeeded'),
);

type Message = { merchantId: string; to: string; data: ReceiptData };

/** Writes the message of a channel in the transaction `db`, and returns its SMS units. */
const SENDERS = {
  async sms(core: Core, db: Db, { merchantId, to, data }: Message): Promise<number> {
    const { defaultLanguage } = await findMerchant(core, merchantId);
    const ownTexts = [{ phone: normalizePhone(to) ?? '', text: writeReceiptSms(defaultLanguage, data) }];
    const request = { ownTexts };
    const accepted = await acceptSending(core, db, { merchantId, request, runAt: null, faults: [] });
    if (accepted.recusados > 0) throw new Problem('recipient_opted_out');
    return accepted.unidades;
  },
  async mail(core: Core, db: Db, { merchantId, to, data }: Message): Promise<number> {
    const { defaultLanguage: language } = await findMerchant(core, merchantId);
    const values = { receipt: describeReceipt(language, data) };
    await writeMail(core, db, { merchantId, to: normalizeEmail(to) ?? '', language, template: 'receipt', values });
    return 0;
  },
} as const;
