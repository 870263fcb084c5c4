// The final state of a provider's object, without values that differ between equivalent runs.

import { toRecord, toSortedJson, type Unstructured } from '@capi-serverless/apimachinery';
import { storedConditions } from '@capi-serverless/cluster-api/conditions';
import { readList, valueOr } from '@capi-serverless/cluster-api/contract';

const times = /\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?Z/g;

/**
 * Equal states have equal text. The text is "gone" if there is no object. Names, times and the order of fields are
 * omitted. For the dotted paths in `varies`, only the presence is compared.
 */
export function endStateOf(object: Unstructured | undefined, varies: readonly string[] = []): string {
  if (object === undefined) {
    return 'gone';
  }
  const { name, namespace, uid, finalizers = [], labels = {}, annotations = {} } = object.metadata;
  const conditions = storedConditions(valueOr(readList(object, 'status.conditions'), []))
    .map(({ type, status, reason, message }) => ({ type, status, reason, message }))
    .toSorted((a, b) => (a.type < b.type ? -1 : 1));
  const status = { ...Object(object.status), conditions };
  const state = { finalizers, labels, annotations, spec: object.spec, status };
  const text = toSortedJson(varies.reduce<unknown>((sofar, path) => without(sofar, path.split('.')), state));
  return [uid, name, namespace ?? name].reduce((sofar, own) => sofar.replaceAll(own, '·'), text).replaceAll(times, '·');
}

function without(value: unknown, [name = '', ...rest]: readonly string[]): unknown {
  const fields = toRecord(value);
  const field = fields[name];
  return field === undefined ? value : { ...fields, [name]: rest.length === 0 ? '·' : without(field, rest) };
}
