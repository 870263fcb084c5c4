// The digest of the data of a ConfigMap or Secret. It must be computed at once: a pass waits for its requests only.
import { hash } from 'node:crypto';

/** The digest of the values alone, as in upstream, so that what upstream has recorded stays valid. */
export function dataDigest(values: readonly Uint8Array[]): string {
  return `sha256:${hash('sha256', Buffer.concat(values), 'hex')}`;
}
