// A gateway as the shell reaches it: its public API with a merchant's token, and its sandbox; refusals become sentences.
import { z } from 'zod';
import { systemClock } from '../clock.ts';
import { createConnections, OutgoingError, sendRequest, type OutgoingAnswer } from '../http/client/outgoing.ts';
import { CommandError, textOf, type Call, type Option, type Shell } from './command.ts';
import { findGateway } from './find-gateway.ts';

/** How the commands that call a gateway find it. */
export const GATEWAY_OPTIONS = {
  url: {
    type: 'string',
    value: 'url',
    about: 'the gateway (PUBLIC_URL, else PORT, else the one that runs on DATA_DIR)',
  },
  'client-id': { type: 'string', value: 'id', default: 'demo', about: 'whose token' },
  'client-secret': {
    type: 'string',
    value: 'secret',
    about: 'its secret (demo-secret); with = where it begins with a hyphen',
  },
} as const satisfies Record<string, Option>;

export type RequestOptions = { headers?: Record<string, string>; body?: unknown };

export type Gateway = {
  /** Its origin. */
  url: string;
  clientId: string;
  /** Calls the API and reads its answer. @throws CommandError when it says no, or nobody answers */
  ask<S extends z.ZodType>(schema: S, method: string, path: string, asked?: RequestOptions): Promise<z.output<S>>;
  /** The same for a path of the sandbox. */
  askSandbox<S extends z.ZodType>(
    schema: S,
    method: string,
    path: string,
    asked?: RequestOptions,
  ): Promise<z.output<S>>;
  /** A token that is good for some time. */
  takeToken(): Promise<Token>;
  /** The token was refused: the next call takes another. */
  forgetToken(): void;
};

/** `renewAtMs` is of `performance.now()`: whoever uses it longer takes a new one. */
export type Token = { value: string; renewAtMs: number };

const TIMEOUT_MS = 30_000;
const MAX_BYTES = 16 * 1_048_576;
const RENEW_MS = 60_000;

/** One each: a kept one may have ended when it is used again. */
export const FRESH_CONNECTIONS = createConnections({ isFresh: true });

/** @param env instead of the process's own. @throws UsageError when an option is wrong, ConfigError when the environment is */
export function connectGateway(call: Call, env?: Shell['env']): Gateway {
  const found = findGateway(textOf(call, 'url'), env);
  const { url } = found;
  let { hint } = found;
  const password = textOf(call, 'sandbox-password');
  const clientId = textOf(call, 'client-id') ?? GATEWAY_OPTIONS['client-id'].default;
  const secret = textOf(call, 'client-secret') ?? password ?? 'demo-secret';
  let token: Promise<Token> | null = null;
  const reach: Reach = async (path, method, asked) => {
    const answer = await send(url + path, method, asked, hint);
    // Something is there: when it goes away, its address was not the mistake.
    hint = '';
    return answer;
  };

  const gateway: Gateway = {
    url,
    clientId,
    async ask(schema, method, path, asked = {}) {
      const sendOnce = async () => {
        const { value } = await gateway.takeToken();
        return reach(path, method, { ...asked, headers: { ...asked.headers, Authorization: `Bearer ${value}` } });
      };
      let answer = await sendOnce();
      if (answer.status === 401) {
        gateway.forgetToken();
        answer = await sendOnce();
      }
      return readAnswer(answer, schema, `${method} ${path}`);
    },
    async askSandbox(schema, method, path, asked = {}) {
      const proof = password ? { Authorization: `Basic ${Buffer.from(`:${password}`).toString('base64')}` } : {};
      const answer = await reach(path, method, { ...asked, headers: { ...asked.headers, ...proof } });
      if (answer.status === 401)
        throw new CommandError(`The sandbox of ${url} has a password: give it by --sandbox-password.`);
      return readAnswer(answer, schema, `${method} ${path}`);
    },
    async takeToken() {
      const known = await token;
      if (known && performance.now() < known.renewAtMs) return known;
      token = fetchToken(reach, clientId, secret);
      // A refusal is not kept.
      token.catch(gateway.forgetToken);
      return token;
    },
    forgetToken: () => void (token = null),
  };
  return gateway;
}

const tokenSchema = z.object({ access_token: z.string(), expires_in: z.number() });
const oauthError = z.object({ error: z.string(), error_description: z.string() });

async function fetchToken(reach: Reach, clientId: string, secret: string): Promise<Token> {
  const form = { grant_type: 'client_credentials', client_id: clientId, client_secret: secret };
  const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
  const answer = await reach('/oauth/token', 'POST', { headers, body: new URLSearchParams(form).toString() });
  const refused = oauthError.safeParse(readJson(answer.body));
  if (answer.status === 400 || answer.status === 401) {
    const why = refused.data?.error_description ?? answer.status;
    throw new CommandError(`The gateway refuses the credentials of ${clientId}: ${why}.`);
  }
  const { access_token: value, expires_in } = readAnswer(answer, tokenSchema, 'POST /oauth/token');
  return { value, renewAtMs: performance.now() + Math.max(expires_in * 1_000 - RENEW_MS, 0) };
}

/** Asks a path of the gateway. @throws CommandError when no answer came */
type Reach = (path: string, method: string, asked: RequestOptions) => Promise<OutgoingAnswer>;

/** @param hint more of what is said when no answer came. @throws CommandError then */
async function send(
  url: string,
  method: string,
  { headers = {}, body }: RequestOptions,
  hint: string,
): Promise<OutgoingAnswer> {
  const isText = typeof body === 'string';
  const sent = body === undefined ? {} : { body: isText ? body : JSON.stringify(body) };
  const type = body === undefined || isText ? {} : { 'Content-Type': 'application/json' };
  const limits = { timeoutMs: TIMEOUT_MS, maxBytes: MAX_BYTES, clock: systemClock, connections: FRESH_CONNECTIONS };
  try {
    return await sendRequest({
      url,
      method,
      headers: { Accept: 'application/json', ...type, ...headers },
      ...sent,
      ...limits,
    });
  } catch (error) {
    if (error instanceof OutgoingError) throw awayError(url, error.message, hint);
    throw error;
  }
}

/** Nobody answered. */
export function awayError(url: string, why: string, hint = ''): CommandError {
  return new CommandError(`${new URL(url).origin} does not answer: ${why}.${hint}`, { isTemporary: true });
}

const problem = z.object({
  code: z.string(),
  detail: z.string(),
  errors: z.array(z.object({ pointer: z.string(), message: z.string() })).optional(),
});

/** @throws CommandError saying why not */
function readAnswer<S extends z.ZodType>({ status, body }: OutgoingAnswer, schema: S, asked: string): z.output<S> {
  if (status > 299) throw refusalOf(status, body, asked);
  const parsed = schema.safeParse(status === 204 ? undefined : readJson(body));
  if (parsed.success) return parsed.data;
  throw new CommandError(`${asked} was answered with something else than expected. Is that a Balcão gateway?`);
}

/** An answer that says no, as a sentence. */
export function refusalOf(status: number, body: string, asked: string): CommandError {
  const { data: told } = problem.safeParse(readJson(body));
  const faults = told?.errors?.map(({ pointer, message }) => `\n  ${pointer}: ${message}`).join('') ?? '';
  const isTemporary = status >= 500 || status === 429;
  const sentence = `${asked}: ${status}${told ? ` ${told.code}: ${told.detail}` : ''}${faults}`;
  return new CommandError(sentence, { isTemporary, status });
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
