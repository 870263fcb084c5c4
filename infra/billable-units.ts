// What AWS bills of a stack at rest, counted in its template. Pure.
import { toRecord } from '@capi-serverless/apimachinery';

export interface BillableUnits {
  /** FIFO queues that a function polls. */
  readonly workQueues: number;
  /** Standard queues whose function has a maximum concurrency, and those whose function has none. */
  readonly cappedQueues: number;
  readonly uncappedQueues: number;
  readonly secrets: number;
  /** The metrics that alarms watch. */
  readonly alarmMetrics: number;
  /** The number of metrics on each dashboard. */
  readonly dashboards: readonly number[];
}

interface Resource {
  readonly type: unknown;
  readonly properties: Readonly<Record<string, unknown>>;
}

/** `template` is a synthesised CloudFormation template of a deployment. */
export function countBillableUnits(template: unknown): BillableUnits {
  const resources = new Map(
    Object.entries(toRecord(toRecord(template)['Resources'])).map(([id, value]) => {
      const { Type: type, Properties: properties } = toRecord(value);
      return [id, { type, properties: toRecord(properties) }];
    }),
  );
  const all = (type: string): readonly Resource[] => [...resources.values()].filter(one => one.type === type);
  const mappings = all('AWS::Lambda::EventSourceMapping').map(({ properties }) => properties);
  const isFifo = ({ EventSourceArn: arn }: Resource['properties']): boolean => {
    const [id] = toArray(toRecord(arn)['Fn::GetAtt']);
    return resources.get(String(id))?.properties['FifoQueue'] === true;
  };
  const standard = mappings.filter(mapping => !isFifo(mapping));
  const capped = standard.filter(mapping => 'MaximumConcurrency' in toRecord(mapping['ScalingConfig']));
  return {
    workQueues: mappings.length - standard.length,
    cappedQueues: capped.length,
    uncappedQueues: standard.length - capped.length,
    secrets: all('AWS::SecretsManager::Secret').length,
    alarmMetrics: all('AWS::CloudWatch::Alarm').reduce((sum, alarm) => sum + countAlarmMetrics(alarm), 0),
    dashboards: all('AWS::CloudWatch::Dashboard').map(({ properties }) =>
      countMetrics(toWidgets(properties['DashboardBody'])),
    ),
  };
}

/** An alarm over one metric has no queries. */
function countAlarmMetrics({ properties }: Resource): number {
  const queries = properties['Metrics'];
  return queries === undefined ? 1 : toArray(queries).filter(query => 'MetricStat' in toRecord(query)).length;
}

interface MetricWidget {
  readonly properties: Readonly<Record<string, unknown>>;
}

/** Counts each metric of a dashboard once, however many widgets show it. Expressions are no metrics. */
export function countMetrics(widgets: readonly MetricWidget[]): number {
  const rows = widgets.flatMap(({ properties }) => toArray(properties['metrics'] ?? []).map(toArray));
  const names = rows
    .filter(([namespace]) => typeof namespace === 'string')
    .map(row => JSON.stringify(row.filter(part => typeof part === 'string')));
  return new Set(names).size;
}

/** The body is a text, or a join of texts and of values that are known only after the deployment. */
function toWidgets(body: unknown): readonly MetricWidget[] {
  const [, parts] = typeof body === 'string' ? ['', [body]] : toArray(toRecord(body)['Fn::Join']);
  const text = toArray(parts)
    .map(part => (typeof part === 'string' ? part : 'later'))
    .join('');
  const { widgets } = toRecord(JSON.parse(text));
  return toArray(widgets).map(widget => ({ properties: toRecord(toRecord(widget)['properties']) }));
}

function toArray(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
