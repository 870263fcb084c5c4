// Keeps requests whose address somebody else chose away from what only this process may reach: itself, its link, and the
// metadata services of a cloud.
import { lookup } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';

/** With the address as IPv4, as IPv6 that stands for IPv4 (::ffff:…, which a BlockList knows by itself), and behind NAT64. */
const unroutable = new BlockList();
unroutable.addSubnet('0.0.0.0', 8);
unroutable.addSubnet('127.0.0.0', 8);
unroutable.addSubnet('169.254.0.0', 16);
unroutable.addAddress('::', 'ipv6');
unroutable.addAddress('::1', 'ipv6');
unroutable.addSubnet('fe80::', 10, 'ipv6');
unroutable.addSubnet('64:ff9b::', 104, 'ipv6');
unroutable.addSubnet('64:ff9b::7f00:0', 104, 'ipv6');
unroutable.addSubnet('64:ff9b::a9fe:0', 112, 'ipv6');
// Instance metadata, names, time and pod credentials: https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/instancedata-data-retrieval.html
unroutable.addSubnet('fd00:ec2::', 32, 'ipv6');

/** Why nothing is sent there, or `undefined`. A name is judged by `routableLookup` instead, when it is resolved. */
export function whyUnroutable(host: string): string | undefined {
  const family = isIP(host);
  return family !== 0 && unroutable.check(host, family === 6 ? 'ipv6' : 'ipv4')
    ? `${host} is a loopback, link-local or metadata address, which is asked only with CAPI_REMOTE_ADDRESSES=any`
    : undefined;
}

/**
 * For `lookup` of a connection, which then goes to the very addresses that were judged: a name cannot mean something else a
 * moment later. Fails if any of them is not routable.
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
      callback(new Error(`${hostname} cannot be asked: ${problem ?? 'it has no address'}`), '');
    } else if (options.all === true) {
      callback(null, addresses);
    } else {
      callback(null, first.address, first.family);
    }
  });
};
