// Reads what reconcilers look at in a ClusterClass. What they write back starts from `object`, so that unknown fields survive.
import * as z from 'zod/mini';
import { storedV1Beta1Conditions } from '../../conditions/v1beta1.ts';
import { availabilityGates, conditions, count, listOf, section, textMap, textOrEmpty } from '../fields.ts';
import type { ObjectMeta, Unstructured } from '../object.ts';

const templateRef = section({ apiVersion: textOrEmpty, kind: textOrEmpty, name: textOrEmpty });

/** Names a template in the namespace of the ClusterClass, in one API version. */
export type TemplateReference = z.output<typeof templateRef>;

const templated = section({ templateRef });
const workerClasses = listOf(section({ class: textOrEmpty, bootstrap: templated, infrastructure: templated }));

const patches = listOf(
  section({
    name: textOrEmpty,
    external: section({ discoverVariablesExtension: textOrEmpty, settings: textMap }),
  }),
);

/** A patch, as far as an extension is asked about it. */
export type ClassPatch = z.output<typeof patches>[number];

const schema = z.object({
  spec: section({
    availabilityGates,
    infrastructure: templated,
    controlPlane: section({ templateRef, machineInfrastructure: templated }),
    workers: section({ machineDeployments: workerClasses, machinePools: workerClasses }),
    /** As it came: `shared/variables` reads it. */
    variables: z.optional(z.unknown()),
    patches,
  }),
  status: section({
    observedGeneration: count,
    conditions,
    deprecated: section({ v1beta1: section({ conditions: z.transform(storedV1Beta1Conditions) }) }),
  }),
});

/** Metadata with everything a stored, namespaced custom resource has. */
interface ClusterClassMeta extends ObjectMeta {
  readonly namespace: string;
  readonly generation: number;
  readonly annotations: Readonly<Record<string, string>>;
}

/** Never throws: a field that cannot be read counts as absent. */
export function readClusterClass(object: Unstructured) {
  const { namespace = '', generation = 0, annotations = {} } = object.metadata;
  const metadata: ClusterClassMeta = { ...object.metadata, namespace, generation, annotations };
  return { object, metadata, ...schema.parse({ spec: object.spec, status: object.status }) };
}

export type ClusterClass = ReturnType<typeof readClusterClass>;
