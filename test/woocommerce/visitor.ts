// Signs a person in to WordPress, and calls its pages without a browser.
import type { WordPress } from './wordpress.ts';

export type Visitor = Awaited<ReturnType<typeof signIn>>;

export async function signIn({ url }: WordPress, name: string) {
  const test = 'wordpress_test_cookie=WP%20Cookie%20check';
  const body = new URLSearchParams({ log: name, pwd: 'password', testcookie: '1' });
  const answer = await fetch(`${url}/wp-login.php`, {
    method: 'POST',
    body,
    headers: { cookie: test },
    redirect: 'manual',
  });
  const cookies = answer.headers.getSetCookie().map((line) => line.split(';')[0]);
  if (answer.status !== 302) throw new Error(`${name} cannot sign in: ${answer.status}`);
  const headers = { cookie: cookies.join('; ') };
  const post = (path: string, typed: Record<string, string>) =>
    fetch(url + path, { method: 'POST', body: new URLSearchParams(typed), headers, redirect: 'manual' });
  return {
    post,
    get: async (path: string) => (await fetch(url + path, { headers })).text(),
    /** The proof that this person's own page sends a request. */
    async nonce(action: string): Promise<string> {
      const command = { do: 'call', function: 'wp_create_nonce', arguments: [action] };
      const made = await fetch(`${url}/?control`, { method: 'POST', body: JSON.stringify(command), headers });
      return ((await made.json()) as { result: string }).result;
    },
  };
}
