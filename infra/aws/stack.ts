// One stack per deployment: the queues, functions, triggers and rights that the declarations and its sources call for.
import { Duration, Stack } from 'aws-cdk-lib';
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import type { Construct } from 'constructs';
import type { Declaration } from '../../shared/kernel/types.ts';
import { delayQueue, expandQueue, workQueueOf } from '../../shared/workqueue/queue-names.ts';
import { toConsumers, toQueueSpecs } from '../../shared/workqueue/queue-specs.ts';
import type { Bundle } from '../bundles/bundle.ts';
import {
  auditFunction,
  type FunctionPlan,
  resyncFunction,
  type SourcePlan,
  timerFunction,
  windowedFunction,
  windowedPeriodSeconds,
} from '../functions.ts';
import { ApiServerAccess } from './access.ts';
import { AuditLogSubscription, AuditWebhook } from './audit-source.ts';
import { type Deployment, toSettings } from './deployment.ts';
import { ForwarderIdentity } from './forwarder-identity.ts';
import { Queues } from './queues.ts';
import { Schedules } from './schedules.ts';
import { ScopedFunction } from './scoped-function.ts';

export interface CapiServerlessStackProps {
  readonly deployment: Deployment;
  readonly declarations: readonly Declaration[];
  /** Those behind queues. The event sources' are known. */
  readonly functions: readonly FunctionPlan[];
  readonly bundles: readonly Pick<Bundle, 'name' | 'file'>[];
}

const batchSize = 10;

export class CapiServerlessStack extends Stack {
  readonly #props: CapiServerlessStackProps;
  readonly #queues: Queues;
  readonly #access: ApiServerAccess;
  readonly #schedules: Schedules;
  readonly #workQueues: readonly string[];

  constructor(scope: Construct, props: CapiServerlessStackProps) {
    const { deployment, declarations } = props;
    const { name, account, region } = deployment;
    const env = { ...(account === undefined ? {} : { account }), ...(region === undefined ? {} : { region }) };
    super(scope, name, { stackName: name, env });
    this.#props = props;
    this.#workQueues = declarations.map(declaration => workQueueOf(declaration.name));
    const specs = toQueueSpecs(toConsumers(declarations), deployment.queueDesign);
    this.#queues = new Queues(this, 'Queues', { deployment: name, specs });
    this.#access = new ApiServerAccess(this, 'ApiServer', deployment.apiServer);
    this.#schedules = new Schedules(this, 'Schedules', name);
    for (const plan of props.functions) {
      this.#addServing(plan);
    }
    this.#addSources(deployment.sources);
  }

  /** A function that an event source mapping hands the messages of its queue. */
  #addServing(plan: FunctionPlan): void {
    const created = this.#createFunction(plan, { reachesApiServer: plan.name !== timerFunction });
    const { concurrency: maxConcurrency, resyncPeriodMinutes } = this.#props.deployment;
    created.lambda.addEventSource(
      new SqsEventSource(this.#queues.get(plan.queue), { batchSize, reportBatchItemFailures: true, maxConcurrency }),
    );
    created.letSend(this.#queues, targetsOf(plan, this.#workQueues), [plan.queue]);
    if (plan.name === resyncFunction) {
      this.#schedules.add('Resync', {
        name: plan.name,
        period: Duration.minutes(resyncPeriodMinutes),
        target: created.lambda,
        why: 'Reconciles every object at least once per period',
      });
    }
  }

  #addSources({ forwarder, windowed, auditWebhook, auditLogOf }: Deployment['sources']): void {
    const targets = [...this.#workQueues, expandQueue];
    if (forwarder !== undefined) {
      new ForwarderIdentity(this, 'Forwarder', { identity: forwarder, queues: this.#queues, targets });
    }
    if (windowed) {
      this.#addWindowed(targets);
    }
    if (auditWebhook === undefined && auditLogOf === undefined) {
      return;
    }
    const audit = this.#createFunction(auditFunction, {
      reachesApiServer: this.#props.deployment.managementCluster === undefined,
      ...(auditWebhook === undefined ? {} : { reservedConcurrency: auditWebhook.concurrency }),
    });
    audit.letSend(this.#queues, targets);
    if (auditWebhook !== undefined) {
      new AuditWebhook(this, 'AuditUrl', audit);
    }
    if (auditLogOf !== undefined) {
      new AuditLogSubscription(this, 'AuditLog', { cluster: auditLogOf, target: audit });
    }
  }

  #addWindowed(targets: readonly string[]): void {
    const created = this.#createFunction(windowedFunction, { reachesApiServer: true });
    created.letSend(this.#queues, targets);
    this.#schedules.add('Windowed', {
      name: windowedFunction.name,
      period: Duration.seconds(windowedPeriodSeconds),
      target: created.lambda,
      why: 'Looks for what changed since the call before',
    });
  }

  #createFunction(
    { name, timeoutSeconds }: SourcePlan,
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
      ...more,
    });
    if (reachesApiServer) {
      this.#access.grant(name, created);
    }
    return created;
  }
}

/** A reconciler sends timers and messages to itself; the timer and the resync wake every reconciler. */
function targetsOf(plan: FunctionPlan, workQueues: readonly string[]): readonly string[] {
  return plan.name === timerFunction || plan.name === resyncFunction
    ? [...workQueues, delayQueue]
    : [plan.queue, delayQueue];
}
