// EventBridge schedules, with one role that may only invoke the scheduled functions. Each schedule has its own group,
// because the metrics of schedules are by group: they show operators whether a schedule or its function fails.
import { Duration, Stack } from 'aws-cdk-lib';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { Alias } from 'aws-cdk-lib/aws-lambda';
import { CfnSchedule, CfnScheduleGroup } from 'aws-cdk-lib/aws-scheduler';
import { Construct } from 'constructs';
import { resyncFunction, windowedFunction } from '../function-plans.ts';
import { toPhysicalName } from './physical-names.ts';

interface Entry {
  readonly name: string;
  readonly period: Duration;
  readonly target: Alias;
  readonly why: string;
}

/** The number of retries of the call itself. They must end before the next call of the schedule. */
const retries = 2;

/** Lambda drops an event after at most six hours. https://docs.aws.amazon.com/lambda/latest/api/API_PutFunctionEventInvokeConfig.html */
const oldestEvent = Duration.hours(6);

export class Schedules extends Construct {
  readonly #deployment: string;
  readonly #role: Role;

  constructor(scope: Construct, id: string, deployment: string) {
    super(scope, id);
    const stack = Stack.of(this);
    this.#deployment = deployment;
    const toArn = (name: string): string =>
      stack.formatArn({
        service: 'scheduler',
        resource: 'schedule-group',
        resourceName: toPhysicalName(deployment, name),
      });
    // https://docs.aws.amazon.com/scheduler/latest/UserGuide/cross-service-confused-deputy-prevention.html
    this.#role = new Role(this, 'Role', {
      assumedBy: new ServicePrincipal('scheduler.amazonaws.com', {
        conditions: {
          StringEquals: {
            'aws:SourceAccount': stack.account,
            'aws:SourceArn': [resyncFunction, windowedFunction.name].map(toArn),
          },
        },
      }),
    });
  }

  add(id: string, { name, period, target, why }: Entry): void {
    this.#role.addToPolicy(
      new PolicyStatement({ actions: ['lambda:InvokeFunction'], resources: [target.functionArn] }),
    );
    const eventAge = Duration.seconds(Math.max(Duration.minutes(1).toSeconds(), period.toSeconds()));
    // By default, Lambda retries a failed invocation twice within hours. Here the next call of the schedule is the
    // retry, because one kind that cannot be listed must not repeat the work for all other kinds.
    target.configureAsyncInvoke({
      retryAttempts: 0,
      maxEventAge: eventAge.toSeconds() > oldestEvent.toSeconds() ? oldestEvent : eventAge,
    });
    const physicalName = toPhysicalName(this.#deployment, name);
    const group = new CfnScheduleGroup(this, `${id}Group`, { name: physicalName });
    const schedule = new CfnSchedule(this, id, {
      name: physicalName,
      groupName: group.ref,
      description: why,
      scheduleExpression: toRate(period),
      flexibleTimeWindow: { mode: 'OFF' },
      state: 'ENABLED',
      target: {
        arn: target.functionArn,
        roleArn: this.#role.roleArn,
        retryPolicy: {
          maximumRetryAttempts: retries,
          maximumEventAgeInSeconds: eventAge.toSeconds(),
        },
      },
    });
    schedule.node.addDependency(this.#role);
  }
}

function toRate(period: Duration): string {
  const minutes = period.toMinutes();
  return `rate(${minutes} ${minutes === 1 ? 'minute' : 'minutes'})`;
}
