// Responses: a complete body, or an open stream of events.
import type { ServerResponse } from 'node:http';
import { NoSuchRouteError, type Status, StatusError } from '../core/status.ts';
import { yaml } from './yaml.ts';

export interface WholeReply {
  readonly type: 'whole';
  readonly code: number;
  readonly body: unknown;
  /** The content type. Default: JSON. Text is sent unchanged. */
  readonly encoding?: 'json' | 'yaml' | 'text';
  readonly contentType?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly warnings?: readonly string[];
}

/** The maximum size of headers, because clients and proxies refuse larger ones. Further warnings are dropped. */
const maxWarningBytes = 4096;

export function succeeded(body: unknown, parts: Partial<Omit<WholeReply, 'type' | 'body'>> = {}): WholeReply {
  return { type: 'whole', code: 200, ...parts, body };
}

/** Returns the response to a refused request. An unexpected error becomes an internal error. */
export function toRefusal(error: unknown): WholeReply {
  if (error instanceof NoSuchRouteError) {
    return { type: 'whole', code: 404, encoding: 'text', body: `${error.message}\n` };
  }
  if (error instanceof StatusError) {
    return refusalOf(error.status);
  }
  const message = `Internal error occurred: ${error instanceof Error ? error.message : String(error)}`;
  return refusalOf(new StatusError(500, 'InternalError', message).status);
}

function refusalOf(status: Status): WholeReply {
  const { retryAfterSeconds } = status.details ?? {};
  const headers = retryAfterSeconds === undefined ? {} : { 'Retry-After': String(retryAfterSeconds) };
  return { type: 'whole', code: status.code, body: status, headers };
}

export const commonHeaders = { 'Cache-Control': 'no-cache, private' } as const;

const contentTypes = { json: 'application/json', yaml: 'application/yaml', text: 'text/plain; charset=utf-8' } as const;

export function sendReply(response: ServerResponse, reply: WholeReply, withBody: boolean): void {
  const { code, encoding = 'json', contentType = contentTypes[encoding], headers = {}, warnings = [] } = reply;
  if (code === 304) {
    // Caches merge the headers of this response, so it has no body headers.
    response.writeHead(code, { ...commonHeaders, ...headers });
    response.end();
    return;
  }
  const bytes = Buffer.from(encode(reply.body, encoding));
  const warningHeaders = toWarnings(warnings);
  response.writeHead(code, {
    ...commonHeaders,
    ...headers,
    'Content-Type': contentType,
    'Content-Length': bytes.length,
    ...(warningHeaders.length === 0 ? {} : { Warning: [...warningHeaders] }),
  });
  response.end(withBody ? bytes : undefined);
}

function encode(body: unknown, encoding: 'json' | 'yaml' | 'text'): string {
  switch (encoding) {
    case 'json':
      return `${JSON.stringify(body)}\n`;
    case 'yaml':
      return yaml().stringify(body, { aliasDuplicateObjects: false });
    case 'text':
      return String(body);
  }
}

/** Header text is printable ASCII. Quotes and backslashes are escaped (RFC 7234, 5.5). */
export function toWarnings(warnings: readonly string[]): readonly string[] {
  let bytes = 0;
  const headers = warnings.map(text => {
    const safe = text.replace(/[^\x20-\x7e]/g, '?').replace(/["\\]/g, '\\$&');
    return `299 - "${safe}"`;
  });
  return headers.filter(header => {
    bytes += header.length;
    return bytes <= maxWarningBytes;
  });
}
