// Objects without empty fields, which an API server would refuse.
import { type Intent, isJsonObject, type JsonObject } from '@capi-serverless/apimachinery';

/** Values of variables, schemas and patches may be empty. */
const kept = new Set(['value', 'schema', 'patches']);

/** Returns the object without empty objects and lists, at any depth. */
function filledFields(object: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(object).flatMap(([key, value]) => {
      const filled = kept.has(key) ? value : filledValue(value);
      return filled === undefined ? [] : [[key, filled]];
    }),
  );
}

function filledValue(value: unknown): unknown {
  if (Array.isArray(value)) {
    const items = value.map(each => (isJsonObject(each) ? filledFields(each) : each));
    return items.length === 0 ? undefined : items;
  }
  if (!isJsonObject(value)) {
    return value;
  }
  const fields = filledFields(value);
  return Object.keys(fields).length === 0 ? undefined : fields;
}

/** Like `filledFields`, of an object with a name. */
export function filledIntent(intent: Intent): Intent {
  const { apiVersion, kind } = intent;
  return { ...filledFields(intent), apiVersion, kind, metadata: intent.metadata };
}
