// The labels that contain the name of an object.
import { problemsOfLabelValue } from '@capi-serverless/apimachinery';

/** The MachineSet of a Machine. */
export const setNameLabel = 'cluster.x-k8s.io/set-name';

/** Names have up to 253 characters, label values 63. A longer name is replaced by its hash, as in Cluster API. */
export function toNameLabelValue(name: string): string {
  return problemsOfLabelValue(name).length === 0 ? name : `hash_${base64Url(fnv1a(name))}_z`;
}

const offsetBasis = 0x811c9dc5;
const prime = 0x01000193;

/** FNV-1a with 32 bits: http://www.isthe.com/chongo/tech/comp/fnv/ */
function fnv1a(text: string): number {
  let hash = offsetBasis;
  for (const byte of new TextEncoder().encode(text)) {
    hash = Math.imul(hash ^ byte, prime);
  }
  return hash >>> 0;
}

function base64Url(hash: number): string {
  const bytes = [24, 16, 8, 0].map(shift => (hash >>> shift) & 0xff);
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
}
