// Client of a gateway's API and sandbox, for commands. It converts refusals to sentences.
import type { Command } from 'commander';
import { z } from 'zod';
import { systemClock } from '../clock.ts';
import { createConnections, OutgoingError, sendRequest, type OutgoingAnswer } from '../http/client/outgoing.ts';
import { findGateway } from './find-gateway.ts';
import { CommandError, readUrl, type Shell } from './shell.ts';

const DEMO_SECRET = 'demo-secret';

/** Adds the options for the gateway's URL and the API client's credentials to a command. */
export function addGatewayOptions(command: Command): Command {
  return command
    .option(
      '--url <url>',
      'gateway to call (default: PUBLIC_URL, else PORT, else the one that runs on DATA_DIR)',
      readUrl,
    )
    .option('--client-id <id>', 'API client to get a token for', 'demo')
    .option(
      '--client-secret <secret>',
      `secret of the client (${DEMO_SECRET}); use --client-secret=… if it begins with a hyphen`,
    );
}

export type GatewayOptions = { url?: URL; clientId: string; clientSecret?: string; sandboxPassword?: string };

type RequestOptions = { headers?: Record<string, string>; body?: unknown };

/** Calls a path of the gateway and reads the answer. @throws CommandError if the gateway refuses or does not answer */
type Call = <S extends z.ZodType>(
  schema: S,
  method: string,
  path: string,
  request?: RequestOptions,
) => Promise<z.output<S>>;

/** `request` calls the API with a token of the client; `requestSandbox` calls the pages of the sandbox. */
export type Gateway = { url: string; clientId: string; request: Call; requestSandbox: Call };

const TIMEOUT_MS = 30_000;
const MAX_BYTES = 16 * 1_048_576;

/** Connections that close after each request, because the gateway may have closed an idle one. */
export const FRESH_CONNECTIONS = createConnections({ isFresh: true });

/** Creates a client of the gateway. @param env replaces the process environment. @throws ConfigError if invalid */
export function connectGateway(options: GatewayOptions, env?: Shell['env']): Gateway {
  const { clientId, sandboxPassword: password } = options;
  const { url, hint } = findGateway(options.url, env);
  const secret = options.clientSecret ?? password ?? DEMO_SECRET;
  let token: Promise<string> | null = null;
  let isReached = false;
  const send = async (path: string, method: string, request: RequestOptions) => {
    // After the first answer the gateway's URL is known to be right, so errors omit the hint.
    const answer = await sendOnce(url + path, method, request, isReached ? '' : hint);
    isReached = true;
    return answer;
  };
  const sendWithToken = async (path: string, method: string, request: RequestOptions) => {
    token ??= takeToken(send, clientId, secret).catch((error: unknown) => {
      token = null;
      throw error;
    });
    const Authorization = `Bearer ${await token}`;
    return send(path, method, { ...request, headers: { ...request.headers, Authorization } });
  };
  return {
    url,
    clientId,
    async request(schema, method, path, request = {}) {
      let answer = await sendWithToken(path, method, request);
      if (answer.status === 401) {
        // A 401 means that the token has expired, so this call fetches another token.
        token = null;
        answer = await sendWithToken(path, method, request);
      }
      return readAnswer(answer, schema, `${method} ${path}`);
    },
    async requestSandbox(schema, method, path, request = {}) {
      const proof = password ? { Authorization: `Basic ${Buffer.from(`:${password}`).toString('base64')}` } : {};
      const answer = await send(path, method, { ...request, headers: { ...request.headers, ...proof } });
      if (answer.status === 401) throw new CommandError(`The sandbox of ${url} requires --sandbox-password.`);
      return readAnswer(answer, schema, `${method} ${path}`);
    },
  };
}

type Send = (path: string, method: string, request: RequestOptions) => Promise<OutgoingAnswer>;

const tokenSchema = z.object({ access_token: z.string() });
const oauthError = z.object({ error: z.string(), error_description: z.string() });

async function takeToken(send: Send, clientId: string, secret: string): Promise<string> {
  const form = { grant_type: 'client_credentials', client_id: clientId, client_secret: secret };
  const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
  const answer = await send('/oauth/token', 'POST', { headers, body: new URLSearchParams(form).toString() });
  if (answer.status === 400 || answer.status === 401) {
    const why = oauthError.safeParse(readJson(answer.body)).data?.error_description ?? answer.status;
    throw new CommandError(`The gateway refuses the credentials of ${clientId}: ${why}.`);
  }
  return readAnswer(answer, tokenSchema, 'POST /oauth/token').access_token;
}

/** Sends one request. @param hint added to the error without an answer of the gateway. @throws CommandError then */
async function sendOnce(url: string, method: string, request: RequestOptions, hint: string): Promise<OutgoingAnswer> {
  const { headers = {}, body } = request;
  const isText = typeof body === 'string';
  const sent = body === undefined ? {} : { body: isText ? body : JSON.stringify(body) };
  const type = body === undefined || isText ? {} : { 'Content-Type': 'application/json' };
  try {
    return await sendRequest({
      url,
      method,
      headers: { Accept: 'application/json', ...type, ...headers },
      ...sent,
      timeoutMs: TIMEOUT_MS,
      maxBytes: MAX_BYTES,
      clock: systemClock,
      connections: FRESH_CONNECTIONS,
    });
  } catch (error) {
    if (!(error instanceof OutgoingError)) throw error;
    throw new CommandError(`${new URL(url).origin} does not answer: ${error.message}.${hint}`, { isTemporary: true });
  }
}

const problem = z.object({
  code: z.string(),
  detail: z.string(),
  errors: z.array(z.object({ pointer: z.string(), message: z.string() })).optional(),
});

/** Reads the gateway's answer by its schema. @throws CommandError with the gateway's reason for a refusal */
function readAnswer<S extends z.ZodType>({ status, body }: OutgoingAnswer, schema: S, call: string): z.output<S> {
  if (status > 299) throw refusalOf(status, body, call);
  const parsed = schema.safeParse(status === 204 ? undefined : readJson(body));
  if (parsed.success) return parsed.data;
  throw new CommandError(`The answer to ${call} is not the expected one. Is that a Balcão gateway?`);
}

function refusalOf(status: number, body: string, call: string): CommandError {
  const { data } = problem.safeParse(readJson(body));
  const faults = data?.errors?.map(({ pointer, message }) => `\n  ${pointer}: ${message}`).join('') ?? '';
  const sentence = `${call}: ${status}${data ? ` ${data.code}: ${data.detail}` : ''}${faults}`;
  return new CommandError(sentence, { isTemporary: status >= 500 || status === 429, status });
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
