// AppyPay v2.0: Multicaixa Express, QR codes, Unitel Money and payment by reference under one contract.
import { equalsSecret } from '../../secrets.ts';
import { parseAnswer, readFields, readText } from '../rail-call.ts';
import type { Connector, GpoCapabilities, RailNotification, PprCapabilities, NotificationItem } from '../connector.ts';
import { probeAccess } from './access.ts';
import { keyOf } from './charges.ts';
import { UNITEL_MONEY, UNITEL_MONEY_MIN_MINOR, createGpoClient } from './push.ts';
import { MAX_BULK_REFERENCES, OPEN_BOUNDS, createPprClient } from './references.ts';
import { createRefunds } from './refunds.ts';
import { createStatement } from './statement.ts';
import { secrets, settings, type AppyPayAccount, type AppyPaySecrets, type AppyPaySettings } from './settings.ts';

/** The connector of AppyPay. */
export const appypay: Connector<AppyPaySettings, AppyPaySecrets> = {
  name: 'appypay',
  kinds: ['gpo', 'ppr'],
  settings,
  secrets,
  findMissingSettings(kind, { methods: { gpo, umm, ref } }) {
    if (kind === 'ppr') return ref ? [] : ['/methods/ref'];
    return gpo || umm ? [] : ['/methods/gpo'];
  },
  capabilities: (kind, { methods }) => (kind === 'ppr' ? describePpr(methods) : describeGpo(methods)),
  open: (account) =>
    account.kind === 'ppr'
      ? { ppr: createPprClient(account), statement: createStatement(account) }
      : { gpo: createGpoClient(account), refunds: createRefunds(account), statement: createStatement(account) },
  probe: probeAccess,
  keyOf,
  verify: checkHeader,
  read: readNotification,
  // AppyPay treats every other HTTP status as a failed delivery of its webhook.
  reply: { status: 200, body: '' },
};

type Methods = AppyPaySettings['methods'];

const AMOUNTS = { stepMinor: 1, ...OPEN_BOUNDS };
const CURRENCIES = ['AOA'];

function describeGpo({ gpo, umm }: Methods): GpoCapabilities {
  return {
    kind: 'gpo',
    purchase: Boolean(gpo),
    authorization: false,
    partialCapture: false,
    refund: 'part',
    refundRepeat: false,
    qr: gpo ? 'multiple' : 'none',
    qrContent: 'png',
    qrWithdraw: false,
    deeplink: false,
    terminals: false,
    gpoIds: false,
    query: 'own_id',
    repeat: 'refused_if_known',
    amounts: AMOUNTS,
    currencies: CURRENCIES,
    windowMs: 90_000,
    wallets: umm ? [UNITEL_MONEY] : [],
    walletAmounts: { ...AMOUNTS, minMinor: UNITEL_MONEY_MIN_MINOR },
  };
}

function describePpr({ ref }: Methods): PprCapabilities {
  const isPossible = Boolean(ref);
  return {
    kind: 'ppr',
    ownDigits: isPossible,
    withdraw: false,
    reopens: false,
    openAmount: isPossible,
    repeated: isPossible,
    expiry: 'day',
    feed: 'window',
    query: isPossible,
    refund: 'none',
    refundRepeat: false,
    bulk: isPossible ? MAX_BULK_REFERENCES : 0,
    amounts: AMOUNTS,
    currencies: CURRENCIES,
  };
}

/** Checks the webhook's fixed header, which filters other senders but signs no body. So no notification is proven. */
function checkHeader(
  { headers }: RailNotification,
  { secrets: { notificationHeader } }: AppyPayAccount,
): 'hint' | 'refused' {
  if (!notificationHeader) return 'hint';
  const received = headers[notificationHeader.name.toLowerCase()];
  return typeof received === 'string' && equalsSecret(received, notificationHeader.value) ? 'hint' : 'refused';
}

/** Reads a hint: the charge's ids, or the digits of a reference. */
function readNotification(body: string): NotificationItem[] {
  const charge = readFields(parseAnswer(body, ['referenceNumber']));
  const railOrderId = readText(charge.id);
  if (!railOrderId) return [];
  const code = readText(readFields(charge.responseStatus).code) ?? '';
  const notificationId = `${railOrderId}:${code}`;
  const digits = readText(readFields(charge.reference).referenceNumber) ?? '';
  if (/^\d{9,15}$/.test(digits)) return [{ notificationId, about: 'hint', reference: digits }];
  const railKey = readText(charge.merchantTransactionId);
  return [{ notificationId, about: 'hint', attempt: { attemptId: null, railKey, railOrderId } }];
}
