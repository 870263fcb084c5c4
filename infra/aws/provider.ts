// A CDK construct for provider authors: the provider's functions, queues and IAM rights in the author's stack, and the RBAC.

import path from 'node:path';
import { withoutUndefined } from '@capi-serverless/apimachinery';
import type { Declaration } from '@capi-serverless/reconciler';
import { Duration, Stack } from 'aws-cdk-lib';
import { type IKey, Key } from 'aws-cdk-lib/aws-kms';
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import { Construct } from 'constructs';
import type * as z from 'zod';
import { deadLettersSentAgain, delayQueue, expandQueue, workQueueOf } from '../../shared/workqueue/queue-names.ts';
import { batchSizeOf, type QueueSpec, toConsumers, toQueueSpecs } from '../../shared/workqueue/queue-specs.ts';
import {
  type FunctionPlan,
  plumbingFunctions,
  resyncFunction,
  type SourcePlan,
  timerFunction,
  windowedFunction,
  windowedPeriodSeconds,
} from '../function-plans.ts';
import { toProviderRbac } from '../kubernetes/provider-rbac.ts';
import { ApiServerAccess } from './access.ts';
import { DeploymentError, parseDeployments, refuseSharedName, toSettings } from './deployment.ts';
import type { Deployment, deploymentSchema } from './deployment-schema.ts';
import { reportPurges } from './lost-messages.ts';
import { toMonitoredQueues } from './monitoring/monitored.ts';
import { addMonitoring, type CreatedFunction, type MonitoredDeployment } from './monitoring/monitoring.ts';
import { Network } from './network.ts';
import { toPhysicalName } from './physical-names.ts';
import { register } from './registered-deployments.ts';
import { Schedules } from './schedules.ts';
import { ScopedFunction } from './scoped-function.ts';
import { WorkQueues } from './work-queues.ts';

/** The account and region are those of the construct's stack. Each reconciler has its own work queue and function. */
export type ProviderDeployment = Omit<z.input<typeof deploymentSchema>, 'sources' | 'account' | 'region' | 'layout'>;

export interface ProviderProps {
  /** `name` is the prefix of the names of all resources. `apiServer` selects the management cluster. */
  readonly deployment: ProviderDeployment;
  readonly reconcilers: readonly { readonly declaration: Declaration }[];
  /** The output folder of `buildProvider`. */
  readonly code: string;
  /** false: another event source that watches the provider's kinds fills the queues. Default: true. */
  readonly windowed?: boolean;
}

/** The Lambda function of one reconciler. */
export interface ProviderFunction {
  /** Allows these IAM actions on these ARNs. */
  allow(actions: readonly string[], resources: readonly string[]): void;
  /** Sets an environment variable. */
  set(variable: string, value: string): void;
}

/** For function names: https://docs.aws.amazon.com/lambda/latest/api/API_CreateFunction.html. Queue names may be longer. */
const longestName = 64;

interface Serving extends Omit<FunctionPlan, 'entry'> {
  readonly targets: readonly string[];
}

/**
 * Creates queues, functions, schedules, IAM permissions, alarms and a dashboard. It needs no deployment of
 * capi-serverless.
 */
export class Provider extends Construct {
  /** Roles and bindings of the functions, as manifests for `kubectl apply -f -`. */
  readonly rbac: string;
  /** The functions by reconciler, for further permissions and settings of the author's code. */
  readonly functions: Readonly<Record<string, ProviderFunction>>;
  readonly #deployment: Deployment;
  readonly #code: string;
  readonly #encryptionKey: IKey | undefined;
  readonly #queues: WorkQueues;
  readonly #access: ApiServerAccess;
  readonly #created: CreatedFunction[] = [];

  /** Throws DeploymentError if the deployment is not valid, or if a reconciler's name is not valid for a function. */
  constructor(scope: Construct, id: string, { deployment, reconcilers, code, windowed = true }: ProviderProps) {
    super(scope, id);
    const declarations = reconcilers.map(({ declaration }) => declaration);
    this.#deployment = parseOne(deployment);
    register({ scope: this, deployment: this.#deployment, declarations: undefined });
    this.#code = code;
    const { name: named, apiServer, vpc, kmsKeyArn } = this.#deployment;
    const encryptionKey = kmsKeyArn === undefined ? undefined : Key.fromKeyArn(this, 'EncryptionKey', kmsKeyArn);
    this.#encryptionKey = encryptionKey;
    checkNames(named, declarations);
    const identity = apiServer.kind === 'eks' ? 'groups' : 'account';
    this.rbac = toProviderRbac({ declarations, deployment: named, identity });
    const specs = toQueueSpecs(toConsumers(declarations));
    this.#queues = new WorkQueues(this, 'Queues', { deployment: this.#deployment, specs, encryptionKey });
    const network = vpc && new Network(this, 'Network', { deployment: named, vpc });
    this.#access = new ApiServerAccess(this, 'ApiServer', underKey(apiServer, kmsKeyArn), network);
    const schedules = new Schedules(this, 'Schedules', named);
    const work = declarations.map(({ name }) => workQueueOf(name));
    const onward = [...work, delayQueue];
    this.functions = Object.fromEntries(
      declarations.map(({ name, timeoutSeconds, ...declaration }) => {
        const queue = workQueueOf(name);
        const serving = { name, queue, batchSize: batchSizeOf(declaration), timeoutSeconds };
        return [name, toProviderFunction(this.#serve({ ...serving, targets: [queue, delayQueue] }))];
      }),
    );
    for (const plan of plumbingFunctions) {
      const created = this.#serve({ ...plan, targets: onward });
      if (plan.name === resyncFunction) {
        const targets = [...onward, expandQueue];
        this.#addResync(created, { schedules, targets, all: specs.map(({ name }) => name) });
      }
    }
    if (windowed) {
      this.#addWindowed(schedules, [...work, expandQueue]);
    }
    addMonitoring(this, this.#toMonitored(specs, windowed), { queues: this.#queues, served: specs });
  }

  #serve({ name, queue, batchSize, targets, ...more }: Serving): ScopedFunction {
    const created = this.#create({ name, ...more });
    const { concurrency, plumbing } = this.#deployment;
    const limit = isPlumbing(name) && plumbing === 'uncapped' ? {} : { maxConcurrency: concurrency };
    created.live.addEventSource(
      new SqsEventSource(this.#queues.get(queue), { batchSize, reportBatchItemFailures: true, ...limit }),
    );
    if (name !== resyncFunction) {
      created.letSend(this.#queues, targets, { served: [queue] });
    }
    return created;
  }

  /** The resync also reads the depths of all queues. */
  #addResync(
    resync: ScopedFunction,
    {
      schedules,
      targets,
      all,
    }: { readonly schedules: Schedules; readonly targets: readonly string[]; readonly all: readonly string[] },
  ): void {
    resync.letSend(this.#queues, targets, { served: all, reads: all, takes: deadLettersSentAgain() });
    schedules.add('Resync', {
      name: resyncFunction,
      period: Duration.minutes(this.#deployment.resyncPeriodMinutes),
      target: resync.live,
      why: 'Finds changes that no event source reported',
    });
    reportPurges(this, { deployment: this.#deployment.name, queues: all, resync: resync.live });
  }

  #addWindowed(schedules: Schedules, targets: readonly string[]): void {
    const forwarder = this.#create(windowedFunction);
    forwarder.letSend(this.#queues, targets);
    schedules.add('Windowed', {
      name: windowedFunction.name,
      period: Duration.seconds(windowedPeriodSeconds),
      target: forwarder.live,
      why: 'Reads the changes since the previous run',
    });
  }

  #create({ name, timeoutSeconds, memoryMiB }: Omit<SourcePlan, 'entry'>): ScopedFunction {
    const reaches = name !== timerFunction;
    const physicalName = toPhysicalName(this.#deployment.name, name);
    const created = new ScopedFunction(this, {
      deployment: this.#deployment,
      name,
      timeoutSeconds,
      file: path.join(this.#code, name, 'handler.mjs'),
      environment: { ...toSettings(this.#deployment), ...(reaches ? this.#access.environment : {}) },
      encryptionKey: this.#encryptionKey,
      ...withoutUndefined({ memoryMiB }),
    });
    if (reaches) {
      this.#access.grant(physicalName, created);
    }
    const isReconciler = !isPlumbing(name);
    this.#created.push({ name, physicalName, memoryMiB: created.memoryMiB, isReconciler, scoped: created });
    return created;
  }

  #toMonitored(specs: readonly QueueSpec[], windowed: boolean): MonitoredDeployment {
    const { name: deployment, monitoring: options, apiServer, resyncPeriodMinutes } = this.#deployment;
    return {
      deployment,
      region: Stack.of(this).region,
      options,
      resyncPeriodSeconds: resyncPeriodMinutes * 60,
      resyncFunction: toPhysicalName(deployment, resyncFunction),
      queues: toMonitoredQueues(deployment, specs, delayQueue),
      functions: this.#created,
      heartbeatQueue: undefined,
      windowedFunction: windowed ? toPhysicalName(deployment, windowedFunction.name) : undefined,
      webhookFunctions: [],
      secrets: Number(apiServer.kind === 'kubeconfig' && apiServer.secretArn === undefined),
    };
  }
}

/** A secret of the stack has the key of the deployment, unless it has one of its own. */
function underKey(apiServer: Deployment['apiServer'], kmsKeyArn: string | undefined): Deployment['apiServer'] {
  return apiServer.kind === 'eks' || apiServer.secretArn !== undefined
    ? apiServer
    : { ...apiServer, kmsKeyArn: apiServer.kmsKeyArn ?? kmsKeyArn };
}

function isPlumbing(name: string): boolean {
  return [...plumbingFunctions, windowedFunction].some(plan => plan.name === name);
}

/** Otherwise CloudFormation would fail in the middle of a deployment. */
function checkNames(deployment: string, declarations: readonly Declaration[]): void {
  const names = declarations.map(({ name }) => name);
  for (const [index, name] of names.entries()) {
    const problem = isPlumbing(name)
      ? 'is that of a function of the deployment itself'
      : names.indexOf(name) < index
        ? 'is that of two reconcilers'
        : /^[a-z0-9-]+$/.test(name)
          ? undefined
          : 'must consist of lower-case letters, digits and hyphens';
    const tooLong = toPhysicalName(deployment, name).length > longestName;
    if (problem !== undefined || tooLong) {
      const text = problem ?? `makes the name of a function longer than ${longestName} characters`;
      throw new DeploymentError(`Deployment ${deployment}: the name of reconciler ${name} ${text}`);
    }
  }
  refuseSharedName(deployment, [...names, ...plumbingFunctions.map(({ name }) => name), windowedFunction.name]);
  refuseSharedName(
    deployment,
    toQueueSpecs(toConsumers(declarations)).map(({ name }) => name),
  );
}

function parseOne(deployment: ProviderDeployment): Deployment {
  const settings = { stateNamespace: deployment.name, ...deployment.settings };
  const [parsed] = parseDeployments([{ ...deployment, settings }]);
  if (parsed === undefined) {
    throw new Error('A list of one deployment was parsed to none');
  }
  // The type has no such field, but a file or a cast may.
  if (parsed.layout === 'compact') {
    throw new DeploymentError(
      `Deployment ${parsed.name}: layout: compact is not available for a provider. Each of its reconcilers has its own queue and function; remove the field`,
    );
  }
  return parsed;
}

function toProviderFunction(created: ScopedFunction): ProviderFunction {
  return {
    allow: (actions, resources) => created.allow([...actions], [...resources]),
    set: (variable, value) => void created.lambda.addEnvironment(variable, value),
  };
}
