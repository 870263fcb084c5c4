// An audit webhook that keeps what it is posted.
import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { expect, vi } from 'vitest';
import { makeSelfSignedCertificate } from '../../../support/self-signed-certificate.ts';

export interface AuditEvent {
  readonly level: string;
  readonly auditID: string;
  readonly stage: string;
  readonly verb: string;
  readonly user: { readonly username?: string };
  readonly objectRef?: Readonly<Record<string, string>>;
  readonly requestObject?: unknown;
  readonly responseObject?: unknown;
}

export interface Receiver {
  readonly url: string;
  readonly caPem: string;
  readonly token: string;
  events(): readonly AuditEvent[];
  /** The first that is as wished; waits for it. */
  event(wish: Wish): Promise<AuditEvent>;
  /** The next post with such an event is answered 400, and none of its events kept. Returns whether that has happened. */
  refuseOnce(wish: Wish): () => boolean;
  close(): void;
}

type Wish = (event: AuditEvent) => boolean;

const patience = { timeout: 20_000, interval: 50 };

export async function openReceiver(): Promise<Receiver> {
  const { certificatePem, keyPem } = makeSelfSignedCertificate();
  const token = 'audit-token';
  const events: AuditEvent[] = [];
  const odd: unknown[] = [];
  const refusals = new Set<Wish>();
  const server = createServer({ cert: certificatePem, key: keyPem }, async (request, response) => {
    const list = (await json(request)) as { readonly kind?: string; readonly items?: readonly AuditEvent[] }; // else odd
    if (list.kind === 'EventList' && list.items !== undefined && request.headers.authorization === `Bearer ${token}`) {
      const refusal = [...refusals].find(wish => list.items?.some(wish));
      if (refusal !== undefined) {
        refusals.delete(refusal);
        response.writeHead(400).end();
        return;
      }
      events.push(...list.items);
    } else {
      odd.push(list);
    }
    response.end('{}');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // a server that listens on a port has such an address
  return {
    url: `https://127.0.0.1:${port}/`,
    caPem: certificatePem,
    token,
    events: () => events,
    event: wish =>
      vi.waitFor(() => {
        expect(odd).toEqual([]);
        const found = events.find(wish);
        if (found === undefined) {
          throw new Error('The audit webhook was not told');
        }
        return found;
      }, patience),
    refuseOnce(wish) {
      refusals.add(wish);
      return () => !refusals.has(wish);
    },
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
