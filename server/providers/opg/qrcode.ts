// QR codes of ProxyPay OPG, which calls them charges. A QR code accepts one payment, and vPOS has no QR codes.
// The link of a QR code opens the payer's app.
import { toDecimal } from '../../../shared/money.ts';
import { UNKNOWN_QR, makeUnknownQr, parseAnswer, pickTexts, readFields, readText, readTime } from '../rail-call.ts';
import type { GpoRail, QrOrder, QrOutcome, QrScan } from '../provider.ts';
import type { OpgAccount } from './settings.ts';
import { OPG_CURRENCY, readTransactionAnswer } from './transaction.ts';
import { explainResponse, isSuccess, judgePost, readId, UNSUPPORTED, type OpgResponse, type OpgWire } from './wire.ts';

/** Short timeout of a call for a QR code, because the merchant's request waits for the code. */
const QR_TIMEOUT_MS = 10_000;
/** Maximum length of a QR code's text. Cameras cannot read a longer code from a screen. */
const MAX_CONTENT = 512;
const MAX_LINK = 1024;

/** Creates the part of the OPG client that orders and queries QR codes. */
export function createOpgCodes(
  account: OpgAccount,
  wire: OpgWire,
  posId: string,
): Pick<GpoRail, 'createQrCode' | 'queryQrCode'> {
  const hasCodes = account.settings.dialect === 'proxypay';

  const readScan = async (chargeId: string, id: string): Promise<QrScan | 'none' | 'unreadable'> => {
    const response = await wire.get(`/transactions/${encodeURIComponent(id)}`);
    const { result, providerRef, amountMinor, ...rest } = readTransactionAnswer(response, {
      id,
      posId,
      chargeId,
      parentId: null,
    });
    if (result !== 'approved' || providerRef === null || amountMinor === null) {
      return result === 'unknown' ? 'unreadable' : 'none';
    }
    return { providerRef, amountMinor, currency: OPG_CURRENCY, occurredAt: rest.occurredAt, details: rest.details };
  };

  const readCharge = async (value: unknown, wantedId: string | null): Promise<QrOutcome> => {
    const charge = readFields(value);
    const id = readId(charge.id);
    if (!id) return makeUnknownQr('unreadable');
    if (wantedId !== null && id !== wantedId) return makeUnknownQr('other_qrcode', { railId: id });

    const status = readText(charge.status) ?? '';
    const transactionId = readId(charge.transaction_id);
    // The outcome has the QR code's payment in every state. A used code without a transaction hides a payment.
    const hasNoScan = status !== 'used' && (charge.transaction_id ?? null) === null;
    const scan = transactionId ? await readScan(id, transactionId) : hasNoScan ? 'none' : 'unreadable';
    const content = readText(charge.qrref, MAX_CONTENT);
    const fault = !EXISTING_STATUSES.includes(status)
      ? 'status_unknown'
      : content === null
        ? 'content_unreadable'
        : null;
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
      if (!hasCodes || !isSupported(order)) return { ...UNKNOWN_QR, ...UNSUPPORTED };
      const timeoutMs = Math.min(account.timeoutMs, QR_TIMEOUT_MS);
      const response = await wire.post('/charges', order.attemptId, writeCharge(order, posId), timeoutMs);
      return isSuccess(response)
        ? readCharge(parseAnswer(response.body), null)
        : { ...UNKNOWN_QR, ...judgePost(response) };
    },
    async queryQrCode({ railOrderId }) {
      if (!hasCodes) return { ...UNKNOWN_QR, ...UNSUPPORTED };
      const id = readId(railOrderId);
      if (!id) return makeUnknownQr('no_rail_id');
      const response: OpgResponse = await wire.get(`/charges/${encodeURIComponent(id)}`);
      const isFound = 'status' in response && response.status === 200;
      const outcome = isFound
        ? await readCharge(parseAnswer(response.body), id)
        : { ...UNKNOWN_QR, details: explainResponse(response) };
      return { ...outcome, railOrderId: id };
    },
  };
}

/** True for a QR code that the rail supports: one payment in kwanzas. */
function isSupported({ currency, maxTransactions }: QrOrder): boolean {
  return currency === OPG_CURRENCY && maxTransactions === 1;
}

/** Writes the body of a QR code order. The rail chooses the code's expiry. */
function writeCharge({ amountMinor, currency, notifyUrl }: QrOrder, posId: string) {
  return { pos_id: Number(posId), amount: toDecimal(amountMinor, currency), callback_url: notifyUrl };
}

/** The rail's statuses of an existing QR code. Any other status leaves the code unknown. */
const EXISTING_STATUSES: readonly string[] = ['active', 'used', 'expired'];

/** URL schemes that never open the payer's app, or that send the link unencrypted. */
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

/** Reads a link that opens the payer's app. Null if the link is unsafe as a button of the payer's page. */
function readDeeplink(value: unknown): string | null {
  const link = readText(value, MAX_LINK);
  const scheme = link && /^([a-z][a-z0-9+.-]*):\/\/[^\s"'<>`\\]+$/.exec(link)?.[1];
  return scheme && !REFUSED_SCHEMES.includes(scheme) && URL.canParse(link) ? link : null;
}
