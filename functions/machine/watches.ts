// Maps events to the Machines that they enqueue.
import type { Unstructured } from '@capi-serverless/apimachinery';
import { setNameLabel, toNameLabelValue } from '@capi-serverless/cluster-api/contract';
import type { Watch } from '@capi-serverless/reconciler';
import { coreKind } from '../../shared/api/cluster/reader.ts';
import { remoteConnectionType } from '../../shared/api/cluster/remote-connection.ts';
import { comparedFields, readMachineTemplate } from '../../shared/api/machine/template-owner.ts';
import { deploymentNameLabel } from '../../shared/api/machine-deployment/reader.ts';
import { clusterWatch, ownersOfKind, primariesLabelled } from '../../shared/api/member-watches.ts';
import { ownerMarks, ownerVersion } from '../../shared/machine-collections/owner-version.ts';

export const machineKind = coreKind('Machine');

export const machineWatches: readonly Watch[] = [
  {
    ...clusterWatch({
      conditions: ['ControlPlaneInitialized', remoteConnectionType],
      fields: ['spec.controlPlaneRef', 'status.initialization.infrastructureProvisioned'],
      others: ({ metadata, spec, status }) => [
        metadata.deletionTimestamp,
        spec.controlPlaneRef,
        status.initialization.infrastructureProvisioned,
      ],
    }),
    map: () => 'expand',
  },
  {
    source: coreKind('MachineSet'),
    as: 'object',
    parts: comparedFields.map(field => `spec.template.spec.${field}`),
    map: () => 'expand',
    versionOf: ownerVersion,
    contentOf: setContent,
    ...primariesLabelled(setNameLabel, toNameLabelValue),
  },
  {
    source: coreKind('MachineDeployment'),
    as: 'metadata',
    map: () => 'expand',
    versionOf: ownerVersion,
    ...primariesLabelled(deploymentNameLabel),
  },
  // An object without this owner reference is found by the timer of the Machine that references it.
  { source: 'referenced', as: 'metadata', map: ({ object }) => ownersOfKind(object, 'Machine') },
];

/** The parts of a MachineSet that its Machines read. Its replicas change often, and are not one of them. */
function setContent(machineSet: Unstructured): string {
  return JSON.stringify([readMachineTemplate(machineSet.spec), ...ownerMarks(machineSet)]);
}
