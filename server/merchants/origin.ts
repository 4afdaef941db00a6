// Origins of a merchant's own pages: who may frame the checkout, and where payers are sent back to.

const MAX_LENGTH = 300;

/** Names, IPv4 and IPv6 only: what else a browser takes for a host (`*`, `;`) means something in a policy. */
const HOST = /^([a-z0-9_-]+(\.[a-z0-9_-]+)*|\[[0-9a-f:]+\])$/;
const LOOPBACK = /^((.+\.)?localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/**
 * The origin in the one form that browsers send it: lower case, punycode, without its scheme's own port; null when it is
 * none. Plain http only for this machine itself, and in the sandbox.
 */
export function readOrigin(text: string, isSandbox: boolean): string | null {
  if (text.length > MAX_LENGTH || !/^https?:\/\/[^\s/?#@\\]+$/i.test(text) || !URL.canParse(text)) return null;
  const { origin, hostname, protocol } = new URL(text);
  if (!HOST.test(hostname)) return null;
  return protocol === 'https:' || (isSandbox && LOOPBACK.test(hostname)) ? origin : null;
}
