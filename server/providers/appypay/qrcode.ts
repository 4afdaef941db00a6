// QR codes over AppyPay: it draws them, tells their text to nobody, and lists their payments among its charges.
import { NO_CODE, readFields, readMoney, readText, type RailAnswer } from '../ask.ts';
import type { GpoRail, QrOrder, QrOutcome, QrScan } from '../provider.ts';
import type { AppyPayAsk } from './access.ts';
import {
  PAGE_SIZE,
  explainError,
  explainMiss,
  judgeStatus,
  keyOf,
  listCharges,
  luandaDay,
  parseCharge,
  readDetails,
  readStanding,
  writeAmount,
  writeDescription,
} from './charges.ts';
import { readStatus } from './codes.ts';
import type { AppyPayAccount } from './settings.ts';

const MAX_PICTURE = 200 * 1024;
/** The picture, and the words around it. */
const MAX_ANSWER_BYTES = MAX_PICTURE + 16 * 1024;
/** 10,000 scans. */
const MAX_PAGES = 100;

/** The part of an account's GPO client that makes codes and reads their scans. */
export function createQrCodes(
  ask: AppyPayAsk,
  { settings, clock }: AppyPayAccount,
): Pick<GpoRail, 'createQrCode' | 'queryQrCode'> {
  return {
    async createQrCode(order) {
      const paymentMethod = settings.methods.gpo;
      if (!paymentMethod) return { ...NO_CODE, ...REFUSED, details: { reason: 'method_missing' } };
      return ask<QrOutcome>({
        method: 'POST',
        path: '/qr-codes',
        body: writeQrCode(order, paymentMethod, clock.now()),
        maxBytes: MAX_ANSWER_BYTES,
        read: readQrAnswer,
        miss: (error) => ({ ...NO_CODE, ...(error.code === 'token_refused' && REFUSED), details: explainMiss(error) }),
      });
    },
    queryQrCode: ({ attemptId }) => listScans(ask, keyOf(attemptId)),
  };
}

/** Our end is a moment, theirs a day of Luanda: what is paid between the two is late money, told as any other. */
function writeQrCode(order: QrOrder, paymentMethod: string, now: Date): string {
  const { amountMinor, currency, maxTransactions } = order;
  const amount = writeAmount(amountMinor, currency);
  const lastMoment = new Date(order.endDate.getTime() - 1);
  const many = { minAmount: amount, maxTransactions, startDate: luandaDay(now), endDate: luandaDay(lastMoment) };
  return JSON.stringify({
    amount,
    currency,
    merchantTransactionId: keyOf(order.attemptId),
    paymentMethod,
    description: writeDescription(order.description) || writeDescription(order.reference) || 'Pagamento',
    qrCodeType: maxTransactions === 1 ? 'SINGLE' : 'MULTIPLE',
    ...(maxTransactions > 1 && many),
  });
}

/** Only a code whose picture we hold was made: nobody can pay one that nobody has seen. */
function readQrAnswer(answer: RailAnswer): QrOutcome {
  if (answer.status !== 200 && answer.status !== 201) return { ...NO_CODE, details: explainError(answer) };
  const code = parseCharge(answer.body);
  const status = readStatus(code.responseStatus);
  const railOrderId = readText(code.id);
  const told = { ...NO_CODE, railOrderId, details: status.words };
  if (status.meaning !== 'qr_made') {
    const { result, failureCode, details } = judgeStatus(status, false);
    const reason = details.reason ?? 'code_unknown';
    return result === 'declined' ? { ...told, result, failureCode } : { ...told, details: { ...status.words, reason } };
  }
  const content = readPicture(code.qrCodeArr);
  return content
    ? { ...told, result: 'made', content }
    : { ...told, details: { ...status.words, reason: 'content_unreadable' } };
}

function readPicture(value: unknown): string | null {
  if (typeof value !== 'string' || value.length > MAX_PICTURE || !/^[A-Za-z0-9+/]+={0,2}$/.test(value)) return null;
  const bytes = Buffer.from(value, 'base64');
  const isWhole = bytes.toString('base64') === value;
  return isWhole && bytes.subarray(0, PNG.length).equals(PNG) ? `data:image/png;base64,${value}` : null;
}

const PNG = Buffer.from('89504e470d0a1a0a', 'hex');

/** Each approved charge under the code's key is a scan. Of the code itself nothing can be asked. */
async function listScans(ask: AppyPayAsk, key: string): Promise<QrOutcome> {
  const scans: QrScan[] = [];
  const seen = new Set<unknown>();
  let isReadable = true;
  let skip = 0;
  for (let page = 0; page < MAX_PAGES; page++) {
    const list = await listCharges(ask, { merchantTransactionId: key, skip, limit: PAGE_SIZE });
    if (list.charges === null) return { ...NO_CODE, scans, details: list.details };
    const charges = list.charges.map(readFields).filter(({ id }) => !seen.has(id));
    // At the end, or where the pages turn in circles.
    if (charges.length === 0) break;
    skip += list.charges.length;
    for (const charge of charges) {
      seen.add(charge.id);
      const standing = readStanding(charge);
      if (charge.merchantTransactionId !== key || standing?.meaning !== 'approved') continue;
      const scan = standing.isContradicted ? null : readQrScan(charge);
      if (scan) scans.push(scan);
      else isReadable = false;
    }
  }
  if (!isReadable) return { ...NO_CODE, scans, details: { reason: 'scan_unreadable' } };
  return { ...NO_CODE, result: 'told', scans };
}

function readQrScan(charge: Record<string, unknown>): QrScan | null {
  const money = readMoney({ ...charge, transactionId: charge.id });
  return 'fault' in money ? null : { ...money, occurredAt: null, details: readDetails(charge) };
}

const REFUSED = { result: 'declined', failureCode: 'acquirer_setup' } as const;
