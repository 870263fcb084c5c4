// Kept-alive connections to extension servers: one set per server, authorities and client certificate.
import { createHash } from 'node:crypto';
import type { LookupFunction } from 'node:net';
import { Connection } from '../../kubernetes/rest/connection.ts';
import type { ClientCertificate } from './client-certificate.ts';

/** Of an answer, inflated: what upstream's extensions send is a thousandth of it. */
export const largestAnswerBytes = 20 * 1024 * 1024;

/** How many servers are kept connections to. */
const capacity = 50;

/** The longest a timer of the platform can be: calls have a time-out of their own, which covers all of them. */
const noTimeoutMs = 2_147_483_647;

const limits = {
  connectTimeoutMs: noTimeoutMs,
  requestTimeoutMs: noTimeoutMs,
  maxAnswerBytes: largestAnswerBytes,
  maxSockets: 16,
};

export interface Peer {
  /** `https://host[:port]`. */
  readonly origin: string;
  /** PEM; empty: those that the platform knows. */
  readonly authorities: string;
  readonly clientCertificate: ClientCertificate | undefined;
}

export class ConnectionPool {
  readonly #lookup: LookupFunction | undefined;
  readonly #connections = new Map<string, Connection>();
  #clientKey: string | undefined;

  /** `lookup`: how names become addresses. `undefined`: as the system does. */
  constructor(lookup: LookupFunction | undefined) {
    this.#lookup = lookup;
  }

  /** Another client certificate than before closes whatever is idle, so that no server goes on with the old one. */
  to({ origin, authorities, clientCertificate }: Peer): Connection {
    if (this.#clientKey !== clientCertificate?.key) {
      this.#clientKey = clientCertificate?.key;
      this.#drop(this.#connections.size);
    }
    const key = `${origin} ${digestOf([authorities, clientCertificate?.certificate ?? ''])}`;
    const connection = this.#connections.get(key) ?? this.#connect({ origin, authorities, clientCertificate });
    this.#connections.delete(key);
    this.#connections.set(key, connection);
    this.#drop(this.#connections.size - capacity);
    return connection;
  }

  /** The ones that were used longest ago; calls under way end undisturbed. */
  #drop(count: number): void {
    for (const [key, connection] of [...this.#connections].slice(0, Math.max(0, count))) {
      this.#connections.delete(key);
      connection.dropIdleSockets();
    }
  }

  #connect({ origin, authorities, clientCertificate }: Peer): Connection {
    const endpoint = {
      server: origin,
      insecureSkipTlsVerify: false,
      ...(authorities === '' ? {} : { ca: authorities }),
      ...(clientCertificate === undefined
        ? {}
        : { clientCertificate: clientCertificate.certificate, clientKey: clientCertificate.key }),
    };
    return new Connection(endpoint, this.#lookup === undefined ? limits : { ...limits, lookup: this.#lookup });
  }
}

function digestOf(texts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(texts)).digest('hex');
}
