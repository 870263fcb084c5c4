// Applies JSON merge patches (RFC 7386). https://datatracker.ietf.org/doc/html/rfc7386
import { isJsonObject, type JsonObject } from '../../api/json.ts';
import { type Draft, keyIn, type Place, valueIn } from './draft.ts';

/** Changes the draft. The patch is at most as deep as a template may be. Throws PatchError beyond a limit. */
export function merge(draft: Draft, patch: JsonObject, place: Place = draft.root()): void {
  for (const [key, change] of Object.entries(patch)) {
    const present = keyIn(place.container, key) !== undefined;
    if (isJsonObject(change) && present && isJsonObject(valueIn(place.container, key))) {
      merge(draft, change, draft.enter(place, key));
    } else if (change !== null) {
      draft.set(place, key, withoutNulls(change));
    } else if (present) {
      draft.remove(place, key);
    }
  }
}

/** Where nothing is there to be removed, null is nothing. Lists stay as they are. */
function withoutNulls(value: unknown): unknown {
  if (!isJsonObject(value)) {
    return value;
  }
  const kept = Object.entries(value).filter(([, member]) => member !== null);
  return Object.fromEntries(kept.map(([key, member]) => [key, withoutNulls(member)]));
}
