// A CDK construct: the queues, functions, triggers and IAM rights that the declarations and event sources of a deployment
// need. `npm run synth` and users of the package deploy it.
import { withoutUndefined } from '@capi-serverless/apimachinery';
import type { Declaration } from '@capi-serverless/reconciler';
import { Duration, Stack, Tags } from 'aws-cdk-lib';
import { Metric, type MetricOptions } from 'aws-cdk-lib/aws-cloudwatch';
import type { Connections, IConnectable } from 'aws-cdk-lib/aws-ec2';
import type { Grant, IGrantable, IRole } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { deploymentDimension, metricNamespace } from '../../shared/telemetry/published-metrics.ts';
import {
  deadLettersSentAgain,
  delayQueue,
  expandQueue,
  heartbeatQueue,
  sharedWorkQueue,
  workQueueOf,
} from '../../shared/workqueue/queue-names.ts';
import {
  heartbeatQueueSpec,
  layouts,
  type QueueSpec,
  toConsumers,
  toQueueSpecs,
} from '../../shared/workqueue/queue-specs.ts';
import {
  admissionFunction,
  auditFunction,
  conversionFunction,
  type FunctionPlan,
  resyncFunction,
  rotationFunction,
  type SourcePlan,
  sharedFunction,
  timerFunction,
  windowedFunction,
  windowedPeriodSeconds,
} from '../function-plans.ts';
import { ApiServerAccess } from './access.ts';
import { ApiServerWebhook, admissionTexts, auditTexts, conversionTexts } from './api-server-webhook.ts';
import { toAuditLogPattern } from './audit-log-pattern.ts';
import { AuditLogSubscription } from './audit-source.ts';
import type { CapiServerlessProps } from './capi-serverless-props.ts';
import { toDeployment } from './construct-deployment.ts';
import { type DeployedParts, packagedParts } from './deployed-parts.ts';
import { DeploymentError, refuseSharedName, toProviderGroups, toSettings } from './deployment.ts';
import { toRbac } from './deployment-rights.ts';
import type { Deployment } from './deployment-schema.ts';
import { ofDeployment, reconcilersOf } from './enabled-parts.ts';
import { ForwarderIdentity } from './forwarder-identity.ts';
import { letLogsUse } from './log-key.ts';
import { reportPurges } from './lost-messages.ts';
import { toMonitoredQueues } from './monitoring/monitored.ts';
import { addMonitoring, type CreatedFunction, type MonitoredDeployment } from './monitoring/monitoring.ts';
import { Network } from './network.ts';
import { toPhysicalName } from './physical-names.ts';
import { register, registeredWith } from './registered-deployments.ts';
import { Schedules } from './schedules.ts';
import { ScopedFunction } from './scoped-function.ts';
import { letRead } from './secret-access.ts';
import { addWarnings } from './warnings.ts';
import { WorkQueues } from './work-queues.ts';

/** The watch-forwarder's identity and settings. */
export interface ForwarderOutputs {
  readonly roleArn: string;
  /** CAPI_QUEUE_URLS of the pods. */
  readonly queueUrls: string;
}

/**
 * Cluster API's core reconcilers as functions behind queues. An app may have several, with different names. Each
 * management cluster has one, or several with different watch filters.
 */
export class CapiServerless extends Construct implements IConnectable {
  /** The role of each function by the function's name, for EKS without access entries and for policies of keys. */
  readonly roles: Readonly<Record<string, IRole>>;
  /** The functions by name, as their triggers invoke them: the alias `live`. */
  readonly functions: Readonly<Record<string, IFunction>>;
  /** The queues and dead-letter queues by name, for instance `work-cluster.fifo`. */
  readonly queues: Readonly<Record<string, IQueue>>;
  /** The secret for the kubeconfig. Undefined on EKS. */
  readonly kubeconfigSecretArn: string | undefined;
  /** Undefined without `sources.forwarder`. */
  readonly forwarder: ForwarderOutputs | undefined;
  readonly #deployment: Deployment;
  readonly #parts: DeployedParts;
  /** Includes those whose feature gate is off. */
  readonly #declarations: readonly Declaration[];
  readonly #encryptionKey: IKey | undefined;
  readonly #queues: WorkQueues;
  readonly #network: Network | undefined;
  readonly #access: ApiServerAccess;
  readonly #schedules: Schedules;
  readonly #workQueues: readonly string[];
  /** The queues of functions and their dead-letter queues. */
  readonly #allQueues: readonly string[];
  #rotation: ScopedFunction | undefined;
  readonly #created: CreatedFunction[] = [];

  /** Throws DeploymentError, with the property and what to do. */
  constructor(scope: Construct, id: string, props: CapiServerlessProps) {
    super(scope, id);
    const { parts = packagedParts(), ...given } = props;
    const deployment = toDeployment(this, given);
    register({ scope: this, deployment, declarations: parts.declarations });
    addWarnings(this, deployment);
    checkName(deployment, parts);
    this.#deployment = deployment;
    this.#declarations = parts.declarations;
    this.#parts = ofDeployment(deployment, parts);
    this.#encryptionKey = props.encryptionKey;
    const { declarations, functions } = this.#parts;
    const { name, sources } = deployment;
    letLogsUse(props.encryptionKey, this, name);
    const layout = deployment.layout;
    this.#workQueues = layout === 'compact' ? [sharedWorkQueue] : declarations.map(({ name: own }) => workQueueOf(own));
    const served = toQueueSpecs(toConsumers(declarations, layout));
    const specs = sources.forwarder === undefined ? served : [...served, heartbeatQueueSpec];
    this.#queues = new WorkQueues(this, 'Queues', { deployment, specs, encryptionKey: props.encryptionKey });
    this.#allQueues = served.map(spec => spec.name);
    this.#network = this.#addNetwork(props);
    this.#access = new ApiServerAccess(this, 'ApiServer', deployment.apiServer, this.#network);
    this.kubeconfigSecretArn = this.#access.kubeconfigSecretArn;
    this.#schedules = new Schedules(this, 'Schedules', name);
    for (const plan of functions) {
      this.#addServing(plan);
    }
    this.forwarder = this.#addForwarder(sources);
    this.#addSources(sources);
    this.#addHooks(deployment);
    this.#addMonitoring(served);
    this.roles = Object.fromEntries(this.#created.map(created => [created.name, created.scoped.role]));
    this.functions = Object.fromEntries(this.#created.map(({ name: own, scoped }) => [own, scoped.invoked]));
    this.queues = this.#queues.all;
    for (const [key, value] of Object.entries(deployment.tags ?? {})) {
      Tags.of(this).add(key, value);
    }
  }

  /**
   * Roles and bindings of the functions in the management cluster, as manifests for `kubectl apply -f -`. Deployments of
   * one management cluster share their roles, so read it after all of them were created.
   */
  get rbac(): string {
    const deployments = registeredWith(this).flatMap(({ deployment, declarations }) =>
      declarations === undefined ? [] : [deployment],
    );
    return toRbac(this.#deployment, deployments, this.#declarations);
  }

  /** Rules for the security groups of the functions that reach the API server. Throws DeploymentError without `vpc`. */
  get connections(): Connections {
    if (this.#network === undefined) {
      throw new DeploymentError(`Deployment ${this.#deployment.name}: connections: require a VPC; set vpc as well`);
    }
    return this.#network.connections;
  }

  /** A metric of this project over the whole deployment, such as `capi_serverless_dead_letters`: docs/runbook.md. */
  metric(metricName: string, options?: MetricOptions): Metric {
    const dimensionsMap = { [deploymentDimension]: this.#deployment.name };
    return new Metric({ namespace: metricNamespace, metricName, dimensionsMap, ...options }).attachTo(this);
  }

  /** Allows `capi-serverless queues` and `capi-serverless redrive` on the queues, and the use of their key for SQS. */
  grantRedrive(grantee: IGrantable): Grant {
    return this.#queues.grantRedrive(grantee);
  }

  #addForwarder({ forwarder: identity }: Deployment['sources']): ForwarderOutputs | undefined {
    const targets = [...this.#workQueues, expandQueue, heartbeatQueue];
    return identity && new ForwarderIdentity(this, 'Forwarder', { identity, queues: this.#queues, targets });
  }

  #addNetwork({ securityGroups }: CapiServerlessProps): Network | undefined {
    const { name, vpc } = this.#deployment;
    const securityGroupIds = securityGroups?.map(group => group.securityGroupId);
    return vpc && new Network(this, 'Network', { deployment: name, vpc, securityGroupIds });
  }

  /** Creates a function whose event source mapping reads its queue. */
  #addServing(plan: FunctionPlan): void {
    const created = this.#createFunction(plan, { reachesApiServer: plan.name !== timerFunction });
    const { concurrency, plumbing, resyncPeriodMinutes } = this.#deployment;
    const isPlumbing = plan.name === timerFunction || plan.name === resyncFunction;
    const limit = isPlumbing && plumbing === 'uncapped' ? {} : { maxConcurrency: concurrency };
    created.live.addEventSource(
      new SqsEventSource(this.#queues.get(plan.queue), {
        batchSize: plan.batchSize,
        reportBatchItemFailures: true,
        ...limit,
      }),
    );
    const isResync = plan.name === resyncFunction;
    const targets = targetsOf(plan, this.#workQueues);
    created.letSend(this.#queues, targets, {
      served: [plan.queue, ...(isResync ? this.#allQueues : [])],
      reads: isResync ? this.#allQueues : [],
      takes: isResync ? deadLettersSentAgain() : [],
    });
    this.#letCallHooks(plan, created);
    if (isResync) {
      this.#schedules.add('Resync', {
        name: plan.name,
        period: Duration.minutes(resyncPeriodMinutes),
        target: created.live,
        why: 'Finds changes that no event source reported',
      });
      reportPurges(this, { deployment: this.#deployment.name, queues: this.#allQueues, resync: created.live });
    }
  }

  /** Only reconcilers that call hooks get the client certificate with which they authenticate to extension servers. */
  #letCallHooks({ name }: FunctionPlan, created: ScopedFunction): void {
    const [deployment, { declarations }] = [this.#deployment, this.#parts];
    const secretArn = deployment.settings.extensionClientCertificateSecret;
    const callsHooks = reconcilersOf(name, declarations).some(({ ports }) => ports.includes('hooks'));
    if (secretArn !== undefined && callsHooks) {
      letRead(created, { secretArn, kmsKeyArn: deployment.settings.extensionClientCertificateKmsKeyArn });
    }
  }

  #addSources({ windowed, auditWebhook, auditLogOf }: Deployment['sources']): void {
    const targets = [...this.#workQueues, expandQueue];
    if (windowed) {
      this.#addWindowed(targets);
    }
    if (auditWebhook === undefined && auditLogOf === undefined) {
      return;
    }
    const audit = this.#createFunction(auditFunction, {
      reachesApiServer: this.#deployment.managementCluster === undefined,
      ...toReserved(auditWebhook),
    });
    audit.letSend(this.#queues, targets);
    if (auditWebhook !== undefined) {
      this.#addWebhook('AuditUrl', { target: audit, texts: auditTexts, webhook: auditWebhook });
    }
    if (auditLogOf !== undefined) {
      const { declarations } = this.#parts;
      const pattern = toAuditLogPattern(declarations, toProviderGroups(this.#deployment));
      new AuditLogSubscription(this, 'AuditLog', { cluster: auditLogOf, target: audit, pattern });
    }
  }

  #addHooks({ admission, conversion }: Deployment): void {
    if (admission !== undefined) {
      const target = this.#createFunction(admissionFunction, { reachesApiServer: true, ...toReserved(admission) });
      this.#addWebhook('Hooks', { target, texts: admissionTexts, webhook: admission });
    }
    if (conversion !== undefined) {
      const target = this.#createFunction(conversionFunction, { reachesApiServer: true, ...toReserved(conversion) });
      this.#addWebhook('ConversionHook', { target, texts: conversionTexts, webhook: conversion });
    }
  }

  #addWebhook(id: string, { target, texts, webhook }: Webhook): void {
    const { rotateTokenDays: everyDays, kmsKeyArn, door } = webhook;
    new ApiServerWebhook(this, id, {
      texts,
      target,
      rotation: everyDays === 0 ? undefined : { everyDays, rotator: this.#rotator() },
      kmsKeyArn,
      door,
      deployment: this.#deployment,
      encryptionKey: this.#encryptionKey,
    });
  }

  /** One function for the tokens of all webhooks. */
  #rotator(): ScopedFunction {
    this.#rotation ??= this.#createFunction(rotationFunction, { reachesApiServer: false });
    return this.#rotation;
  }

  #addWindowed(targets: readonly string[]): void {
    const created = this.#createFunction(windowedFunction, { reachesApiServer: true });
    created.letSend(this.#queues, targets);
    this.#schedules.add('Windowed', {
      name: windowedFunction.name,
      period: Duration.seconds(windowedPeriodSeconds),
      target: created.live,
      why: 'Reads the changes since the previous run',
    });
  }

  /** Refers to resources by name, so that they may be created later. */
  #addMonitoring(served: readonly QueueSpec[]): void {
    const {
      name: deployment,
      monitoring: options,
      sources,
      admission,
      conversion,
      apiServer,
      resyncPeriodMinutes,
    } = this.#deployment;
    const hasKubeconfig = apiServer.kind === 'kubeconfig' && apiServer.secretArn === undefined;
    const hasSecret = [hasKubeconfig, ...[sources.auditWebhook, admission, conversion].map(Boolean)];
    const monitored: MonitoredDeployment = {
      deployment,
      region: Stack.of(this).region,
      options,
      resyncPeriodSeconds: resyncPeriodMinutes * 60,
      resyncFunction: toPhysicalName(deployment, resyncFunction),
      queues: toMonitoredQueues(deployment, served, delayQueue),
      functions: this.#created,
      heartbeatQueue: sources.forwarder && toPhysicalName(deployment, heartbeatQueue),
      windowedFunction: sources.windowed ? toPhysicalName(deployment, windowedFunction.name) : undefined,
      webhookFunctions: [admissionFunction.name, conversionFunction.name],
      secrets: hasSecret.filter(Boolean).length,
    };
    addMonitoring(this, monitored, { queues: this.#queues, served });
  }

  #createFunction(
    { name, timeoutSeconds, memoryMiB }: SourcePlan,
    { reachesApiServer, ...more }: { readonly reachesApiServer: boolean; readonly reservedConcurrency?: number },
  ): ScopedFunction {
    const [deployment, { bundles }] = [this.#deployment, this.#parts];
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
      encryptionKey: this.#encryptionKey,
      ...withoutUndefined({ memoryMiB }),
      ...more,
    });
    const reconcilers = reconcilersOf(name, this.#parts.declarations).map(reconciler => reconciler.name);
    if (reachesApiServer) {
      this.#access.grant(name, created, reconcilers.length === 0 ? [name] : reconcilers);
    }
    this.#created.push({
      scoped: created,
      name,
      physicalName: toPhysicalName(deployment.name, name),
      memoryMiB: created.memoryMiB,
      isReconciler: reconcilers.length > 0,
    });
    return created;
  }
}

interface Webhook {
  readonly target: ScopedFunction;
  readonly texts: typeof auditTexts;
  readonly webhook: NonNullable<
    Deployment['sources']['auditWebhook'] | Deployment['admission'] | Deployment['conversion']
  >;
}

function toReserved(webhook: Webhook['webhook'] | undefined): { readonly reservedConcurrency?: number } {
  return webhook === undefined || webhook.concurrency === 0 ? {} : { reservedConcurrency: webhook.concurrency };
}

/**
 * Throws DeploymentError if functions or queues can have the names of those of another deployment. Reconcilers whose
 * feature gate is off count, because the gate can differ between deployments.
 */
function checkName({ name }: Deployment, { declarations, functions }: DeployedParts): void {
  const sources = [auditFunction, admissionFunction, conversionFunction, rotationFunction, windowedFunction];
  const consumers = layouts.flatMap(layout => toConsumers(declarations, layout));
  const queues = [...toQueueSpecs(consumers), heartbeatQueueSpec];
  for (const named of [[...functions, sharedFunction, ...sources], queues]) {
    refuseSharedName(
      name,
      named.map(each => each.name),
    );
  }
}

/** A function sends timers and messages to its own queues. The timer and the resync send to all reconcilers. */
function targetsOf(plan: FunctionPlan, workQueues: readonly string[]): readonly string[] {
  const reconcilers = plan.name === timerFunction || plan.name === resyncFunction ? workQueues : [];
  return [...new Set([...reconcilers, plan.queue, delayQueue])];
}
