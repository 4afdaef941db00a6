// GET /docs shows every published operation once and no hidden one, and the documented commands work.
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import { PROBLEMS } from '../../../shared/errors.ts';
import { startTestApp, type Reply, type TestApp } from '../../support/app.ts';
import { create as createOne, travelToStatus, webframe } from '../../support/payments.ts';
import { RECEIVER_ENV } from '../../support/receiver.ts';
import { shellEnv } from '../../support/project.ts';

let app: TestApp;
let published: { method: string; path: string; operationId: string; tag: string }[];
beforeAll(async () => {
  app = await startTestApp({ env: RECEIVER_ENV });
  published = app.node.app.routes.filter(({ isHidden }) => !isHidden);
});

const get = (path: string, headers: Record<string, string> = {}) => app.call(path, { token: null, headers });
/** The rendered pages, shared by all tests. */
const pages = new Map<string, Promise<Reply>>();
function getPage(path: string): Promise<Reply> {
  const page = pages.get(path) ?? get(path);
  pages.set(path, page);
  return page;
}
const slugOf = (tag: string) => tag.toLowerCase();
const readAll = async () => {
  const tags = [...new Set(published.map(({ tag }) => tag))];
  return Promise.all(tags.map(async (tag) => ({ tag, ...(await getPage(`/docs/${slugOf(tag)}`)) })));
};

/** The text of an HTML fragment. */
const textOf = (html: string) =>
  html
    .replace(/<[^>]+>/g, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&');

describe('the documentation pages', () => {
  test('link every published operation once, and no other operation', async () => {
    const { status, text } = await get('/docs');
    expect(status).toBe(200);
    const links = [...text.matchAll(/href="\/docs\/([\w-]+)#(\w+)"/g)].map(([, slug, id]) => `${slug} ${id}`);
    expect(links.toSorted()).toEqual(published.map((each) => `${slugOf(each.tag)} ${each.operationId}`).toSorted());
    expect(links.length).toBeGreaterThan(100);
  });

  test('describe each operation once on the page of its tag, with method and path', async () => {
    const pages = await readAll();
    const found = pages.flatMap(({ tag, text }) =>
      [...text.matchAll(/<article id="(\w+)"[^]*?<p class="address">([^]*?)<\/p>/g)].map(
        ([, id, address = '']) => `${tag} ${id} ${textOf(address)}`,
      ),
    );
    const declared = published.map((each) => `${each.tag} ${each.operationId} ${each.method} ${each.path}`);
    expect(found.toSorted()).toEqual(declared.toSorted());
  });

  test('name no hidden operation', async () => {
    const pages = [await get('/docs'), ...(await readAll())];
    const hidden = app.node.app.routes.filter(({ isHidden }) => isHidden);
    expect(hidden.length).toBeGreaterThan(3);
    for (const { operationId } of hidden) {
      expect(pages.filter(({ text }) => text.includes(`"${operationId}"`))).toEqual([]);
    }
    for (const path of ['/metrics', '/rails/', '/account/']) {
      expect(pages.filter(({ text }) => textOf(text).includes(`GET ${path}`) || text.includes(`>${path}`))).toEqual([]);
    }
  });

  test('are searched by title, address and description, with Portuguese words too', async () => {
    const linked = async (query: string) => {
      const { text } = await get(`/docs?q=${encodeURIComponent(query)}`);
      return [...text.matchAll(/href="\/docs\/[\w-]+#(\w+)"/g)].map(([, id]) => id);
    };
    expect(await linked('estorno')).toContain('createRefund');
    expect(await linked('idempotência')).not.toEqual([]);
    expect(await linked('nothing of this kind')).toEqual([]);
    const { text } = await get(`/docs?q=${encodeURIComponent('"><script>')}`);
    expect(text).toContain('value="&quot;>&lt;script>"');
    expect(text).not.toContain('"><script>');
  });

  test('show the scope, rate limit, fields and problem codes of an operation', async () => {
    const { text } = await getPage('/docs/payments');
    const article = /<article id="createPayment"[^]*?<\/article>/.exec(text)?.[0] ?? '';
    const words = textOf(article);
    for (const said of [
      'Needs the scope payments:write.',
      'Idempotency-Key string',
      'Where paymentType is GPO',
      'amount number required',
      'expiresInMinutes integer',
      '5 to 1440 · may be null',
      'Case-insensitive: SMALL, MEDIUM, LARGE, EXTRA_LARGE',
      'default MEDIUM',
      'The token lacks the scope',
      'reference_in_flight',
    ])
      expect(words).toContain(said);
    expect(article).toContain('href="/problems/terminal_closed"');
  });

  test('show words in backticks as code', async () => {
    for (const { tag, text } of await readAll()) {
      const words = textOf(text.replace(/<pre>[^]*?<\/pre>/g, '').replace(/<style>[^]*?<\/style>/, ''));
      expect([tag, /[^\n]{0,30}`[^\n]{0,30}/.exec(words)?.[0]]).toEqual([tag, undefined]);
    }
    const { text } = await getPage('/docs/checkout');
    expect(text).toContain('the <code>clientToken</code> in the path gives access.');
  });

  test('show a rate limit if the node has one', async () => {
    const limited = await startTestApp({ env: { RATE_LIMIT_WRITE: '70', RATE_LIMIT_PUBLIC: '80' } });
    const read = async (tag: string) => textOf((await limited.call(`/docs/${tag}`, { token: null })).text);
    expect(await read('payments')).toContain('Limit write: 70 a minute for each merchant.');
    expect(await read('tokens')).toContain('Public. Limit public: 80 a minute for each address.');
    await limited.stop();
    // The node of the other tests has no rate limits.
    expect(textOf((await get('/docs/payments')).text)).not.toContain('Limit write');
  });

  test('show nested fields of requests and responses', async () => {
    const { text } = await getPage('/docs/references');
    expect(text).toMatch(/<code>references<\/code> <span class="quiet small">array of object<\/span>/);
    const { text: payments } = await get('/docs/payments');
    expect(payments).toMatch(/<details><summary>[^]*<code>transactions<\/code>[^]*<dl class="fields">[^]*<\/details>/);
  });
});

describe('a documentation page', () => {
  test('has a content security policy without inline code or other origins', async () => {
    for (const path of ['/docs', '/docs/payments']) {
      const { headers, text } = await get(path);
      const policy = headers.get('content-security-policy') ?? '';
      expect(policy).toMatch(/^default-src 'none'; style-src 'sha256-[^']+'; script-src 'self';/);
      expect(policy).not.toMatch(/unsafe|\*/);
      expect(text).not.toMatch(/ style="|<script>| on\w+="/);
      expect(text).toContain('<html lang="en">');
      const loaded = [...text.matchAll(/ src="([^"]*)"/g)].map(([, address]) => address);
      expect(loaded).toEqual([expect.stringMatching(/^\/assets\/docs-[\w-]+\.js$/)]);
    }
  });

  test('is compressed, small, and cached by its ETag', async () => {
    for (const path of ['/docs', ...new Set(published.map(({ tag }) => `/docs/${slugOf(tag)}`))]) {
      const { status, headers, bytes } = await ask(path, { 'accept-encoding': 'br' });
      expect([path, status, headers['content-encoding']]).toEqual([path, 200, 'br']);
      // The largest page has 35 operations, each with examples in four languages.
      expect(bytes.length, path).toBeLessThan(17_000);
      const { etag = '' } = headers;
      expect(etag).toMatch(/^"[\w-]{22}"$/);
      const again = await ask(path, { 'if-none-match': etag });
      expect([again.status, again.bytes.length, again.headers.etag]).toEqual([304, 0, etag]);
    }
    expect((await get('/docs')).headers.get('cache-control')).toBe('public, max-age=300');
  });

  test('returns 404 for an unknown tag', async () => {
    for (const path of ['/docs/nothing', '/docs/__proto__', '/docs/Payments'])
      expect((await get(path)).status).toBe(404);
  });

  test('lists all problem codes on one page', async () => {
    const { text } = await get('/problems', { accept: 'text/html' });
    for (const code of ['not_found', 'validation_failed', 'rail_unavailable']) {
      expect(text).toContain(`href="/problems/${code}"`);
    }
    const { json } = await get('/problems', { accept: 'application/json' });
    expect(json.data.map(({ code }: { code: string }) => code)).toEqual(Object.keys(PROBLEMS).toSorted());
    expect(json.data).toContainEqual(expect.objectContaining({ code: 'not_found', status: 404 }));
  });
});

describe('a documented command', () => {
  const run = promisify(execFile);
  /** The commands of a documentation page by operation id. */
  const commandsOf = async (tag: string) => {
    const { text } = await getPage(`/docs/${tag}`);
    const found = text.matchAll(/<article id="(\w+)"[^]*?<pre><code>([^]*?)<\/code><\/pre>/g);
    return Object.fromEntries([...found].map(([, id = '', html = '']) => [id, textOf(html)]));
  };
  /** Runs a command and returns the status and the body of its response. */
  const order = async (command: string, variables: Record<string, string> = {}) => {
    const env = { ...shellEnv(), ...variables };
    const counted = `${command} -w '\n%{http_code}'`;
    const { stdout } = await run('bash', ['-euc', counted], { env });
    const [, body = '', status] = /^([^]*)\n(\d+)$/.exec(stdout) ?? [];
    return { status: Number(status), json: /^[{[]/.test(body) ? JSON.parse(body) : null, body };
  };

  test('exists for each operation, and sends a body if the operation requires one', async () => {
    const document = (await get('/openapi.json')).json;
    const all = Object.assign(
      {},
      ...(await Promise.all([...new Set(published.map(({ tag }) => slugOf(tag)))].map(commandsOf))),
    );
    expect(Object.keys(all).toSorted()).toEqual(published.map(({ operationId }) => operationId).toSorted());
    for (const { operationId, path, method } of published) {
      if (!document.paths[path][method.toLowerCase()].requestBody?.required) continue;
      expect(all[operationId], operationId).toMatch(/^ {2}(-d|--data-urlencode) /m);
    }
  });

  test('uses only variables that its page lists at the beginning', async () => {
    for (const { tag, text } of await readAll()) {
      const commands = Object.values(await commandsOf(slugOf(tag))).join('\n');
      const taken = new Set([...commands.matchAll(/\$([A-Z_]+)/g)].map(([, name]) => name));
      const [, seen = ''] = /<dl class="names">([^]*?)<\/dl>/.exec(text) ?? [];
      const rows = [...seen.matchAll(/<dt>([^]*?)<\/dt><dd>([^]*?)<\/dd>/g)].map(([, name = '', about = '']) => [
        textOf(name),
        textOf(about).length > 5,
      ]);
      expect([tag, Object.fromEntries(rows)]).toEqual([
        tag,
        Object.fromEntries([...taken].map((name) => [name, true])),
      ]);
      expect(rows).toHaveLength(taken.size);
    }
  });

  test('works with the ids of the sandbox’s merchant and terminal', async () => {
    const { text } = await getPage('/docs');
    const known = textOf(/<pre><code>(MERCHANT_ID=[^]*?)<\/code>/.exec(text)?.[1] ?? '');
    const [merchants, terminals] = await Promise.all([commandsOf('merchants'), commandsOf('terminals')]);
    const TOKEN = await app.token();
    const read = (command = '') => order(`${known}\n${command}`, { TOKEN });
    expect(await read(merchants['readMerchant'])).toMatchObject({ status: 200, json: { name: 'Loja da Ilha' } });
    expect(await read(terminals['readTerminal'])).toMatchObject({
      status: 200,
      json: { message: 'The terminal is open.' },
    });
  });

  test('fetches a token and does what its operation describes', async () => {
    const { text } = await getPage('/docs');
    const take = textOf(/<pre><code>(TOKEN=[^]*?)<\/code>/.exec(text)?.[1] ?? '');
    const { stdout } = await run('bash', ['-euc', `${take}\nprintf %s "$TOKEN"`], { env: shellEnv() });
    const TOKEN = stdout;
    expect(TOKEN.split('.')).toHaveLength(3);
    const [payments, references, webhooks] = await Promise.all(['payments', 'references', 'webhooks'].map(commandsOf));

    // The simulator approves pushes to this number.
    const create = payments!['createPayment']!.replace('923 456 789', '900 000 000');
    const created = await order(create, { TOKEN });
    expect(created).toMatchObject({ status: 201, json: { reference: 'PEDIDO-1' } });
    await travelToStatus(app, created.json.internalId, 'Paid');
    const again = await order(create, { TOKEN });
    expect(again.status).toBe(201);
    expect(again.json.internalId).not.toBe(created.json.internalId);
    for (const { id: INTERNAL_PAYMENT_ID } of [await createOne(app, webframe()), await createOne(app, webframe())]) {
      const canceled = await order(payments!['cancelPayment']!, { TOKEN, INTERNAL_PAYMENT_ID });
      expect(canceled.status).toBe(200);
      expect((await app.call(`/api/payments/${INTERNAL_PAYMENT_ID}`)).json.status).toBe('Canceled');
    }
    const PAYMENT_ID = created.json.internalId;
    for (const id of ['readPayment', 'readPaymentHistory', 'syncPayment']) {
      expect([id, (await order(payments![id]!, { TOKEN, PAYMENT_ID })).status]).toEqual([id, 200]);
    }
    expect((await order(payments!['listPayments']!, { TOKEN })).json.data).toHaveLength(4);

    const reference = await order(references!['createReference']!, { TOKEN });
    expect(reference.status).toBe(201);
    const PPR_REFERENCE = reference.json.reference;
    expect((await order(references!['createReferences']!, { TOKEN })).status).toBe(201);
    expect((await order(references!['cancelReference']!, { TOKEN, PPR_REFERENCE })).status).toBe(200);

    const webhook = await order(webhooks!['createWebhook']!, { TOKEN });
    expect(webhook.status).toBe(201);
    const WEBHOOK_ID = webhook.json.id;
    expect((await order(webhooks!['replaceWebhook']!, { TOKEN, WEBHOOK_ID })).status).toBe(200);
    expect((await order(webhooks!['removeWebhook']!, { TOKEN, WEBHOOK_ID })).status).toBe(204);
  });

  test('sends a form where the operation needs one, and the required query parameters', async () => {
    const [tokens, sms, status] = await Promise.all([commandsOf('tokens'), commandsOf('sms'), commandsOf('status')]);
    const issued = await order(tokens!['issueToken']!);
    expect(issued).toMatchObject({ status: 200, json: { token_type: 'Bearer' } });
    const TOKEN = issued.json.access_token;
    expect((await order(sms!['createSmsContact']!, { TOKEN })).status).toBe(201);
    expect((await order(sms!['listSmsContacts']!, { TOKEN })).json.data).toHaveLength(1);
    expect(sms!['searchSentSmsInRange']).toMatch(/\?diaInicio=\$DIA_INICIO&mesInicio=\$MES_INICIO&[^"]+" \\\n/);
    expect((await order(status!['readHealth']!)).json).toEqual({ status: 'ok' });
  });
});

/** Reads the bytes as they are sent. `fetch` would decompress them and send no conditional request. */
async function ask(path: string, headers: Record<string, string>) {
  const sentRequest = request(app.url + path, { headers }).end();
  const [answer] = (await once(sentRequest, 'response')) as [IncomingMessage];
  return { status: answer.statusCode, headers: answer.headers, bytes: Buffer.concat(await answer.toArray()) };
}

test('the Postman collection has one request per operation, with the token of one client', async () => {
  const { status, headers, json } = await get('/docs/balcao.postman_collection.json');
  expect([status, headers.get('content-disposition')]).toEqual([200, 'attachment']);
  const requests = json.item.flatMap(({ item }: any) => item) as any[];
  const found = requests.map(({ request }) => `${request.method} ${request.url.raw.replace(/\?.*/, '')}`);
  const declared = published.map(({ method, path }) => `${method} {{baseUrl}}${path.replace(/\{(\w+)\}/g, ':$1')}`);
  expect(found.toSorted()).toEqual(declared.toSorted());
  // Sends a request of the collection like Postman, with its variables and its token.
  const values = Object.fromEntries(json.variable.map(({ key, value }: any) => [key, value]));
  const put = (text: string) => text.replace(/\{\{(\w+)\}\}/g, (_, name: string) => values[name] ?? name);
  const oauth = Object.fromEntries(json.auth.oauth2.map(({ key, value }: any) => [key, put(value)]));
  const token = await fetch(oauth.accessTokenUrl, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(`${oauth.clientId}:${oauth.clientSecret}`)}` },
    body: new URLSearchParams({ grant_type: oauth.grant_type }),
  }).then((reply) => reply.json() as Promise<{ access_token: string }>);
  const { request } = requests.find(({ name }) => name === 'Create a payment');
  const made = await fetch(put(request.url.raw), {
    method: request.method,
    headers: {
      ...Object.fromEntries(request.header.map(({ key, value }: any) => [key, put(value)])),
      authorization: `Bearer ${token.access_token}`,
    },
    body: request.body.raw,
  });
  expect(made.status).toBe(201);
});
