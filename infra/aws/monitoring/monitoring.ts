// The monitoring of a deployment: alarms, dashboard, and the queue URLs for operators.
import { CfnOutput, Stack } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import type { QueueSpec } from '../../../shared/workqueue/queue-specs.ts';
import type { WorkQueues } from '../queues.ts';
import { Alarms } from './alarms.ts';
import { Dashboard } from './dashboard.ts';
import type { Monitored } from './monitored.ts';

/** `served` contains the queues of functions and their dead-letter queues. */
export function addMonitoring(
  scope: Construct,
  monitored: Monitored,
  { queues, served }: { readonly queues: WorkQueues; readonly served: readonly QueueSpec[] },
): void {
  const urls = Object.fromEntries(served.map(({ name }) => [name, queues.get(name).queueUrl]));
  new CfnOutput(scope, 'AllQueues', {
    value: Stack.of(scope).toJsonString(urls),
    description: 'CAPI_QUEUE_URLS of capi-serverless queues and capi-serverless redrive',
  });
  const { arns } = new Alarms(scope, 'Alarms', monitored);
  if (monitored.options.dashboard) {
    new Dashboard(scope, 'Monitoring', { monitored, alarmArns: arns });
  }
}
