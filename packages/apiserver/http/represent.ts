// Objects, lists and events in the requested representation. Pure.
import { type Instant, type JsonObject, toApiVersion, withoutUndefined } from '@capi-serverless/apimachinery';
import { without } from '../core/json.ts';
import type { ResourceEndpoint } from '../core/kinds.ts';
import type { Page } from '../core/list.ts';
import type { Stored } from '../core/object.ts';
import type { Representation } from './negotiate.ts';
import { type IncludeObject, toPartial, toTable } from './table.ts';

export interface View {
  readonly endpoint: ResourceEndpoint;
  readonly form: Representation['form'];
  readonly include: IncludeObject;
  readonly now: Instant;
}

export function showObject(object: Stored, view: View): unknown {
  switch (view.form) {
    case 'object':
      return object;
    case 'metadata':
      return toPartial(object);
    case 'table':
      return toTable([object], { ...view, metadata: { resourceVersion: object.metadata.resourceVersion } });
  }
}

export function showPage(page: Page, view: View): JsonObject {
  const { items, resourceVersion, continue: next, remainingItemCount } = page;
  const metadata = {
    resourceVersion,
    ...withoutUndefined({ continue: next, remainingItemCount }),
  };
  const { resource, version } = view.endpoint;
  switch (view.form) {
    case 'table':
      return toTable(items, { ...view, metadata });
    case 'metadata':
      return {
        kind: 'PartialObjectMetadataList',
        apiVersion: 'meta.k8s.io/v1',
        metadata,
        items: items.map(toPartial),
      };
    case 'object':
      return {
        kind: resource.names.listKind,
        apiVersion: toApiVersion({ group: resource.group, version: version.name }),
        metadata,
        items: resource.custom ? items : items.map(item => without(item, 'apiVersion', 'kind')),
      };
  }
}

/** The warning about objects that are left out. One error is enough to find the cause. */
export function warningsOfPage({ unconverted = [] }: Page, version: string): readonly string[] {
  const [first] = unconverted;
  if (first === undefined) {
    return [];
  }
  const { namespace, name, error } = first;
  const place = namespace === '' ? name : `${namespace}/${name}`;
  const count = unconverted.length === 1 ? '1 object is' : `${unconverted.length} objects are`;
  return [`${count} not shown, because the conversion to ${version} failed; ${place}: ${error}`];
}

/** The object of one watch event. `first`: it is the first event of the stream. */
export function showEvent(object: Stored, view: View, first: boolean): unknown {
  return view.form === 'table'
    ? toTable([object], {
        ...view,
        metadata: { resourceVersion: object.metadata.resourceVersion },
        columns: first,
      })
    : showObject(object, view);
}

/** The object of a bookmark. */
export function showBookmark(resourceVersion: string, { endpoint, form }: View): JsonObject {
  const { resource, version } = endpoint;
  const metadata = { resourceVersion, creationTimestamp: null };
  switch (form) {
    case 'metadata':
      return { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata };
    case 'table':
      return {
        kind: 'Table',
        apiVersion: 'meta.k8s.io/v1',
        metadata: { resourceVersion },
        columnDefinitions: [],
        rows: [],
      };
    case 'object': {
      const apiVersion = toApiVersion({ group: resource.group, version: version.name });
      return { kind: resource.kind, apiVersion, metadata };
    }
  }
}
