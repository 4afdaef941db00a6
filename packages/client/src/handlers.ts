// One address of yours for callbacks and webhooks, in the words of the frameworks; all of them answer by `answerNotification`.
import { isBalcaoError } from './error.ts';
import {
  headerOf,
  verifyCallback,
  verifyWebhook,
  type Callback,
  type Incoming,
  type Secrets,
  type WebhookEvent,
} from './verify.ts';

export type Notified = {
  /** Of your callback endpoint. */
  accessKey?: Secrets;
  /** Of your webhook, `whsec_…`. */
  webhookSecret?: Secrets;
  /**
   * Money came: ask the gateway, ship once for each `id`, and answer your own number of it. Tests do not come here.
   * What it throws is told as `Success: false`, and comes again.
   */
  onCallback?: (callback: Callback) => unknown;
  onEvent?: (event: WebhookEvent) => unknown;
  /** What `onCallback` and `onEvent` threw; else it is written to the console. */
  onError?: (error: unknown) => void;
};

export type NotificationAnswer = { status: number; body: { Success: boolean; Obs: string; Id: string | null } };

const answer = (status: number, Obs: string, Id: string | null = null): NotificationAnswer => ({
  status,
  body: { Success: status === 200, Obs, Id },
});

/** What to answer to a callback or webhook, after it was dealt with. Never throws. */
export async function answerNotification(request: Incoming, notified: Notified): Promise<NotificationAnswer> {
  const { accessKey, webhookSecret, onCallback, onEvent, onError = console.error } = notified;
  try {
    if (webhookSecret && headerOf(request, 'webhook-id')) {
      await onEvent?.(await verifyWebhook(request, webhookSecret));
      return answer(200, 'ok');
    }
    if (!accessKey) return answer(401, 'unauthorized');
    const callback = await verifyCallback(request, accessKey);
    if (callback.isTest) return answer(200, 'test');
    // Taken by nobody is not dealt with.
    if (!onCallback) return answer(501, 'not implemented');
    const id = await onCallback(callback);
    return answer(200, 'ok', id === undefined || id === null ? null : String(id));
  } catch (error) {
    if (isBalcaoError(error) && error.code === 'verification_failed') return answer(401, 'unauthorized');
    onError(error);
    return answer(500, 'failed');
  }
}

/** Next's App Router (`export const POST = fetchHandler({ … })`), Workers, Bun, Deno: whatever answers a `Request`. */
export function fetchHandler(notified: Notified): (request: Request) => Promise<Response> {
  return async (request) => {
    const { status, body } = await answerNotification(request, notified);
    return Response.json(body, { status });
  };
}

/** `app.post('/notified', honoHandler({ … }))` */
export function honoHandler(notified: Notified): (context: { req: { raw: Request } }) => Promise<Response> {
  const answerFetch = fetchHandler(notified);
  return ({ req }) => answerFetch(req.raw);
}

type NodeRequest = AsyncIterable<Uint8Array> & {
  headers: Record<string, string | string[] | undefined>;
  body?: unknown;
};
type ExpressResponse = { status(code: number): { json(body: unknown): unknown } };

/** `app.post('/notified', expressHandler({ … }))`, before `express.json()`: a webhook is signed over the bytes as they came. */
export function expressHandler(notified: Notified): (req: NodeRequest, res: ExpressResponse) => Promise<void> {
  return async (req, res) => {
    const { status, body } = await answerRequest(req, notified);
    res.status(status).json(body);
  };
}

type NodeResponse = { writeHead(status: number, headers: Record<string, string>): { end(text: string): unknown } };

/** `http.createServer(nodeHandler({ … }))` */
export function nodeHandler(notified: Notified): (req: NodeRequest, res: NodeResponse) => Promise<void> {
  return async (req, res) => {
    const { status, body } = await answerRequest(req, notified);
    res.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
  };
}

async function answerRequest(req: NodeRequest, notified: Notified): Promise<NotificationAnswer> {
  const text = await readText(req).catch(() => null);
  return text === null ? answer(400, 'unreadable') : answerNotification({ headers: req.headers, body: text }, notified);
}

const MAX_BYTES = 1_048_576;

/** @throws RangeError when it is longer than any callback */
async function readText(req: NodeRequest): Promise<string> {
  const { body } = req;
  if (typeof body === 'string') return body;
  if (body instanceof Uint8Array) return new TextDecoder().decode(body);
  // Somebody parsed it: enough for a callback, whose key is in its headers; a webhook's signature is refused.
  if (body !== undefined) return JSON.stringify(body);
  const decoder = new TextDecoder();
  let [text, bytes] = ['', 0];
  for await (const chunk of req) {
    bytes += chunk.length;
    if (bytes > MAX_BYTES) throw new RangeError('too long');
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

type Reply = { code(status: number): Reply; send(body: unknown): unknown };
/** As much of Fastify as the plugin uses. */
type Fastify = {
  removeAllContentTypeParsers(): void;
  addContentTypeParser(
    type: string,
    options: { parseAs: 'string' },
    parse: (request: unknown, body: any, done: (error: null, body: unknown) => void) => void,
  ): unknown;
  post(path: string, answer: (request: any, reply: any) => Promise<unknown>): unknown;
};

/** `app.register(fastifyPlugin('/notified', { … }))`: the rest of the app keeps its parsers. */
export function fastifyPlugin(path: string, notified: Notified): (app: Fastify) => Promise<void> {
  return async (app) => {
    app.removeAllContentTypeParsers();
    app.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => done(null, body));
    app.post(path, async ({ headers, body }, reply: Reply) => {
      const told = await answerNotification({ headers, body: body ?? '' }, notified);
      return reply.code(told.status).send(told.body);
    });
  };
}
