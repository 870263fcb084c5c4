// The dashboard of a deployment.
import { Stack } from 'aws-cdk-lib';
import { CfnDashboard } from 'aws-cdk-lib/aws-cloudwatch';
import { Construct } from 'constructs';
import { toDashboardName } from '../physical-names.ts';
import type { Monitored } from './monitored.ts';
import { toWidgets } from './widgets.ts';

export class Dashboard extends Construct {
  constructor(
    scope: Construct,
    id: string,
    of: { readonly monitored: Monitored; readonly alarmArns: readonly string[] },
  ) {
    super(scope, id);
    new CfnDashboard(this, 'Dashboard', {
      dashboardName: toDashboardName(of.monitored.deployment, of.monitored.region),
      dashboardBody: Stack.of(this).toJsonString({ start: '-PT12H', widgets: toWidgets(of.monitored, of.alarmArns) }),
    });
  }
}
