// The monitoring of a deployment: alarms and what they take back, dashboard, and the queue URLs for operators.
import { Annotations, CfnOutput } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import type { QueueSpec } from '../../../shared/workqueue/queue-specs.ts';
import { Rollback } from '../rollback.ts';
import type { ScopedFunction } from '../scoped-function.ts';
import type { WorkQueues } from '../work-queues.ts';
import { Alarms } from './alarms.ts';
import { Dashboard } from './dashboard.ts';
import type { Monitored, MonitoredFunction } from './monitored.ts';

export interface CreatedFunction extends MonitoredFunction {
  readonly scoped: ScopedFunction;
}

export interface MonitoredDeployment extends Monitored {
  readonly functions: readonly CreatedFunction[];
}

/** `served` contains the queues of functions and their dead-letter queues. */
export function addMonitoring(
  scope: Construct,
  monitored: MonitoredDeployment,
  { queues, served }: { readonly queues: WorkQueues; readonly served: readonly QueueSpec[] },
): void {
  new CfnOutput(scope, 'AllQueues', {
    value: queues.toUrls(served.map(({ name }) => name)),
    description: 'CAPI_QUEUE_URLS of capi-serverless queues and capi-serverless redrive',
  });
  const { alarms, topic } = monitored.options;
  if (alarms !== 'none' && topic === undefined) {
    Annotations.of(scope).addWarningV2(
      'capi-serverless:no-topic',
      `Deployment ${monitored.deployment} has alarms that notify no one; set monitoring.topic to the ARN of an SNS topic, or monitoring.alarms to none`,
    );
  }
  const { arns, errorAlarms } = new Alarms(scope, 'Alarms', monitored);
  if (monitored.options.rollback && errorAlarms.length > 0) {
    const functions = monitored.functions.map(({ scoped }) => scoped);
    new Rollback(scope, 'Rollback', { functions, alarms: errorAlarms });
  }
  if (monitored.options.dashboard !== false) {
    new Dashboard(scope, 'Monitoring', { monitored, alarmArns: arns });
  }
}
