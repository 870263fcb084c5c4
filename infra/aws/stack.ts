// One stack per management cluster: the queues, functions and triggers that the declarations call for.
import path from 'node:path';
import { Duration, RemovalPolicy, Stack, type StackProps } from 'aws-cdk-lib';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Architecture, Code, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Schedule, ScheduleExpression } from 'aws-cdk-lib/aws-scheduler';
import { LambdaInvoke } from 'aws-cdk-lib/aws-scheduler-targets';
import { DeduplicationScope, FifoThroughputLimit, Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import type { Declaration } from '../../shared/kernel/types.ts';
import type { QueueDesign } from '../../shared/workqueue/queue-design.ts';
import { delayQueue, workQueueOf } from '../../shared/workqueue/queue-names.ts';
import { type QueueSpec, toConsumers, toQueueSpecs } from '../../shared/workqueue/queue-specs.ts';
import type { Bundle } from '../bundles/bundle.ts';
import { type FunctionPlan, resyncFunction, timerFunction } from '../functions.ts';

export interface CapiServerlessStackProps extends StackProps {
  readonly declarations: readonly Declaration[];
  readonly functions: readonly FunctionPlan[];
  readonly bundles: readonly Pick<Bundle, 'name' | 'file'>[];
  readonly queueDesign: QueueDesign;
  /** Invocations of one function at a time, 2 to 1,000. Throttling by reserved concurrency would cost receives instead. */
  readonly concurrency: number;
  /** What every function finds in its environment besides. */
  readonly settings: Readonly<Record<string, string>>;
}

const batchSize = 10;
const memoryMiB = 512;
const resyncPeriod = Duration.minutes(10);

export class CapiServerlessStack extends Stack {
  constructor(scope: Construct, id: string, props: CapiServerlessStackProps) {
    super(scope, id, props);
    const queues = this.#createQueues(toQueueSpecs(toConsumers(props.declarations), props.queueDesign));
    const workQueues = props.declarations.map(({ name }) => workQueueOf(name));
    for (const plan of props.functions) {
      const fn = this.#createFunction(plan, props);
      const trigger = find(queues, plan.queue);
      fn.addEventSource(
        new SqsEventSource(trigger, { batchSize, reportBatchItemFailures: true, maxConcurrency: props.concurrency }),
      );
      this.#letSend(fn, targetsOf(plan, workQueues), queues);
      if (plan.name === resyncFunction) {
        this.#invokeEvery(resyncPeriod, fn);
      }
    }
  }

  #createQueues(specs: readonly QueueSpec[]): ReadonlyMap<string, Queue> {
    const queues = new Map<string, Queue>();
    for (const spec of specs) {
      const fifo = spec.fifo
        ? {
            fifo: true,
            deduplicationScope: DeduplicationScope.MESSAGE_GROUP,
            fifoThroughputLimit: FifoThroughputLimit.PER_MESSAGE_GROUP_ID,
          }
        : {};
      const redrive =
        spec.redrive === undefined
          ? {}
          : {
              deadLetterQueue: {
                queue: find(queues, spec.redrive.deadLetterQueue),
                maxReceiveCount: spec.redrive.maxReceiveCount,
              },
            };
      const queue = new Queue(this, toConstructId(spec.name), {
        ...fifo,
        ...redrive,
        visibilityTimeout: Duration.seconds(spec.visibilityTimeoutSeconds),
        retentionPeriod: Duration.seconds(spec.retentionSeconds),
        deliveryDelay: Duration.seconds(spec.delaySeconds ?? 0),
        encryption: QueueEncryption.SQS_MANAGED,
        enforceSSL: true,
      });
      queues.set(spec.name, queue);
    }
    return queues;
  }

  #createFunction(plan: FunctionPlan, { bundles, queueDesign, settings }: CapiServerlessStackProps): LambdaFunction {
    const bundle = bundles.find(({ name }) => name === plan.name);
    if (bundle === undefined) {
      throw new Error(`Function ${plan.name} was not bundled`);
    }
    const id = toConstructId(plan.name);
    const logGroup = new LogGroup(this, `${id}Logs`, {
      retention: RetentionDays.ONE_MONTH,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    // A role of its own instead of the managed one, which may write to every log group of the account.
    const role = new Role(this, `${id}Role`, { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
    logGroup.grantWrite(role);
    return new LambdaFunction(this, id, {
      code: Code.fromAsset(path.dirname(bundle.file)),
      handler: 'handler.handler',
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      memorySize: memoryMiB,
      timeout: Duration.seconds(plan.timeoutSeconds),
      logGroup,
      role,
      environment: {
        ...settings,
        CAPI_RESYNC_PERIOD_SECONDS: String(resyncPeriod.toSeconds()),
        CAPI_QUEUE_DESIGN: queueDesign,
      },
    });
  }

  #invokeEvery(period: Duration, fn: LambdaFunction): void {
    new Schedule(this, 'ResyncSchedule', {
      schedule: ScheduleExpression.rate(period),
      target: new LambdaInvoke(fn, { retryAttempts: 2 }),
      description: 'Reconciles every object at least once per period',
    });
  }

  /** Lets the function send to those queues alone, and tells it where they are. */
  #letSend(fn: LambdaFunction, names: readonly string[], queues: ReadonlyMap<string, Queue>): void {
    const targets = names.map(name => ({ name, queue: find(queues, name) }));
    fn.addToRolePolicy(
      new PolicyStatement({ actions: ['sqs:SendMessage'], resources: targets.map(({ queue }) => queue.queueArn) }),
    );
    const urls = Object.fromEntries(targets.map(({ name, queue }) => [name, queue.queueUrl]));
    fn.addEnvironment('CAPI_QUEUE_URLS', this.toJsonString(urls));
  }
}

/** A reconciler sends timers and messages to itself; the timer and the resync wake every reconciler. */
function targetsOf(plan: FunctionPlan, workQueues: readonly string[]): readonly string[] {
  return plan.name === timerFunction || plan.name === resyncFunction
    ? [...workQueues, delayQueue]
    : [plan.queue, delayQueue];
}

function find(queues: ReadonlyMap<string, Queue>, name: string): Queue {
  const queue = queues.get(name);
  if (queue === undefined) {
    throw new Error(`Queue ${name} is not part of this stack`);
  }
  return queue;
}

/** `work-cluster-dlq.fifo` → `WorkClusterDlqFifo`. */
export function toConstructId(name: string): string {
  return name
    .split(/[-.]/)
    .map(part => part.slice(0, 1).toUpperCase() + part.slice(1))
    .join('');
}
