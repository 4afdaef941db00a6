// A merchant with a callback endpoint, and payments of its references.
import { until, type CallOptions, type TestApp } from './app.ts';
import { createReference, pay, untilReference } from './ppr.ts';
import { ACCESS_KEY } from './receiver.ts';

export type CallbackFixture = Awaited<ReturnType<typeof openCallbackFixture>>;

/** Adds a merchant, with `url` as its callback endpoint. */
export async function openCallbackFixture(app: TestApp, url?: string) {
  const { merchantId, token, clientId, secret } = await app.addMerchant();
  const endpointPath = `/api/merchants/${merchantId}/callback`;
  /** Calls the API with a new access token of this merchant. */
  const call = async (path: string, options: CallOptions = {}) =>
    app.call(path, { token: await app.token(clientId, secret), ...options });
  /** The merchant's deliveries as rows, oldest first, with times as dates. */
  const deliveries = async () =>
    (await app.sql('select * from deliveries where merchant_id = $1 order by seq', [merchantId])).map(readTimes);
  const isQuiet = async () => (await deliveries()).every(({ leased_until }) => !leased_until);
  const fixture = {
    merchantId,
    token,
    /** Requests a new access token with these scopes, from another node if one is given. */
    tokenFor: ({ scope, node = app }: { scope?: string; node?: TestApp }) => node.token(clientId, secret, scope),
    call,
    setEndpoint: (to: string, accessKey = ACCESS_KEY) =>
      call(endpointPath, { method: 'PUT', body: { url: to, accessKey } }),
    endpointPath,
    deliveries,
    areDelivered: async () => (await deliveries()).every(({ status }) => status === 'Delivered'),
    /** Waits until no delivery attempt is running. */
    untilQuiet: () => until(isQuiet, 'every attempt recorded'),
  };
  if (url) {
    const reply = await fixture.setEndpoint(url);
    if (reply.status !== 200) throw new Error(`no endpoint: ${reply.status} ${reply.text}`);
  }
  return fixture;
}

function readTimes(row: Record<string, unknown>): any {
  const isTime = (name: string) => /_(at|since|until)$/.test(name);
  const read = ([name, value]: [string, unknown]) => [name, value && isTime(name) ? new Date(String(value)) : value];
  return Object.fromEntries(Object.entries(row).map(read));
}

/** Makes a reference, pays it, and returns it once it is Paid. */
export async function sell(
  app: TestApp,
  fixture: CallbackFixture,
  changes: Record<string, unknown> = {},
): Promise<any> {
  const { token } = fixture;
  const made = await createReference(app, changes, { token });
  await untilReference(app, made.reference, ({ registeredAt }) => registeredAt, 'being known to the rail', token);
  await pay(app, made);
  return untilReference(app, made.reference, ({ status }) => status === 'Paid', 'being paid', token);
}

/** Waits until the newest delivery has this status. */
export function untilDelivery(fixture: CallbackFixture, status: string): Promise<any> {
  return until(async () => {
    const newest = (await fixture.deliveries()).at(-1);
    return newest?.status === status && newest;
  }, `the newest delivery being ${status}`);
}
