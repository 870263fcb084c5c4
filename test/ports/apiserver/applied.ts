// Helpers to apply an object under a field manager and to list the managers of its fields.

import type { JsonObject, Unstructured } from '@capi-serverless/apimachinery';
import { expect } from 'vitest';
import { applyPatchType, type RawAnswer, type RawOptions } from '../../support/raw-http.ts';
import { freshName } from '../answers.ts';
import { type Api, widgetKind, widgets } from './api-case.ts';

interface ApplyAs {
  readonly manager: string;
  readonly force?: boolean;
  readonly dryRun?: boolean;
  readonly subresource?: 'status';
}

/** Applies a body of any kind at a path. */
export function applyAt(api: Api, path: string, body: unknown, query: RawOptions['query'] = {}): Promise<RawAnswer> {
  return api.http.patch(path, body, { type: applyPatchType, query });
}

/** Applies a widget of this name. */
export function applyWidget(api: Api, name: string, parts: JsonObject, as: ApplyAs): Promise<RawAnswer> {
  const { metadata = {}, ...rest } = parts;
  const body = { ...widgetKind, metadata: { name, ...(metadata as JsonObject) }, ...rest }; // true: cases pass objects
  const path = `${widgets(api, name)}${as.subresource === undefined ? '' : `/${as.subresource}`}`;
  return applyAt(api, path, body, {
    fieldManager: as.manager,
    ...(as.force === undefined ? {} : { force: String(as.force) }),
    ...(as.dryRun === true ? { dryRun: 'All' } : {}),
  });
}

/** A new widget that was applied with a field manager. */
export async function appliedWidget(api: Api, parts: JsonObject, as: ApplyAs): Promise<Unstructured> {
  const answer = await applyWidget(api, freshName('applied'), parts, as);
  expect(answer).toMatchObject({ status: 201 });
  return answer.body as Unstructured; // true: the object was created
}

interface Entry {
  readonly manager: string;
  readonly operation: 'Apply' | 'Update';
  readonly apiVersion: string;
  readonly time: string;
  readonly fieldsType: 'FieldsV1';
  readonly fieldsV1: JsonObject;
  readonly subresource?: string;
}

/** All entries of managedFields, or an empty list. */
export function entriesOf(object: Unstructured): readonly Entry[] {
  const { managedFields = [] } = object.metadata as { readonly managedFields?: readonly Entry[] }; // true: a server wrote it
  return managedFields;
}

/** Returns the owned fields by manager, operation and subresource: `m1/Apply`, `u1/Update/status`. */
export function owners(object: Unstructured): Readonly<Record<string, JsonObject>> {
  const entries = entriesOf(object).map(({ manager, operation, subresource, fieldsV1 }) => {
    const who = [manager, operation, ...(subresource === undefined ? [] : [subresource])].join('/');
    return [who, fieldsV1] as const;
  });
  return Object.fromEntries(entries);
}

/** Expects a 409 with exactly these fields in conflict. */
export function expectConflicts(answer: RawAnswer, fields: readonly string[]): void {
  expect(answer).toMatchObject({ status: 409, body: { kind: 'Status', reason: 'Conflict', code: 409 } });
  const { details } = answer.body as { readonly details: { readonly causes: readonly JsonObject[] } }; // True: checked in the line above.
  expect(details.causes.map(({ reason }) => reason)).toEqual(fields.map(() => 'FieldManagerConflict'));
  expect(details.causes.map(({ field }) => String(field)).toSorted()).toEqual(fields.toSorted());
}
