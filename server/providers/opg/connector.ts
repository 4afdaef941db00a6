// The connector of ProxyPay OPG v1, vPOS and Positiva, whose APIs are two dialects of one API.
// Both dialects have pushes, and only ProxyPay's has QR codes.
import { parseAnswer, readFields, readText } from '../rail-call.ts';
import type { Connector, GpoCapabilities, RailNotification, Probe, NotificationItem } from '../connector.ts';
import { createOpgRail } from './client.ts';
import { opgSecrets, opgSettings, type OpgAccount, type OpgSecrets, type OpgSettings } from './settings.ts';
import { createOpgWire, readId, type OpgResponse } from './wire.ts';

const CAPABILITIES: GpoCapabilities = {
  kind: 'gpo',
  purchase: true,
  authorization: false,
  partialCapture: false,
  refund: 'whole',
  refundRepeat: false,
  qr: 'single',
  qrContent: 'text',
  qrWithdraw: false,
  deeplink: true,
  terminals: false,
  gpoIds: false,
  query: 'rail_id',
  // Orders are never repeated, since the providers do not document the effect of a repeated Idempotency-Key.
  repeat: 'never',
  amounts: { stepMinor: 1, minMinor: 100, maxMinor: 1_000_000_000 },
  currencies: ['AOA'],
  windowMs: 90_000,
  wallets: [],
};

/** The connector of ProxyPay OPG and vPOS. */
export const opgConnector: Connector<OpgSettings, OpgSecrets> = {
  name: 'opg',
  kinds: ['gpo'],
  settings: opgSettings,
  secrets: opgSecrets,
  capabilities: (_kind, { dialect }) =>
    dialect === 'proxypay' ? CAPABILITIES : { ...CAPABILITIES, qr: 'none', deeplink: false },
  open: createOpgRail,
  probe,
  // Notifications have no signature. One at an attempt's secret URL is a hint, and any other is refused.
  verify: ({ attemptId }: RailNotification) => (attemptId === null ? 'refused' : 'hint'),
  read: (body, { attemptId }) => readNotification(body, attemptId),
  reply: { status: 200, body: '' },
};

/** The path of a transaction that cannot exist. */
const PROBE_PATH = '/transactions/balcao-probe';

/** Tests the access token by a query for a transaction that cannot exist, since no list or token endpoint exists. */
async function probe(account: OpgAccount): Promise<Probe> {
  return judgeProbe(await createOpgWire(account).get(PROBE_PATH));
}

const PROBES: Readonly<Record<number, Probe>> = {
  404: { result: 'ok' },
  401: { result: 'wrong_secret', detail: 'The rail does not know this token.' },
  403: { result: 'not_allowed', detail: 'The rail knows this token but refuses it access.' },
};

function judgeProbe(response: OpgResponse): Probe {
  if ('status' in response) return PROBES[response.status] ?? judgeStatus(response.status);
  if (response.code === 'blocked') return { result: 'wrong_host', detail: 'This gateway may not call that host.' };
  if (response.code === 'too_large')
    return { result: 'wrong_host', detail: 'The host does not answer like an OPG rail.' };
  return { result: 'no_connection', detail: `The rail did not answer: ${response.message}.` };
}

function judgeStatus(status: number): Probe {
  if (status === 429 || status >= 500) {
    return { result: 'no_connection', detail: `The rail cannot answer at the moment (${status}).` };
  }
  return { result: 'wrong_host', detail: `The host answers ${status} where an OPG rail answers 404.` };
}

/** Reads a hint from a callback, which contains the transaction. A QR code's rail id is the id of its charge. */
function readNotification(body: string, attemptId: string | null): NotificationItem[] {
  const transaction = readFields(parseAnswer(body));
  const id = readId(transaction.id);
  if (!id) return [];
  const codes = [transaction.status, transaction.status_reason].map((code) => readText(code) ?? 'null');
  const railOrderId = readId(transaction.charge_id) ?? id;
  return [
    {
      notificationId: [id, ...codes].join(':'),
      about: 'hint',
      attempt: { attemptId, railKey: null, railOrderId },
    },
  ];
}
