// Exercises @balcao/client on every runtime. It calls a gateway, receives its deliveries, and calls a faulty server.
import { amountText, Balcao, isBalcaoError, verifyCallback, verifyWebhook } from '@balcao/client';
import { fetchHandler } from '@balcao/client/handlers';

const accessKey = 'K7tq-9vXw2-mRp4zL';
const webhookSecret = [];
/** The newest callback and the newest webhook, with headers and body. */
const came = {};
/** Texts of the deliveries that the handler accepted. */
const heard = [];
const receive = fetchHandler({
  accessKey,
  webhookSecret,
  onCallback: ({ type, amount }) => heard.push(`${type} ${amount}`),
  onEvent: ({ type }) => heard.push(type),
});

/** The gateway delivers to `/notifications`, and the tests call `/run`, because Workers run code only within a request. */
export async function answer(request) {
  const { pathname, searchParams } = new URL(request.url);
  if (pathname === '/run') return Response.json(await run(Object.fromEntries(searchParams)));
  if (pathname === '/share') return Response.json(await share(searchParams.get('gateway')));
  const copy = request.clone();
  const by = request.headers.has('webhook-id') ? 'webhook' : 'callback';
  came[by] = { headers: Object.fromEntries(copy.headers), body: await copy.text() };
  return receive(request);
}

const demo = { clientId: 'demo', clientSecret: 'demo-secret' };
const sale = (reference, metadata) => ({
  amount: 1500.1,
  currency: 'AOA',
  paymentType: 'GPO',
  reference,
  ...(metadata && { metadata }),
});
const push = { paymentMethod: 'onetimepurchase', phoneNumber: '900000000' };

const shared = {};
/** All requests share one client, as in a shop. The first call requests the token, and the others wait for it. */
async function share(url) {
  shared[url] ??= new Balcao({ url, ...demo, deadlineMs: 3_000 });
  return codeOf(shared[url].billing.listPlans());
}

/** Runs each step and returns the results that differ from the expected ones. */
async function run({ gateway, trouble, own, name }) {
  const balcao = new Balcao({ url: gateway, ...demo });
  const troubled = (what) => new Balcao({ url: `${trouble}/${what}`, ...demo, deadlineMs: 1_500 });
  const steps = [
    [
      'waits for a paid push',
      async () => {
        const { internalId } = await balcao.payments.create(sale(`${name}-1`, push), { idempotencyKey: `${name}-1` });
        const again = await balcao.payments.create(sale(`${name}-1`, push), { idempotencyKey: `${name}-1` });
        const { status, amount } = await balcao.payments.waitUntilPaid(internalId);
        return [status, amountText(amount), again.internalId === internalId];
      },
      ['Paid', '1500.10', true],
    ],
    [
      'reads all pages of a list',
      async () => {
        for (let nth = 0; nth < 3; nth++) await balcao.payments.create(sale(`${name}-list`));
        const ids = new Set();
        for await (const each of balcao.payments.list({ reference: `${name}-list`, pageSize: 2 }))
          ids.add(each.internalId);
        return ids.size;
      },
      3,
    ],
    ['streams events until the caller aborts', () => stream(balcao, `${name}-2`), ['payment.created', 'enough']],
    [
      'reads an image as bytes',
      async () => {
        const { internalId } = await balcao.payments.create(sale(`${name}-3`, { paymentMethod: 'qrcode' }));
        return new TextDecoder().decode((await balcao.payments.getCode(internalId)).slice(1, 4));
      },
      'PNG',
    ],
    ['receives callbacks and webhooks', () => hear(balcao, gateway, own), ['PPR 1500', 'reference.paid']],
    ['accepts valid signatures only', verify, ['PPR', 'reference.paid', ...Array(4).fill('verification_failed')]],
    [
      'distinguishes refusals by code',
      async () => [
        await codeOf(new Balcao({ url: gateway, ...demo, clientSecret: 'another' }).billing.listPlans()),
        await codeOf(balcao.payments.create(sale('ação?'))),
        await codeOf(balcao.payments.get('00000000-0000-7000-8000-000000000000')),
        await codeOf(balcao.billing.listPlans({ signal: AbortSignal.abort(new Error('enough')) })),
      ],
      ['invalid_client 401', 'validation_failed 400', 'not_found 404', 'Error: enough'],
    ],
    ...Object.entries(TROUBLES).map(([what, wanted]) => [
      `trouble: ${what}`,
      () => codeOf(troubled(what).billing.listPlans()),
      wanted,
    ]),
  ];
  const differences = [];
  for (const [step, go, wanted] of steps) {
    const got = await Promise.resolve()
      .then(go)
      .catch((error) => `${error.stack} ${error.cause ?? ''}`);
    if (JSON.stringify(got) !== JSON.stringify(wanted)) differences.push({ step, got, wanted });
  }
  return differences;
}

/** The faults of the server in main.ts, and the client's result for each. */
const TROUBLES = {
  busy: 'answered',
  cut: 'answered',
  leads_away: 'unexpected_answer 302',
  page: 'unexpected_answer 502',
  hangs: 'deadline_exceeded',
  drips: 'deadline_exceeded',
};

const codeOf = (promise) =>
  promise.then(
    () => 'answered',
    (error) => (isBalcaoError(error) ? `${error.code} ${error.status || ''}`.trim() : String(error)),
  );

async function stream(balcao, reference) {
  const { next: after } = await balcao.events.list({ after: 'now' });
  const stop = new AbortController();
  const types = [];
  try {
    const events = balcao.events.stream({ after, signal: stop.signal });
    const first = events.next();
    const { internalId } = await balcao.payments.create(sale(reference));
    const { value } = await first;
    if (value.paymentId === internalId) types.push(value.type);
    const second = events.next();
    stop.abort('enough');
    await second;
  } catch (error) {
    types.push(error);
  }
  return types;
}

/** Pays a reference at the cash machine of the sandbox, and waits for its callback and webhook. */
async function hear(balcao, gateway, own) {
  const request = { amount: 1500, currency: 'AOA', paymentType: 'PPR', metadata: { referenceType: 'Dynamic' } };
  const { amount, reference, entity, merchantId } = await balcao.payments.create(request);
  await balcao.callbacks.setEndpoint(merchantId, { url: own, accessKey });
  const { id, secret } = await balcao.webhooks.create({ url: own, types: ['reference.paid'] });
  webhookSecret.push(secret);
  const cash = {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ entity, reference, amount }),
  };
  await until(async () => (await fetch(`${gateway}/sandbox/atm`, cash)).ok);
  await until(() => heard.length > 1);
  await balcao.webhooks.remove(id);
  return heard.toSorted();
}

/** Verifies the deliveries of the previous step: unchanged, with other bytes, and with other secrets. */
async function verify() {
  const { callback, webhook } = came;
  const older = { ...webhook.headers, 'webhook-timestamp': String(Number(webhook.headers['webhook-timestamp']) - 301) };
  const request = new Request('http://shop.example/', { method: 'POST', ...webhook });
  return [
    (await verifyCallback({ headers: new Headers(callback.headers), body: callback.body }, ['another', accessKey]))
      .type,
    (await verifyWebhook(request, webhookSecret)).type,
    await codeOf(verifyCallback(callback, 'another')),
    await codeOf(verifyWebhook({ ...webhook, body: `${webhook.body} ` }, webhookSecret)),
    await codeOf(verifyWebhook({ ...webhook, headers: older }, webhookSecret)),
    await codeOf(verifyWebhook(webhook, 'whsec_YW5vdGhlcg==')),
  ];
}

async function until(check) {
  for (let nth = 0; nth < 100; nth++) {
    if (await check()) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error('it took 10 s');
}
