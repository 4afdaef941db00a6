// The demo shop's client of the gateway. Like a real merchant's server, it uses the public API with a token.
import { z } from 'zod';
import type { Clock } from '../server/clock.ts';
import { REFUND_EXTENTS } from '../shared/refund.ts';
import { PAYMENT_STATUSES } from '../shared/status.ts';
import { callJson, checkAccepted, readAnswer, RemoteError, type RemoteAnswer, type RemoteRequest } from './remote.ts';
import { DEMO } from './seed.ts';

export type GatewayOptions = {
  /** The gateway's own base URL, such as `http://127.0.0.1:8080`. */
  apiUrl: () => string;
  clientId: string;
  clientSecret: () => string;
  clock: Clock;
};

const paymentSchema = z.object({
  internalId: z.string(),
  reference: z.string(),
  amount: z.number(),
  currency: z.string(),
  status: z.enum(PAYMENT_STATUSES),
  refundStatus: z.enum(REFUND_EXTENTS).nullish(),
  completedAt: z.string().nullish(),
  description: z.string().nullish(),
  failure: z.object({ code: z.string() }).nullish(),
  checkoutUrl: z.string().nullish(),
  clientToken: z.string().nullish(),
  customMetadata: z.record(z.string(), z.unknown()).nullish(),
  replacedBy: z.string().nullish(),
  transactions: z.array(z.object({ transactionNumber: z.string().nullish() })).nullish(),
});

const railAccountSchema = z.object({
  id: z.string(),
  kind: z.enum(['gpo', 'ppr', 'sms']),
  connector: z.string(),
  label: z.string(),
  environment: z.string(),
  priority: z.number(),
  status: z.enum(['active', 'draining', 'disabled']),
  settings: z.record(z.string(), z.unknown()),
  notificationUrl: z.string(),
});

/** The fields of a rail account that the demo shop reads. */
export type ShopRailAccount = z.output<typeof railAccountSchema>;

/** The fields of a payment that the demo shop reads. */
export type ShopPayment = z.output<typeof paymentSchema>;

export type DemoGateway = {
  /**
   * Creates an order's payment. A repeated key returns the same payment, or null if another payment used that key.
   * @throws RefusedError if the API refuses the payment
   */
  createPayment(payment: object, idempotencyKey: string): Promise<ShopPayment | null>;
  /**
   * Finds the newest payment with the shop's reference, or the payment that replaced it.
   * Null if the order has no payment.
   */
  findPayment(reference: string): Promise<ShopPayment | null>;
  /** Requests a test callback to the demo shop and waits for it. False if the shop has no callback URL. */
  sendTest(): Promise<boolean>;
  /** Lists the rail accounts, sorted by kind and priority. */
  listRailAccounts(): Promise<ShopRailAccount[]>;
  /** Creates a rail account, or replaces the one with this id. @throws RefusedError if the API refuses the account */
  enterRailAccount(account: object, id: string | null): Promise<ShopRailAccount>;
  /** Removes a rail account. While the account has open payments, it stays and the result is false. */
  removeRailAccount(id: string): Promise<boolean>;
};

type GatewayToken = { value: string; renewAtMs: number };

const tokenSchema = z.object({ access_token: z.string(), expires_in: z.number() });
const listSchema = z.object({ data: z.array(z.object({ internalId: z.string() })) });

const RAIL_ACCOUNTS = `/api/merchants/${DEMO.merchantId}/rail-accounts`;

export function connectGateway(options: GatewayOptions): DemoGateway {
  const call = createCall(options);

  return {
    async createPayment(payment, idempotencyKey) {
      // The shop needs the payment as JSON. Without the header `Prefer`, the API returns a QR code as an image.
      const headers = {
        'Content-Type': 'application/json',
        // The shop's pages show the API's refusals in Portuguese.
        'Accept-Language': 'pt',
        'Idempotency-Key': idempotencyKey,
        Prefer: 'return=representation',
      };
      const answer = await call('POST', '/api/payments', { headers, body: JSON.stringify(payment) });
      if (answer.status === 422) return null;
      checkAccepted(answer);
      return readAnswer(answer, paymentSchema);
    },
    findPayment,
    async sendTest() {
      const headers = { 'Content-Type': 'application/json' };
      const answer = await call('POST', '/api/callbacks/test', { headers, body: '{}' });
      if (answer.status === 409) return false;
      readAnswer(answer, z.object({ id: z.string() }));
      return true;
    },
    ...connectRailAccounts(call),
  };

  async function findPayment(reference: string): Promise<ShopPayment | null> {
    const found = await call('GET', `/api/payments?pageSize=1&reference=${encodeURIComponent(reference)}`);
    const [first] = readAnswer(found, listSchema).data;
    if (!first) return null;
    const payment = await readPayment(first.internalId);
    const { status, replacedBy } = payment;
    return status === 'Canceled' && replacedBy ? readPayment(replacedBy) : payment;
  }

  async function readPayment(id: string): Promise<ShopPayment> {
    return readAnswer(await call('GET', `/api/payments/${id}`), paymentSchema);
  }
}

type GatewayCall = (
  method: RemoteRequest['method'],
  path: string,
  what?: { headers?: Record<string, string>; body?: string },
) => Promise<RemoteAnswer>;

function connectRailAccounts(
  call: GatewayCall,
): Pick<DemoGateway, 'listRailAccounts' | 'enterRailAccount' | 'removeRailAccount'> {
  return {
    async listRailAccounts() {
      const schema = z.object({ data: z.array(railAccountSchema) });
      return readAnswer(await call('GET', RAIL_ACCOUNTS), schema).data;
    },
    async enterRailAccount(account, id) {
      const path = id === null ? RAIL_ACCOUNTS : `${RAIL_ACCOUNTS}/${id}`;
      const headers = { 'Content-Type': 'application/json', 'Accept-Language': 'pt' };
      const answer = await call(id === null ? 'POST' : 'PUT', path, { headers, body: JSON.stringify(account) });
      checkAccepted(answer);
      return readAnswer(answer, railAccountSchema);
    },
    async removeRailAccount(id) {
      const { status } = await call('DELETE', `${RAIL_ACCOUNTS}/${id}`);
      // After a 404, another process has already removed the rail account.
      if (status === 204 || status === 404) return true;
      if (status === 409) return false;
      throw new RemoteError(`could not remove rail account: status ${status}`);
    },
  };
}

/** Calls the API with a token, and repeats the call once with a new token after a 401. */
function createCall(options: GatewayOptions): GatewayCall {
  const token = keepToken(options);
  return async (method, path, { headers = {}, body } = {}) => {
    const send = async () =>
      callJson(options.clock, {
        method,
        url: options.apiUrl() + path,
        headers: { ...headers, Authorization: `Bearer ${await token.read()}` },
        ...(body !== undefined && { body }),
      });
    const answer = await send();
    if (answer.status !== 401) return answer;
    // The token was revoked, or its signing key was removed. The shop requests a new token and repeats the call.
    token.forget();
    return send();
  };
}

/** Caches the token, and requests a new one if it is missing or about to expire. */
function keepToken({ apiUrl, clientId, clientSecret, clock }: GatewayOptions) {
  let token: GatewayToken | null = null;
  return {
    async read(): Promise<string> {
      if (!token || clock.now().getTime() >= token.renewAtMs) token = await fetchToken();
      return token.value;
    },
    forget: () => void (token = null),
  };

  async function fetchToken(): Promise<GatewayToken> {
    const credentials = { client_id: clientId, client_secret: clientSecret() };
    const answer = await callJson(clock, {
      method: 'POST',
      url: `${apiUrl()}/oauth/token`,
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ grant_type: 'client_credentials', ...credentials }).toString(),
    });
    const { access_token, expires_in } = readAnswer(answer, tokenSchema);
    return { value: access_token, renewAtMs: clock.now().getTime() + (expires_in - 60) * 1000 };
  }
}
