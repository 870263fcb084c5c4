// An audit webhook that records its requests.
import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { expect, vi } from 'vitest';
import { makeSelfSignedCertificate } from '../../../support/self-signed-certificate.ts';

export interface ReceivedAuditEvent {
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
  events(): readonly ReceivedAuditEvent[];
  /** Waits for the first matching event. */
  event(filter: EventFilter): Promise<ReceivedAuditEvent>;
  /**
   * Answers 400 to the next post that contains this event, and keeps none of its events. Returns whether this has
   * happened.
   */
  refuseOnce(filter: EventFilter): () => boolean;
  close(): void;
}

type EventFilter = (event: ReceivedAuditEvent) => boolean;

const patience = { timeout: 300_000, interval: 50 };

export async function openReceiver(): Promise<Receiver> {
  const { certificatePem, keyPem } = makeSelfSignedCertificate();
  const token = 'audit-token';
  const events: ReceivedAuditEvent[] = [];
  const odd: unknown[] = [];
  const refusals = new Set<EventFilter>();
  const server = createServer({ cert: certificatePem, key: keyPem }, async (request, response) => {
    const list = (await json(request)) as { readonly kind?: string; readonly items?: readonly ReceivedAuditEvent[] }; // True for every valid request.
    if (list.kind === 'EventList' && list.items !== undefined && request.headers.authorization === `Bearer ${token}`) {
      const refusal = [...refusals].find(filter => list.items?.some(filter));
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
  const { port } = server.address() as AddressInfo; // true: a server that listens on a port has an address of this type
  return {
    url: `https://127.0.0.1:${port}/`,
    caPem: certificatePem,
    token,
    events: () => events,
    event: filter =>
      vi.waitFor(() => {
        expect(odd).toEqual([]);
        const found = events.find(filter);
        if (found === undefined) {
          throw new Error('The audit webhook received no event');
        }
        return found;
      }, patience),
    refuseOnce(filter) {
      refusals.add(filter);
      return () => !refusals.has(filter);
    },
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
