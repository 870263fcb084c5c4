// A managed topology over several passes. The code under test plans it, and writes are in the order of a production
// pass. The control plane and Machines are simulated and change their version when a test requests it.

import { type Checked, type Unstructured, valid } from '@capi-serverless/apimachinery';
import { topologyReconciled } from '../../../../functions/topology/conditions/topology-reconciled.ts';
import {
  askAfterHooks,
  askBeforeCreation,
  topologyHooks,
} from '../../../../functions/topology/observe/hooks/topology-hooks.ts';
import { planVersions } from '../../../../functions/topology/observe/plan-versions.ts';
import type { Current } from '../../../../functions/topology/plan/current/current-topology.ts';
import {
  type HookState,
  isMarked,
  readHookState,
  toBookkeeping,
} from '../../../../functions/topology/plan/upgrade/hook-state.ts';
import type { UpgradePlan } from '../../../../functions/topology/plan/upgrade/plan-check.ts';
import type { Versions } from '../../../../functions/topology/plan/upgrade/version-progress.ts';
import { readCluster } from '../../../../shared/api/cluster/reader.ts';
import { withChange } from '../../../../shared/runtime-hooks/rules/annotations.ts';
import { afterClusterUpgrade } from '../../../../shared/runtime-hooks/rules/catalog.ts';
import type { WorkloadNodes } from '../../../../shared/workload/port.ts';
import { aMachine, aMachineDeployment, aMachinePool } from '../../../support/builders.ts';
import { fakeHooks } from '../../../support/fake-hooks.ts';
import { fakeReads } from '../../../support/fake-reads.ts';
import { ObjectBuilder, testStart } from '../../../support/object-builder.ts';
import { settledObjects } from '../../../support/settled-topology.ts';
import {
  aBlueprint,
  aSettledTopologyCluster,
  aTopologyClass,
  aTopologyCluster,
} from '../../../support/topology-objects.ts';
import { upgradeStep } from '../../../support/topology-upgrade.ts';
import { aDiscovered, extensionUrl } from '../../shared/runtime-hooks/hook-calling-pass.ts';

type Annotations = Readonly<Record<string, string>>;

interface Worker {
  readonly name: string;
  readonly annotations?: Annotations;
}

/** The desired version of an object, and the version of its Machines or Nodes. */
interface Running {
  version: string;
  runs: string;
}

interface LifeOptions {
  readonly version: string;
  /** The versions of the class. */
  readonly versions?: readonly string[];
  readonly planExtension?: { readonly controlPlane: readonly string[]; readonly workers: readonly string[] };
  readonly deployments?: readonly Worker[];
  readonly pools?: readonly Worker[];
  readonly annotations?: Annotations;
  /** The hooks that an extension implements. */
  readonly hooks?: readonly string[];
  readonly runtimeSdk?: boolean;
  /** Whether no object exists yet. */
  readonly isNew?: boolean;
}

/** The point at which the process crashes. Earlier writes are kept. */
export type UpgradeCrash = 'beforeBookkeeping' | 'beforeControlPlane' | 'beforeCluster' | 'beforeWorkers';

interface PassResult {
  readonly versions: Checked<Versions> | undefined;
  readonly plan: UpgradePlan | undefined;
  readonly failure: string | undefined;
  /** The calls in the form `Hook from → to`, or `Hook at`. */
  readonly asked: readonly string[];
  /** The shortest retry that a hook requested. */
  readonly retryAfterSeconds: number | undefined;
  readonly waitMs: number | undefined;
  /** Lines of the condition: status, reason and message. Undefined means unchanged. */
  readonly condition: string | undefined;
}

export class UpgradeLife {
  readonly #options: LifeOptions;
  readonly #extension = fakeHooks();
  readonly controlPlane: Running | undefined;
  readonly deployments = new Map<string, Running>();
  readonly pools = new Map<string, Running>();
  annotations: Annotations;
  topologyVersion: string;
  now = testStart;
  isInitialized = false;
  hasReferences: boolean;
  /** Sets the response of a hook. By default it does not block. */
  readonly answers = new Map<string, { readonly message?: string; readonly retryAfterSeconds?: number } | 'fails'>();

  constructor(options: LifeOptions) {
    this.#options = options;
    this.topologyVersion = options.version;
    this.annotations = options.annotations ?? {};
    this.hasReferences = options.isNew !== true;
    const running = () => ({ version: options.version, runs: options.version });
    this.controlPlane = options.isNew === true ? undefined : running();
    if (options.isNew !== true) {
      for (const { name } of options.deployments ?? []) {
        this.deployments.set(name, running());
      }
      for (const { name } of options.pools ?? []) {
        this.pools.set(name, running());
      }
    }
  }

  upgradeTo(version: string): void {
    this.topologyVersion = version;
  }

  /** The control plane or one worker reaches its desired version. */
  arrive(...names: readonly (string | undefined)[]): void {
    const parts = [
      ...(names.length === 0 || names.includes('controlPlane') ? [this.controlPlane] : []),
      ...[...this.deployments, ...this.pools].flatMap(([name, part]) =>
        names.length === 0 || names.includes(name) ? [part] : [],
      ),
    ];
    for (const part of parts) {
      if (part !== undefined) {
        part.runs = part.version;
      }
    }
  }

  async pass(crash?: UpgradeCrash): Promise<PassResult> {
    const { cluster, blueprint, current } = this.#read();
    const before = this.#extension.calls.length;
    this.#serve();
    const reads = fakeReads([...this.#machines(), ...this.#configs(), this.#kubeconfig()]);
    const ask = { ...reads, hooks: this.#extension, nodes: this.#nodes() };
    const pass = { number: 1, now: this.now, signal: new AbortController().signal };
    const hooks = this.#options.runtimeSdk === false ? undefined : topologyHooks(ask, pass, cluster.object);

    const approval = await askBeforeCreation(cluster, readHookState(cluster.metadata.annotations), hooks);
    if (!approval.ok) {
      throw new Error(approval.error);
    }
    let { hookState } = approval.value;
    let planned: Awaited<ReturnType<typeof planVersions>> | undefined;
    let failure: string | undefined;
    if (approval.value.waitMs === undefined) {
      planned = await planVersions({ blueprint, current, hookState }, ask, { pass, hooks });
      hookState = planned.hookState;
      failure = planned.versions.ok ? undefined : planned.versions.error;
      if (planned.versions.ok) {
        const input = { cluster, versions: planned.versions.value, topologyVersion: this.topologyVersion, hookState };
        const after = await askAfterHooks(input, hooks);
        hookState = after.hookState;
        failure = after.failure;
      }
    }
    const versions = failure === undefined && planned?.versions.ok === true ? planned.versions.value : undefined;
    if (crash !== 'beforeBookkeeping') {
      const extent = versions === undefined ? 'withoutStart' : 'whole';
      this.annotations = withChange(this.annotations, toBookkeeping(hookState, extent));
      if (versions !== undefined) {
        this.#write(versions, crash);
      }
    }
    const reported = topologyReconciled({
      cluster,
      error: failure,
      isClassBehind: false,
      responses: hookState.responses,
      isAfterClusterUpgradePending: isMarked(hookState, afterClusterUpgrade),
      upgrade: versions && { versions, controlPlaneKind: 'KubeadmControlPlane' },
    });
    return {
      versions: planned?.versions,
      plan: planned?.plan,
      failure,
      asked: this.#extension.calls.slice(before).map(({ hook, body }) => toAsked(hook, body)),
      retryAfterSeconds: shortestRetryOf(hookState),
      waitMs: approval.value.waitMs,
      condition:
        reported &&
        [reported.condition.status, reported.condition.reason, reported.condition.message ?? ''].join(' | '),
    };
  }

  /** Writes in the order of a production pass. */
  #write(versions: Versions, crash: UpgradeCrash | undefined): void {
    if (crash === 'beforeControlPlane') {
      return;
    }
    if (this.controlPlane !== undefined && !versions.controlPlane.isPendingUpgrade) {
      this.controlPlane.version = versions.controlPlane.version;
    }
    if (crash === 'beforeCluster') {
      return;
    }
    this.hasReferences = true;
    const step = versions.isUpgradeInProgress ? versions.controlPlane.version : null;
    this.annotations = withChange(this.annotations, { [upgradeStep]: step });
    if (crash === 'beforeWorkers') {
      return;
    }
    writeWorkers(this.deployments, versions.machineDeployments);
    writeWorkers(this.pools, versions.machinePools);
  }

  #read() {
    const { deployments = [], pools = [], versions = [], planExtension } = this.#options;
    const toTopology = (className: string) => (worker: Worker) => ({
      class: className,
      name: worker.name,
      ...(worker.annotations && { metadata: { annotations: worker.annotations } }),
    });
    const topology = {
      version: this.topologyVersion,
      workers: {
        machineDeployments: deployments.map(toTopology('worker')),
        machinePools: pools.map(toTopology('pool')),
      },
    };
    const builder = this.hasReferences ? aSettledTopologyCluster(topology) : aTopologyCluster(topology);
    const initialized = this.isInitialized ? builder.withCondition('ControlPlaneInitialized') : builder;
    const cluster = initialized.annotated(this.annotations).build();
    const upgrade = planExtension && { upgrade: { external: { generateUpgradePlanExtension: 'plan.ext1' } } };
    const clusterClass = aTopologyClass({ spec: { kubernetesVersions: versions, ...upgrade } });
    return {
      cluster: readCluster(cluster),
      blueprint: aBlueprint({ cluster, clusterClass }),
      current: this.#current(),
    };
  }

  #current(): Current {
    const { controlPlane } = this;
    return {
      controlPlane:
        controlPlane === undefined
          ? {}
          : {
              object: settledObjects(controlPlane.version)
                .controlPlane.withStatus({
                  version: controlPlane.runs,
                  versions: [{ version: controlPlane.runs, replicas: 3 }],
                })
                .build(),
            },
      machineDeployments: new Map(
        [...this.deployments].map(([name, { version }]) => [
          name,
          {
            object: aMachineDeployment()
              .in('ns1')
              .named(`c1-${name}`)
              .withVersion(version)
              .withSpec({ selector: { matchLabels: { pool: name } } })
              .build(),
          },
        ]),
      ),
      machinePools: new Map(
        [...this.pools].map(([name, { version }]) => [
          name,
          {
            object: aMachinePool()
              .in('ns1')
              .named(`c1-${name}`)
              .withVersion(version)
              .withStatus({ nodeRefs: [{ name: `node-${name}` }] })
              .build(),
          },
        ]),
      ),
    };
  }

  #machines(): readonly Unstructured[] {
    return [...this.deployments].map(([name, { version, runs }]) =>
      aMachine()
        .in('ns1')
        .named(`${name}-m`)
        .labelled({ pool: name })
        .withVersion(version)
        .withStatus({ nodeInfo: { kubeletVersion: runs } })
        .build(),
    );
  }

  #nodes(): WorkloadNodes {
    const runs = new Map([...this.pools].map(([name, part]) => [`node-${name}`, part.runs]));
    return {
      kubeletVersions: async (_, nodes) => new Map(nodes.map(node => [node, valid(runs.get(node) ?? '')])),
    };
  }

  #kubeconfig(): Unstructured {
    return new ObjectBuilder({ apiVersion: 'v1', kind: 'Secret', name: 'c1-kubeconfig' }).in('ns1').build();
  }

  #configs(): readonly Unstructured[] {
    const { hooks = [], planExtension } = this.#options;
    const handlers = hooks.map(hook => ({ name: hook.toLowerCase(), hook }));
    const planner = planExtension === undefined ? [] : [{ name: 'plan', hook: 'GenerateUpgradePlan' }];
    return handlers.length + planner.length === 0 ? [] : [aDiscovered([...handlers, ...planner]).build()];
  }

  #serve(): void {
    const { hooks = [], planExtension } = this.#options;
    for (const hook of hooks) {
      const path = hook.toLowerCase();
      const answer = this.answers.get(hook) ?? {};
      const body = answer === 'fails' ? { status: 'Failure', message: 'no' } : { status: 'Success', ...answer };
      this.#extension.answer(extensionUrl, `${path}/${path}`, { body });
    }
    if (planExtension !== undefined) {
      const toSteps = (versions: readonly string[]) => versions.map(version => ({ version }));
      const { controlPlane, workers } = planExtension;
      this.#extension.answer(extensionUrl, 'generateupgradeplan/plan', {
        body: {
          status: 'Success',
          controlPlaneUpgrades: toSteps(controlPlane.filter(version => version > (this.controlPlane?.version ?? ''))),
          workersUpgrades: toSteps(workers),
        },
      });
    }
  }
}

function writeWorkers(running: ReadonlyMap<string, Running>, progress: Versions['machineDeployments']): void {
  for (const [name, part] of running) {
    const version = progress.versions.get(name);
    if (version !== undefined && !progress.pendingUpgrade.has(`c1-${name}`)) {
      part.version = version;
    }
  }
}

function toAsked(hook: string, body: Readonly<Record<string, unknown>>): string {
  const { fromKubernetesVersion: from, toKubernetesVersion: to, kubernetesVersion: at } = body;
  return [hook, ...(to === undefined || from === undefined ? [] : [`${from} → ${to}`]), ...(at ? [at] : [])].join(' ');
}

function shortestRetryOf({ responses }: Pick<HookState, 'responses'>): number | undefined {
  const [shortest] = [...responses.values()]
    .map(({ retryAfterSeconds }) => retryAfterSeconds)
    .filter(seconds => seconds > 0)
    .toSorted((a, b) => a - b);
  return shortest;
}
