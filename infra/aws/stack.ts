// The CDK stack of a deployment: the queues, functions, triggers and IAM rights that its declarations and event sources need.

import { ofGates } from '@capi-serverless/cluster-api/feature-gates';
import type { Declaration } from '@capi-serverless/reconciler';
import { Annotations, Duration, Stack } from 'aws-cdk-lib';
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import type { Construct } from 'constructs';
import { delayQueue, expandQueue, heartbeatQueue, workQueueOf } from '../../shared/workqueue/queue-names.ts';
import { heartbeatQueueSpec, type QueueSpec, toConsumers, toQueueSpecs } from '../../shared/workqueue/queue-specs.ts';
import type { Bundle } from '../bundles/bundle.ts';
import {
  auditFunction,
  type FunctionPlan,
  resyncFunction,
  rotationFunction,
  type SourcePlan,
  timerFunction,
  windowedFunction,
  windowedPeriodSeconds,
} from '../function-plans.ts';
import { ApiServerAccess } from './access.ts';
import { toAuditLogPattern } from './audit-log-pattern.ts';
import { AuditLogSubscription, AuditWebhook } from './audit-source.ts';
import { type Deployment, refuseSharedName, toFeatureGates, toProviderGroups, toSettings } from './deployment.ts';
import { ForwarderIdentity } from './forwarder-identity.ts';
import { type Monitored, type MonitoredFunction, toMonitoredQueues } from './monitoring/monitored.ts';
import { addMonitoring } from './monitoring/monitoring.ts';
import { Network } from './network.ts';
import { toPhysicalName } from './physical-names.ts';
import { Schedules } from './schedules.ts';
import { ScopedFunction } from './scoped-function.ts';
import { letRead } from './secret-access.ts';
import { WorkQueues } from './work-queues.ts';

interface CapiServerlessStackProps {
  readonly deployment: Deployment;
  readonly declarations: readonly Declaration[];
  /** The functions behind queues. Those of event sources are added. */
  readonly functions: readonly FunctionPlan[];
  readonly bundles: readonly Pick<Bundle, 'name' | 'file'>[];
}

const batchSize = 10;

export class CapiServerlessStack extends Stack {
  readonly #props: CapiServerlessStackProps;
  readonly #queues: WorkQueues;
  readonly #access: ApiServerAccess;
  readonly #schedules: Schedules;
  readonly #workQueues: readonly string[];
  /** The queues of functions and their dead-letter queues. */
  readonly #allQueues: readonly string[];
  readonly #created: MonitoredFunction[] = [];

  constructor(scope: Construct, props: CapiServerlessStackProps) {
    const { deployment } = props;
    checkName(props);
    const { declarations, functions } = ofDeployment(props);
    const { name, account, region } = deployment;
    const env = { ...(account === undefined ? {} : { account }), ...(region === undefined ? {} : { region }) };
    super(scope, name, { stackName: name, env });
    this.#props = { ...props, declarations, functions };
    this.#workQueues = declarations.map(declaration => workQueueOf(declaration.name));
    const served = toQueueSpecs(toConsumers(declarations));
    const specs = deployment.sources.forwarder === undefined ? served : [...served, heartbeatQueueSpec];
    this.#queues = new WorkQueues(this, 'Queues', { deployment: name, specs });
    this.#allQueues = served.map(spec => spec.name);
    const { vpc } = deployment;
    const network = vpc && new Network(this, 'Network', { deployment: name, vpc });
    this.#access = new ApiServerAccess(this, 'ApiServer', deployment.apiServer, network);
    this.#schedules = new Schedules(this, 'Schedules', name);
    for (const plan of functions) {
      this.#addServing(plan);
    }
    this.#addSources(deployment.sources);
    this.#addMonitoring(served);
  }

  /** Creates a function whose event source mapping reads its queue. */
  #addServing(plan: FunctionPlan): void {
    const created = this.#createFunction(plan, { reachesApiServer: plan.name !== timerFunction });
    const { concurrency, plumbing, resyncPeriodMinutes } = this.#props.deployment;
    const isPlumbing = plan.name === timerFunction || plan.name === resyncFunction;
    const limit = isPlumbing && plumbing === 'uncapped' ? {} : { maxConcurrency: concurrency };
    created.lambda.addEventSource(
      new SqsEventSource(this.#queues.get(plan.queue), { batchSize, reportBatchItemFailures: true, ...limit }),
    );
    const isResync = plan.name === resyncFunction;
    created.letSend(this.#queues, targetsOf(plan, this.#workQueues), [
      plan.queue,
      ...(isResync ? this.#allQueues : []),
    ]);
    this.#letCallHooks(plan, created);
    if (isResync) {
      created.allow(
        ['sqs:GetQueueAttributes'],
        this.#allQueues.map(name => this.#queues.get(name).queueArn),
      );
      this.#schedules.add('Resync', {
        name: plan.name,
        period: Duration.minutes(resyncPeriodMinutes),
        target: created.lambda,
        why: 'Finds changes that no event source reported',
      });
    }
  }

  /** Only reconcilers that call hooks get the client certificate with which they authenticate to extension servers. */
  #letCallHooks({ name }: FunctionPlan, created: ScopedFunction): void {
    const { deployment, declarations } = this.#props;
    const secretArn = deployment.settings.extensionClientCertificateSecret;
    const callsHooks = declarations.some(each => each.name === name && each.ports.includes('hooks'));
    if (secretArn !== undefined && callsHooks) {
      letRead(created, { secretArn, kmsKeyArn: deployment.settings.extensionClientCertificateKmsKeyArn });
    }
  }

  #addSources({ forwarder, windowed, auditWebhook, auditLogOf }: Deployment['sources']): void {
    const targets = [...this.#workQueues, expandQueue];
    if (forwarder === undefined && !windowed && auditWebhook === undefined && auditLogOf === undefined) {
      const { name, resyncPeriodMinutes } = this.#props.deployment;
      Annotations.of(this).addWarningV2(
        'capi-serverless:no-event-source',
        `Deployment ${name} has no event source: a change is reconciled up to ${resyncPeriodMinutes} minutes late; set sources`,
      );
    }
    if (forwarder !== undefined) {
      new ForwarderIdentity(this, 'Forwarder', {
        identity: forwarder,
        queues: this.#queues,
        targets: [...targets, heartbeatQueue],
      });
    }
    if (windowed) {
      this.#addWindowed(targets);
    }
    if (auditWebhook === undefined && auditLogOf === undefined) {
      return;
    }
    const audit = this.#createFunction(auditFunction, {
      reachesApiServer: this.#props.deployment.managementCluster === undefined,
      ...(auditWebhook === undefined || auditWebhook.concurrency === 0
        ? {}
        : { reservedConcurrency: auditWebhook.concurrency }),
    });
    audit.letSend(this.#queues, targets);
    if (auditWebhook !== undefined) {
      this.#addAuditWebhook(audit, auditWebhook);
    }
    if (auditLogOf !== undefined) {
      const { declarations, deployment } = this.#props;
      const pattern = toAuditLogPattern(declarations, toProviderGroups(deployment));
      new AuditLogSubscription(this, 'AuditLog', { cluster: auditLogOf, target: audit, pattern });
    }
  }

  #addAuditWebhook(
    target: ScopedFunction,
    { rotateTokenDays: everyDays, kmsKeyArn, door }: NonNullable<Deployment['sources']['auditWebhook']>,
  ): void {
    const rotation =
      everyDays === 0
        ? undefined
        : { everyDays, rotator: this.#createFunction(rotationFunction, { reachesApiServer: false }) };
    new AuditWebhook(this, 'AuditUrl', { target, rotation, kmsKeyArn, door, deployment: this.#props.deployment });
  }

  #addWindowed(targets: readonly string[]): void {
    const created = this.#createFunction(windowedFunction, { reachesApiServer: true });
    created.letSend(this.#queues, targets);
    this.#schedules.add('Windowed', {
      name: windowedFunction.name,
      period: Duration.seconds(windowedPeriodSeconds),
      target: created.lambda,
      why: 'Reads the changes since the previous run',
    });
  }

  /** Refers to resources by name, so that they may be created later. */
  #addMonitoring(served: readonly QueueSpec[]): void {
    const { name: deployment, monitoring: options, sources, apiServer, resyncPeriodMinutes } = this.#props.deployment;
    const hasSecret = apiServer.kind === 'kubeconfig' && apiServer.secretArn === undefined;
    const monitored: Monitored = {
      deployment,
      region: this.region,
      options,
      resyncPeriodSeconds: resyncPeriodMinutes * 60,
      resyncSchedule: toPhysicalName(deployment, resyncFunction),
      queues: toMonitoredQueues(deployment, served, delayQueue),
      functions: this.#created,
      heartbeatQueue: sources.forwarder && toPhysicalName(deployment, heartbeatQueue),
      windowedFunction: sources.windowed ? toPhysicalName(deployment, windowedFunction.name) : undefined,
      secrets: Number(hasSecret) + Number(sources.auditWebhook !== undefined),
    };
    addMonitoring(this, monitored, { queues: this.#queues, served });
  }

  #createFunction(
    { name, timeoutSeconds, memoryMiB }: SourcePlan,
    { reachesApiServer, ...more }: { readonly reachesApiServer: boolean; readonly reservedConcurrency?: number },
  ): ScopedFunction {
    const { deployment, bundles } = this.#props;
    const bundle = bundles.find(one => one.name === name);
    if (bundle === undefined) {
      throw new Error(`Function ${name} was not bundled`);
    }
    const environment = { ...toSettings(deployment), ...(reachesApiServer ? this.#access.environment : {}) };
    const created = new ScopedFunction(this, {
      deployment,
      name,
      timeoutSeconds,
      file: bundle.file,
      environment,
      ...(memoryMiB === undefined ? {} : { memoryMiB }),
      ...more,
    });
    if (reachesApiServer) {
      this.#access.grant(name, created);
    }
    this.#created.push({
      name,
      physicalName: toPhysicalName(deployment.name, name),
      memoryMiB: created.memoryMiB,
      isBehindQueueAlone: name !== resyncFunction && this.#props.functions.some(plan => plan.name === name),
      isReconciler: this.#props.declarations.some(declaration => declaration.name === name),
    });
    return created;
  }
}

/**
 * Throws DeploymentError if functions or queues can have the names of those of another deployment. Reconcilers whose
 * feature gate is off count, because the gate can differ between deployments.
 */
function checkName({ deployment: { name }, declarations, functions }: CapiServerlessStackProps): void {
  const sources = [auditFunction, rotationFunction, windowedFunction];
  const queues = [...toQueueSpecs(toConsumers(declarations)), heartbeatQueueSpec];
  for (const named of [[...functions, ...sources], queues]) {
    refuseSharedName(
      name,
      named.map(each => each.name),
    );
  }
}

/** Omits reconcilers whose feature gate is off, because their queues would cost money and stay empty. */
function ofDeployment({
  deployment,
  declarations,
  functions,
}: CapiServerlessStackProps): Pick<CapiServerlessStackProps, 'declarations' | 'functions'> {
  const running = ofGates(declarations, toFeatureGates(deployment));
  const idle = new Set(declarations.filter(declaration => !running.includes(declaration)).map(({ name }) => name));
  return { declarations: running, functions: functions.filter(({ name }) => !idle.has(name)) };
}

/** A function sends timers and messages to its own queues. The timer and the resync send to all reconcilers. */
function targetsOf(plan: FunctionPlan, workQueues: readonly string[]): readonly string[] {
  const reconcilers = plan.name === timerFunction || plan.name === resyncFunction ? workQueues : [];
  return [...new Set([...reconcilers, plan.queue, delayQueue])];
}
