// The connector of the OPG family: ProxyPay OPG v1, vPOS and Positiva speak two dialects of one API, push and (ProxyPay) QR code.
import { parseAnswer, readFields, readText } from '../ask.ts';
import type { Connector, GpoCapabilities, Notification, Probe, RailNews } from '../connector.ts';
import { createOpgRail } from './client.ts';
import { opgSecrets, opgSettings, type OpgAccount, type OpgSecrets, type OpgSettings } from './settings.ts';
import { createOpgWire, readId, type OpgHeard } from './wire.ts';

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
  // What a second sending of the same Idempotency-Key does is not published.
  repeat: 'never',
  amounts: { stepMinor: 1, minMinor: 100, maxMinor: 1_000_000_000 },
  currencies: ['AOA'],
  windowMs: 90_000,
  wallets: [],
};

/** The translator of ProxyPay OPG and vPOS. */
export const opgConnector: Connector<OpgSettings, OpgSecrets> = {
  name: 'opg',
  kinds: ['gpo'],
  settings: opgSettings,
  secrets: opgSecrets,
  capabilities: (_kind, { dialect }) =>
    dialect === 'proxypay' ? CAPABILITIES : { ...CAPABILITIES, qr: 'none', deeplink: false },
  open: createOpgRail,
  probe,
  // Nothing is signed: what arrives at an address that nobody else knows is worth a query, and never more.
  verify: ({ attemptId }: Notification) => (attemptId === null ? 'refused' : 'hint'),
  read: (body, { attemptId }) => readNews(body, attemptId),
  reply: { status: 200, body: '' },
};

/** A transaction's name that the rail never gave to one. */
const NOBODY = '/transactions/balcao-probe';

/** Asks for a transaction that cannot exist: the rail has a token fetched nowhere, and a list of nothing. */
async function probe(account: OpgAccount): Promise<Probe> {
  return judgeProbe(await createOpgWire(account).get(NOBODY));
}

const PROBES: Readonly<Record<number, Probe>> = {
  404: { result: 'ok' },
  401: { result: 'wrong_secret', detail: 'The rail does not know this token.' },
  403: { result: 'not_allowed', detail: 'The rail knows this token and does not let it in.' },
};

function judgeProbe(heard: OpgHeard): Probe {
  if ('status' in heard) return PROBES[heard.status] ?? judgeStatus(heard.status);
  if (heard.code === 'blocked') return { result: 'wrong_host', detail: 'This host may not be reached from here.' };
  if (heard.code === 'too_large') return { result: 'wrong_host', detail: 'The host answers as no OPG rail does.' };
  return { result: 'no_connection', detail: `The rail did not answer: ${heard.message}.` };
}

function judgeStatus(status: number): Probe {
  if (status === 429 || status >= 500) {
    return { result: 'no_connection', detail: `The rail cannot answer at the moment (${status}).` };
  }
  return { result: 'wrong_host', detail: `The host answers ${status} where an OPG rail answers 404.` };
}

/** A callback is the transaction itself; a code is known at the rail by its charge. */
function readNews(body: string, attemptId: string | null): RailNews[] {
  const transaction = readFields(parseAnswer(body));
  const id = readId(transaction.id);
  if (!id) return [];
  const words = [transaction.status, transaction.status_reason].map((word) => readText(word) ?? 'null');
  const railOrderId = readId(transaction.charge_id) ?? id;
  return [
    {
      notificationId: [id, ...words].join(':'),
      about: 'hint',
      attempt: { attemptId, railKey: null, railOrderId },
    },
  ];
}
