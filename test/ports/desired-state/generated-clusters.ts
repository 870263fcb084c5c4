// Random Clusters of a class, and random changes of the class.
import { type Intent, type JsonObject, toRecord, withoutUndefined } from '@capi-serverless/apimachinery';
import { createRandom, type Random } from '../../simulation/engine/random.ts';
import { filledIntent } from './filled-fields.ts';
import { valueFor } from './generated-values.ts';
import type { ComparedClass } from './read-classes.ts';

/** The objects of one Cluster before its first reconcile. */
export interface GeneratedCluster {
  /** Its seed and its class, which generate it again. */
  readonly name: string;
  readonly className: string;
  readonly cluster: Intent;
  readonly clusterClass: Intent;
  /** Templates and definitions. */
  readonly others: readonly Intent[];
}

const namespace = 'ns';
const versions = [
  'v1.30.1',
  'v1.30.4',
  'v1.31.0',
  '1.31.0',
  'v1.32.2',
  'v1.31.4+build.5',
  'v1.33.0-rc.0',
  'v1.33.0',
] as const;
const topologyNames = [
  'md-0',
  'workers',
  'a',
  'b1',
  'with-a-rather-long-name-of-forty-characters',
  '0',
  'x-y-z',
] as const;
const clusterNames = ['c1', 'prod', 'a-cluster-whose-name-is-quite-long', '0', 'my-cluster-2'] as const;

export function generateClusters(from: ComparedClass, seed: string, count: number): readonly GeneratedCluster[] {
  return Array.from({ length: count }, (_, at) => {
    const name = `${seed}/${from.name}/${at}`;
    return new ClusterDraft(from, createRandom(name)).generate(name);
  });
}

class ClusterDraft {
  readonly #class: ComparedClass;
  readonly #random: Random;

  constructor(from: ComparedClass, random: Random) {
    this.#class = from;
    this.#random = random;
  }

  generate(name: string): GeneratedCluster {
    const { clusterClass, templates, definitions } = this.#class;
    const changed = filledIntent(this.#changed(clusterClass));
    return {
      name,
      className: this.#class.name,
      cluster: filledIntent(this.#cluster(changed)),
      clusterClass: changed,
      others: [...definitions, ...templates],
    };
  }

  /** Some fields of a class come and go, whatever its shape. */
  #changed(clusterClass: Intent): Intent {
    const { chance, pick } = this.#random;
    const { kubernetesVersions, ...spec } = toRecord(clusterClass['spec']);
    const controlPlane = toRecord(spec['controlPlane']);
    const machineClass = toRecord(controlPlane['machineInfrastructure']);
    const naming = pick(['{{ .cluster.name }}-{{ .random }}', 'x-{{ .random }}', '{{ .cluster.name }}-cp']);
    return {
      ...clusterClass,
      metadata: { ...clusterClass.metadata, generation: 1, uid: this.#random.uuid() },
      spec: {
        ...spec,
        ...(chance(0.5) ? withoutUndefined({ kubernetesVersions }) : {}),
        controlPlane: {
          ...controlPlane,
          ...(chance(0.2) ? { metadata: this.#metadata('class') } : {}),
          ...(chance(0.2) ? { naming: { template: naming } } : {}),
          ...(chance(0.2) && machineClass['templateRef'] !== undefined ? { healthCheck: this.#healthCheck() } : {}),
          ...(chance(0.2) ? { deletion: this.#deletion() } : {}),
        },
      },
    };
  }

  #cluster(clusterClass: Intent): Intent {
    const { chance, pick, uuid } = this.#random;
    return {
      apiVersion: 'cluster.x-k8s.io/v1beta2',
      kind: 'Cluster',
      metadata: { name: pick(clusterNames), namespace, uid: uuid(), generation: 1, ...this.#metadata('cluster') },
      spec: {
        ...(chance(0.6) ? { clusterNetwork: this.#network() } : {}),
        topology: this.#topology(clusterClass),
      },
    };
  }

  #network(): JsonObject {
    const { chance, pick } = this.#random;
    return {
      ...(chance(0.8)
        ? { pods: { cidrBlocks: pick([['192.168.0.0/16'], ['10.1.0.0/16', 'fd00:1::/48'], ['fd00::/48']]) } }
        : {}),
      ...(chance(0.6) ? { services: { cidrBlocks: pick([['10.96.0.0/12'], ['10.96.0.0/12', 'fd00:2::/108']]) } } : {}),
      ...(chance(0.5) ? { serviceDomain: 'example.local' } : {}),
    };
  }

  #topology(clusterClass: Intent): JsonObject {
    const { chance, pick, below } = this.#random;
    const spec = toRecord(clusterClass['spec']);
    const listed = spec['kubernetesVersions'];
    const version = Array.isArray(listed) && chance(0.95) ? listed[below(listed.length)] : pick(versions);
    const hasMachines = toRecord(toRecord(spec['controlPlane'])['machineInfrastructure'])['templateRef'] !== undefined;
    const { machineDeployments, machinePools } = toRecord(spec['workers']);
    return {
      classRef: { name: clusterClass.metadata.name, ...(chance(0.3) ? { namespace } : {}) },
      version,
      controlPlane: this.#controlPlane(spec, hasMachines),
      workers: {
        ...withoutUndefined({
          machineDeployments: this.#workers(machineDeployments, each => this.#deployment(each, spec)),
        }),
        ...withoutUndefined({ machinePools: this.#workers(machinePools, each => this.#pool(each, spec)) }),
      },
      variables: this.#variables(spec),
    };
  }

  #workers(classes: unknown, made: (of: JsonObject) => JsonObject): readonly JsonObject[] | undefined {
    if (!Array.isArray(classes)) {
      return undefined;
    }
    const names = topologyNames.filter(() => this.#random.chance(0.35));
    return names.map(name => ({ name, ...made(toRecord(classes[this.#random.below(classes.length)])) }));
  }

  #controlPlane(spec: JsonObject, hasMachines: boolean): JsonObject {
    const { chance } = this.#random;
    return {
      ...this.#some({
        metadata: () => this.#metadata('topology'),
        replicas: () => this.#random.pick([1, 3, 5]),
        rollout: () => ({ after: '2026-02-03T04:05:06Z' }),
        deletion: () => this.#deletion(),
        readinessGates: () => this.#gates(),
        taints: () => this.#taints(),
        variables: () => this.#overrides(spec),
      }),
      ...(hasMachines && chance(0.3)
        ? { healthCheck: { ...(chance(0.5) ? { enabled: true } : {}), ...this.#healthCheck() } }
        : {}),
    };
  }

  #deployment(of: JsonObject, spec: JsonObject): JsonObject {
    const { chance, pick, below } = this.#random;
    return {
      class: of['class'],
      ...this.#some({
        metadata: () => this.#metadata('topology'),
        replicas: () => below(6),
        failureDomain: () => pick(['fd1', 'a']),
        deletion: () => ({ ...this.#deletion(), order: pick(['Random', 'Newest', 'Oldest']) }),
        minReadySeconds: () => below(30),
        readinessGates: () => this.#gates(),
        taints: () => this.#taints(),
        rollout: () => this.#rollout(),
        variables: () => this.#overrides(spec),
      }),
      ...(chance(0.2) ? { healthCheck: { ...this.#healthCheck(), ...(chance(0.3) ? { enabled: true } : {}) } } : {}),
      ...(chance(0.05) ? { healthCheck: { enabled: false } } : {}),
    };
  }

  #pool(of: JsonObject, spec: JsonObject): JsonObject {
    const { below } = this.#random;
    return {
      class: of['class'],
      ...this.#some({
        metadata: () => this.#metadata('topology'),
        replicas: () => below(6),
        failureDomains: () => ['fd1', 'fd2'].slice(below(2)),
        deletion: () => this.#deletion(),
        minReadySeconds: () => below(30),
        taints: () => this.#taints(),
        variables: () => this.#overrides(spec),
      }),
    };
  }

  /** Each field with some chance. */
  #some(fields: Readonly<Record<string, () => unknown>>): JsonObject {
    return Object.fromEntries(
      Object.entries(fields).flatMap(([name, made]) => (this.#random.chance(0.3) ? [[name, made()]] : [])),
    );
  }

  #variables(spec: JsonObject): readonly JsonObject[] {
    return this.#definitions(spec).flatMap(({ name, required, schema }) => {
      const openApi = toRecord(toRecord(schema)['openAPIV3Schema']);
      const isLeftOut = openApi['default'] === undefined ? required !== true : true;
      return isLeftOut && this.#random.chance(0.4) ? [] : [{ name, value: valueFor(openApi, this.#random) }];
    });
  }

  #overrides(spec: JsonObject): JsonObject {
    const overrides = this.#definitions(spec)
      .filter(() => this.#random.chance(0.4))
      .map(({ name, schema }) => ({
        name,
        value: valueFor(toRecord(toRecord(schema)['openAPIV3Schema']), this.#random),
      }));
    return overrides.length === 0 ? {} : { overrides };
  }

  #definitions({ variables }: JsonObject): readonly JsonObject[] {
    return Array.isArray(variables) ? variables.map(toRecord) : [];
  }

  #metadata(from: string): { readonly labels: Record<string, string>; readonly annotations: Record<string, string> } {
    const { chance } = this.#random;
    const texts = (): Record<string, string> => ({
      ...(chance(0.6) ? { 'example.com/from': from } : {}),
      ...(chance(0.5) ? { [from]: 'x' } : {}),
      ...(chance(0.2) ? { 'example.com/empty': '' } : {}),
    });
    return { labels: texts(), annotations: { ...texts(), ...(chance(0.1) ? { 'example.com/note': 'of: {a}' } : {}) } };
  }

  #deletion(): JsonObject {
    const names = ['nodeDrainTimeoutSeconds', 'nodeVolumeDetachTimeoutSeconds', 'nodeDeletionTimeoutSeconds'];
    return this.#some(Object.fromEntries(names.map(name => [name, () => this.#random.below(100)])));
  }

  #gates(): readonly JsonObject[] {
    return this.#random.pick([
      [{ conditionType: 'example.com/Other' }],
      [{ conditionType: 'A', polarity: 'Negative' }],
    ]);
  }

  #taints(): readonly JsonObject[] {
    return this.#random.pick([
      [{ key: 'of.example.com/topology', value: 't', effect: 'NoSchedule', propagation: 'Always' }],
      [{ key: 'second', effect: 'NoExecute', propagation: 'OnInitialization' }],
    ]);
  }

  #rollout(): JsonObject {
    const { chance, pick } = this.#random;
    const rollingUpdate = pick<JsonObject>([
      { maxSurge: 2 },
      { maxUnavailable: '10%' },
      { maxSurge: '30%', maxUnavailable: 0 },
    ]);
    return {
      ...(chance(0.4) ? { after: '2026-02-03T04:05:06Z' } : {}),
      ...(chance(0.7)
        ? { strategy: pick<JsonObject>([{ type: 'OnDelete' }, { type: 'RollingUpdate', rollingUpdate }]) }
        : {}),
    };
  }

  #healthCheck(): JsonObject {
    const { chance, pick, below } = this.#random;
    return {
      checks: {
        unhealthyNodeConditions: [{ type: 'Ready', status: pick(['Unknown', 'False']), timeoutSeconds: below(600) }],
        ...(chance(0.4) ? { nodeStartupTimeoutSeconds: pick([0, 60, 1200]) } : {}),
      },
      ...(chance(0.5)
        ? {
            remediation: {
              triggerIf: pick<JsonObject>([{ unhealthyLessThanOrEqualTo: 2 }, { unhealthyLessThanOrEqualTo: '40%' }]),
            },
          }
        : {}),
    };
  }
}
