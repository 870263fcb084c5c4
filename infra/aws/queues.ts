// Every queue of a deployment, each behind its dead-letter queue; encrypted, and refused to whoever does not come by TLS.
import { Duration } from 'aws-cdk-lib';
import { DeduplicationScope, FifoThroughputLimit, Queue, QueueEncryption, type QueueProps } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { QueueSpec } from '../../shared/workqueue/queue-specs.ts';
import { toConstructId, toPhysicalName } from './names.ts';

export interface QueuesProps {
  readonly deployment: string;
  /** A dead-letter queue comes before the queue that leads to it. */
  readonly specs: readonly QueueSpec[];
}

export class Queues extends Construct {
  readonly #queues = new Map<string, Queue>();

  constructor(scope: Construct, id: string, { deployment, specs }: QueuesProps) {
    super(scope, id);
    for (const spec of specs) {
      const queue = new Queue(this, toConstructId(spec.name), {
        ...this.#toOrder(spec),
        ...this.#toRedrive(spec),
        queueName: toPhysicalName(deployment, spec.name),
        visibilityTimeout: Duration.seconds(spec.visibilityTimeoutSeconds),
        retentionPeriod: Duration.seconds(spec.retentionSeconds),
        deliveryDelay: Duration.seconds(spec.delaySeconds ?? 0),
        encryption: QueueEncryption.SQS_MANAGED,
        enforceSSL: true,
      });
      this.#queues.set(spec.name, queue);
    }
  }

  /** Throws when the declarations called for no such queue. */
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

  #toRedrive({ redrive }: QueueSpec): QueueProps {
    return redrive === undefined
      ? {}
      : { deadLetterQueue: { queue: this.get(redrive.deadLetterQueue), maxReceiveCount: redrive.maxReceiveCount } };
  }
}
