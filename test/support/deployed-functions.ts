// All functions of a deployment and its forwarder, in this process, with a real API server. Each has the identity in
// the generated bindings. The simulated provider runs as an administrator.

import { systemClock } from '@capi-serverless/apimachinery/system-clock';
import { type FeatureGates, ofGates } from '@capi-serverless/cluster-api/feature-gates';
import type { Declaration, Log } from '@capi-serverless/reconciler';
import { declarations } from '../../functions/declarations.ts';
import { createForwarder } from '../../functions/watch-forwarder/forwarder.ts';
import { ForwarderProcess } from '../../functions/watch-forwarder/process.ts';
import type { Bundle } from '../../infra/bundles/bundle.ts';
import { currentBundles } from '../../infra/bundles/current.ts';
import {
  auditFunction,
  deployedFunctions,
  forwarderProgram,
  plumbingFunctions,
  type SourcePlan,
  toReconcilerFunctions,
  windowedFunction,
} from '../../infra/function-plans.ts';
import { forwarderAccount, toGroupName } from '../../infra/kubernetes/identities.ts';
import { startEventSourceMapping } from '../../local/event-source-mapping.ts';
import { openFunctionUrl } from '../../local/function-url.ts';
import { loadTarget } from '../../local/load-function.ts';
import { type Invoked, invoke, type LocalFunction } from '../../local/local-lambda.ts';
import { simulatedDeclarations } from '../../local/provider/declarations.ts';
import { toWorkloadEnvironment } from '../../local/provider/simulated-workload.ts';
import { type LocalSqs, startSqs } from '../../local/sqs.ts';
import { startWorkloadApi } from '../../local/workload-api.ts';
import { loadCredentials } from '../../shared/kubernetes/credentials/load.ts';
import { createRuntime, readManagementCluster } from '../../shared/lambda/runtime.ts';
import { createMetricsRegistry } from '../../shared/telemetry/metrics-registry.ts';
import { toConsumers, toQueueSpecs } from '../../shared/workqueue/queue-specs.ts';
import { createSqsQueues } from '../../shared/workqueue/sqs/sqs-queues.ts';
import { type AuditPoster, auditToken } from './audit-poster.ts';
import type { ControlPlaneOptions, RealControlPlane } from './real-control-plane.ts';
import { spending } from './spans.ts';
import { createTestClient } from './test-client.ts';
import { raisedLimits, timeLimitFactor } from './time-limits.ts';

/** The user names of the functions in the audit log. */
export function userOf(name: string): string {
  const { namespace, name: account } = forwarderAccount;
  return name === forwarderProgram.name ? `system:serviceaccount:${namespace}:${account}` : `function-${name}`;
}

const sources = [auditFunction, windowedFunction];
const functions: readonly SourcePlan[] = [...deployedFunctions, ...sources];

/** The functions of a deployment and its forwarder. These are all programs with a role. */
export const deployedNames: readonly string[] = [...functions.map(({ name }) => name), forwarderProgram.name];

const provider = 'provider';

/**
 * The users for `startControlPlane`. In a deployment, access entries or certificates contain the groups of the
 * functions.
 */
export const deployedUsers: NonNullable<ControlPlaneOptions['users']> = [
  ...functions.map(({ name }) => ({ name: userOf(name), groups: [toGroupName(name)] })),
  { name: userOf(forwarderProgram.name) },
  { name: provider, groups: ['system:masters'] },
];

export interface DeployedWorld {
  /** Invokes a function without a queue, or invokes a function like its schedule. */
  invoke(name: string, event: unknown): Promise<Invoked>;
  /** Stops the event source and starts this one. Bundles keep the queues with which they were loaded, so the world stays. */
  forwardFrom(source: DeployedSource): Promise<void>;
  /** Waits for all work in progress. */
  stop(): Promise<void>;
}

interface Parts {
  readonly plane: RealControlPlane;
  readonly sqs: LocalSqs;
  readonly log: Log;
  /** The deployed reconcilers. */
  readonly running: readonly Declaration[];
}

/**
 * The windowed forwarder is invoked again and again, each time a second after its last answer. The audit webhook needs
 * `auditPoster`.
 */
export type DeployedSource = 'watch-forwarder' | 'windowed-forwarder' | 'audit-webhook';

export interface DeployedWorldOptions {
  readonly log: Log;
  /** Reconcilers whose gate is off are not deployed. */
  readonly gates: FeatureGates;
  /** Whether the simulated provider runs. Default: true. */
  readonly simulated?: boolean;
  readonly auditPoster?: AuditPoster;
}

/**
 * Begins with the watch-forwarder. Requires that every CRD and role is installed. Functions read the process environment,
 * so run only one system at a time.
 */
export async function startDeployedWorld(
  plane: RealControlPlane,
  { log, gates, simulated: isSimulated = true, auditPoster }: DeployedWorldOptions,
): Promise<DeployedWorld> {
  const running = ofGates(declarations, gates);
  const deployed = [...toReconcilerFunctions(running, 'functions'), ...plumbingFunctions];
  const provided = isSimulated ? simulatedDeclarations : [];
  const all = [...running, ...provided];
  const sqs = await startSqs({ queues: toQueueSpecs(toConsumers(all)) });
  const workloadApi = await startWorkloadApi(systemClock);
  const before = { ...process.env };
  Object.assign(process.env, sqs.environment, toWorkloadEnvironment(workloadApi.workload), {
    CAPI_AUDIT_TOKENS: auditToken,
    CAPI_FEATURE_GATES: Object.entries(gates)
      .map(pair => pair.join('='))
      .join(','),
    // Simulated workload clusters and the extension servers of tests listen on loopback.
    CAPI_REMOTE_ADDRESSES: 'any',
    CAPI_LOG_LEVEL: 'error',
    ...raisedLimits,
  });
  const parts = { plane, sqs, log, running };
  const simulated = toReconcilerFunctions(provided, 'local/provider');
  const targets = new Map<string, LocalFunction<unknown>>();
  const ours = [...deployed, ...sources];
  const bundles = await bundleAll([...ours, ...simulated]);
  for (const plan of [...ours, ...simulated]) {
    const user = ours.includes(plan) ? userOf(plan.name) : provider;
    targets.set(plan.name, await loadAs(plane.kubeconfigPath(user), plan, bundles));
  }
  let stopSource = await forwardAsDeployed(parts);
  const stopProvider = isSimulated ? await forwardForProvider(parts) : undefined;
  const mappings = [...deployed, ...simulated].map(({ name, queue, batchSize }) =>
    startEventSourceMapping({
      queue,
      batchSize,
      queues: createSqsQueues({ queueUrls: sqs.queueUrls, timeLimitFactor }),
      target: targetOf(targets, name),
      clock: systemClock,
      log,
    }),
  );
  return {
    invoke: (name, event) => invoke(targetOf(targets, name), event, systemClock),
    async forwardFrom(source) {
      await stopSource();
      stopSource = await startSource(source, { ...parts, targets, auditPoster });
    },
    async stop() {
      await Promise.all([stopSource(), stopProvider?.()]);
      await Promise.all(mappings.map(mapping => mapping.stop()));
      await Promise.all([sqs.stop(), workloadApi.stop()]);
      process.env = before;
    },
  };
}

function targetOf(targets: ReadonlyMap<string, LocalFunction<unknown>>, name: string): LocalFunction<unknown> {
  const target = targets.get(name);
  if (target === undefined) {
    throw new Error(`No function ${name}, only ${[...targets.keys()].join(', ')}`);
  }
  return target;
}

/** Returns the bundles by function. One call reads and hashes the sources once. */
async function bundleAll(plans: readonly SourcePlan[]): Promise<ReadonlyMap<string, Pick<Bundle, 'file'>>> {
  const bundles = await spending('bundling', () => currentBundles(plans));
  return new Map(bundles.map(bundle => [bundle.name, bundle]));
}

/** A bundle reads the environment only while it is loaded. */
async function loadAs(
  kubeconfigPath: string,
  plan: SourcePlan,
  bundles: ReadonlyMap<string, Pick<Bundle, 'file'>>,
): Promise<LocalFunction<unknown>> {
  const bundle = bundles.get(plan.name);
  if (bundle === undefined) {
    throw new Error(`Function ${plan.name} was not bundled`);
  }
  process.env['CAPI_KUBECONFIG'] = kubeconfigPath;
  return loadTarget(bundle, plan);
}

type Stop = () => Promise<unknown>;

interface SourceParts extends Parts {
  readonly targets: ReadonlyMap<string, LocalFunction<unknown>>;
  readonly auditPoster: AuditPoster | undefined;
}

async function startSource(source: DeployedSource, parts: SourceParts): Promise<Stop> {
  const { targets, log, auditPoster } = parts;
  switch (source) {
    case 'watch-forwarder':
      return forwardAsDeployed(parts);
    case 'windowed-forwarder':
      return invokeRepeatedly(targetOf(targets, windowedFunction.name), log);
    case 'audit-webhook':
      return receivePosts(targetOf(targets, auditFunction.name), log, auditPoster);
  }
}

/** Runs the forwarder like the program of its container. */
async function forwardAsDeployed({ plane, log, running: declarations }: Parts): Promise<Stop> {
  process.env['CAPI_KUBECONFIG'] = plane.kubeconfigPath(userOf(forwarderProgram.name));
  const runtime = createRuntime(forwarderProgram.name);
  const { config, managementCluster } = runtime;
  const kubernetes = await runtime.kubernetes();
  const forwarder = new ForwarderProcess({ ...runtime, ...config, declarations, kubernetes, managementCluster, log });
  return untilStopped(signal => forwarder.run(signal));
}

/** In a deployment, a schedule invokes it each minute. */
function invokeRepeatedly(target: LocalFunction<unknown>, log: Log): Stop {
  return untilStopped(async signal => {
    while (!signal.aborted) {
      const invoked = await invoke(target, {}, systemClock);
      if (!invoked.ok) {
        log.error('The windowed forwarder failed', invoked.error);
      }
      await systemClock.sleep(1_000, signal);
    }
  });
}

async function receivePosts(target: LocalFunction<unknown>, log: Log, poster: AuditPoster | undefined): Promise<Stop> {
  if (poster === undefined) {
    throw new Error('The API server posts no audit events');
  }
  const door = await openFunctionUrl({ port: 0, ...poster.certificate });
  door.serve({ target, clock: systemClock, log });
  poster.relay.target = Number(new URL(door.url).port);
  return () => {
    poster.relay.target = undefined;
    return door.stop();
  };
}

async function forwardForProvider({ plane, sqs, log }: Parts): Promise<Stop> {
  const credentials = await loadCredentials({ kubeconfigPath: plane.kubeconfigPath(provider) });
  const kubernetes = createTestClient({ credentials, client: provider });
  const forwarder = createForwarder({
    declarations: simulatedDeclarations,
    kubernetes: { reads: kubernetes, watches: kubernetes.watches },
    queues: createSqsQueues({ queueUrls: sqs.queueUrls, timeLimitFactor }),
    managementCluster: await readManagementCluster(kubernetes),
    watchFilter: '',
    clock: systemClock,
    newId: () => crypto.randomUUID(),
    log,
    metrics: createMetricsRegistry(),
  });
  return untilStopped(signal => forwarder.run(signal));
}

function untilStopped(run: (signal: AbortSignal) => Promise<unknown>): Stop {
  const stopping = new AbortController();
  const ended = run(stopping.signal);
  return () => {
    stopping.abort();
    return ended;
  };
}
