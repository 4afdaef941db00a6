// Whose address a request counts against: the peer's, or what a trusted proxy says of it.
import { BlockList, isIPv6 } from 'node:net';
import type { Context } from 'koa';

/** The address as limits count it: an IPv6 caller is its /64, since one subscriber holds them all. */
export function clientAddress(ctx: Context): string {
  const trusted: ReadonlySet<string> = ctx.app.context['trustedProxies'] ?? new Set();
  const plain = (address: string) => address.trim().replace(/^::ffff:(?=\d+\.)/i, '');
  let address = plain(ctx.req.socket.remoteAddress ?? '');
  const hops = ctx.get('x-forwarded-for').split(',').map(plain);
  while (trusted.has(address) && hops.length > 0 && hops.at(-1)) address = hops.pop() as string;
  return isIPv6(address) ? prefixOf(address) : address;
}

function prefixOf(address: string): string {
  const [head = '', tail] = address.toLowerCase().split('%')[0]!.split('::');
  const before = head ? head.split(':') : [];
  const after = tail ? tail.split(':') : [];
  const groups =
    tail === undefined ? before : [...before, ...Array(8 - before.length - after.length).fill('0'), ...after];
  return `${groups
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, ''))
    .join(':')}::/64`;
}

const ours = new BlockList();
ours.addSubnet('127.0.0.0', 8, 'ipv4');
ours.addSubnet('10.0.0.0', 8, 'ipv4');
ours.addSubnet('172.16.0.0', 12, 'ipv4');
ours.addSubnet('192.168.0.0', 16, 'ipv4');
ours.addAddress('::1', 'ipv6');
ours.addSubnet('fc00::', 7, 'ipv6');

/** A direct call from this machine or its private network, not passed on by a proxy: who may read metrics. */
export function isPrivateCall(ctx: Context): boolean {
  if (ctx.get('x-forwarded-for') || ctx.get('forwarded')) return false;
  const address = (ctx.req.socket.remoteAddress ?? '').replace(/^::ffff:(?=\d+\.)/i, '');
  return ours.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');
}
