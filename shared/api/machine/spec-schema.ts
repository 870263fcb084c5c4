// Schema of `Machine.spec`, and of the Machine templates of MachineSets, MachineDeployments and MachinePools.
import { filledText, type JsonSchema, object, text } from '../schema/json-schema.ts';
import {
  failureDomain,
  gates,
  kubernetesVersion,
  machineDeletion,
  minReadySeconds,
  taints,
} from '../schema/machine-parts.ts';
import { templateMetadata } from '../schema/metadata-schemas.ts';
import { contractReference } from '../schema/reference-schemas.ts';

/** The Cluster of an object. Immutable. */
export const clusterName = filledText('Name of the Cluster that this belongs to.', 63);

export const providerId = filledText('How the infrastructure provider names the machine.', 512);

export const machineSpec = object(
  'Desired state of the machine.',
  {
    clusterName,
    bootstrap: object('How the machine becomes a Node.', {
      configRef: contractReference('The object that produces the bootstrap data.'),
      dataSecretName: text('Secret that holds the bootstrap data; the machine waits for it.', {
        minLength: 0,
        maxLength: 253,
      }),
    }),
    infrastructureRef: contractReference('The infrastructure object of the machine.'),
    version: kubernetesVersion('Desired Kubernetes version.'),
    providerID: providerId,
    failureDomain: failureDomain('Failure domain that the machine is placed in.'),
    minReadySeconds,
    readinessGates: gates('Conditions that Ready takes into account as well.'),
    deletion: machineDeletion,
    taints,
  },
  { required: ['clusterName', 'bootstrap', 'infrastructureRef'] },
);

export const machineTemplate: JsonSchema = object(
  'What Machines are made from.',
  { metadata: templateMetadata('Labels and annotations of the Machines.'), spec: machineSpec },
  { required: ['spec'] },
);
