// A provider in a stack of its author's: its functions behind their queues, with the rights they need, and the RBAC to apply.
import path from 'node:path';
import { Duration } from 'aws-cdk-lib';
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import { Construct } from 'constructs';
import type * as z from 'zod';
import type { Declaration } from '../../shared/kernel/types.ts';
import { delayQueue, expandQueue, workQueueOf } from '../../shared/workqueue/queue-names.ts';
import {
  resyncTimeoutSeconds,
  timerTimeoutSeconds,
  toConsumers,
  toQueueSpecs,
} from '../../shared/workqueue/queue-specs.ts';
import { toProviderRbac } from '../kubernetes/provider-rbac.ts';
import { ApiServerAccess } from './access.ts';
import { type Deployment, type deploymentSchema, parseDeployments, toSettings } from './deployment.ts';
import { toPhysicalName } from './names.ts';
import { Queues } from './queues.ts';
import { Schedules } from './schedules.ts';
import { ScopedFunction } from './scoped-function.ts';

export { type BuildProviderOptions, buildProvider } from '../bundles/provider.ts';

export type ProviderDeployment = Omit<z.input<typeof deploymentSchema>, 'sources'>;

export interface ProviderProps {
  /** `name` begins the names of all that is made; `apiServer` says where the objects are. */
  readonly deployment: ProviderDeployment;
  readonly reconcilers: readonly { readonly declaration: Declaration }[];
  /** The folder that `buildProvider` filled. */
  readonly code: string;
  /** false: a watch-forwarder or an audit webhook that knows the provider's kinds fills the queues. Default: true. */
  readonly windowed?: boolean;
}

const windowedName = 'windowed-forwarder';
const windowedPeriodSeconds = 60;
const windowedTimeoutSeconds = 120;
const batchSize = 10;

interface Serving {
  readonly name: string;
  readonly queue: string;
  readonly timeoutSeconds: number;
  readonly targets: readonly string[];
}

export class Provider extends Construct {
  /** Roles and bindings of the functions, as manifests for `kubectl apply -f -`. */
  readonly rbac: string;
  readonly #deployment: Deployment;
  readonly #code: string;
  readonly #queues: Queues;
  readonly #access: ApiServerAccess;

  /** Throws DeploymentError when the deployment is not valid. */
  constructor(scope: Construct, id: string, { deployment, reconcilers, code, windowed = true }: ProviderProps) {
    super(scope, id);
    const declarations = reconcilers.map(({ declaration }) => declaration);
    this.#deployment = parseOne(deployment);
    this.#code = code;
    const { name: named, apiServer } = this.#deployment;
    const identity = apiServer.kind === 'eks' ? 'groups' : 'account';
    this.rbac = toProviderRbac({ declarations, deployment: named, identity });
    const specs = toQueueSpecs(toConsumers(declarations), this.#deployment.queueDesign);
    this.#queues = new Queues(this, 'Queues', { deployment: this.#deployment.name, specs });
    this.#access = new ApiServerAccess(this, 'ApiServer', this.#deployment.apiServer);
    const schedules = new Schedules(this, 'Schedules', this.#deployment.name);
    const work = declarations.map(({ name }) => workQueueOf(name));
    for (const { name, timeoutSeconds } of declarations) {
      const queue = workQueueOf(name);
      this.#serve({ name, queue, timeoutSeconds, targets: [queue, delayQueue] });
    }
    const onward = [...work, delayQueue];
    this.#serve({ name: 'timer', queue: delayQueue, timeoutSeconds: timerTimeoutSeconds, targets: onward });
    const resync = this.#serve({
      name: 'resync',
      queue: expandQueue,
      timeoutSeconds: resyncTimeoutSeconds,
      targets: onward,
    });
    const all = specs.map(spec => spec.name);
    resync.letSend(this.#queues, onward, all);
    resync.allow(
      ['sqs:GetQueueAttributes'],
      all.map(name => this.#queues.get(name).queueArn),
    );
    schedules.add('Resync', {
      name: 'resync',
      period: Duration.minutes(this.#deployment.resyncPeriodMinutes),
      target: resync.lambda,
      why: 'Reconciles every object at least once per period',
    });
    if (windowed) {
      const forwarder = this.#create(windowedName, windowedTimeoutSeconds);
      forwarder.letSend(this.#queues, [...work, expandQueue]);
      schedules.add('Windowed', {
        name: windowedName,
        period: Duration.seconds(windowedPeriodSeconds),
        target: forwarder.lambda,
        why: 'Looks for what changed since the call before',
      });
    }
  }

  #serve({ name, queue, timeoutSeconds, targets }: Serving): ScopedFunction {
    const created = this.#create(name, timeoutSeconds);
    const { concurrency: maxConcurrency } = this.#deployment;
    created.lambda.addEventSource(
      new SqsEventSource(this.#queues.get(queue), { batchSize, reportBatchItemFailures: true, maxConcurrency }),
    );
    if (name !== 'resync') {
      created.letSend(this.#queues, targets, [queue]);
    }
    return created;
  }

  #create(name: string, timeoutSeconds: number): ScopedFunction {
    const reaches = name !== 'timer';
    const created = new ScopedFunction(this, {
      deployment: this.#deployment,
      name,
      timeoutSeconds,
      file: path.join(this.#code, name, 'handler.mjs'),
      environment: { ...toSettings(this.#deployment), ...(reaches ? this.#access.environment : {}) },
    });
    if (reaches) {
      this.#access.grant(toPhysicalName(this.#deployment.name, name), created);
    }
    return created;
  }
}

function parseOne(deployment: ProviderDeployment): Deployment {
  const settings = { stateNamespace: deployment.name, ...deployment.settings };
  const [parsed] = parseDeployments([{ ...deployment, settings }]);
  if (parsed === undefined) {
    throw new Error('A list of one deployment was parsed to none');
  }
  return parsed;
}
