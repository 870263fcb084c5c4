// From the JSON of answers to the shapes of the port. Pure. The API server is trusted to send what its kinds promise.
import { type Answer, answered, refused } from '../../api/answer.ts';
import { type ListQuery, type Parser, toDisplayName, type Unstructured } from '../../api/object.ts';
import { toSchemaProblem } from '../../api/schema-problem.ts';
import type { ListedPage } from '../port.ts';

type Fields = Readonly<Record<string, unknown>>;

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** An object in an answer. Lists leave apiVersion and kind out, metadata reads replace them: what was asked for stands. */
export function toUnstructured(
  raw: unknown,
  asked: { readonly apiVersion: string; readonly kind: string },
): Unstructured {
  const fields = isFields(raw) ? raw : {};
  const { apiVersion, kind } = asked;
  const metadata = isFields(fields['metadata']) ? fields['metadata'] : {};
  return { ...fields, apiVersion, kind, metadata } as unknown as Unstructured; // every stored object has this metadata
}

/** One page of a list. Throws an Error when it is none. */
export function toListedPage(raw: unknown, query: ListQuery): ListedPage {
  const items = isFields(raw) ? raw['items'] : undefined;
  const metadata = isFields(raw) && isFields(raw['metadata']) ? raw['metadata'] : {};
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

/** Runs a caller's parser; what it throws is the failure `Unparsable`, one line with the object's name. */
export function parseObject<T>(object: Unstructured, parse: Parser<T>): Answer<T> {
  try {
    return answered(parse(object));
  } catch (error) {
    const subject = `${object.kind} ${toDisplayName(object.metadata)}`;
    return refused({ reason: 'Unparsable', message: `${subject}: ${toSchemaProblem(error)}` });
  }
}
