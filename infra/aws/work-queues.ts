// The queues of a deployment and their dead-letter queues. They are encrypted, and refuse requests without TLS.
import { Duration, Stack } from 'aws-cdk-lib';
import {
  DeduplicationScope,
  FifoThroughputLimit,
  Queue,
  QueueEncryption,
  type QueueProps,
  RedrivePermission,
} from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { heartbeatQueue } from '../../shared/workqueue/queue-names.ts';
import type { QueueSpec } from '../../shared/workqueue/queue-specs.ts';
import { acknowledge } from './findings.ts';
import { toConstructId, toPhysicalName } from './physical-names.ts';

interface QueuesProps {
  readonly deployment: string;
  /** A dead-letter queue precedes the queues that use it. */
  readonly specs: readonly QueueSpec[];
}

export class WorkQueues extends Construct {
  readonly #queues = new Map<string, Queue>();
  readonly #deployment: string;

  constructor(scope: Construct, id: string, { deployment, specs }: QueuesProps) {
    super(scope, id);
    this.#deployment = deployment;
    for (const spec of specs) {
      const queue = new Queue(this, toConstructId(spec.name), {
        ...this.#toOrder(spec),
        ...this.#toRedrive(spec),
        ...this.#toRedriveAllow(spec, { deployment, specs }),
        queueName: toPhysicalName(deployment, spec.name),
        visibilityTimeout: Duration.seconds(spec.visibilityTimeoutSeconds),
        retentionPeriod: Duration.seconds(spec.retentionSeconds),
        deliveryDelay: Duration.seconds(0),
        encryption: QueueEncryption.SQS_MANAGED,
        enforceSSL: true,
      });
      if (spec.name === heartbeatQueue) {
        acknowledge(queue, 'heartbeats');
      }
      this.#queues.set(spec.name, queue);
    }
  }

  /**
   * CAPI_QUEUE_URLS for these queues. Names have no references to the queues, because references make whole URLs.
   * Throws if no declaration needs one of them.
   */
  toUrls(names: readonly string[]): string {
    const { account, region, urlSuffix } = Stack.of(this);
    for (const name of names) {
      this.get(name);
    }
    return `https://sqs.${region}.${urlSuffix}/${account}/${toPhysicalName(this.#deployment, '')}{${names.join(',')}}`;
  }

  /** Throws if no declaration needs this queue. */
  get(name: string): Queue {
    const queue = this.#queues.get(name);
    if (queue === undefined) {
      throw new Error(`Queue ${name} is not part of this stack`);
    }
    return queue;
  }

  #toOrder({ fifo }: QueueSpec): QueueProps {
    return fifo
      ? {
          fifo,
          deduplicationScope: DeduplicationScope.MESSAGE_GROUP,
          fifoThroughputLimit: FifoThroughputLimit.PER_MESSAGE_GROUP_ID,
        }
      : {};
  }

  /**
   * The redrive allow policy. Only the queues of this dead-letter queue may use it. Their ARNs are used, because the
   * queues are created later.
   */
  #toRedriveAllow({ name, redrive }: QueueSpec, { deployment, specs }: QueuesProps): QueueProps {
    const sources = specs.filter(spec => spec.redrive?.deadLetterQueue === name);
    if (redrive !== undefined || sources.length === 0) {
      return { redriveAllowPolicy: { redrivePermission: RedrivePermission.DENY_ALL } };
    }
    const sourceQueues = sources.map(source => {
      const arn = Stack.of(this).formatArn({ service: 'sqs', resource: toPhysicalName(deployment, source.name) });
      return Queue.fromQueueArn(this, `${toConstructId(source.name)}Source`, arn);
    });
    return { redriveAllowPolicy: { redrivePermission: RedrivePermission.BY_QUEUE, sourceQueues } };
  }

  #toRedrive({ redrive }: QueueSpec): QueueProps {
    return redrive === undefined
      ? {}
      : { deadLetterQueue: { queue: this.get(redrive.deadLetterQueue), maxReceiveCount: redrive.maxReceiveCount } };
  }
}
