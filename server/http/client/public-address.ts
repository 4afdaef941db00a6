// The IP addresses of the public internet, by IANA's special-purpose registries and the ranges of cloud platforms.
import { BlockList, isIP, isIPv6 } from 'node:net';

/** True if a merchant's server may have this IP address (without brackets): global unicast, and in no refused range. */
export function isPublicAddress(address: string): boolean {
  // A zone such as `%eth0` names a network interface of this machine, so the address is refused.
  const family = address.includes('%') ? 0 : isIP(address);
  if (family === 4) return !refused.check(address, 'ipv4');
  // All other IPv6 addresses are local, embed an IPv4 address, or are not assigned.
  return family === 6 && globalUnicast.check(address, 'ipv6') && !refused.check(address, 'ipv6');
}

/** True for an IP address of this machine. IPv6 addresses that embed 127.0.0.1 do not count. */
export function isLoopbackAddress(address: string): boolean {
  const family = address.includes('%') ? 0 : isIP(address);
  if (family === 4) return loopback.check(address, 'ipv4');
  return family === 6 && onlyLoopback6.check(address, 'ipv6');
}

/**
 * Refused ranges of IPv4 (RFC 6890 and its successors), then refused ranges of IPv6's global unicast addresses.
 * IPv6 ranges that embed IPv4 addresses are refused, because the embedded address would not be checked.
 */
const REFUSED: readonly [range: string, what: string][] = [
  ['0.0.0.0/8', 'this network'],
  ['10.0.0.0/8', 'private'],
  ['100.64.0.0/10', 'behind a carrier’s NAT; metadata at Alibaba'],
  ['127.0.0.0/8', 'loopback'],
  ['168.63.129.16/32', 'the platform at Azure, under a public address'],
  ['169.254.0.0/16', 'link-local; metadata at most clouds'],
  ['172.16.0.0/12', 'private'],
  ['192.0.0.0/24', 'protocol assignments; metadata at Oracle'],
  ['192.0.2.0/24', 'documentation'],
  ['192.31.196.0/24', 'AS112'],
  ['192.52.193.0/24', 'AMT'],
  ['192.88.99.0/24', '6to4 relays'],
  ['192.168.0.0/16', 'private'],
  ['192.175.48.0/24', 'AS112'],
  ['198.18.0.0/15', 'benchmarking'],
  ['198.51.100.0/24', 'documentation'],
  ['203.0.113.0/24', 'documentation'],
  ['224.0.0.0/4', 'multicast'],
  ['240.0.0.0/4', 'reserved, and broadcast'],
  ['2001::/23', 'protocol assignments: Teredo, benchmarking, ORCHID, AS112'],
  ['2001:db8::/32', 'documentation'],
  ['2002::/16', '6to4'],
  ['2620:4f:8000::/48', 'AS112'],
  ['3ffe::/16', 'the former 6bone'],
  ['3fff::/20', 'documentation'],
];

const refused = listNetworks(REFUSED.map(([range]) => range));
const globalUnicast = listNetworks(['2000::/3']);
const loopback = listNetworks(['127.0.0.0/8']);
const onlyLoopback6 = listNetworks(['::1/128']);

/** Builds a list of IP addresses and subnets from texts such as `10.0.0.0/8`. */
export function listNetworks(entries: readonly string[]): BlockList {
  const networks = new BlockList();
  for (const entry of entries) {
    const [address = '', bits] = entry.split('/');
    const family = isIPv6(address) ? 'ipv6' : 'ipv4';
    networks.addSubnet(address, Number(bits ?? (family === 'ipv6' ? 128 : 32)), family);
  }
  return networks;
}
