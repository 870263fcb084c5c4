// A CDK app that composes capi-serverless with resources of its own: network, key and topic. Two management clusters.
import { mkdirSync, writeFileSync } from 'node:fs';
import { App, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { IpAddresses, Port, SecurityGroup, SubnetType, Vpc } from 'aws-cdk-lib/aws-ec2';
import { Key } from 'aws-cdk-lib/aws-kms';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { CapiServerless } from 'capi-serverless/aws';

const app = new App();
const stack = new Stack(app, 'Platform');

const vpc = new Vpc(stack, 'Vpc', { ipAddresses: IpAddresses.cidr('10.20.0.0/16'), natGateways: 1 });
const group = new SecurityGroup(stack, 'Functions', { vpc, allowAllOutbound: false });
group.connections.allowToAnyIpv4(Port.tcpRange(1, 65_535), 'API servers, SQS and Secrets Manager');
const key = new Key(stack, 'Key', { enableKeyRotation: true, removalPolicy: RemovalPolicy.RETAIN });
const topic = new Topic(stack, 'Alarms', { enforceSSL: true, masterKey: key });

const production = new CapiServerless(stack, 'Production', {
  name: 'capi-prod',
  apiServer: { kind: 'kubeconfig' },
  vpc,
  vpcSubnets: { subnetType: SubnetType.PRIVATE_WITH_EGRESS },
  securityGroups: [group],
  encryptionKey: key,
  sources: { windowed: true },
  settings: { featureGates: 'ClusterTopology=true' },
  monitoring: { topic },
  tags: { team: 'platform', stage: 'production' },
});

const lab = new CapiServerless(stack, 'Lab', {
  name: 'capi-lab',
  sources: { windowed: true },
  resyncPeriodMinutes: 60,
  plumbing: 'uncapped',
  monitoring: { alarms: 'none', dashboard: false },
  tags: { team: 'platform', stage: 'lab' },
});

mkdirSync('dist/rbac', { recursive: true });
writeFileSync('dist/rbac/capi-prod.yaml', production.rbac);
writeFileSync('dist/rbac/capi-lab.yaml', lab.rbac);
app.synth();
