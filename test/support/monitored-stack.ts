// A deployment with complete monitoring, a deployment with the defaults, and their alarms and dashboards for tests.
import type { JsonObject } from '@capi-serverless/apimachinery';
import { eksDeployment, type makeBundles, type Synthesised, synthesise } from './synthesised.ts';

export const managementCluster = '6f1a3c1e-8f0b-4d52-9c3a-0f6f8a1b2c3d';
export const topic = 'arn:aws:sns:eu-central-1:123456789012:alarms';

interface MonitoredStacks {
  /** The deployment with all alarms, tracing and a runbook. */
  readonly stack: Synthesised;
  /** The deployment with the defaults. */
  readonly plain: Synthesised;
}

export function monitoredStacks(made: ReturnType<typeof makeBundles>): MonitoredStacks {
  const runbook = 'https://wiki.example.com/capi';
  const monitoring = { topic, alarms: 'all', tracing: true, runbook, dashboard: 'full' } as const;
  return {
    stack: synthesise({ ...eksDeployment, name: 'capi-full', monitoring }, made),
    plain: synthesise({ name: 'capi-plain' }, made),
  };
}

export interface MetricName {
  readonly namespace: string;
  readonly name: string;
  readonly dimension: { readonly name: string; readonly value: string };
}

export interface Alarm {
  readonly name: string;
  readonly fields: JsonObject;
  readonly metrics: readonly MetricName[];
  readonly expression: string | undefined;
}

export interface MetricDataQuery {
  readonly Id: string;
  readonly Expression?: string;
  readonly ReturnData: boolean;
  readonly MetricStat?: {
    readonly Metric: {
      readonly Namespace: string;
      readonly MetricName: string;
      readonly Dimensions: readonly [{ readonly Name: string; readonly Value: string }];
    };
    readonly Period: number;
    readonly Stat: string;
  };
}

export function alarmsOf(of: Synthesised): readonly Alarm[] {
  return of.all('AWS::CloudWatch::Alarm').map(({ Properties }) => {
    const queries = Properties['Metrics'] as readonly MetricDataQuery[]; // true: every alarm consists of queries
    return {
      name: String(Properties['AlarmName']).slice(of.deployment.length + 1),
      fields: Properties,
      expression: queries.find(({ Expression }) => Expression !== undefined)?.Expression,
      metrics: queries.flatMap(({ MetricStat }) =>
        MetricStat === undefined
          ? []
          : [
              {
                namespace: MetricStat.Metric.Namespace,
                name: MetricStat.Metric.MetricName,
                dimension: { name: MetricStat.Metric.Dimensions[0].Name, value: MetricStat.Metric.Dimensions[0].Value },
              },
            ],
      ),
    };
  });
}
