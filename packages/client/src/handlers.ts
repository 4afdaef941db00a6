// One address of yours for callbacks and webhooks, in the words of the frameworks; all of them answer by `answerNotification`.
import { isBalcaoError, type BalcaoError } from './error.ts';
import {
  headerOf,
  MAX_BYTES,
  parsedBefore,
  readChunks,
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
      const event = await verifyWebhook(request, webhookSecret);
      if (!onEvent) return answer(501, 'not implemented');
      await onEvent(event);
      return answer(200, 'ok');
    }
    if (!accessKey) return answer(401, 'unauthorized');
    const callback = await verifyCallback(request, accessKey);
    if (callback.isTest) return answer(200, 'test');
    // Success would end the repeats, and the shop would never learn of the money.
    if (!onCallback) return answer(501, 'not implemented');
    const id = await onCallback(callback);
    return answer(200, 'ok', id === undefined || id === null ? null : String(id));
  } catch (error) {
    if (isBalcaoError(error) && error.code === 'verification_failed') return answer(401, 'unauthorized');
    if (isBalcaoError(error) && error.code === 'unreadable_body') return refuseBody(error, notified);
    onError(error);
    return answer(500, 'failed');
  }
}

/** A parsed body is a mistake of the shop's program, so that its log says it too. */
function refuseBody(error: BalcaoError, { onError = console.error }: Notified): NotificationAnswer {
  if (error.status === 500) onError(error);
  return answer(error.status, error.message);
}

/** Next's App Router (`export const POST = fetchHandler({ … })`), Workers, Bun, Deno: any server that answers a `Request`. */
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
  readableDidRead?: boolean;
};
type NodeResponse = { writeHead(status: number, headers: Record<string, string>): { end(text: string): unknown } };

/** `http.createServer(nodeHandler({ … }))` */
export function nodeHandler(notified: Notified): (req: NodeRequest, res: NodeResponse) => Promise<void> {
  return async (req, res) => {
    const { status, body } = await answerRequest(req, notified);
    // The rest of a body that is too long stays unread.
    const close = status === 413 ? { Connection: 'close' } : {};
    res.writeHead(status, { 'Content-Type': 'application/json', ...close }).end(JSON.stringify(body));
  };
}

/** `app.post('/notified', expressHandler({ … }))`, before `express.json()`: a webhook is signed over the bytes as they came. */
export const expressHandler = nodeHandler;

async function answerRequest(req: NodeRequest, notified: Notified): Promise<NotificationAnswer> {
  try {
    return await answerNotification({ headers: req.headers, body: await readNode(req) }, notified);
  } catch (error) {
    return isBalcaoError(error) ? refuseBody(error, notified) : answer(400, 'unreadable');
  }
}

/** Accepts the raw body of `express.text()` and `express.raw()`. @throws BalcaoError unreadable_body */
async function readNode(req: NodeRequest): Promise<string | Uint8Array> {
  const { body } = req;
  if (typeof body === 'string' || body instanceof Uint8Array) return body;
  if (body !== undefined || req.readableDidRead) throw parsedBefore();
  const chunks = req[Symbol.asyncIterator]();
  return readChunks({ read: async () => ({ done: false, ...(await chunks.next()) }) });
}

type Reply = { code(status: number): Reply; send(body: unknown): unknown };
/** As much of Fastify as the plugin uses. */
type Fastify = {
  removeAllContentTypeParsers(): void;
  addContentTypeParser(
    type: string,
    options: { parseAs: 'string'; bodyLimit: number },
    parse: (request: unknown, body: any, done: (error: null, body: unknown) => void) => void,
  ): unknown;
  post(path: string, answer: (request: any, reply: any) => Promise<unknown>): unknown;
};

/** `app.register(fastifyPlugin('/notified', { … }))`: the rest of the app keeps its parsers. */
export function fastifyPlugin(path: string, notified: Notified): (app: Fastify) => Promise<void> {
  return async (app) => {
    app.removeAllContentTypeParsers();
    app.addContentTypeParser('*', { parseAs: 'string', bodyLimit: MAX_BYTES }, (_request, body, done) =>
      done(null, body),
    );
    app.post(path, async ({ headers, body }, reply: Reply) => {
      const told = await answerNotification({ headers, body: body ?? '' }, notified);
      return reply.code(told.status).send(told.body);
    });
  };
}
