// Tells whether a request comes from the API server, before anything of it is read.
import { hash, timingSafeEqual } from 'node:crypto';

const bearer = /^Bearer +([^\s]+)$/i;

/** Takes the same time whatever was presented, so that no token can be guessed piece by piece. */
export function isAuthentic(authorization: string | undefined, tokens: readonly string[]): boolean {
  const [, presented] = bearer.exec(authorization ?? '') ?? [];
  // Digests have one length, as the comparison wants it.
  const digest = hash('sha256', presented ?? '', 'buffer');
  const matches = tokens.filter(token => timingSafeEqual(hash('sha256', token, 'buffer'), digest));
  return presented !== undefined && matches.length > 0;
}
