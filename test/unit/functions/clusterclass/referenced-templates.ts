// Templates that are missing or exist in several versions, and the status of a class that references them, for
// scenarios.
import type { Intent } from '@capi-serverless/apimachinery';
import { anyDefinition } from '../../../support/any-definition.ts';
import { templates } from '../../../support/cluster-class.ts';
import { ObjectBuilder } from '../../../support/object-builder.ts';
import { logs, type ReconciledClass } from './reconciled-class.ts';

export const status = 'patch ClusterClass ns/cc status';
export const group = 'infrastructure.cluster.x-k8s.io';

export const notFound = (kind: string, plural: string, name: string): string =>
  `Could not find external object for the ClusterClass. refGroupVersionKind: ${group}/v1beta2, Kind=${kind}, refName: ${name}, refNamespace: ns: failed to retrieve ${kind} ns/${name}: ${plural}.${group} "${name}" not found`;

/** Returns all objects except these. */
export function without(...missing: readonly (keyof typeof templates)[]) {
  return Object.entries(templates).flatMap(([role, template]) => (missing.some(one => one === role) ? [] : [template]));
}

/** A template kind with these versions, all served, and with these labels. */
export function aTemplateKind(
  kind: string,
  versions: readonly string[],
  labels: Readonly<Record<string, string>>,
): Intent {
  return anyDefinition({ group, kind, versions, labels });
}

export function dockerTemplate(version: string, name = 't'): ObjectBuilder {
  return new ObjectBuilder({ apiVersion: `${group}/${version}`, kind: 'DockerMachineTemplate', name });
}

export function stateOf(reconciled: ReconciledClass) {
  return {
    result: reconciled.result,
    refs: reconciled.condition('RefVersionsUpToDate'),
    variables: reconciled.condition('VariablesReady'),
    observed: reconciled.observedGeneration,
  };
}

export const unknown = { refs: `Unknown/InternalError ${logs}`, variables: 'True/VariablesReady' };
