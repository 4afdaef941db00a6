// A user of the console without a browser: session cookie, pages and forms.
import type { CallOptions, Reply, TestApp } from './app.ts';
import { PASSWORD, type Member } from './members.ts';

export type Visit = {
  /** `name=value` */
  cookie: string;
  open(path: string, options?: CallOptions): Promise<Reply>;
  /** Sends a form from a page of the console. `fields` must contain the session's form token if it is needed. */
  post(path: string, fields: Record<string, string>, headers?: Record<string, string>): Promise<Reply>;
  /** Sends an action of a screen, with the form token of the screen. */
  act(path: string, act: string, fields?: Record<string, string>): Promise<Reply>;
  /** Sends an action with files. The file fields come last. */
  send(path: string, act: string, fields: Record<string, string>, files: Record<string, File>): Promise<Reply>;
};

export function sendSignIn(
  app: TestApp,
  fields: Record<string, string>,
  headers: Record<string, string> = {},
): Promise<Reply> {
  return visitWith(app, '').post('/console/sign-in', fields, headers);
}

/** Signs in with the form. @throws if the sign-in is refused */
export async function enterConsole(
  app: TestApp,
  { email }: Pick<Member, 'email'>,
  password = PASSWORD,
): Promise<Visit> {
  const reply = await sendSignIn(app, { email, password });
  if (reply.status !== 303) throw new Error(`not signed in: ${reply.status}`);
  return visitWith(app, cookieOf(reply));
}

/** Returns the cookie that a response sets, without its attributes. */
export function cookieOf({ headers }: Reply): string {
  return headers.getSetCookie()[0]?.split(';')[0] ?? '';
}

export function visitWith(app: TestApp, cookie: string): Visit {
  const call = (path: string, options: CallOptions = {}) =>
    app.call(path, { token: null, ...options, headers: { accept: 'text/html', cookie, ...options.headers } });
  // A session has one token for all its forms.
  let formToken = '';
  const readToken = async () => (formToken ||= formTokenIn(await call('/console/account')));
  const visit: Visit = {
    cookie,
    open: call,
    post: (path, fields, headers = {}) =>
      call(path, {
        method: 'POST',
        body: new URLSearchParams(fields).toString(),
        headers: { 'content-type': 'application/x-www-form-urlencoded', origin: app.url, ...headers },
      }),
    async act(path, act, fields = {}) {
      const token = await readToken();
      return visit.post(path, { act, token, key: crypto.randomUUID(), ...fields });
    },
    async send(path, act, fields, files) {
      const token = await readToken();
      const form = new FormData();
      const parts = Object.entries({ act, token, key: crypto.randomUUID(), ...fields, ...files });
      for (const [name, part] of parts) form.append(name, part);
      const written = new Response(form);
      return call(path, {
        method: 'POST',
        body: new Uint8Array(await written.arrayBuffer()),
        headers: { 'content-type': written.headers.get('content-type')!, origin: app.url },
      });
    },
  };
  return visit;
}

/** Returns the form token of a page. */
export function formTokenIn({ text }: Reply): string {
  return /name="token" value="([\w-]+)"/.exec(text)?.[1] ?? '';
}
