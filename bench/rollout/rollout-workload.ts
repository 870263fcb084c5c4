// Creates a MachineDeployment, changes the version of its template, and measures until all its Machines are replaced.
import { groupOf, type Intent, memberOf, type Unstructured, valueAt } from '@capi-serverless/apimachinery';
import { staticTemplateKinds } from '../../test/support/static-provider.ts';
import { phaseOf } from '../../test/support/world-client.ts';
import { clusterLabels, clusterName } from '../machines/owning-cluster.ts';
import { toSeconds } from '../subjects/measure-objects.ts';
import { type Objects, ObjectWatch } from '../subjects/object-watch.ts';
import type { RequestCounts } from '../subjects/request-log.ts';
import type { Cpu, RunningSubject } from '../subjects/running-subject.ts';
import { namespace } from '../subjects/workload.ts';

const apiVersion = 'cluster.x-k8s.io/v1beta2';
const name = 'workers';
const labels = { ...clusterLabels, 'cluster.x-k8s.io/deployment-name': name };

/** Machines are replaced one after the other, so a rollout takes several times as long as other measurements. */
const rolloutLimitMs = 900_000;

export interface RolloutSizes {
  readonly replicas: number;
  readonly rollouts: number;
}

export interface Rollout {
  /** The number of rollouts in this measurement. */
  readonly objects: 1;
  /** The time from the change of the template until the event that shows the end of the rollout. */
  readonly ms: number;
  readonly requests: RequestCounts;
  readonly cpu: Cpu;
}

export class RolloutWorkload {
  readonly #running: RunningSubject;
  readonly #watch: ObjectWatch;

  private constructor(running: RunningSubject, watch: ObjectWatch) {
    this.#running = running;
    this.#watch = watch;
  }

  static async open(running: RunningSubject): Promise<RolloutWorkload> {
    const kinds = ['MachineDeployment', 'MachineSet', 'Machine'].map(kind => ({ apiVersion, kind, namespace }));
    return new RolloutWorkload(running, await ObjectWatch.start(running.client, kinds));
  }

  close(): void {
    this.#watch.stop();
  }

  /** Rejects everything that waits. */
  fail(error: Error): void {
    this.#watch.fail(error);
  }

  /** The creation of the MachineDeployment is not measured. */
  async measureAll({ replicas, rollouts }: RolloutSizes): Promise<readonly Rollout[]> {
    const { client, say } = this.#running;
    say(`creating a MachineDeployment with ${replicas} Machines`);
    for (const object of [...aTemplateOfEachKind(), aMachineDeployment(replicas)]) {
      await client.create(object);
    }
    await this.#untilAllHave(toVersion(0), replicas);
    const measured: Rollout[] = [];
    for (let round = 1; round <= rollouts; round += 1) {
      const rollout = await this.#measureOne(toVersion(round), replicas);
      measured.push(rollout);
      say(`rollout ${round} of ${rollouts}: ${toSeconds(rollout.ms)}`);
    }
    return measured;
  }

  async #measureOne(version: string, replicas: number): Promise<Rollout> {
    const { value, requests, cpu } = await this.#running.measure(async () => {
      const from = performance.now();
      await this.#running.client.patch(
        { apiVersion, kind: 'MachineDeployment', namespace, name },
        { spec: { template: { spec: { version } } } },
      );
      return (await this.#untilAllHave(version, replicas)) - from;
    });
    return { objects: 1, ms: value, requests, cpu };
  }

  #untilAllHave(version: string, replicas: number): Promise<number> {
    return this.#running.within(
      `${replicas} Machines with ${version} and no others`,
      this.#watch.until(objects => isRolledOut(objects, version, replicas)),
      { state: () => stateOf(this.#watch.objects, version), limitMs: rolloutLimitMs },
    );
  }
}

function toVersion(round: number): string {
  return `v1.35.${round}`;
}

/** All Machines are new and Running, the MachineDeployment counts them, and all other MachineSets are empty or gone. */
export function isRolledOut(objects: Objects, version: string, replicas: number): boolean {
  const machines = ofKind(objects, 'Machine');
  const [deployment] = ofKind(objects, 'MachineDeployment');
  const counts = ['replicas', 'upToDateReplicas', 'availableReplicas'];
  return (
    machines.length === replicas &&
    machines.every(machine => memberOf(machine.spec, 'version') === version && phaseOf(machine) === 'Running') &&
    counts.every(field => memberOf(deployment?.status, field) === replicas) &&
    ofKind(objects, 'MachineSet').every(
      set => valueAt(set.spec, 'template.spec.version') === version || memberOf(set.status, 'replicas') === 0,
    )
  );
}

function stateOf(objects: Objects, version: string): string {
  const machines = ofKind(objects, 'Machine');
  const isNew = machines.filter(machine => memberOf(machine.spec, 'version') === version);
  const running = isNew.filter(machine => phaseOf(machine) === 'Running');
  const sets = ofKind(objects, 'MachineSet').map(
    ({ metadata, status }) => `${metadata.name} ${String(memberOf(status, 'replicas'))}`,
  );
  const phases = machines.map(machine => `${machine.metadata.name} ${phaseOf(machine)}`);
  return `${machines.length} Machines, ${isNew.length} of them new, ${running.length} of these Running; sets: ${sets.join(', ')}; ${phases.join(', ')}`;
}

function ofKind(objects: Objects, kind: string): readonly Unstructured[] {
  return [...objects.values()].filter(object => object.kind === kind);
}

function aTemplateOfEachKind(): readonly Intent[] {
  return staticTemplateKinds.map(({ apiVersion: version, kind }) => ({
    apiVersion: version,
    kind: `${kind}Template`,
    metadata: { namespace, name, labels: clusterLabels },
    spec: { template: { spec: {} } },
  }));
}

/** It has the values that Cluster API's webhooks would default. */
function aMachineDeployment(replicas: number): Intent {
  const [machineKind, configKind] = staticTemplateKinds;
  const refOf = (kind: (typeof staticTemplateKinds)[number]) => ({
    apiGroup: groupOf(kind.apiVersion),
    kind: `${kind.kind}Template`,
    name,
  });
  return {
    apiVersion,
    kind: 'MachineDeployment',
    metadata: { namespace, name, labels: clusterLabels },
    spec: {
      clusterName,
      replicas,
      selector: { matchLabels: labels },
      rollout: { strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } } },
      deletion: { order: 'Random' },
      template: {
        metadata: { labels },
        spec: {
          clusterName,
          version: toVersion(0),
          bootstrap: { configRef: refOf(configKind) },
          infrastructureRef: refOf(machineKind),
          deletion: { nodeDeletionTimeoutSeconds: 10 },
        },
      },
    },
  };
}
