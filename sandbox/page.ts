// Shared parts of the sandbox's pages: headers, forms, and error pages.
import getRawBody from 'raw-body';
import type { Context, Middleware } from 'koa';
import type { Clock } from '../server/clock.ts';
import { pagePolicy, type Assets, sendPage } from '../server/http/pages.ts';
import { Problem, tryLater } from '../server/http/problem.ts';
import { RefusedError, RemoteError } from './remote.ts';
import type { NoticeView } from '../shared/sandbox.ts';
import type { SandboxRender } from './render.ts';
import { READ_TOKEN } from '../shared/docs.ts';

export type SandboxOptions = {
  /** The public URL. The demo merchant may send payers back to its origin. */
  publicUrl: () => string;
  /** The URL of this server for calls to itself, such as `http://127.0.0.1:8080`. */
  apiUrl: () => string;
  /** The simulator's base URL, such as `http://127.0.0.1:8080/sandbox/rail`. */
  railUrl: () => string;
  /** The base URL of the PPR simulator. */
  pprUrl: () => string;
  clientId: string;
  clientSecret: () => string;
  assets: Pick<Assets, 'url'>;
  render: SandboxRender;
  /** The value of SANDBOX_PASSWORD. Null if only this machine can reach the sandbox. */
  password: string | null;
  clock: Clock;
  /** Finds the name of the merchant with a GPO merchant id. Null if the id is unknown. */
  findName(gpoMerchantId: string): Promise<string | null>;
};

/** Sends an HTML page. Its CSP allows our own scripts and frames, and the page's single style element. */
export function showPage(ctx: Context, { render, publicUrl }: SandboxOptions, html: string, status = 200): void {
  // Browsers apply `form-action` to redirects after a form too, and the hosted page is at the public URL.
  sendPage(ctx, html, pagePolicy(render.styles, [], [new URL(publicUrl()).origin], ["frame-src 'self'"]), status);
  // `same-origin` hides the referrer from other sites and keeps the forms' Origin, which `no-referrer` sets to "null".
  // The guard needs the Origin header for browsers without Sec-Fetch-Site (plain HTTP on a private network).
  ctx.set('Referrer-Policy', 'same-origin');
}

/** Sends a page with one sentence and a link. */
export function showNotice(ctx: Context, options: SandboxOptions, status: number, notice: NoticeView): void {
  showPage(ctx, options, options.render.renderNotice(notice), status);
}

/** Turns a refusal or a network error into a page for people, or into a problem document for scripts. */
export function catchRemoteErrors(options: SandboxOptions): Middleware {
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

/** Describes a refusal. A retry cannot help, because the request or the merchant's settings must change. */
function explainRefusal({ code, faults }: RefusedError): NoticeView {
  const wrong = faults.length > 0 ? ` Em causa: ${faults.join('; ')}.` : '';
  return {
    title: 'A API não aceitou este pedido',
    text:
      `Recusou-o com o código ${code}.${wrong} ` + 'Repetir não muda nada: corrija o pedido, ou as definições da loja.',
    link: { href: `/problems/${code}?lang=pt`, text: 'O que quer dizer este código' },
  };
}

/** Reads the fields of a form. @throws Problem for another content type, or more than 10 kB */
export async function readForm(ctx: Context): Promise<URLSearchParams> {
  if (!ctx.is('urlencoded')) throw new Problem('unsupported_media_type');
  return new URLSearchParams(await readText(ctx));
}

/** Reads the fields of a form, or the texts of a JSON object. @throws Problem like `readForm`, and for other JSON */
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

/** The shell command that stores an access token in `$TOKEN`. The reader sets the sandbox's password as a variable. */
export function tokenCommand({ publicUrl, clientId, clientSecret, password }: SandboxOptions): string {
  const secret = password === null ? clientSecret() : '$SANDBOX_PASSWORD';
  const request = `curl -s -u "${clientId}:${secret}" -d grant_type=client_credentials ${publicUrl()}/oauth/token`;
  return `TOKEN=$(${request} | ${READ_TOKEN})`;
}
