// Purges of queues, whose messages the resync requests again.
// docs/decisions/0083-what-is-settled.md
import { Duration } from 'aws-cdk-lib';
import { Match, Rule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import type { Alias, IFunction } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import { isDeadLetterQueue } from '../../shared/workqueue/queue-names.ts';
import { toPhysicalName } from './physical-names.ts';

interface Purgeable {
  readonly deployment: string;
  /** All queues of the deployment. */
  readonly queues: readonly string[];
  readonly resync: Alias;
}

/**
 * Reports purges of queues to the resync. CloudTrail sends them, if a trail of the account records management events. A
 * purge that was refused has an error code.
 * https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-service-event-cloudtrail.html
 */
export function reportPurges(scope: Construct, { deployment, queues, resync }: Purgeable): void {
  const purgeable = queues.filter(name => !isDeadLetterQueue(name));
  new Rule(scope, 'Purges', {
    description: 'After a purge of a queue, the next resync enqueues what its messages requested',
    eventPattern: {
      source: ['aws.sqs'],
      detailType: ['AWS API Call via CloudTrail'],
      detail: {
        eventSource: ['sqs.amazonaws.com'],
        eventName: ['PurgeQueue'],
        errorCode: Match.doesNotExist(),
        requestParameters: {
          queueUrl: Match.anyOf(...purgeable.map(name => Match.suffix(`/${toPhysicalName(deployment, name)}`))),
        },
      },
    },
    // true: the class implements the interface; its optional members may also be undefined
    targets: [new LambdaFunction(resync as IFunction, { retryAttempts: 2, maxEventAge: Duration.hours(1) })],
  });
}
