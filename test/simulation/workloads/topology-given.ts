// The initial state of topology workloads: a settled Cluster with a ClusterClass.
import type { SimulatedUser } from '../system/user.ts';
import {
  aClass,
  aMachineTemplate,
  aManagedCluster,
  anExtension,
  aTemplate,
  type ClassParts,
  classTemplates,
  untilClassReady,
  untilReconciled,
  type WorkerTopology,
} from './topology.ts';
import { home, type InitialState, namespaceNamed } from './workload.ts';

interface Settled {
  readonly workers: readonly WorkerTopology[];
  /** The hooks of an extension that never blocks. */
  readonly hooks?: readonly string[];
  readonly parts?: ClassParts;
  /** Additional objects. */
  more?(user: SimulatedUser): Promise<void>;
}

export const a: WorkerTopology = { name: 'a', replicas: 1 };
/** Workers with a MachineHealthCheck. The longest outage of a run ends before its timeout, so no Machine is remediated. */
export const b: WorkerTopology = {
  name: 'b',
  replicas: 1,
  healthCheck: { checks: { nodeStartupTimeoutSeconds: 7200 } },
};

function settled(name: string, { workers, hooks = [], parts, more }: Settled): InitialState {
  return {
    name,
    async script(user) {
      const extensions = hooks.length === 0 ? [] : [anExtension(user, hooks)];
      const machine = parts?.controlPlaneMachine;
      const templates = [...classTemplates(), ...(machine === undefined ? [] : [aMachineTemplate(machine)])];
      await user.create(namespaceNamed(home), ...extensions, ...templates, aClass('class', parts));
      await user.create(...aManagedCluster(workers));
      await untilReconciled(user);
      await more?.(user);
    },
  };
}

export const oneWorker = settled('one MachineDeployment', { workers: [a] });

export const twoWorkers = settled('two MachineDeployments', { workers: [a, b] });

const upgradeHooks = [
  'BeforeClusterUpgrade',
  'AfterControlPlaneUpgrade',
  'BeforeWorkersUpgrade',
  'AfterClusterUpgrade',
] as const;

export const upgradable = settled('an extension for upgrades', { workers: [a], hooks: upgradeHooks });

export const deletable = settled('an extension for deletions', { workers: [a], hooks: ['BeforeClusterDelete'] });

/**
 * The templates that class `class` does not reference now or later, and class `other`, which references some of them.
 */
export const rotatable = settled('other templates and another class', {
  workers: [a],
  parts: { controlPlaneMachine: 'cp-machine' },
  async more(user) {
    await user.create(
      aMachineTemplate('worker-2', { size: 'large' }),
      aMachineTemplate('cp-2', { size: 'large' }),
      aTemplate('controlplane', 'SimulatedControlPlane', 'cp-other', { settings: { audit: 'on' } }),
      aClass('other', { worker: 'worker-2', controlPlaneMachine: 'cp-2', controlPlane: 'cp-other' }),
    );
    await untilClassReady(user, 'other');
  },
});
