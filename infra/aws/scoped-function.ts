// A function with its own role, log group and, in a VPC, security group. The code that wires the function grants its
// rights one by one.
import path from 'node:path';
import { ArnFormat, Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { CfnSecurityGroup } from 'aws-cdk-lib/aws-ec2';
import { Effect, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import {
  Architecture,
  CfnFunction,
  Code,
  Function as LambdaFunction,
  RecursiveLoop,
  Runtime,
  Tracing,
} from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { defaultMemoryMiB } from '../functions.ts';
import type { Deployment } from './deployment.ts';
import { acknowledge } from './findings.ts';
import { toConstructId, toPhysicalName } from './physical-names.ts';
import type { WorkQueues } from './queues.ts';

interface ScopedFunctionProps {
  readonly deployment: Deployment;
  readonly name: string;
  readonly timeoutSeconds: number;
  readonly memoryMiB?: number;
  /** The module that exports `handler`. Its folder is deployed. */
  readonly file: string;
  readonly environment: Readonly<Record<string, string>>;
  /**
   * The concurrency of functions that any caller may invoke. For queue functions, the event source mapping limits the
   * concurrency.
   */
  readonly reservedConcurrency?: number;
}

export class ScopedFunction extends Construct {
  readonly lambda: LambdaFunction;
  readonly role: Role;
  readonly memoryMiB: number;
  /** The security group of its network interfaces. Undefined outside a VPC. */
  readonly securityGroupId: string | undefined;

  constructor(scope: Construct, props: ScopedFunctionProps) {
    super(scope, toConstructId(props.name));
    const { deployment, name, reservedConcurrency, memoryMiB = defaultMemoryMiB } = props;
    this.memoryMiB = memoryMiB;
    const functionName = toPhysicalName(deployment.name, name);
    const logGroup = new LogGroup(this, 'Logs', {
      logGroupName: `/aws/lambda/${functionName}`,
      retention: deployment.logRetentionDays,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    // The function has its own role, because the managed policy allows writes to all log groups of the account.
    this.role = new Role(this, 'Role', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
    logGroup.grantWrite(this.role);
    this.lambda = new LambdaFunction(this, 'Function', {
      functionName,
      code: Code.fromAsset(path.dirname(props.file)),
      handler: 'handler.handler',
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      memorySize: memoryMiB,
      timeout: Duration.seconds(props.timeoutSeconds),
      logGroup,
      role: this.role,
      environment: props.environment,
      // Requests of objects that requeue circulate between queues. After 16 rounds, Lambda's loop detection would stop
      // them: https://docs.aws.amazon.com/lambda/latest/dg/invocation-recursion.html
      recursiveLoop: RecursiveLoop.ALLOW,
      ...(reservedConcurrency === undefined ? {} : { reservedConcurrentExecutions: reservedConcurrency }),
      ...(deployment.monitoring.tracing ? { tracing: Tracing.ACTIVE } : {}),
    });
    if (deployment.monitoring.tracing) {
      acknowledge(this, 'spans');
    }
    this.securityGroupId = deployment.vpc === undefined ? undefined : this.#enter(deployment.vpc, functionName);
  }

  /** Allows the function to send to `targets` only, and passes it the URLs of these queues and of the one it serves. */
  letSend(queues: WorkQueues, targets: readonly string[], served: readonly string[] = []): void {
    this.allow(
      ['sqs:SendMessage'],
      targets.map(name => queues.get(name).queueArn),
    );
    const known = [...new Set([...targets, ...served])];
    const urls = Object.fromEntries(known.map(name => [name, queues.get(name).queueUrl]));
    this.lambda.addEnvironment('CAPI_QUEUE_URLS', Stack.of(this).toJsonString(urls));
  }

  allow(actions: string[], resources: string[]): void {
    this.lambda.addToRolePolicy(new PolicyStatement({ actions, resources }));
  }

  /** https://docs.aws.amazon.com/lambda/latest/dg/configuration-vpc.html#configuration-vpc-permissions */
  #enter({ id, subnets }: NonNullable<Deployment['vpc']>, functionName: string): string {
    const group = new CfnSecurityGroup(this, 'SecurityGroup', {
      groupDescription: `${functionName}: outgoing TLS only, no incoming connections`,
      vpcId: id,
      // API servers may listen on any port, in particular those of workload clusters.
      securityGroupEgress: [{ ipProtocol: 'tcp', fromPort: 1, toPort: 65_535, cidrIp: '0.0.0.0/0' }],
    });
    const actions = [
      'ec2:CreateNetworkInterface',
      'ec2:DescribeNetworkInterfaces',
      'ec2:DescribeSubnets',
      'ec2:DeleteNetworkInterface',
      'ec2:AssignPrivateIpAddresses',
      'ec2:UnassignPrivateIpAddresses',
    ];
    this.allow(actions, ['*']);
    const arn = Stack.of(this).formatArn({
      service: 'lambda',
      resource: 'function',
      resourceName: functionName,
      arnFormat: ArnFormat.COLON_RESOURCE_NAME,
    });
    // Lambda needs these rights of the role. The function's code never does.
    this.lambda.addToRolePolicy(
      new PolicyStatement({
        effect: Effect.DENY,
        actions,
        resources: ['*'],
        conditions: { ArnEquals: { 'lambda:SourceFunctionArn': arn } },
      }),
    );
    const child = this.lambda.node.defaultChild;
    if (!(child instanceof CfnFunction)) {
      throw new Error(`Function ${functionName} has no element to put into the VPC`);
    }
    child.vpcConfig = { subnetIds: [...subnets], securityGroupIds: [group.attrGroupId] };
    acknowledge(this, 'network interfaces');
    return group.attrGroupId;
  }
}
