import { describe, expect, it } from 'vitest';
import { countBillableUnits, countMetrics } from '../../../infra/billable-units.ts';

const aMapping = (queue: string, more: object = {}) => ({
  Type: 'AWS::Lambda::EventSourceMapping',
  Properties: { EventSourceArn: { 'Fn::GetAtt': [queue, 'Arn'] }, ...more },
});
const limited = { ScalingConfig: { MaximumConcurrency: 20 } };
const aMetric = (name: string, options: object = {}) => ['AWS/SQS', name, 'QueueName', 'q', options];

describe('the billable units of a template', () => {
  it('are the pollers, secrets, metrics of alarms and dashboards', () => {
    const Resources = {
      Work: { Type: 'AWS::SQS::Queue', Properties: { FifoQueue: true } },
      Delay: { Type: 'AWS::SQS::Queue', Properties: {} },
      Unpolled: { Type: 'AWS::SQS::Queue', Properties: { FifoQueue: true } },
      A: aMapping('Work', limited),
      B: aMapping('Delay', limited),
      C: aMapping('Delay'),
      Token: { Type: 'AWS::SecretsManager::Secret' },
      One: { Type: 'AWS::CloudWatch::Alarm', Properties: { MetricName: 'Errors' } },
      Two: {
        Type: 'AWS::CloudWatch::Alarm',
        Properties: { Metrics: [{ MetricStat: {} }, { Expression: 'm0+m1' }, { MetricStat: {} }] },
      },
      Plain: {
        Type: 'AWS::CloudWatch::Dashboard',
        Properties: { DashboardBody: JSON.stringify({ widgets: [{ properties: { metrics: [aMetric('a')] } }] }) },
      },
      Joined: {
        Type: 'AWS::CloudWatch::Dashboard',
        Properties: {
          DashboardBody: {
            'Fn::Join': ['', ['{"widgets":[{"type":"alarm","properties":{"alarms":["', { Ref: 'One' }, '"]}}]}']],
          },
        },
      },
    };
    expect(countBillableUnits({ Resources })).toEqual({
      workQueues: 1,
      cappedQueues: 1,
      uncappedQueues: 1,
      secrets: 1,
      alarmMetrics: 3,
      dashboards: [1, 0],
    });
  });

  it('are none without resources', () => {
    const none = { workQueues: 0, cappedQueues: 0, uncappedQueues: 0, secrets: 0, alarmMetrics: 0, dashboards: [] };
    expect(countBillableUnits({})).toEqual(none);
  });
});

it('the metrics of a dashboard are counted once, without expressions and statistics', () => {
  const metrics = [aMetric('a', { stat: 'p50' }), aMetric('a', { stat: 'p99' }), aMetric('b'), [{ expression: 'a' }]];
  expect(countMetrics([{ properties: { metrics } }, { properties: { metrics: [aMetric('b')] } }])).toBe(2);
});
