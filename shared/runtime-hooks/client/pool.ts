// Kept-alive connections to extension servers. There is one pool per combination of server, authorities and client
// certificate.
import { createHash } from 'node:crypto';
import type { LookupFunction } from 'node:net';
import { Connection } from '../../kubernetes/rest/connection.ts';
import type { ClientCertificate } from './client-certificate.ts';

/** The size limit of an inflated answer. Answers of upstream's extensions are about a thousand times smaller. */
const largestAnswerBytes = 20 * 1024 * 1024;

/** The maximum number of servers with open connections. */
const capacity = 50;

/** The maximum timer of the platform. Calls have their own timeout. */
const noTimeoutMs = 2_147_483_647;

const limits = {
  connectTimeoutMs: noTimeoutMs,
  requestTimeoutMs: noTimeoutMs,
  maxAnswerBytes: largestAnswerBytes,
  maxSockets: 16,
};

export interface Peer {
  /** The URL in the form `https://host[:port]`. */
  readonly origin: string;
  /** The authorities as PEM. If empty, the authorities of the platform are used. */
  readonly authorities: string;
  readonly clientCertificate: ClientCertificate | undefined;
}

export class ConnectionPool {
  readonly #lookup: LookupFunction | undefined;
  readonly #connections = new Map<string, Connection>();
  #clientKey: string | undefined;

  /** `lookup` resolves host names. If `undefined`, the system's resolver is used. */
  constructor(lookup: LookupFunction | undefined) {
    this.#lookup = lookup;
  }

  /** A new client certificate closes all idle connections, so that the old certificate is not used again. */
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

  /** Drops the least recently used pools. Their calls in progress continue. */
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
