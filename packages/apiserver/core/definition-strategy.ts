// CustomResourceDefinitions: their validation, their defaults, and the kind that a definition establishes.

import { type Instant, isJsonObject, type JsonObject, memberOf, sameJson } from '@capi-serverless/apimachinery';
import { toTimestamp } from '@capi-serverless/apimachinery/timestamp';
import { acceptNames, isEstablished } from './accept-names.ts';
import { problemsOfVersions, schemaOf } from './definition-versions.ts';
import type { Column, KindRuleContext, Resource, ServedVersion, Strategy } from './kinds.ts';
import { problemOfName } from './name-rules.ts';
import { finalizersOf, type ObjectDraft, type Stored } from './object.ts';
import { problemsOfReplicas, toScalePaths } from './scale-paths.ts';
import type { CauseReason, StatusCause } from './status.ts';
import { problemsOfConversion } from './webhook-conversion.ts';

/** A finalizer. It keeps a deleted definition until all objects of its kind are deleted. */
export const cleanupFinalizer = 'customresourcecleanup.apiextensions.k8s.io';

export const definitionStrategy: Strategy = {
  complete: draft => ({ ...draft, spec: withDefaults(isJsonObject(draft.spec) ? draft.spec : {}) }),
  prepare(draft, live, { now, others }) {
    const spec = isJsonObject(draft.spec) ? draft.spec : {};
    if (live === undefined) {
      return { ...draft, status: { ...acceptNames({ spec }, others(), now), storedVersions: storedIn(spec) } };
    }
    const asBefore = isEstablished(live) && sameJson(memberOf(live.spec, 'names'), spec['names']);
    return asBefore ? draft : { ...draft, status: acceptNames({ spec, status: live.status }, others(), now) };
  },
  validate: problemsOfDefinition,
  beforeDelete(object, now) {
    const finalizers = finalizersOf(object);
    const kept = finalizers.includes(cleanupFinalizer) ? finalizers : [...finalizers, cleanupFinalizer];
    const message = 'CustomResource deletion is in progress';
    const terminating = condition('Terminating', 'InstanceDeletionInProgress', message, now);
    const conditions = [...conditionsOf(object), terminating];
    const status = { ...(isJsonObject(object.status) ? object.status : {}), conditions };
    return { ...object, status, metadata: { ...object.metadata, finalizers: kept } };
  },
};

function conditionsOf(object: Stored): readonly unknown[] {
  const conditions = memberOf(object.status, 'conditions');
  return Array.isArray(conditions) ? conditions : [];
}

function textAt(object: unknown, key: string): string {
  const value = memberOf(object, key);
  return typeof value === 'string' ? value : '';
}

function listAt(object: unknown, key: string): readonly unknown[] {
  const value = memberOf(object, key);
  return Array.isArray(value) ? value : [];
}

function textsAt(object: unknown, key: string): readonly string[] {
  return listAt(object, key).filter(item => typeof item === 'string');
}

function withDefaults(spec: JsonObject): JsonObject {
  const names = isJsonObject(spec['names']) ? spec['names'] : {};
  const kind = textAt(names, 'kind');
  return {
    ...spec,
    names: { singular: kind.toLowerCase(), listKind: `${kind}List`, ...names },
    conversion: spec['conversion'] ?? { strategy: 'None' },
  };
}

function storedIn(spec: JsonObject): readonly string[] {
  return versionsOf(spec)
    .filter(version => memberOf(version, 'storage') === true)
    .map(version => textAt(version, 'name'));
}

function condition(type: string, reason: string, message: string, now: Instant): JsonObject {
  return { type, status: 'True', lastTransitionTime: toTimestamp(now), reason, message };
}

function versionsOf(spec: unknown): readonly unknown[] {
  return listAt(spec, 'versions');
}

/** The approval annotation of the Kubernetes community. Kinds in protected groups require it. */
const approval = 'api-approved.kubernetes.io';
const builtInGroups: readonly string[] = ['apiextensions.k8s.io'];

function isReserved(group: string): boolean {
  return ['k8s.io', 'kubernetes.io'].some(domain => group === domain || group.endsWith(`.${domain}`));
}

function problemsOfDefinition(
  { metadata, spec }: ObjectDraft,
  live: Stored | undefined,
  { convertedVersions }: KindRuleContext,
): readonly StatusCause[] {
  const names = memberOf(spec, 'names');
  const versions = versionsOf(spec);
  const expected = `${textAt(names, 'plural')}.${textAt(spec, 'group')}`;
  const stored = versions.filter(version => memberOf(version, 'storage') === true);
  const served = versions.filter(version => memberOf(version, 'served') === true);
  const rules: readonly (readonly [boolean, CauseReason, string, string])[] = [
    [textAt(spec, 'group') !== '', 'FieldValueRequired', 'spec.group', 'Required value'],
    [textAt(names, 'plural') !== '', 'FieldValueRequired', 'spec.names.plural', 'Required value'],
    [textAt(names, 'kind') !== '', 'FieldValueRequired', 'spec.names.kind', 'Required value'],
    [
      ['Namespaced', 'Cluster'].includes(textAt(spec, 'scope')),
      'FieldValueNotSupported',
      'spec.scope',
      'Unsupported value: supported values: "Cluster", "Namespaced"',
    ],
    [
      metadata.name === expected,
      'FieldValueInvalid',
      'metadata.name',
      `Invalid value: "${metadata.name ?? ''}": must be spec.names.plural+"."+spec.group`,
    ],
    [
      stored.length === 1,
      'FieldValueInvalid',
      'spec.versions',
      'Invalid value: must have exactly one version marked as storage version',
    ],
    [
      !isReserved(textAt(spec, 'group')) || metadata.annotations?.[approval] !== undefined,
      'FieldValueRequired',
      `metadata.annotations[${approval}]`,
      'Required value: protected groups must have approval annotation',
    ],
    [!builtInGroups.includes(textAt(spec, 'group')), 'FieldValueInvalid', 'spec.group', 'Invalid value: is built in'],
    [
      versions.every(version => problemOfName(textAt(version, 'name'), 'label') === undefined),
      'FieldValueInvalid',
      'spec.versions',
      'Invalid value: every version must have a name that is a DNS label',
    ],
    [
      new Set(versions.map(version => textAt(version, 'name'))).size === versions.length,
      'FieldValueInvalid',
      'spec.versions',
      'Invalid value: must contain unique version names',
    ],
    [served.length > 0, 'FieldValueInvalid', 'spec.versions', 'Invalid value: must have at least one served version'],
  ];
  const broken = rules.filter(([holds]) => !holds).map(([, reason, field, message]) => ({ reason, field, message }));
  return [...broken, ...problemsOfConversion(spec, convertedVersions), ...problemsOfVersions(spec, live?.spec)];
}

/** Returns the kind that a valid definition establishes. */
export function toResource(definition: Stored): Resource {
  const { spec, metadata } = definition;
  const names = memberOf(spec, 'names');
  const versions = versionsOf(spec);
  const storage = versions.find(version => memberOf(version, 'storage') === true);
  return {
    group: textAt(spec, 'group'),
    kind: textAt(names, 'kind'),
    plural: textAt(names, 'plural'),
    names: {
      singular: textAt(names, 'singular'),
      listKind: textAt(names, 'listKind'),
      shortNames: textsAt(names, 'shortNames'),
      categories: textsAt(names, 'categories'),
    },
    namespaced: textAt(spec, 'scope') === 'Namespaced',
    versions: versions
      .filter(version => memberOf(version, 'served') === true)
      .map(each => toServedVersion(each, { group: textAt(spec, 'group'), kind: textAt(names, 'kind') })),
    storageVersion: textAt(storage, 'name'),
    custom: true,
    countsGeneration: true,
    unconditionalUpdate: false,
    collectionDeletable: true,
    nameRule: 'subdomain',
    terminating: metadata.deletionTimestamp !== undefined,
    strategy: strategyOf(memberOf(memberOf(storage, 'subresources'), 'scale')),
  };
}

/** The replicas of a kind with the scale subresource are valid for a Scale. */
function strategyOf(scale: unknown): Strategy {
  if (!isJsonObject(scale)) {
    return {};
  }
  const paths = toScalePaths(scale);
  return { validate: draft => problemsOfReplicas(draft, paths) };
}

function toColumn(raw: unknown): Column {
  const [format, description] = [textAt(raw, 'format'), textAt(raw, 'description')];
  const priority = memberOf(raw, 'priority');
  return {
    name: textAt(raw, 'name'),
    type: textAt(raw, 'type'),
    ...(format === '' ? {} : { format }),
    ...(description === '' ? {} : { description }),
    ...(typeof priority === 'number' ? { priority } : {}),
    jsonPath: textAt(raw, 'jsonPath'),
  };
}

function toServedVersion(version: unknown, of: { readonly group: string; readonly kind: string }): ServedVersion {
  const columns = listAt(version, 'additionalPrinterColumns');
  const fields = listAt(version, 'selectableFields').map(field => textAt(field, 'jsonPath').replace(/^\./, ''));
  const name = textAt(version, 'name');
  const warning = textAt(version, 'deprecationWarning');
  const deprecation = warning === '' ? `${of.group}/${name} ${of.kind} is deprecated` : warning;
  const schema = memberOf(memberOf(version, 'schema'), 'openAPIV3Schema');
  const subresources = memberOf(version, 'subresources');
  const scale = memberOf(subresources, 'scale');
  return {
    name,
    status: isJsonObject(memberOf(subresources, 'status')),
    ...(isJsonObject(scale) ? { scale: toScalePaths(scale) } : {}),
    schema: schemaOf(schema, 'openAPIV3Schema'),
    openApi: schema,
    selectableFields: Object.fromEntries(fields.map(field => [field, field.split('.')])),
    ...(columns.length === 0 ? {} : { columns: columns.map(toColumn) }),
    ...(memberOf(version, 'deprecated') === true ? { deprecation } : {}),
  };
}
