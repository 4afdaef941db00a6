// QR codes of ProxyPay OPG: a charge is made, its link opens the payer's app, and one scan of it brings money. vPOS has none.
import { toDecimal } from '../../../shared/money.ts';
import { NO_CODE, makeUnknownQr, parseAnswer, pickTexts, readFields, readText, readTime } from '../ask.ts';
import type { GpoRail, QrOrder, QrOutcome, QrScan } from '../provider.ts';
import type { OpgAccount } from './settings.ts';
import { OPG_CURRENCY, readTransactionAnswer } from './transaction.ts';
import { explainHeard, isSuccess, judgePost, readId, UNSUPPORTED, type OpgHeard, type OpgWire } from './wire.ts';

/** The merchant waits for the code's image (decisions §3). */
const QR_TIMEOUT_MS = 10_000;
/** As long as a QR code can be and still be read off a screen. */
const MAX_CONTENT = 512;
const MAX_LINK = 1024;

/** The half of an account's client that makes codes and asks about them. */
export function createOpgCodes(
  account: OpgAccount,
  wire: OpgWire,
  posId: string,
): Pick<GpoRail, 'createQrCode' | 'queryQrCode'> {
  const hasCodes = account.settings.dialect === 'proxypay';

  const readScan = async (chargeId: string, id: string): Promise<QrScan | 'none' | 'unreadable'> => {
    const heard = await wire.get(`/transactions/${encodeURIComponent(id)}`);
    const { result, providerRef, amountMinor, ...told } = readTransactionAnswer(heard, {
      id,
      posId,
      chargeId,
      parentId: null,
    });
    if (result !== 'approved' || providerRef === null || amountMinor === null) {
      return result === 'unknown' ? 'unreadable' : 'none';
    }
    return { providerRef, amountMinor, currency: OPG_CURRENCY, occurredAt: told.occurredAt, details: told.details };
  };

  const readCharge = async (value: unknown, askedId: string | null): Promise<QrOutcome> => {
    const charge = readFields(value);
    const id = readId(charge.id);
    if (!id) return makeUnknownQr('unreadable');
    if (askedId !== null && id !== askedId) return makeUnknownQr('other_qrcode', { railId: id });

    const status = readText(charge.status) ?? '';
    const transactionId = readId(charge.transaction_id);
    // Money is told of whatever became of the code; a used one without its transaction hides some.
    const isSilent = status !== 'used' && (charge.transaction_id ?? null) === null;
    const scan = transactionId ? await readScan(id, transactionId) : isSilent ? 'none' : 'unreadable';
    const content = readText(charge.qrref, MAX_CONTENT);
    const fault = !MADE.includes(status) ? 'status_unknown' : content === null ? 'content_unreadable' : null;
    const reason = fault ?? (scan === 'unreadable' ? 'scan_unreadable' : null);
    return {
      result: fault ? 'unknown' : 'made',
      failureCode: null,
      railOrderId: id,
      content,
      deeplink: readDeeplink(charge.deeplink) ?? readDeeplink(charge.deeplink_redirect),
      endsAt: readTime(charge.expires_at),
      scans: typeof scan === 'string' ? [] : [scan],
      details: { ...pickTexts(charge, { railStatus: 'status' }), ...(reason && { reason }) },
    };
  };

  return {
    async createQrCode(order) {
      if (!hasCodes || !isPlain(order)) return { ...NO_CODE, ...UNSUPPORTED };
      const timeoutMs = Math.min(account.timeoutMs, QR_TIMEOUT_MS);
      const heard = await wire.post('/charges', order.attemptId, writeCharge(order, posId), timeoutMs);
      return isSuccess(heard) ? readCharge(parseAnswer(heard.body), null) : { ...NO_CODE, ...judgePost(heard) };
    },
    async queryQrCode({ railOrderId }) {
      if (!hasCodes) return { ...NO_CODE, ...UNSUPPORTED };
      const id = readId(railOrderId);
      if (!id) return makeUnknownQr('no_rail_id');
      const heard: OpgHeard = await wire.get(`/charges/${encodeURIComponent(id)}`);
      const isTold = 'status' in heard && heard.status === 200;
      const outcome = isTold
        ? await readCharge(parseAnswer(heard.body), id)
        : { ...NO_CODE, details: explainHeard(heard) };
      return { ...outcome, railOrderId: id };
    },
  };
}

/** One scan of one amount in kwanzas: there are no others. */
function isPlain({ currency, maxTransactions }: QrOrder): boolean {
  return currency === OPG_CURRENCY && maxTransactions === 1;
}

/** The body that makes a code. The rail chooses its end. */
function writeCharge({ amountMinor, currency, notifyUrl }: QrOrder, posId: string) {
  return { pos_id: Number(posId), amount: toDecimal(amountMinor, currency), callback_url: notifyUrl };
}

/** The rail's words for a code; with any other nobody knows what it is. Used and expired ones were made too. */
const MADE: readonly string[] = ['active', 'used', 'expired'];

/** What opens something else than the payer's app, or opens it where others can read along. */
const REFUSED_SCHEMES: readonly string[] = [
  'about',
  'blob',
  'data',
  'file',
  'filesystem',
  'ftp',
  'http',
  'javascript',
  'vbscript',
  'view-source',
  'ws',
  'wss',
];

/** A link that opens an app, or null: it becomes the target of a button on the payer's page. */
function readDeeplink(value: unknown): string | null {
  const link = readText(value, MAX_LINK);
  const scheme = link && /^([a-z][a-z0-9+.-]*):\/\/[^\s"'<>`\\]+$/.exec(link)?.[1];
  return scheme && !REFUSED_SCHEMES.includes(scheme) && URL.canParse(link) ? link : null;
}
