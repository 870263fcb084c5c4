// Checks a provider's definitions and objects against the provider contract.
import { groupOf, type Intent, versionOf } from '@capi-serverless/apimachinery';
import { contractOfVersion } from '@capi-serverless/cluster-api/contract';
import { isDefinition } from '../findings/as-stored.ts';
import { type Finding, inOrder, type ObjectProblem, toFinding } from '../findings/finding.ts';
import type { CheckReport } from '../findings/report.ts';
import { type File, readSubjects } from '../findings/subjects.ts';
import { checkObject } from './check-object.ts';
import {
  type ContractDefinition,
  checkDefinition,
  isWithoutStatus,
  publishedOf,
  readDefinition,
} from './contract-definitions.ts';
import { checkRights, isClusterRole } from './rights.ts';
import { baseOf, templateOf } from './roles.ts';
import { compareWithKind } from './template-schemas.ts';

/** The origin of an object: a file or a server. */
export interface Item {
  readonly object: Intent;
  toFinding(problem: ObjectProblem): Finding;
}

interface Provider {
  readonly definitions: readonly ContractDefinition[];
  readonly roles: readonly Intent[];
}

const ownGroup = 'cluster.x-k8s.io';

/** Checks the definitions, ClusterRoles and objects of the files. Each check can use all of them. */
export function checkFiles(files: readonly File[]): CheckReport {
  const { subjects, findings } = readSubjects(files);
  const items = subjects.map(
    ({ object, manifest, name }): Item => ({ object, toFinding: problem => toFinding(manifest, name, problem) }),
  );
  const report = checkItems(items);
  return { ...report, findings: inOrder([...findings, ...report.findings]) };
}

export function checkItems(items: readonly Item[]): CheckReport {
  const objects = items.map(({ object }) => object);
  const definitions = objects.filter(isDefinition).map(readDefinition);
  const provider: Provider = { definitions, roles: objects.filter(isClusterRole) };
  const findings = items.flatMap(item => checkItem(item.object, provider).map(problem => item.toFinding(problem)));
  return {
    objects: items.length,
    findings: inOrder(findings),
    notes: definitions.flatMap(each => notesOf(each, provider)),
  };
}

function checkItem(object: Intent, provider: Provider): readonly ObjectProblem[] {
  const { definitions, roles } = provider;
  if (isDefinition(object)) {
    const definition = readDefinition(object);
    // A provider may define kinds that the contract does not mention.
    return definition.part === undefined
      ? []
      : [
          ...checkDefinition(definition),
          ...checkRights(definition, roles),
          ...compareTemplate(definition, definitions),
        ];
  }
  const definition = definitions.find(
    ({ group, kind }) => group === groupOf(object.apiVersion) && kind === object.kind,
  );
  if (definition?.part === undefined) {
    return [];
  }
  const contract = contractOfVersion(definition.object.metadata, versionOf(object.apiVersion));
  return contract.ok ? checkObject(object, definition.part, contract.value) : [];
}

function compareTemplate(
  definition: ContractDefinition,
  definitions: readonly ContractDefinition[],
): readonly ObjectProblem[] {
  const made =
    definition.part?.isTemplate === true ? findKind(definitions, definition, baseOf(definition.kind)) : undefined;
  if (made === undefined) {
    return [];
  }
  return publishedOf(definition).flatMap(({ version }) => {
    const same = made.versions.find(({ name }) => name === version.name);
    return same === undefined
      ? []
      : compareWithKind(
          { schema: version.schema, at: `${version.field}.schema.openAPIV3Schema` },
          { schema: same.schema, name: made.kind },
        );
  });
}

function findKind(
  definitions: readonly ContractDefinition[],
  { group }: ContractDefinition,
  kind: string,
): ContractDefinition | undefined {
  return definitions.find(each => each.group === group && each.kind === kind);
}

function notesOf(definition: ContractDefinition, { definitions }: Provider): readonly string[] {
  const { kind, part, group } = definition;
  if (part === undefined) {
    const why = group === ownGroup ? "is Cluster API's own" : 'has no role in the provider contract by its name';
    return [`${kind} ${why}: its fields were not checked`];
  }
  if (part.isTemplate) {
    return findKind(definitions, definition, baseOf(kind)) === undefined
      ? [`${baseOf(kind)} is not here: ${kind} was not compared with it`]
      : [];
  }
  const silent = publishedOf(definition).some(({ version }) => isWithoutStatus(definition, version));
  return [
    ...(silent ? [`${kind} has no status: only a controller of its own provider can wait for it`] : []),
    ...(findKind(definitions, definition, templateOf(kind)) === undefined
      ? [`${templateOf(kind)} is not here: without it no ClusterClass can use ${kind}`]
      : []),
  ];
}
