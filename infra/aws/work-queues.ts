// The queues of a deployment and their dead-letter queues. They are encrypted, and refuse requests without TLS.
import { Duration, Stack } from 'aws-cdk-lib';
import { Grant, type IGrantable, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import {
  CfnQueue,
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
import type { Deployment } from './deployment-schema.ts';
import { acknowledge } from './findings.ts';
import { toConstructId, toPhysicalName } from './physical-names.ts';
import { toRemovalPolicy } from './removal.ts';

interface QueuesProps {
  readonly deployment: Pick<Deployment, 'name' | 'removal'>;
  /** A dead-letter queue precedes the queues that use it. */
  readonly specs: readonly QueueSpec[];
  /** Undefined: keys of SQS. */
  readonly encryptionKey?: IKey | undefined;
}

const redriveActions = [
  'sqs:GetQueueAttributes',
  'sqs:ReceiveMessage',
  'sqs:ChangeMessageVisibility',
  'sqs:SendMessage',
  'sqs:DeleteMessage',
];

export class WorkQueues extends Construct {
  readonly #queues = new Map<string, Queue>();
  readonly #deployment: string;
  readonly #encryptionKey: IKey | undefined;

  constructor(scope: Construct, id: string, { deployment: removable, specs, encryptionKey }: QueuesProps) {
    super(scope, id);
    const { name: deployment } = removable;
    this.#encryptionKey = encryptionKey;
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
        removalPolicy: toRemovalPolicy(removable),
      });
      this.#encrypt(queue);
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

  /**
   * The rights on the key of a function or pod that sends or receives. None with keys of SQS.
   * https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-key-management.html
   */
  toKeyStatements(): readonly PolicyStatement[] {
    return this.#encryptionKey === undefined
      ? []
      : [
          new PolicyStatement({
            actions: ['kms:GenerateDataKey', 'kms:Decrypt'],
            resources: [this.#encryptionKey.keyArn],
            conditions: { StringEquals: { 'kms:ViaService': `sqs.${Stack.of(this).region}.amazonaws.com` } },
          }),
        ];
  }

  /** All queues by name, with their dead-letter queues. */
  get all(): Readonly<Record<string, Queue>> {
    return Object.fromEntries(this.#queues);
  }

  /** Allows `capi-serverless queues` and `capi-serverless redrive` on all queues, and the use of their key for SQS. */
  grantRedrive(grantee: IGrantable): Grant {
    for (const statement of this.toKeyStatements()) {
      grantee.grantPrincipal.addToPrincipalPolicy(statement);
    }
    return Grant.addToPrincipal({ grantee, actions: redriveActions, resourceArns: this.#arns() });
  }

  #arns(): string[] {
    return [...this.#queues.values()].map(queue => queue.queueArn);
  }

  /** The construct's own property would allow functions to decrypt with the key for any service. */
  #encrypt(queue: Queue): void {
    const child = queue.node.defaultChild;
    if (child instanceof CfnQueue && this.#encryptionKey !== undefined) {
      child.sqsManagedSseEnabled = undefined;
      child.kmsMasterKeyId = this.#encryptionKey.keyArn;
    }
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
  #toRedriveAllow(
    { name, redrive }: QueueSpec,
    { deployment, specs }: Pick<QueuesProps, 'specs'> & { readonly deployment: string },
  ): QueueProps {
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
