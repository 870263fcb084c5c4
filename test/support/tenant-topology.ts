// The topology of one tenant: a namespace with a Cluster, its class and templates of the same name. Tests add what a
// hostile tenant writes.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parseManifests } from '../../local/manifests.ts';
import { aCluster } from './builders.ts';
import { type Built, fieldsOf, ObjectBuilder } from './object-builder.ts';

export interface TenantTopology {
  /** Templates that patches of its class render. */
  readonly templates?: readonly string[];
  /** JSON patches of its class, in addition to `templates`. */
  readonly operations?: readonly object[];
  /** A rule for its variable `text`. */
  readonly rule?: string;
  readonly text?: string;
}

const file = 'examples/topology/cluster-class.yaml';
const manifests = parseManifests(readFileSync(path.resolve(import.meta.dirname, '../..', file), 'utf8'), file);
const classSpec = fieldsOf(manifests.find(({ kind }) => kind === 'ClusterClass')?.['spec']);

/** The templates of the example, in the namespace of one tenant. */
const templatesIn = (namespace: string) =>
  manifests
    .filter(({ kind }) => kind !== 'ClusterClass')
    .map(({ apiVersion, kind, metadata, spec }) =>
      new ObjectBuilder({ apiVersion, kind, name: metadata.name }).in(namespace).withSpec(fieldsOf(spec)),
    );

/** The API server allows no more in one definition. */
const mostOperations = 100;

/** The example's class with the patches and the rule of the attack. */
function aClassWith(attack: TenantTopology, name: string) {
  const selector = {
    apiVersion: 'infrastructure.cluster.x-k8s.io/v1beta2',
    kind: 'SimulatedClusterTemplate',
    matchResources: { infrastructureCluster: true },
  };
  const rendered = (attack.templates ?? []).map((template, at) => ({
    op: 'add',
    path: `/spec/template/spec/x${at}`,
    valueFrom: { template },
  }));
  const operations = [...rendered, ...(attack.operations ?? [])];
  const definitions = Array.from({ length: Math.ceil(operations.length / mostOperations) }, (_, at) => ({
    selector,
    jsonPatches: operations.slice(at * mostOperations, (at + 1) * mostOperations),
  }));
  const schema = { type: 'string', maxLength: 100_000 };
  const checked = { ...schema, 'x-kubernetes-validations': [{ rule: attack.rule }] };
  const text = { name: 'text', required: false, schema: { openAPIV3Schema: attack.rule ? checked : schema } };
  return new ObjectBuilder({ apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'ClusterClass', name }).in(name).withSpec({
    ...classSpec,
    variables: [...[classSpec['variables']].flat(), text],
    ...(definitions.length === 0 ? {} : { patches: [{ name: 'hostile', definitions }] }),
  });
}

function aTopology(name: string, { text }: TenantTopology) {
  return aCluster()
    .named(name)
    .in(name)
    .withTopology({
      class: name,
      version: 'v1.35.0',
      controlPlane: { replicas: 1 },
      workers: { machineDeployments: [{ class: 'worker', name: 'md', replicas: 1 }] },
      ...(text === undefined ? {} : { variables: [{ name: 'text', value: text }] }),
    });
}

/** Returns the objects in the namespace `name`. */
export function aTenantTopology(name: string, attack: TenantTopology = {}): readonly Built[] {
  return [...templatesIn(name), aClassWith(attack, name), aTopology(name, attack)];
}
