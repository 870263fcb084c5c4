// Checks a definition and its kind: name, scope, list kind, contract labels, versions, status, fields.

import { crdNameOf, type Intent, toRecord } from '@capi-serverless/apimachinery';
import { type ContractVersion, chooseContract, contractVersions } from '@capi-serverless/cluster-api/contract';
import type { ObjectProblem } from '../findings/finding.ts';
import { type ContractField, fieldsOf, replicaFieldsOf } from './contract-fields.ts';
import type { AddedLabels } from './kustomizations.ts';
import { type Part, partOf, roleNames } from './roles.ts';
import { compareSchema, findSchema, toShapeName } from './shapes.ts';
import { checkTemplateSchema } from './template-schemas.ts';

/** The parts of a definition that the contract mentions, if they exist. */
export interface ContractDefinition {
  readonly object: Intent;
  readonly group: string;
  readonly kind: string;
  readonly part: Part | undefined;
  readonly versions: readonly Version[];
  /** The kustomization file with the contract labels that the definition does not have. */
  readonly labelledBy: string | undefined;
}

interface Version {
  readonly name: string;
  readonly served: boolean;
  readonly schema: unknown;
  readonly hasStatusSubresource: boolean;
  /** A field path within the definition. */
  readonly field: string;
}

/** `added` are used if the definition has no contract label itself. */
export function readDefinition(given: Intent, added?: AddedLabels): ContractDefinition {
  const isLabelled = added === undefined || chooseContract(given.metadata).ok;
  const labels = { ...given.metadata.labels, ...(isLabelled ? {} : added.labels) };
  const spec = toRecord(given['spec']);
  const group = textOf(spec['group']);
  const kind = textOf(toRecord(spec['names'])['kind']);
  return {
    object: { ...given, metadata: { ...given.metadata, labels } },
    group,
    kind,
    part: partOf({ group, kind }),
    versions: Array.isArray(spec['versions']) ? spec['versions'].map(readVersion) : [],
    labelledBy: isLabelled ? undefined : added.file,
  };
}

function readVersion(raw: unknown): Version {
  const version = toRecord(raw);
  const name = textOf(version['name']);
  return {
    name,
    served: version['served'] === true,
    schema: toRecord(version['schema'])['openAPIV3Schema'],
    hasStatusSubresource: toRecord(version['subresources'])['status'] !== undefined,
    field: `spec.versions[${name}]`,
  };
}

/** A version of the kind that a contract label contains. */
interface Published {
  readonly contract: ContractVersion;
  readonly version: Version;
}

/**
 * The versions in the order of the contracts, newest first. Each version belongs to the newest contract that lists it. If no
 * label lists any, each served version belongs to the contract of which it breaks the fewest rules.
 */
export function publishedOf(definition: ContractDefinition): readonly Published[] {
  const { object, versions } = definition;
  if (!chooseContract(object.metadata).ok) {
    return versions.filter(({ served }) => served).map(version => toClosest(definition, version));
  }
  const taken = new Set<string>();
  return contractVersions.flatMap(contract =>
    listed(object, contract).flatMap(name => {
      const version = versions.find(each => each.name === name && each.served);
      const isTaken = taken.has(name);
      taken.add(name);
      return version === undefined || isTaken ? [] : [{ contract, version }];
    }),
  );
}

function toClosest(definition: ContractDefinition, version: Version): Published {
  const candidates = contractVersions.map(contract => ({ contract, version }));
  const problems = candidates.map(each => checkVersion(definition, each).length);
  // True: there are contract versions.
  return candidates[problems.indexOf(Math.min(...problems))] as Published;
}

/** Checks one definition without the others. */
export function checkDefinition(definition: ContractDefinition): readonly ObjectProblem[] {
  return [
    ...checkNames(definition),
    ...checkScope(definition),
    ...checkLabels(definition),
    ...publishedOf(definition).flatMap(published => checkVersion(definition, published)),
  ];
}

function checkNames({ object, group, kind }: ContractDefinition): readonly ObjectProblem[] {
  const wanted = crdNameOf({ group, kind });
  const listKind = toRecord(toRecord(object['spec'])['names'])['listKind'];
  const byName =
    object.metadata.name === wanted
      ? []
      : [
          problem(
            'metadata.name',
            `is ${object.metadata.name}, but Cluster API reads the definition of ${kind} as ${wanted}; rename it, and spec.names.plural with it`,
          ),
        ];
  const byList =
    listKind === undefined || listKind === `${kind}List`
      ? []
      : [
          problem(
            'spec.names.listKind',
            `is ${String(listKind)}, but lists of ${kind} are requested as ${kind}List; write ${kind}List`,
          ),
        ];
  return [...byName, ...byList];
}

function checkScope({ object, kind }: ContractDefinition): readonly ObjectProblem[] {
  const scope = toRecord(object['spec'])['scope'];
  return scope === 'Namespaced'
    ? []
    : [
        problem(
          'spec.scope',
          `is ${String(scope)}, but objects of kind ${kind} live in the namespace of their Cluster; write Namespaced`,
        ),
      ];
}

function checkLabels(definition: ContractDefinition): readonly ObjectProblem[] {
  const { object, versions, labelledBy } = definition;
  const names = versions.map(({ name }) => name);
  const byKustomize: readonly ObjectProblem[] =
    labelledBy === undefined
      ? []
      : [
          {
            severity: 'warning',
            field: 'metadata.labels',
            message: `has no contract label here; ${labelledBy} adds it, so install what kustomize builds`,
          },
        ];
  const wanted = versions.find(({ served }) => served)?.name ?? 'v1beta1';
  if (!chooseContract(object.metadata).ok) {
    const known = contractVersions.map(contract => `cluster.x-k8s.io/${contract}: ${wanted}`).join(' or ');
    const message = `has no contract label, so that Cluster API refuses to read objects of this kind; write ${known}`;
    return [problem('metadata.labels', message)];
  }
  const ofLabels = contractVersions.flatMap(contract =>
    listed(object, contract)
      .filter(name => !versions.some(version => version.name === name && version.served))
      .map(name =>
        problem(
          `metadata.labels[cluster.x-k8s.io/${contract}]`,
          `names version ${name}, which is ${names.includes(name) ? 'not served' : 'not defined'}; name versions that are served, joined by "_"`,
        ),
      ),
  );
  return [...byKustomize, ...ofLabels];
}

function listed({ metadata }: Intent, contract: ContractVersion): readonly string[] {
  const label = metadata.labels?.[`cluster.x-k8s.io/${contract}`] ?? '';
  return label === '' ? [] : label.split('_');
}

function checkVersion(definition: ContractDefinition, { contract, version }: Published): readonly ObjectProblem[] {
  const { part } = definition;
  const at = `${version.field}.schema.openAPIV3Schema`;
  if (part?.isTemplate === true) {
    return checkTemplateSchema(version.schema, at);
  }
  return [
    ...checkSubresource(definition, version),
    ...(part === undefined || isWithoutStatus(definition, version) ? [] : checkFields(part, { contract, version, at })),
  ];
}

/** Machine and bootstrap kinds may have no status if another kind of the provider has it. */
export function isWithoutStatus({ part }: ContractDefinition, { schema }: Version): boolean {
  const mayLackIt = part !== undefined && part.role !== 'infraCluster' && part.role !== 'controlPlane';
  return mayLackIt && findSchema(schema, 'status', '').state === 'missing';
}

function checkSubresource({ kind, part }: ContractDefinition, version: Version): readonly ObjectProblem[] {
  const hasStatus = findSchema(version.schema, 'status', '').state !== 'missing';
  if (version.hasStatusSubresource || (!hasStatus && part?.role !== 'infraCluster' && part?.role !== 'controlPlane')) {
    return [];
  }
  const message = `has no status subresource, so that every write of a status changes the generation of ${kind} objects, and patches of the status fail; write subresources: {status: {}}`;
  return [problem(version.field, message)];
}

function checkFields(
  part: Part,
  { contract, version, at }: Published & { readonly at: string },
): readonly ObjectProblem[] {
  const counts = findSchema(version.schema, 'spec.replicas', at).state === 'schema';
  const fields = [
    ...fieldsOf(part.role, contract),
    ...(part.role === 'controlPlane' && counts ? replicaFieldsOf(contract) : []),
  ];
  return fields.flatMap(field => checkField(field, { part, contract, version, at }));
}

function checkField(
  { path, shape, required }: ContractField,
  { part, contract, version, at }: Published & { readonly part: Part; readonly at: string },
): readonly ObjectProblem[] {
  const found = findSchema(version.schema, path, at);
  switch (found.state) {
    case 'open':
      return [];
    case 'schema':
      return compareSchema(found.schema, shape, { field: found.field, path });
    case 'missing':
      return required === undefined
        ? []
        : [
            problem(
              found.field,
              `${path} is missing, which contract ${contract} requires of every ${roleNames[part.role]} (${required}); add it as ${toShapeName(shape)}`,
            ),
          ];
  }
}

function textOf(raw: unknown): string {
  return typeof raw === 'string' ? raw : '';
}

function problem(field: string, message: string): ObjectProblem {
  return { severity: 'error', field, message };
}
