// Compares a secret that a sender presents with those that are valid.
import { hash, timingSafeEqual } from 'node:crypto';

/** Compares in constant time, so that response times reveal nothing about a token. */
export function matchesToken(presented: string, tokens: readonly string[]): boolean {
  // timingSafeEqual needs inputs of equal length, so digests are compared.
  const digest = hash('sha256', presented, 'buffer');
  return tokens.filter(token => timingSafeEqual(hash('sha256', token, 'buffer'), digest)).length > 0;
}
