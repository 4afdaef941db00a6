// How every page of the sandbox leaves the server: its headers, its forms, and what it says when something is away.
import getRawBody from 'raw-body';
import type { Context, Middleware } from 'koa';
import type { Clock } from '../server/clock.ts';
import { pagePolicy, type Assets, sendPage } from '../server/http/pages.ts';
import { Problem, tryLater } from '../server/http/problem.ts';
import { RefusedError, RemoteError } from './remote.ts';
import type { NoticeView } from '../shared/sandbox.ts';
import type { SandboxRender } from './render.ts';

export type SandboxOptions = {
  /** Where people reach us; its origin is registered for the demo merchant's return addresses. */
  publicUrl: () => string;
  /** Where this server listens for its own calls, such as `http://127.0.0.1:8080`. */
  apiUrl: () => string;
  /** The simulator's base, such as `http://127.0.0.1:8080/sandbox/rail`. */
  railUrl: () => string;
  /** The simulator of payment references, likewise. */
  pprUrl: () => string;
  clientId: string;
  clientSecret: () => string;
  assets: Pick<Assets, 'url'>;
  render: SandboxRender;
  /** SANDBOX_PASSWORD; null while only this machine can reach the sandbox. */
  password: string | null;
  clock: Clock;
  /** The name of the merchant with this GPO merchant id; null if the id is unknown. */
  findName(gpoMerchantId: string): Promise<string | null>;
};

/** Sends an HTML document under a policy that lets nothing in but our own scripts and frames, and its one style element. */
export function showPage(ctx: Context, { render, publicUrl }: SandboxOptions, html: string, status = 200): void {
  // Browsers also hold the redirect after a form to form-action: the hosted page lives at the public address.
  sendPage(ctx, html, pagePolicy(render.styles, [], [new URL(publicUrl()).origin], true), status);
  // Nothing leaves the site, but our own forms keep their Origin, which the guard compares where browsers send no
  // Sec-Fetch-Site (plain http on a private network); under no-referrer it would be "null".
  ctx.set('Referrer-Policy', 'same-origin');
}

/** A page with one sentence and a way on. */
export function showNotice(ctx: Context, options: SandboxOptions, status: number, notice: NoticeView): void {
  showPage(ctx, options, options.render.renderNotice(notice), status);
}

/** Turns a refusal, and an unreachable gateway or simulator, into a page for people, or a problem for scripts. */
export function catchAway(options: SandboxOptions): Middleware {
  return async (ctx, next) => {
    try {
      await next();
    } catch (error) {
      if (error instanceof RefusedError) return showNotice(ctx, options, 502, explainRefusal(error));
      if (!(error instanceof RemoteError)) throw error;
      if (ctx.accepts('html', 'json') === 'json') throw tryLater('service_unavailable', 2);
      ctx.set('Retry-After', '2');
      const href = ctx.method === 'GET' ? ctx.path : `/${ctx.path.split('/')[1]}`;
      showNotice(ctx, options, 503, { ...AWAY, link: { href, text: 'Tentar novamente' } });
    }
  };
}

const AWAY = {
  title: 'Não conseguimos uma resposta',
  text: 'O serviço por trás desta página não respondeu como devia. Nada se perdeu: tente daqui a pouco.',
};

/** Nobody need try again: somebody has to change the request, or what the merchant has registered. */
function explainRefusal({ code, faults }: RefusedError): NoticeView {
  const wrong = faults.length > 0 ? ` Em causa: ${faults.join('; ')}.` : '';
  return {
    title: 'A API não aceitou este pedido',
    text: `Recusou-o com o código ${code}.${wrong} Repetir não muda nada: corrija o pedido, ou as definições do comerciante.`,
    link: { href: `/problems/${code}?lang=pt`, text: 'O que quer dizer este código' },
  };
}

/** A form's fields. @throws Problem for another content type, or more than 10 kB */
export async function readForm(ctx: Context): Promise<URLSearchParams> {
  if (!ctx.is('urlencoded')) throw new Problem('unsupported_media_type');
  return new URLSearchParams(await readText(ctx));
}

/** A form's fields, or the texts of a JSON object. @throws Problem like readForm, and for what is no JSON object */
export async function readFields(ctx: Context): Promise<URLSearchParams> {
  if (!ctx.is('json')) return readForm(ctx);
  const sent = parseObject(await readText(ctx));
  if (!sent) throw new Problem('malformed_json');
  return new URLSearchParams(Object.entries(sent).filter((entry): entry is [string, string] => isText(entry[1])));
}

const isText = (value: unknown) => typeof value === 'string';

function parseObject(text: string): object | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' ? value : null;
  } catch {
    return null;
  }
}

async function readText(ctx: Context): Promise<string> {
  try {
    return await getRawBody(ctx.req, { limit: 10_000, encoding: 'utf8' });
  } catch {
    ctx.set('Connection', 'close');
    throw new Problem('body_too_large');
  }
}

/** The line that fetches a token into `$TOKEN`, ready to paste; a password stays in the reader's own environment. */
export function tokenCommand({ publicUrl, clientId, clientSecret, password }: SandboxOptions): string {
  const secret = password === null ? clientSecret() : '$SANDBOX_PASSWORD';
  return `TOKEN=$(curl -s -u "${clientId}:${secret}" -d grant_type=client_credentials ${publicUrl()}/oauth/token | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')`;
}
