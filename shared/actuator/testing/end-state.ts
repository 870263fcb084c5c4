// The state that a provider leaves behind, without what differs between two runs that did the same.
import { toSortedJson } from '../../api/field-error.ts';
import { toRecord } from '../../api/fields.ts';
import type { Unstructured } from '../../api/object.ts';
import { storedConditions } from '../../conditions/read.ts';
import { readList, valueOr } from '../../contract/path.ts';

const times = /\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?Z/g;

/**
 * Text that is the same for the same state; "gone" for no object. Names and times are left out, and the order of fields says
 * nothing. Of the values at the dotted paths `varies` only counts whether they are there.
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
