// If a tenant chose the address, blocks requests to addresses that only this process can reach: loopback, link-local,
// cloud metadata services, and IPv6 addresses that map to them.
import { lookup } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';

/** Blocked ranges in IPv4, IPv6 and NAT64 form. BlockList also matches IPv4-mapped IPv6 addresses (::ffff:…). */
const unroutable = new BlockList();
unroutable.addSubnet('0.0.0.0', 8);
unroutable.addSubnet('127.0.0.0', 8);
unroutable.addSubnet('169.254.0.0', 16);
// The ranges for multicast, reserved addresses, and broadcast.
unroutable.addSubnet('224.0.0.0', 3);
// The addresses "::" and "::1", and all IPv4 addresses in their deprecated form "::a.b.c.d".
unroutable.addSubnet('::', 96, 'ipv6');
unroutable.addSubnet('fe80::', 10, 'ipv6');
unroutable.addSubnet('fec0::', 10, 'ipv6');
unroutable.addSubnet('ff00::', 8, 'ipv6');
unroutable.addSubnet('64:ff9b::', 104, 'ipv6');
unroutable.addSubnet('64:ff9b::7f00:0', 104, 'ipv6');
unroutable.addSubnet('64:ff9b::a9fe:0', 112, 'ipv6');
unroutable.addSubnet('64:ff9b::e000:0', 99, 'ipv6');
// The ranges of translators and tunnels to any IPv4 address: NAT64 of a network (RFC 8215), SIIT (RFC 2765), Teredo,
// 6to4.
unroutable.addSubnet('64:ff9b:1::', 48, 'ipv6');
unroutable.addSubnet('::ffff:0:0:0', 96, 'ipv6');
unroutable.addSubnet('2001::', 32, 'ipv6');
unroutable.addSubnet('2002::', 16, 'ipv6');
// Addresses for instance metadata, DNS, time and pod credentials:
// https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/instancedata-data-retrieval.html
unroutable.addSubnet('fd00:ec2::', 32, 'ipv6');

/** Returns the reason why the host is blocked, or `undefined`. `routableLookup` checks names when they are resolved. */
export function whyUnroutable(host: string): string | undefined {
  const family = isIP(host);
  return family !== 0 && unroutable.check(host, family === 6 ? 'ipv6' : 'ipv4')
    ? `${host} is a loopback, link-local, multicast, tunnel or metadata address, which is called only with CAPI_REMOTE_ADDRESSES=any`
    : undefined;
}

/**
 * The `lookup` of a connection, which then uses exactly the checked addresses. So a name cannot resolve to another
 * address in the meantime. Fails if any address is blocked.
 */
export const routableLookup: LookupFunction = (hostname, options, callback) => {
  lookup(hostname, { ...options, all: true }, (error, addresses) => {
    if (error !== null) {
      callback(error, '');
      return;
    }
    const problem = addresses.map(({ address }) => whyUnroutable(address)).find(why => why !== undefined);
    const [first] = addresses;
    if (problem !== undefined || first === undefined) {
      callback(new Error(`${hostname} cannot be called: ${problem ?? 'it has no address'}`), '');
    } else if (options.all === true) {
      callback(null, addresses);
    } else {
      callback(null, first.address, first.family);
    }
  });
};
