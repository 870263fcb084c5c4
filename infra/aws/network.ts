// The network of functions in a VPC. All of them share their security groups, so that Lambda shares network interfaces
// between them: https://docs.aws.amazon.com/lambda/latest/dg/configuration-vpc.html#configuration-vpc-enis
import { ArnFormat, Stack } from 'aws-cdk-lib';
import { CfnSecurityGroup, Connections, SecurityGroup } from 'aws-cdk-lib/aws-ec2';
import { Effect, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { CfnFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import type { Deployment } from './deployment-schema.ts';
import { acknowledge } from './findings.ts';
import type { ScopedFunction } from './scoped-function.ts';

interface NetworkProps {
  readonly deployment: string;
  readonly vpc: NonNullable<Deployment['vpc']>;
  /** Undefined: a new group. */
  readonly securityGroupIds?: readonly string[] | undefined;
}

/** https://docs.aws.amazon.com/lambda/latest/dg/configuration-vpc.html#configuration-vpc-permissions */
const interfaceActions = [
  'ec2:CreateNetworkInterface',
  'ec2:DescribeNetworkInterfaces',
  'ec2:DescribeSubnets',
  'ec2:DeleteNetworkInterface',
  'ec2:AssignPrivateIpAddresses',
  'ec2:UnassignPrivateIpAddresses',
];

export class Network extends Construct {
  readonly securityGroupIds: readonly string[];
  readonly #subnets: readonly string[];
  readonly #ipv6: boolean;
  #connections: Connections | undefined;

  constructor(scope: Construct, id: string, { deployment, vpc, securityGroupIds }: NetworkProps) {
    super(scope, id);
    this.#subnets = vpc.subnets;
    this.#ipv6 = vpc.ipv6;
    this.securityGroupIds = securityGroupIds ?? [this.#createGroup(deployment, vpc)];
  }

  /** Rules for the security groups of the functions. */
  get connections(): Connections {
    this.#connections ??= new Connections({
      securityGroups: this.securityGroupIds.map((id, index) =>
        SecurityGroup.fromSecurityGroupId(this, `Connected${index}`, id),
      ),
    });
    return this.#connections;
  }

  #createGroup(deployment: string, { id: vpcId, ipv6 }: NetworkProps['vpc']): string {
    const everywhere = [{ cidrIp: '0.0.0.0/0' }, ...(ipv6 ? [{ cidrIpv6: '::/0' }] : [])];
    const group = new CfnSecurityGroup(this, 'SecurityGroup', {
      groupDescription: `${deployment}: outgoing TCP and DNS, no incoming connections`,
      vpcId,
      securityGroupEgress: everywhere.flatMap(to => [
        // API servers may listen on any port, in particular those of workload clusters.
        { ipProtocol: 'tcp', fromPort: 1, toPort: 65_535, ...to },
        // Security groups do not apply to the resolver of the VPC, but they apply to all other resolvers, which the VPC
        // may have for all names: https://docs.aws.amazon.com/vpc/latest/userguide/VPC_DHCP_Options.html
        { ipProtocol: 'udp', fromPort: 53, toPort: 53, ...to },
      ]),
    });
    return group.attrGroupId;
  }

  /** Puts the function into the subnets. Only functions that reach an API server need this. */
  join(target: ScopedFunction): void {
    target.allow(interfaceActions, ['*']);
    const arn = Stack.of(this).formatArn({
      service: 'lambda',
      resource: 'function',
      resourceName: target.physicalName,
      arnFormat: ArnFormat.COLON_RESOURCE_NAME,
    });
    // Lambda needs these rights of the role. The function's code never does.
    target.lambda.addToRolePolicy(
      new PolicyStatement({
        effect: Effect.DENY,
        actions: interfaceActions,
        resources: ['*'],
        conditions: { ArnEquals: { 'lambda:SourceFunctionArn': arn } },
      }),
    );
    const child = target.lambda.node.defaultChild;
    if (!(child instanceof CfnFunction)) {
      throw new Error(`Function ${target.physicalName} has no element to put into the VPC`);
    }
    child.vpcConfig = {
      subnetIds: [...this.#subnets],
      securityGroupIds: [...this.securityGroupIds],
      // https://docs.aws.amazon.com/lambda/latest/dg/configuration-vpc.html#configuration-vpc-ipv6
      ...(this.#ipv6 ? { ipv6AllowedForDualStack: true } : {}),
    };
    acknowledge(target, 'network interfaces');
  }
}
