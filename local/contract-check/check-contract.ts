// Checks a provider's definitions and objects against the provider contract.
import path from 'node:path';
import { groupOf, type Intent, versionOf } from '@capi-serverless/apimachinery';
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
import type { AddedLabels } from './kustomizations.ts';
import { checkRights, isClusterRole } from './rights.ts';
import { baseOf, ownGroups, templateOf } from './roles.ts';
import { compareWithKind } from './template-schemas.ts';

/** The origin of an object: a file or a server. */
export interface Item {
  readonly object: Intent;
  /** What kustomize adds to the object, if it is a definition. */
  readonly added?: AddedLabels | undefined;
  toFinding(problem: ObjectProblem): Finding;
}

interface Provider {
  readonly definitions: readonly ContractDefinition[];
  readonly roles: readonly Intent[];
}

/**
 * Checks the definitions, ClusterRoles and objects of the files. Each check can use all of them. `added` are the labels that
 * kustomize adds.
 */
export function checkFiles(files: readonly File[], added: readonly AddedLabels[] = []): CheckReport {
  const { subjects, findings } = readSubjects(files);
  const items = subjects.map(
    ({ object, manifest, name }): Item => ({
      object,
      added: added.find(({ file }) => isIn(manifest.fileName, path.dirname(file))),
      toFinding: problem => toFinding(manifest, name, problem),
    }),
  );
  const report = checkItems(items);
  return { ...report, findings: inOrder([...findings, ...report.findings]) };
}

function isIn(file: string, folder: string): boolean {
  return !path.relative(folder, file).startsWith('..');
}

export function checkItems(items: readonly Item[]): CheckReport {
  const definitions = items
    .filter(({ object }) => isDefinition(object))
    .map(({ object, added }) => readDefinition(object, added));
  const provider: Provider = { definitions, roles: items.map(({ object }) => object).filter(isClusterRole) };
  const findings = items.flatMap(item => checkItem(item, provider).map(problem => item.toFinding(problem)));
  return {
    objects: items.length,
    findings: inOrder(findings),
    notes: definitions.flatMap(each => notesOf(each, provider)),
  };
}

function checkItem({ object, added }: Item, provider: Provider): readonly ObjectProblem[] {
  const { definitions, roles } = provider;
  if (isDefinition(object)) {
    const definition = readDefinition(object, added);
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
  const { part } = definition;
  const ofVersion = publishedOf(definition).filter(({ version }) => version.name === versionOf(object.apiVersion));
  return ofVersion.flatMap(({ contract }) => checkObject(object, part, contract));
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
    const why = ownGroups.has(group) ? "is Cluster API's own" : 'has no role in the provider contract by its name';
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
