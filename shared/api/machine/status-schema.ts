// Schema of `Machine.status`.
import {
  atomicList,
  choice,
  filledObject,
  filledText,
  flag,
  int64,
  object,
  text,
  time,
} from '../schema/json-schema.ts';
import { failureDomain } from '../schema/machine-parts.ts';
import { objectName } from '../schema/name-schemas.ts';
import { conditions, deprecated, deprecatedFailure, observedGeneration } from '../schema/status-schemas.ts';

const nodeInfo = object(
  'Versions and system of the Node, as the kubelet reports them.',
  {
    machineID: text('Machine id of the operating system.'),
    systemUUID: text('UUID of the system.'),
    bootID: text('Id of the current boot.'),
    kernelVersion: text('Kernel version.'),
    osImage: text('Name of the operating system image.'),
    containerRuntimeVersion: text('Container runtime and its version.'),
    kubeletVersion: text('Kubelet version.'),
    kubeProxyVersion: text('No longer set by kubelets.'),
    operatingSystem: text('Operating system.'),
    architecture: text('Processor architecture.'),
    swap: object('Swap space.', { capacity: int64('Size in bytes.') }),
  },
  {
    required: [
      'machineID',
      'systemUUID',
      'bootID',
      'kernelVersion',
      'osImage',
      'containerRuntimeVersion',
      'kubeletVersion',
      'kubeProxyVersion',
      'operatingSystem',
      'architecture',
    ],
  },
);

const address = object(
  'One address of the machine.',
  {
    type: choice('Kind of address.', ['Hostname', 'ExternalIP', 'InternalIP', 'ExternalDNS', 'InternalDNS']),
    address: filledText('The address.', 256),
  },
  { required: ['type', 'address'] },
);

/** The milestones of both Machine and MachinePool. */
export const machineInitialization = filledObject('Milestones; once true they stay true.', {
  infrastructureProvisioned: flag('The infrastructure was provisioned.'),
  bootstrapDataSecretCreated: flag('The bootstrap data was produced.'),
});

export const machineStatus = filledObject('Observed state of the machine.', {
  conditions,
  initialization: machineInitialization,
  nodeRef: object('The Node of this machine.', { name: objectName('Name of the Node.') }, { required: ['name'] }),
  nodeInfo,
  lastUpdated: time('When the phase changed last.'),
  failureDomain: failureDomain('Failure domain that the machine was placed in.'),
  addresses: atomicList('Addresses of the machine.', address, { maxItems: 256 }),
  phase: choice('The lifecycle phase of the Machine.', [
    'Pending',
    'Provisioning',
    'Provisioned',
    'Running',
    'Updating',
    'Deleting',
    'Deleted',
    'Failed',
    'Unknown',
  ]),
  certificatesExpiryDate: time('When the first certificate of a control plane machine expires.'),
  deletion: object('Progress of the deletion.', {
    nodeDrainStartTime: time('When draining the Node began.'),
    waitForNodeVolumeDetachStartTime: time('When the wait for volumes began.'),
    waitForPreDrainHookStartTime: time('When the wait for pre-drain hooks began.'),
    waitForPreTerminateHookStartTime: time('When the wait for pre-terminate hooks began.'),
  }),
  observedGeneration,
  deprecated: deprecated(deprecatedFailure),
});
