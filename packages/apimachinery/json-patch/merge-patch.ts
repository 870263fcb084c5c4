// JSON merge patches (RFC 7386) with Kubernetes' treatment of nulls in lists: a list that replaces an object is taken
// unchanged. In any other list, objects lose their null members. Verified against kube-apiserver.
// https://datatracker.ietf.org/doc/html/rfc7386
import { isJsonObject, type JsonObject, withoutNulls } from '../json.ts';
import { JsonDocument, keyIn, valueIn, type WritePosition } from './document.ts';

/** Changes the document. The stack limits the depth of the patch. An undefined member changes nothing. */
export function mergeInto(document: JsonDocument, patch: JsonObject, place: WritePosition = document.root()): void {
  for (const [key, change] of Object.entries(patch)) {
    const present = keyIn(place.container, key) !== undefined;
    const intoObject = present && isJsonObject(valueIn(place.container, key));
    if (isJsonObject(change) && intoObject) {
      mergeInto(document, change, document.enter(place, key));
    } else if (change !== null && change !== undefined) {
      document.set(place, key, intoObject ? change : withoutNulls(change));
    } else if (change === null && present) {
      document.remove(place, key);
    }
  }
}

/** Returns the target after the patch. Neither argument is changed. */
export function applyMergePatch(target: JsonObject, patch: JsonObject): JsonObject {
  const document = new JsonDocument(target);
  mergeInto(document, patch);
  return document.share();
}
