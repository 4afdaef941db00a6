// The connector of our own rail protocol (docs/rail.md).
// The sandbox's simulator and the rails at GPO_URL, PPR_URL and SMS_URL use this protocol.
import { z } from 'zod';
import { verifySignature } from '../http/signature.ts';
import type { Capabilities, Connector, RailClients, RailKind, NotificationItem } from './connector.ts';
import { createRefundRail, readRefundNotification } from './balcao-refund.ts';
import { createStatementRail } from './balcao-statement.ts';
import { createGpoRail, readNotification } from './gpo/client.ts';
import { createPprRail, readReferenceNotification } from './ppr/client.ts';
import { createSmsRail, readSmsNotification } from './sms/client.ts';

const settings = z.strictObject({
  url: z.url().describe('Base address'),
  currencies: z.array(z.string()).nullable().describe('Null: any'),
});
const secrets = z.strictObject({ key: z.string().describe('Signs both ways') });

type Settings = z.infer<typeof settings>;
type Secrets = z.infer<typeof secrets>;

/** Amount limits of our own rail protocol, which accepts any amount. */
const ANY_AMOUNT = { stepMinor: 1, minMinor: 1, maxMinor: Number.MAX_SAFE_INTEGER };

/** The capabilities of our own rail protocol, equal for all its rails of one kind. */
function capabilities(kind: RailKind, { currencies }: Settings): Capabilities {
  const amounts = ANY_AMOUNT;
  return {
    gpo: {
      kind: 'gpo' as const,
      purchase: true,
      authorization: true,
      partialCapture: true,
      refund: 'part' as const,
      refundRepeat: true,
      qr: 'multiple' as const,
      qrContent: 'text' as const,
      qrWithdraw: true,
      deeplink: false,
      terminals: true,
      gpoIds: true,
      query: 'own_id' as const,
      repeat: 'same_key_same_result' as const,
      amounts,
      currencies,
      windowMs: 90_000,
      wallets: [],
    },
    ppr: {
      kind: 'ppr' as const,
      ownDigits: true,
      withdraw: true,
      reopens: false,
      openAmount: true,
      repeated: true,
      expiry: 'moment' as const,
      feed: 'cursor' as const,
      query: true,
      refund: 'part' as const,
      refundRepeat: true,
      bulk: 1,
      amounts,
      currencies,
    },
    sms: {
      kind: 'sms' as const,
      idempotent: true,
      reports: 'push' as const,
      replies: true,
      maxChars: null,
      links: true,
      emoji: true,
    },
  }[kind];
}

const READERS: Record<RailKind, (body: string) => NotificationItem | null> = {
  gpo: readNotification,
  ppr: (body) => readReferenceNotification(body) ?? readRefundNotification(body),
  sms: readSmsNotification,
};

export const balcao: Connector<Settings, Secrets> = {
  name: 'balcao',
  kinds: ['gpo', 'ppr', 'sms'],
  settings,
  secrets,
  capabilities,
  open({ kind, settings: { url }, secrets: { key }, timeoutMs, clock }): RailClients {
    const options = { url, key, timeoutMs, clock };
    return {
      gpo: {
        gpo: createGpoRail(options),
        refunds: createRefundRail(options),
        statement: createStatementRail(kind, options),
      },
      ppr: {
        ppr: createPprRail(options),
        refunds: createRefundRail(options),
        statement: createStatementRail(kind, options),
      },
      sms: { sms: createSmsRail(options) },
    }[kind];
  },
  // The operator's own rails have no form with a test. Their first payment tests them.
  probe: async () => ({ result: 'ok' }),
  verify({ headers, body }, { kind, secrets: { key }, clock }) {
    const message = { method: 'POST', path: `/rails/${kind}/notifications`, body };
    return verifySignature(key, message, headers, clock.outside()) ? 'proven' : 'refused';
  },
  read(body, { kind }) {
    const item = READERS[kind](body);
    return item ? [item] : [];
  },
};
