// QR codes through AppyPay. AppyPay returns an image without the code's text, and lists the payments as charges.
import { UNKNOWN_QR, readFields, readMoney, readText, type RailAnswer } from '../rail-call.ts';
import type { GpoRail, QrOrder, QrOutcome, QrScan } from '../provider.ts';
import type { AppyPayCall } from './access.ts';
import {
  PAGE_SIZE,
  explainError,
  explainFailure,
  judgeStatus,
  keyOf,
  listCharges,
  luandaDay,
  parseCharge,
  readDetails,
  readChargeStatus,
  writeAmount,
  writeDescription,
} from './charges.ts';
import { readStatus } from './codes.ts';
import type { AppyPayAccount } from './settings.ts';

const MAX_IMAGE_CHARS = 200 * 1024;
/** Size limit of an answer with a QR code: the image and the JSON around it. */
const MAX_ANSWER_BYTES = MAX_IMAGE_CHARS + 16 * 1024;
/** Maximum pages of scans: 100 charges a page make 10,000 scans. */
const MAX_PAGES = 100;

/** Creates the part of the GPO client that orders QR codes and queries their scans. */
export function createQrCodes(
  call: AppyPayCall,
  { settings, clock }: AppyPayAccount,
): Pick<GpoRail, 'createQrCode' | 'queryQrCode'> {
  return {
    async createQrCode(order) {
      const paymentMethod = settings.methods.gpo;
      if (!paymentMethod) return { ...UNKNOWN_QR, ...REFUSED, details: { reason: 'method_missing' } };
      return call<QrOutcome>({
        method: 'POST',
        path: '/qr-codes',
        body: writeQrCode(order, paymentMethod, clock.now()),
        maxBytes: MAX_ANSWER_BYTES,
        read: readQrAnswer,
        onFailure: (error) => ({
          ...UNKNOWN_QR,
          ...(error.code === 'token_refused' && REFUSED),
          details: explainFailure(error),
        }),
      });
    },
    queryQrCode: ({ attemptId }) => listScans(call, keyOf(attemptId)),
  };
}

/** Writes a QR code order. AppyPay's codes expire by day, ours by time. Payments in between count as late payments. */
function writeQrCode(order: QrOrder, paymentMethod: string, now: Date): string {
  const { amountMinor, currency, maxTransactions } = order;
  const amount = writeAmount(amountMinor, currency);
  const lastMoment = new Date(order.endDate.getTime() - 1);
  const multiple = { minAmount: amount, maxTransactions, startDate: luandaDay(now), endDate: luandaDay(lastMoment) };
  return JSON.stringify({
    amount,
    currency,
    merchantTransactionId: keyOf(order.attemptId),
    paymentMethod,
    description: writeDescription(order.description) || writeDescription(order.reference) || 'Pagamento',
    qrCodeType: maxTransactions === 1 ? 'SINGLE' : 'MULTIPLE',
    ...(maxTransactions > 1 && multiple),
  });
}

/** Reads the answer to a QR code order. A code without an image does not count as created: payers cannot see it. */
function readQrAnswer(answer: RailAnswer): QrOutcome {
  if (answer.status !== 200 && answer.status !== 201) return { ...UNKNOWN_QR, details: explainError(answer) };
  const code = parseCharge(answer.body);
  const status = readStatus(code.responseStatus);
  const railOrderId = readText(code.id);
  const base = { ...UNKNOWN_QR, railOrderId, details: status.railDetails };
  if (status.meaning !== 'qr_made') {
    const { result, failureCode, details } = judgeStatus(status, false);
    const reason = details.reason ?? 'code_unknown';
    return result === 'declined'
      ? { ...base, result, failureCode }
      : { ...base, details: { ...status.railDetails, reason } };
  }
  const content = readImage(code.qrCodeArr);
  return content
    ? { ...base, result: 'made', content }
    : { ...base, details: { ...status.railDetails, reason: 'content_unreadable' } };
}

function readImage(value: unknown): string | null {
  if (typeof value !== 'string' || value.length > MAX_IMAGE_CHARS || !/^[A-Za-z0-9+/]+={0,2}$/.test(value)) return null;
  const bytes = Buffer.from(value, 'base64');
  const isWhole = bytes.toString('base64') === value;
  return isWhole && bytes.subarray(0, PNG.length).equals(PNG) ? `data:image/png;base64,${value}` : null;
}

const PNG = Buffer.from('89504e470d0a1a0a', 'hex');

/** Lists a QR code's scans: each approved charge with the code's key. AppyPay has no query for the code itself. */
async function listScans(call: AppyPayCall, key: string): Promise<QrOutcome> {
  const scans: QrScan[] = [];
  const seen = new Set<unknown>();
  let isReadable = true;
  let skip = 0;
  for (let page = 0; page < MAX_PAGES; page++) {
    const list = await listCharges(call, { merchantTransactionId: key, skip, limit: PAGE_SIZE });
    if (list.charges === null) return { ...UNKNOWN_QR, scans, details: list.details };
    const charges = list.charges.map(readFields).filter(({ id }) => !seen.has(id));
    // An empty page means that the list has ended, or that AppyPay repeats its pages.
    if (charges.length === 0) break;
    skip += list.charges.length;
    for (const charge of charges) {
      seen.add(charge.id);
      const chargeStatus = readChargeStatus(charge);
      if (charge.merchantTransactionId !== key || chargeStatus?.meaning !== 'approved') continue;
      const scan = chargeStatus.isContradicted ? null : readQrScan(charge);
      if (scan) scans.push(scan);
      else isReadable = false;
    }
  }
  if (!isReadable) return { ...UNKNOWN_QR, scans, details: { reason: 'scan_unreadable' } };
  return { ...UNKNOWN_QR, result: 'told', scans };
}

function readQrScan(charge: Record<string, unknown>): QrScan | null {
  const money = readMoney({ ...charge, transactionId: charge.id });
  return 'fault' in money ? null : { ...money, occurredAt: null, details: readDetails(charge) };
}

const REFUSED = { result: 'declined', failureCode: 'acquirer_setup' } as const;
