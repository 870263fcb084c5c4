import type { LookupAddress } from 'node:dns';
import { describe, expect, it } from 'vitest';
import { routableLookup, whyUnroutable } from '../../../../../shared/kubernetes/rest/routable.ts';

describe('an address', () => {
  it.each([
    { address: '127.0.0.1', reason: "the function's own runtime listens there" },
    { address: '127.255.255.254', reason: 'all of 127 is this host' },
    { address: '0.0.0.0', reason: 'it connects to this host' },
    { address: '169.254.169.254', reason: 'instance metadata' },
    { address: '169.254.170.23', reason: 'credentials of pods' },
    { address: '169.254.79.129', reason: 'the tracing daemon of a function' },
    { address: '::1', reason: 'this host' },
    { address: '::', reason: 'it connects to this host' },
    { address: 'fe80::1', reason: 'link-local' },
    { address: 'fd00:ec2::254', reason: 'instance metadata' },
    { address: '::ffff:169.254.169.254', reason: 'IPv4 in IPv6' },
    { address: '::ffff:7f00:1', reason: 'IPv4 in IPv6, written as IPv6' },
    { address: '64:ff9b::a9fe:a9fe', reason: 'instance metadata behind NAT64' },
    { address: '64:ff9b::7f00:1', reason: 'loopback behind NAT64' },
    { address: '64:ff9b::efff:fffa', reason: 'multicast behind NAT64' },
    { address: '64:ff9b:1::7f00:1', reason: "loopback behind a network's own NAT64" },
    { address: '::127.0.0.1', reason: 'an IPv4-compatible address' },
    { address: '::169.254.169.254', reason: 'instance metadata, IPv4-compatible' },
    { address: '::ffff:0:127.0.0.1', reason: 'a translated IPv4 address' },
    { address: '2002:7f00:1::', reason: 'loopback behind 6to4' },
    { address: '2002:a9fe:a9fe::1', reason: 'instance metadata behind 6to4' },
    { address: '2001:0:7f00:1::1', reason: 'Teredo' },
    { address: 'fec0::1', reason: 'site-local' },
    { address: 'feff:ffff::1', reason: 'the end of site-local' },
    { address: 'ff02::1', reason: 'multicast' },
    { address: '224.0.0.1', reason: 'multicast in IPv4' },
    { address: '239.255.255.250', reason: 'multicast in IPv4' },
    { address: '255.255.255.255', reason: 'broadcast' },
    { address: 'fe80::1%eth0', reason: 'link-local with a zone' },
  ])('$address is not probed: $reason', ({ address }) => {
    expect(whyUnroutable(address)).toMatch(
      `${address} is a loopback, link-local, multicast, tunnel or metadata address`,
    );
  });

  it.each([
    '10.0.0.1',
    '172.16.0.1',
    '192.168.1.1',
    '100.64.0.1',
    '203.0.113.7',
    'fd12:3456::1',
    '2001:db8::1',
    '64:ff9b::a00:1',
    '64:ff9b::cb00:7107',
    '223.255.255.255',
    '2001:1::1',
    '2003::1',
    'fe00::1',
  ])('%s is allowed for a workload cluster', address => {
    expect(whyUnroutable(address)).toBeUndefined();
  });

  it('is not derived from a name', () => {
    expect(whyUnroutable('localhost')).toBeUndefined();
  });
});

describe('the lookup of a name', () => {
  type Found = { readonly error: Error | null; readonly address: string | LookupAddress[]; readonly family?: number };

  function find(name: string, all: boolean): Promise<Found> {
    return new Promise(resolve => {
      routableLookup(name, { all }, (error, address, family) =>
        resolve({ error, address, ...(family === undefined ? {} : { family }) }),
      );
    });
  }

  it.each([true, false])('rejects non-routable addresses (all: %s)', async all => {
    const { error, address } = await find('localhost', all);
    expect(error?.message).toMatch(/^localhost cannot be called: \S+ is a loopback/);
    expect(address).toBe('');
  });

  it('returns one address or all, as requested', async () => {
    expect(await find('192.0.2.1', false)).toEqual({ error: null, address: '192.0.2.1', family: 4 });
    expect(await find('192.0.2.1', true)).toEqual({ error: null, address: [{ address: '192.0.2.1', family: 4 }] });
  });

  it('reports that a name has no address', async () => {
    expect((await find('no-such-host.invalid', true)).error).toBeInstanceOf(Error);
  });
});
