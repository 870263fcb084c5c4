import { describe, expect, it } from 'vitest';
import { ConnectionPool, type Peer } from '../../../../../shared/runtime-hooks/client/pool.ts';

const capacity = 50;

function aPeer(change: Partial<Peer> = {}): Peer {
  return { origin: 'https://extension.example.com', authorities: '', clientCertificate: undefined, ...change };
}

const aServer = (number: number): Peer => aPeer({ origin: `https://extension-${number}.example.com` });

describe('the connections to extension servers', () => {
  it('are those of the least recently used server that are dropped first', () => {
    const pool = new ConnectionPool(undefined);
    const [first, second] = Array.from({ length: capacity }, (_, number) => pool.to(aServer(number)));
    expect(pool.to(aServer(0))).toBe(first);
    pool.to(aServer(capacity));
    expect(pool.to(aServer(0))).toBe(first);
    expect(pool.to(aServer(1))).not.toBe(second);
  });

  it.each([
    { change: {}, same: true, reason: 'the same server' },
    { change: { origin: 'https://other.example.com' }, same: false, reason: 'another server' },
    { change: { authorities: 'PEM' }, same: false, reason: 'other authorities' },
    { change: { clientCertificate: { certificate: 'c', key: 'k' } }, same: false, reason: 'a client certificate' },
  ])('are shared ($same): $reason', ({ change, same }) => {
    const pool = new ConnectionPool(undefined);
    expect(pool.to(aPeer()) === pool.to(aPeer(change))).toBe(same);
  });

  it('are new after the key of the client certificate has changed', () => {
    const pool = new ConnectionPool(undefined);
    const peerWith = (key: string): Peer => aPeer({ clientCertificate: { certificate: 'c', key } });
    const before = pool.to(peerWith('k1'));
    expect(pool.to(peerWith('k1'))).toBe(before);
    pool.to(peerWith('k2'));
    expect(pool.to(peerWith('k1'))).not.toBe(before);
  });
});
