// Applies JSON merge patches (RFC 7386), with the nulls of lists as Kubernetes has them.
// https://datatracker.ietf.org/doc/html/rfc7386
import { isJsonObject, type JsonObject, withoutNulls } from '../../api/json.ts';
import { type Draft, keyIn, type Place, valueIn } from './draft.ts';

/** Changes the draft. The patch is at most as deep as a template may be. Throws PatchError beyond a limit. */
export function merge(draft: Draft, patch: JsonObject, place: Place = draft.root()): void {
  for (const [key, change] of Object.entries(patch)) {
    const present = keyIn(place.container, key) !== undefined;
    const intoObject = present && isJsonObject(valueIn(place.container, key));
    if (isJsonObject(change) && intoObject) {
      merge(draft, change, draft.enter(place, key));
    } else if (change !== null) {
      draft.set(place, key, intoObject ? change : withoutNulls(change)); // A list in an object's place is taken as it is.
    } else if (present) {
      draft.remove(place, key);
    }
  }
}
