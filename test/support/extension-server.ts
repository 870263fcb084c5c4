// A Runtime Extension server on loopback with its own certificate authority. Tests script its answers, valid or
// malformed.
import 'reflect-metadata';
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { gzipSync } from 'node:zlib';
import type { Instant } from '@capi-serverless/apimachinery';
import { SubjectAlternativeNameExtension } from '@peculiar/x509';
import type { Authority } from '../../shared/certificates/port.ts';
import {
  createAuthority,
  issueCertificate,
  issueServerCertificate,
  readAuthority,
} from '../../shared/certificates/x509/authority.ts';
import { createKeyPair } from '../../shared/certificates/x509/keys.ts';
import type { FakeAnswer } from './fake-hooks.ts';

export type ServerAnswer =
  | FakeAnswer
  /** Status code 200 and exactly these bytes. */
  | { readonly raw: string | Buffer; readonly encoding?: string }
  /** JSON that is compressed with gzip. */
  | { readonly gzipped: unknown }
  /** Zeros that are compressed to almost nothing. */
  | { readonly bombBytes: number }
  /** This number of bytes, written as fast as the client reads them. */
  | { readonly hugeBytes: number }
  | { readonly redirect: string }
  /** The head, and then one byte for each call of `drip`. */
  | { readonly drip: true }
  /** The head and half of the body. Then the connection closes. */
  | { readonly halfClosed: true };

interface ReceivedCall {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
  /** The common name of the client's certificate. '' without a certificate. */
  readonly clientFingerprint: string;
  /** The server name in the client's TLS handshake. */
  readonly serverName: string;
  /** The number of the connection, counted from 1. */
  readonly connection: number;
  /** Sends another byte of an answer that is sent byte by byte. */
  readonly drip: () => void;
}

export interface FakeExtensionServer {
  readonly url: string;
  readonly port: number;
  /** The authority of its certificate as PEM. */
  readonly ca: string;
  readonly received: readonly ReceivedCall[];
  /** Resolves with the call of this number, counted from 1, after it has arrived. */
  call(number: number): Promise<ReceivedCall>;
  /** `path` is as in the fake: `discovery`, `beforeclustercreate/first`. */
  answer(path: string, answer: ServerAnswer): void;
  /** Closes every open connection, idle or not. */
  disconnect(): void;
  close(): Promise<void>;
}

interface ServerIdentity {
  readonly ca: string;
  readonly certificate: string;
  readonly privateKey: string;
}

/** Creates a server for 127.0.0.1 or for this DNS name. Created once per test file, because key generation is slow. */
export async function anIdentity(dnsName?: string): Promise<ServerIdentity> {
  const now = Date.now();
  const authority = await createAuthority(now);
  const issued =
    dnsName === undefined
      ? await issueServerCertificate(authority, { address: '127.0.0.1', now })
      : await issueFor(dnsName, authority, now);
  return { ca: authority.certificate, ...issued };
}

async function issueFor(dnsName: string, authority: Authority, now: Instant): Promise<Omit<ServerIdentity, 'ca'>> {
  const signing = readAuthority(authority);
  if (!signing.ok) {
    throw new Error(signing.error);
  }
  const { publicKey, privateKey } = await createKeyPair();
  const certificate = await issueCertificate(signing.value, {
    subject: [{ CN: [dnsName] }],
    publicKey,
    notBefore: new Date(now - hourMs),
    notAfter: new Date(now + hourMs),
    extensions: [new SubjectAlternativeNameExtension([{ type: 'dns', value: dnsName }])],
  });
  return { certificate, privateKey: privateKey.export({ type: 'pkcs1', format: 'pem' }).toString() };
}

const hourMs = 3_600_000;

/** The received calls in order. `call` waits for a call by its number, counted from 1. */
function createCallLog() {
  const received: ReceivedCall[] = [];
  const waiting = new Set<() => void>();
  return {
    received,
    note(one: ReceivedCall): void {
      received.push(one);
      for (const wake of waiting) {
        wake();
      }
    },
    async call(number: number): Promise<ReceivedCall> {
      for (let found = received[number - 1]; ; found = received[number - 1]) {
        if (found !== undefined) {
          return found;
        }
        await new Promise<void>(resolve => {
          const wake = (): void => {
            waiting.delete(wake);
            resolve();
          };
          waiting.add(wake);
        });
      }
    },
  };
}

export async function startExtensionServer(identity: ServerIdentity): Promise<FakeExtensionServer> {
  const answers = new Map<string, ServerAnswer>();
  const { received, note, call } = createCallLog();
  const sockets = new Map<Socket, number>();
  let connections = 0;
  const server = createServer(
    { cert: identity.certificate, key: identity.privateKey, requestCert: true, rejectUnauthorized: false },
    (request, response) => {
      void serve(request, response).catch(() => response.destroy());
    },
  );
  server.on('secureConnection', socket => {
    connections += 1;
    sockets.set(socket, connections);
    socket.on('error', () => {}).once('close', () => sockets.delete(socket));
  });
  server.on('tlsClientError', () => {});

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readBody(request);
    const socket = request.socket as TLSSocket; // true: every connection of this server has this type
    const url = request.url ?? '';
    note({
      method: request.method ?? '',
      url,
      headers: request.headers,
      body,
      clientFingerprint: socket.getPeerCertificate().fingerprint256 ?? '',
      serverName: typeof socket.servername === 'string' ? socket.servername : '',
      connection: sockets.get(socket) ?? 0,
      drip: () => response.write(' '),
    });
    const path = /\/v1alpha1\/([^?]*)/.exec(url)?.[1] ?? '';
    respond(response, answers.get(path) ?? { status: 404, text: 'no such handler' });
  }

  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // true: a TCP server that listens has an address of this type
  return {
    url: `https://127.0.0.1:${port}`,
    port,
    ca: identity.ca,
    received,
    call,
    answer: (path, answer) => answers.set(path, answer),
    disconnect() {
      for (const socket of sockets.keys()) {
        socket.destroy();
      }
    },
    close: () =>
      new Promise(resolve => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function respond(response: ServerResponse, answer: ServerAnswer): void {
  if ('body' in answer) {
    response.end(JSON.stringify(answer.body));
  } else if ('status' in answer) {
    response.writeHead(answer.status).end(answer.text ?? '');
  } else if ('unreachable' in answer) {
    response.destroy();
  } else if ('raw' in answer) {
    response.writeHead(200, answer.encoding === undefined ? {} : { 'content-encoding': answer.encoding });
    response.end(answer.raw);
  } else if ('gzipped' in answer) {
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(JSON.stringify(answer.gzipped)));
  } else if ('bombBytes' in answer) {
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(answer.bombBytes)));
  } else if ('hugeBytes' in answer) {
    pour(response, answer.hugeBytes);
  } else if ('redirect' in answer) {
    response.writeHead(302, { location: answer.redirect }).end();
  } else if ('drip' in answer) {
    response.writeHead(200).flushHeaders();
  } else if ('halfClosed' in answer) {
    response.writeHead(200, { 'content-length': '100' });
    response.write('{"status":', () => response.destroy());
  }
  // A silent server sends nothing more.
}

/** Stops when the client has disconnected. */
function pour(response: ServerResponse, bytes: number): void {
  const chunk = Buffer.alloc(1024 * 1024, 0x20);
  let left = bytes;
  const go = (): void => {
    while (left > 0 && !response.destroyed) {
      left -= chunk.length;
      if (!response.write(chunk)) {
        response.once('drain', go);
        return;
      }
    }
    response.end();
  };
  go();
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) {
    chunks.push(chunk as Buffer); // true: no encoding is set, so a stream of bytes yields Buffers
  }
  return Buffer.concat(chunks).toString('utf8');
}
