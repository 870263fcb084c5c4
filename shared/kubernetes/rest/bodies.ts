// Converts JSON answers to the types of the port. Pure. The API server is trusted to follow its schemas.

import {
  type Answer,
  type ApplyOptions,
  answered,
  type Intent,
  isJsonObject,
  type ListedPage,
  type ListQuery,
  type Parser,
  refused,
  toDisplayName,
  toSchemaProblem,
  type Unstructured,
  withoutUndefined,
} from '@capi-serverless/apimachinery';

/**
 * Returns an object of an answer. Lists omit apiVersion and kind, and metadata reads replace them. Therefore the values
 * of the request are used.
 */
export function toUnstructured(
  raw: unknown,
  asked: { readonly apiVersion: string; readonly kind: string },
): Unstructured {
  const fields = isJsonObject(raw) ? raw : {};
  const { apiVersion, kind } = asked;
  const metadata = isJsonObject(fields['metadata']) ? fields['metadata'] : {};
  return { ...fields, apiVersion, kind, metadata } as unknown as Unstructured; // true: every stored object has metadata
}

/**
 * The version of no object. An apply of this version is a conflict if the object exists. If it does not exist, the API
 * server ignores the version.
 */
const absentVersion = '1';

/** Returns the body of an apply. The preconditions of an apply are part of its metadata. */
export function toApplyBody(object: Intent, { uid, onlyCreate }: ApplyOptions): Intent {
  const preconditions = {
    ...withoutUndefined({ uid }),
    ...(onlyCreate === undefined ? {} : { resourceVersion: absentVersion }),
  };
  return { ...object, metadata: { ...object.metadata, ...preconditions } };
}

/** Returns one page of a list. Throws an Error if the answer is not a list. */
export function toListedPage(raw: unknown, query: ListQuery): ListedPage {
  const items = isJsonObject(raw) ? raw['items'] : undefined;
  const metadata = isJsonObject(raw) && isJsonObject(raw['metadata']) ? raw['metadata'] : {};
  const { resourceVersion, continue: next } = metadata;
  if ((!Array.isArray(items) && items !== null) || typeof resourceVersion !== 'string') {
    throw new Error('the answer is not a list');
  }
  return {
    items: (items ?? []).map((item: unknown) => toUnstructured(item, query)),
    resourceVersion,
    ...(typeof next === 'string' && next !== '' ? { continue: next } : {}),
  };
}

/** Runs the parser of a caller. If it throws, returns the failure `Unparsable` with one line that names the object. */
export function parseObject<T>(object: Unstructured, parse: Parser<T>): Answer<T> {
  try {
    return answered(parse(object));
  } catch (error) {
    const subject = `${object.kind} ${toDisplayName(object.metadata)}`;
    return refused({ reason: 'Unparsable', message: `${subject}: ${toSchemaProblem(error)}` });
  }
}
