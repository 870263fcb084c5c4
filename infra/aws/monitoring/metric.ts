// References to CloudWatch metrics in alarms and dashboards: metrics of AWS, which are free, and of this project. Pure.
import { deploymentDimension, metricNamespace } from '../../../shared/telemetry/published-metrics.ts';

export interface Metric {
  readonly namespace: string;
  readonly name: string;
  readonly dimension: { readonly name: string; readonly value: string };
  readonly statistic: 'Sum' | 'Maximum' | 'Average' | 'p50' | 'p99';
}

/** A line of a graph: a metric, or an expression over preceding metrics. */
export type Line =
  | { readonly metric: Metric; readonly id?: string; readonly label?: string; readonly isHidden?: boolean }
  | { readonly expression: string; readonly id: string; readonly label: string };

type Statistic = Metric['statistic'];

/** https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-available-cloudwatch-metrics.html */
export function ofQueue(
  queue: string,
  name:
    | 'ApproximateAgeOfOldestMessage'
    | 'ApproximateNumberOfMessagesVisible'
    | 'ApproximateNumberOfMessagesNotVisible'
    | 'ApproximateNumberOfMessagesDelayed'
    | 'NumberOfMessagesSent'
    | 'NumberOfMessagesReceived'
    | 'NumberOfMessagesDeleted'
    | 'NumberOfEmptyReceives',
  statistic: Statistic,
): Metric {
  return { namespace: 'AWS/SQS', name, dimension: { name: 'QueueName', value: queue }, statistic };
}

/** https://docs.aws.amazon.com/lambda/latest/dg/monitoring-metrics-types.html */
export function ofFunction(
  functionName: string,
  name:
    | 'Invocations'
    | 'Errors'
    | 'Throttles'
    | 'Duration'
    | 'ConcurrentExecutions'
    | 'AsyncEventsReceived'
    | 'AsyncEventsDropped',
  statistic: Statistic,
): Metric {
  return { namespace: 'AWS/Lambda', name, dimension: { name: 'FunctionName', value: functionName }, statistic };
}

/** https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/CloudWatch-Logs-Monitoring-CloudWatch-Metrics.html */
export function ofLogGroup(logGroup: string): Metric {
  const dimension = { name: 'LogGroupName', value: logGroup };
  return { namespace: 'AWS/Logs', name: 'IncomingBytes', dimension, statistic: 'Sum' };
}

/** https://docs.aws.amazon.com/scheduler/latest/UserGuide/monitoring-cloudwatch.html */
export function ofScheduleGroup(group: string, name: 'InvocationAttemptCount' | 'TargetErrorCount'): Metric {
  return { namespace: 'AWS/Scheduler', name, dimension: { name: 'ScheduleGroup', value: group }, statistic: 'Sum' };
}

/** A metric of shared/telemetry/published-metrics.ts, for the whole deployment. */
export function ofDeployment(deployment: string, name: string): Metric {
  const dimension = { name: deploymentDimension, value: deployment };
  return { namespace: metricNamespace, name, dimension, statistic: 'Sum' };
}
