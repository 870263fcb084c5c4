// Takes an update back whose functions fail: docs/decisions/0080-rollback-on-alarms.md.
import { ArnFormat, Stack } from 'aws-cdk-lib';
import { CfnApplication, CfnDeploymentConfig, CfnDeploymentGroup } from 'aws-cdk-lib/aws-codedeploy';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { type Alias, CfnAlias } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { acknowledge, acknowledgeWildcard } from './findings.ts';
import type { ScopedFunction } from './scoped-function.ts';

/** How long CodeDeploy watches the alarms of an update. The resync runs at least once, if it has its default period. */
const watchedMinutes = 10;

/**
 * The share of invocations that the new version gets at once. CodeDeploy watches alarms only until the last share follows.
 * https://docs.aws.amazon.com/codedeploy/latest/userguide/deployment-configurations.html
 */
const newPercentage = 99;

interface RollbackProps {
  readonly functions: readonly ScopedFunction[];
  /** The names of the alarms, at most 10. */
  readonly alarms: readonly string[];
}

/**
 * An update of an alias is a deployment of CodeDeploy. If an alarm goes off, all aliases invoke their former version
 * again, and CloudFormation rolls the stack back.
 */
export class Rollback extends Construct {
  constructor(scope: Construct, id: string, { functions, alarms }: RollbackProps) {
    super(scope, id);
    const application = new CfnApplication(this, 'Application', { computePlatform: 'Lambda' });
    const config = new CfnDeploymentConfig(this, 'Config', {
      computePlatform: 'Lambda',
      trafficRoutingConfig: {
        type: 'TimeBasedCanary',
        timeBasedCanary: { canaryPercentage: newPercentage, canaryInterval: watchedMinutes },
      },
    });
    const switched = functions.flatMap(each =>
      each.liveIfUsed === undefined ? [] : [{ each, alias: each.liveIfUsed }],
    );
    const role = this.#createRole(switched.map(({ each }) => each.physicalName));
    const groups = new Construct(this, 'Groups');
    for (const { each, alias } of switched) {
      const group = new CfnDeploymentGroup(groups, each.node.id, {
        applicationName: application.ref,
        deploymentConfigName: config.ref,
        serviceRoleArn: role.roleArn,
        deploymentStyle: { deploymentType: 'BLUE_GREEN', deploymentOption: 'WITH_TRAFFIC_CONTROL' },
        alarmConfiguration: { enabled: true, alarms: alarms.map(name => ({ name })) },
        autoRollbackConfiguration: {
          enabled: true,
          events: ['DEPLOYMENT_FAILURE', 'DEPLOYMENT_STOP_ON_ALARM', 'DEPLOYMENT_STOP_ON_REQUEST'],
        },
      });
      group.node.addDependency(role);
      updateBy(alias, { applicationName: application.ref, deploymentGroupName: group.ref });
    }
  }

  /**
   * The statements name functions by their physical names, because the aliases depend on the role.
   * https://docs.aws.amazon.com/codedeploy/latest/userguide/getting-started-create-service-role.html
   */
  #createRole(functionNames: readonly string[]): Role {
    const role = new Role(this, 'Role', { assumedBy: new ServicePrincipal('codedeploy.amazonaws.com') });
    const toArn = (resourceName: string): string =>
      Stack.of(this).formatArn({
        service: 'lambda',
        resource: 'function',
        arnFormat: ArnFormat.COLON_RESOURCE_NAME,
        resourceName,
      });
    const functions = functionNames.map(toArn);
    const qualified = functionNames.map(name => toArn(`${name}:*`));
    role.addToPolicy(
      new PolicyStatement({
        actions: ['lambda:GetAlias', 'lambda:UpdateAlias', 'lambda:GetProvisionedConcurrencyConfig'],
        resources: [...functions, ...qualified],
      }),
    );
    role.addToPolicy(new PolicyStatement({ actions: ['cloudwatch:DescribeAlarms'], resources: ['*'] }));
    acknowledge(role, 'alarms of an update');
    for (const arn of qualified) {
      acknowledgeWildcard(role, arn, 'The numbers of versions exist only after the update');
    }
    return role;
  }
}

function updateBy(
  alias: Alias,
  codeDeployLambdaAliasUpdate: { readonly applicationName: string; readonly deploymentGroupName: string },
): void {
  const resource = alias.node.defaultChild;
  if (!(resource instanceof CfnAlias)) {
    throw new Error('An alias has no resource');
  }
  resource.cfnOptions.updatePolicy = { codeDeployLambdaAliasUpdate };
}
