// The control plane of a topology: its template, with the fields of topology and class at the paths of its contract.

import { type Checked, type Intent, invalid, type JsonObject, valid } from '@capi-serverless/apimachinery';
import { readMap, setAt, valueOr } from '@capi-serverless/cluster-api/contract';
import type { TemplateMetadata } from '../../../../shared/api/topology-parts.ts';
import type { Blueprint } from '../../../../shared/topology/model/blueprint.ts';
import type { Current } from '../current/current-topology.ts';
import { type NamespacedIntent, templateToObject } from './clone.ts';
import { controlPlanePaths, machineMetadataPath, type TimeoutName } from './control-plane-paths.ts';
import {
  metadataFields,
  readTemplateMetadata,
  shimOwnerOf,
  topologyLabels,
  topologyOverClass,
} from './topology-metadata.ts';

interface ControlPlaneInput {
  readonly blueprint: Blueprint;
  readonly current: Current['controlPlane'];
  readonly name: string;
  readonly version: string;
  /** Defined if the class has control plane machine infrastructure. */
  readonly machineTemplate: NamespacedIntent | undefined;
}

/** Fields to set, in order. An undefined value keeps the value of the template. */
type Settings = readonly (readonly [path: string, value: unknown])[];

const timeoutNames: readonly TimeoutName[] = [
  'nodeDrainTimeoutSeconds',
  'nodeVolumeDetachTimeoutSeconds',
  'nodeDeletionTimeoutSeconds',
];

/** The error describes this object. The caller adds the prefix of the step. */
export function computeControlPlane(input: ControlPlaneInput): Checked<NamespacedIntent> {
  const { blueprint, current, name, version, machineTemplate } = input;
  const { cluster, topology, classSpec, controlPlane } = blueprint;
  const { labels, annotations } = topologyOverClass(topology.controlPlane.metadata, classSpec.controlPlane.metadata);
  const metadata = { labels: { ...labels, ...topologyLabels(cluster) }, annotations };
  const owner = shimOwnerOf(current.object, cluster);
  const object = templateToObject({ cluster, template: controlPlane.template, name, metadata, owner });
  const { infrastructureRef, toReference } = controlPlanePaths[controlPlane.contract];
  const reference = machineTemplate === undefined ? undefined : toReference(machineTemplate, current.object);
  if (reference?.ok === false) {
    return invalid(`failed to get ${infrastructureRef} from the ControlPlane object: ${reference.error}`);
  }
  const ofMachines: Settings =
    reference === undefined
      ? []
      : [
          [infrastructureRef, reference.value],
          [machineMetadataPath, machineMetadata(object, metadata)],
        ];
  const settings: Settings = [...ofMachines, ...settingsOf(blueprint), ['spec.version', version]];
  return valid(
    settings
      .filter(([, value]) => value !== undefined)
      .reduce((made, [path, value]) => setAt(made, path, value), object),
  );
}

/** Fields that are set with or without control plane machine infrastructure. */
function settingsOf({ topology, classSpec, controlPlane: { contract } }: Blueprint): Settings {
  const paths = controlPlanePaths[contract];
  const { replicas, rollout, readinessGates, taints, deletion } = topology.controlPlane;
  const ofClass = classSpec.controlPlane;
  return [
    ['spec.replicas', replicas],
    ['spec.rollout.after', rollout.after],
    [paths.readinessGates, readinessGates ?? ofClass.readinessGates],
    [paths.taints, taints ?? ofClass.taints],
    ...timeoutNames.map(name => {
      const seconds = deletion[name] ?? ofClass.deletion[name];
      return [paths.timeouts[name], seconds === undefined ? undefined : paths.toTimeout(seconds)] as const;
    }),
  ];
}

/** Labels and annotations of the control plane. They override those that the template has for Machines. */
function machineMetadata(object: Intent, { labels, annotations }: TemplateMetadata): JsonObject {
  const stored = valueOr(readMap(object, machineMetadataPath), {});
  const { labels: _, annotations: _annotations, ...others } = stored;
  const ofTemplate = readTemplateMetadata(stored);
  return {
    ...others,
    ...metadataFields({
      labels: { ...ofTemplate.labels, ...labels },
      annotations: { ...ofTemplate.annotations, ...annotations },
    }),
  };
}
