// Request handlers for callbacks and webhooks at one URL of yours, for several frameworks.
// All handlers respond through `answerNotification`.
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

export type HandlerOptions = {
  /** The access key of your callback endpoint, or several keys. */
  accessKey?: Secrets;
  /** The secret of your webhook, `whsec_…`, or several secrets. */
  webhookSecret?: Secrets;
  /**
   * Called for each callback about received money, but not for test callbacks.
   * Read the payment from the gateway, ship once for each `id`, and return your own number of the sale.
   * If `onCallback` throws, the handler returns `Success: false`, and the gateway repeats the callback.
   */
  onCallback?: (callback: Callback) => unknown;
  onEvent?: (event: WebhookEvent) => unknown;
  /** Receives the errors that `onCallback` and `onEvent` throw. Default: the console logs them. */
  onError?: (error: unknown) => void;
};

export type NotificationAnswer = { status: number; body: { Success: boolean; Obs: string; Id: string | null } };

const answer = (status: number, Obs: string, Id: string | null = null): NotificationAnswer => ({
  status,
  body: { Success: status === 200, Obs, Id },
});

/** Processes a callback or webhook and returns the response. It does not throw. */
export async function answerNotification(request: Incoming, notified: HandlerOptions): Promise<NotificationAnswer> {
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
    // A success response would end the gateway's repeats, and the shop would miss the payment.
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

/** Refuses a body. A body that other code parsed (status 500) is the shop's mistake, so `onError` gets it too. */
function refuseBody(error: BalcaoError, { onError = console.error }: HandlerOptions): NotificationAnswer {
  if (error.status === 500) onError(error);
  return answer(error.status, error.message);
}

/**
 * A handler for servers with the Fetch API: Next's App Router, Workers, Bun, Deno.
 * Example: `export const POST = fetchHandler({ … })`
 */
export function fetchHandler(notified: HandlerOptions): (request: Request) => Promise<Response> {
  return async (request) => {
    const { status, body } = await answerNotification(request, notified);
    return Response.json(body, { status });
  };
}

/** A handler for Hono. Example: `app.post('/notified', honoHandler({ … }))` */
export function honoHandler(notified: HandlerOptions): (context: { req: { raw: Request } }) => Promise<Response> {
  const answerFetch = fetchHandler(notified);
  return ({ req }) => answerFetch(req.raw);
}

type NodeRequest = AsyncIterable<Uint8Array> & {
  headers: Record<string, string | string[] | undefined>;
  body?: unknown;
  readableDidRead?: boolean;
};
type NodeResponse = { writeHead(status: number, headers: Record<string, string>): { end(text: string): unknown } };

/** A handler for Node. Example: `http.createServer(nodeHandler({ … }))` */
export function nodeHandler(notified: HandlerOptions): (req: NodeRequest, res: NodeResponse) => Promise<void> {
  return async (req, res) => {
    const { status, body } = await answerRequest(req, notified);
    // The handler leaves the rest of a too long body unread, so the connection cannot be reused.
    const close = status === 413 ? { Connection: 'close' } : {};
    res.writeHead(status, { 'Content-Type': 'application/json', ...close }).end(JSON.stringify(body));
  };
}

/**
 * A handler for Express. Example: `app.post('/notified', expressHandler({ … }))`
 * Register this handler before `express.json()`, because a webhook's signature covers the raw body.
 */
export const expressHandler = nodeHandler;

async function answerRequest(req: NodeRequest, notified: HandlerOptions): Promise<NotificationAnswer> {
  try {
    return await answerNotification({ headers: req.headers, body: await readNode(req) }, notified);
  } catch (error) {
    return isBalcaoError(error) ? refuseBody(error, notified) : answer(400, 'unreadable');
  }
}

/** Reads the raw body. Accepts that of `express.text()` and `express.raw()`. @throws BalcaoError unreadable_body */
async function readNode(req: NodeRequest): Promise<string | Uint8Array> {
  const { body } = req;
  if (typeof body === 'string' || body instanceof Uint8Array) return body;
  if (body !== undefined || req.readableDidRead) throw parsedBefore();
  const chunks = req[Symbol.asyncIterator]();
  return readChunks({ read: async () => ({ done: false, ...(await chunks.next()) }) });
}

type Reply = { code(status: number): Reply; send(body: unknown): unknown };
/** The part of Fastify's interface that the plugin uses. */
type Fastify = {
  removeAllContentTypeParsers(): void;
  addContentTypeParser(
    type: string,
    options: { parseAs: 'string'; bodyLimit: number },
    parse: (request: unknown, body: any, done: (error: null, body: unknown) => void) => void,
  ): unknown;
  post(path: string, answer: (request: any, reply: any) => Promise<unknown>): unknown;
};

/** Use: `app.register(fastifyPlugin('/notified', { … }))`. Only the plugin's own route has no body parsers. */
export function fastifyPlugin(path: string, notified: HandlerOptions): (app: Fastify) => Promise<void> {
  return async (app) => {
    app.removeAllContentTypeParsers();
    app.addContentTypeParser('*', { parseAs: 'string', bodyLimit: MAX_BYTES }, (_request, body, done) =>
      done(null, body),
    );
    app.post(path, async ({ headers, body }, reply: Reply) => {
      const response = await answerNotification({ headers, body: body ?? '' }, notified);
      return reply.code(response.status).send(response.body);
    });
  };
}
