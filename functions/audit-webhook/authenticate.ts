// Checks the bearer token of a request. Runs before any other part of the request is read.
import { hash, timingSafeEqual } from 'node:crypto';

const bearer = /^Bearer +([^\s]+)$/i;

/** Compares in constant time, so that response times reveal nothing about a token. */
export function isAuthentic(authorization: string | undefined, tokens: readonly string[]): boolean {
  const [, presented] = bearer.exec(authorization ?? '') ?? [];
  // timingSafeEqual needs inputs of equal length, so digests are compared.
  const digest = hash('sha256', presented ?? '', 'buffer');
  const matches = tokens.filter(token => timingSafeEqual(hash('sha256', token, 'buffer'), digest));
  return presented !== undefined && matches.length > 0;
}
