// Tables in the format of kubectl: the columns of a kind and the cells of its objects. Pure.
// https://kubernetes.io/docs/reference/using-api/api-concepts/#receiving-resources-as-tables

import { type Instant, isJsonObject, type JsonObject, memberOf } from '@capi-serverless/apimachinery';
import type { Column, ResourceEndpoint } from '../core/kinds.ts';
import type { Stored } from '../core/object.ts';
import { toAge } from './age.ts';
import { compilePath } from './json-path.ts';
import { ageColumn, column, nameColumn, type TableColumn, textAt } from './table-column.ts';
import { nodeColumns, podColumns } from './workload-columns.ts';

export type IncludeObject = 'None' | 'Metadata' | 'Object';

interface TableOptions {
  readonly endpoint: ResourceEndpoint;
  readonly include: IncludeObject;
  readonly now: Instant;
}

export function toPartial({ metadata }: Stored): JsonObject {
  return { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata };
}

/** `columns: false` omits the column definitions. They are sent only with the first event of a watch. */
export function toTable(
  objects: readonly Stored[],
  options: TableOptions & { readonly metadata: JsonObject; readonly columns?: boolean },
): JsonObject {
  const { include, now, metadata, endpoint } = options;
  const columns = columnsOf(endpoint);
  const { toStored = (object: Stored): Stored => object } = endpoint.resource.storedAs ?? {};
  return {
    kind: 'Table',
    apiVersion: 'meta.k8s.io/v1',
    metadata,
    columnDefinitions: options.columns === false ? [] : columns.map(({ cell: _, ...definition }) => definition),
    rows: objects.map(object => ({
      cells: toCells(columns, toStored(object), now),
      object: include === 'None' ? null : include === 'Object' ? object : toPartial(object),
    })),
  };
}

function toCells(columns: readonly TableColumn[], object: Stored, now: Instant): readonly unknown[] {
  return columns.map(({ cell }) => cell(object, now));
}

function countOf(...members: readonly string[]): (object: Stored) => number {
  return object =>
    members.reduce((sum, member) => {
      const value = memberOf(object, member);
      return sum + (isJsonObject(value) ? Object.keys(value).length : 0);
    }, 0);
}

function involved(object: Stored): string {
  const of = object['involvedObject'];
  return `${textIn(of, 'kind').toLowerCase()}/${textIn(of, 'name')}`;
}

function textIn(value: unknown, key: string): string {
  const text = memberOf(value, key);
  return typeof text === 'string' ? text : '';
}

/** The reporting component and its host. */
function sourceOf(object: Stored): string {
  const component = textAt('source', 'component')(object);
  const parts =
    component === ''
      ? [textAt('reportingComponent')(object), textAt('reportingInstance')(object)]
      : [component, textAt('source', 'host')(object)];
  return parts.filter(part => part !== '').join(', ');
}

function lastSeen(object: Stored): unknown {
  const times = [memberOf(object['series'], 'lastObservedTime'), object['lastTimestamp']];
  return [...times, object['firstTimestamp'], object['eventTime']].find(Boolean);
}

function agoOf(...members: readonly string[]): TableColumn['cell'] {
  return (object, now) => toAge(members.map(member => object[member]).find(Boolean), now);
}

const eventColumns: readonly TableColumn[] = [
  column('Last Seen', (object, now) => toAge(lastSeen(object), now)),
  column('Type', textAt('type')),
  column('Reason', textAt('reason')),
  column('Object', involved),
  column('Subobject', textAt('involvedObject', 'fieldPath'), { priority: 1 }),
  column('Source', sourceOf, { priority: 1 }),
  column('Message', object => textAt('message')(object).trim()),
  column('First Seen', agoOf('firstTimestamp', 'eventTime'), { priority: 1 }),
  column('Count', object => memberOf(object['series'], 'count') ?? object['count'] ?? 1, { priority: 1 }),
  { ...nameColumn, priority: 1 },
];

const builtInColumns: Readonly<Record<string, readonly TableColumn[]>> = {
  Namespace: [nameColumn, column('Status', textAt('status', 'phase')), ageColumn],
  Secret: [nameColumn, column('Type', textAt('type')), column('Data', countOf('data'), { type: 'integer' }), ageColumn],
  ConfigMap: [nameColumn, column('Data', countOf('data', 'binaryData'), { type: 'integer' }), ageColumn],
  Event: eventColumns,
  Node: nodeColumns,
  Pod: podColumns,
  CustomResourceDefinition: [
    nameColumn,
    column('Created At', object => object.metadata.creationTimestamp, { type: 'date' }),
  ],
};

/** Paths are compiled once per version of a definition. */
const compiled = new WeakMap<object, readonly TableColumn[]>();

function columnsOf({ resource, version }: ResourceEndpoint): readonly TableColumn[] {
  if (!resource.custom) {
    return builtInColumns[resource.kind] ?? [nameColumn, ageColumn];
  }
  const known = compiled.get(version);
  const columns = known ?? [nameColumn, ...(version.columns?.map(toColumn) ?? [ageColumn])];
  compiled.set(version, columns);
  return columns;
}

function toColumn({ name, type, format = '', description = '', priority = 0, jsonPath }: Column): TableColumn {
  const read = compilePath(jsonPath);
  return column(name, (object, now) => toCell(read(object)[0], type, now), { type, format, description, priority });
}

function toCell(value: unknown, type: string, now: Instant): unknown {
  if (value === undefined || value === null) {
    return null;
  }
  switch (type) {
    case 'integer':
    case 'number':
      return typeof value === 'number' ? value : null;
    case 'boolean':
      return typeof value === 'boolean' ? value : null;
    case 'date':
      return toAge(value, now);
    default:
      return typeof value === 'object' ? JSON.stringify(value) : String(value);
  }
}
