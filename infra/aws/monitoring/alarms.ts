// The alarms of a deployment. Each description links its section of the runbook.
import { CfnAlarm } from 'aws-cdk-lib/aws-cloudwatch';
import { Construct } from 'constructs';
import { toAlarmName, toConstructId } from '../physical-names.ts';
import { type AlarmDraft, functionErrors, toAlarmDrafts } from './alarm-drafts.ts';
import type { Metric } from './metric.ts';
import type { Monitored } from './monitored.ts';

const operators = { '>=': 'GreaterThanOrEqualToThreshold', '<': 'LessThanThreshold' } as const;

export class Alarms extends Construct {
  readonly arns: readonly string[];
  /** The names of the alarms for errors of functions. Empty without alarms. */
  readonly errorAlarms: readonly string[];
  readonly #monitored: Monitored;

  constructor(scope: Construct, id: string, monitored: Monitored) {
    super(scope, id);
    this.#monitored = monitored;
    const created = toAlarmDrafts(monitored).map(draft => ({ draft, alarm: this.#create(draft) }));
    this.arns = created.map(({ alarm }) => alarm.attrArn);
    this.errorAlarms = created
      .filter(({ draft }) => toSection(draft.name) === functionErrors)
      .map(({ alarm }) => alarm.ref);
  }

  #create(draft: AlarmDraft): CfnAlarm {
    const { deployment, options } = this.#monitored;
    const { name, what, goesOff, missing } = draft;
    const actions = options.topic === undefined ? [] : [options.topic];
    return new CfnAlarm(this, toConstructId(name), {
      alarmName: toAlarmName(deployment, name),
      alarmDescription: `${what}. No data: ${missing.because}. What to do: ${options.runbook}#${toSection(name)}`,
      metrics: [...toQueries(draft)],
      comparisonOperator: operators[goesOff.when],
      threshold: goesOff.threshold,
      evaluationPeriods: draft.periods,
      datapointsToAlarm: draft.wrongPeriods,
      treatMissingData: missing.is,
      alarmActions: actions,
      okActions: actions,
    });
  }
}

/** Alarms that differ only in their number share a section. */
function toSection(name: string): string {
  return name.replace(/-\d+$/, '');
}

function toQueries({ metrics, expression, periodSeconds }: AlarmDraft): readonly CfnAlarm.MetricDataQueryProperty[] {
  const queries = metrics.map((metric, index) => ({
    id: `m${index}`,
    metricStat: toMetricStat(metric, periodSeconds),
    returnData: expression === undefined,
  }));
  return expression === undefined ? queries : [...queries, { id: 'value', expression, returnData: true }];
}

function toMetricStat({ namespace, name, dimension, statistic }: Metric, period: number): CfnAlarm.MetricStatProperty {
  return { metric: { namespace, metricName: name, dimensions: [dimension] }, period, stat: statistic };
}
