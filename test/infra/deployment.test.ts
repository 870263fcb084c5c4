import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DeploymentError, parseDeployments, readDeployments, toSettings } from '../../infra/aws/deployment.ts';
import { parseConfig } from '../../shared/config/env.ts';
import { eksDeployment } from '../support/synthesised.ts';

const key = 'arn:aws:kms:eu-central-1:123456789012:key/6f1a3c1e-8f0b-4d52-9c3a-0f6f8a1b2c3d';
const foreign = 'arn:aws:secretsmanager:eu-west-1:123456789012:secret:client-AbCdEf';
const topic = 'arn:aws:sns:eu-central-1:123456789012:alarms';
const irsa = { kind: 'irsa', oidcProvider: 'arn:aws:iam::123456789012:oidc-provider/oidc.example.com/id/mgmt' };

describe('deployments', () => {
  it('use all defaults if none is given', () => {
    expect(readDeployments(undefined)).toEqual([
      {
        name: 'capi-serverless',
        apiServer: { kind: 'kubeconfig' },
        sources: { windowed: false },
        concurrency: 20,
        plumbing: 'capped',
        layout: 'per-kind',
        resyncPeriodMinutes: 10,
        fullResyncPeriodMinutes: 1440,
        logRetentionDays: 30,
        architecture: 'arm64',
        removal: 'destroy',
        terminationProtection: false,
        settings: {},
        monitoring: {
          alarms: 'essential',
          runbook: 'docs/runbook.md',
          dashboard: true,
          metrics: 'few',
          rollback: true,
          tracing: false,
        },
      },
    ]);
  });

  it('pass every setting to the functions as variables that they can parse', () => {
    const [deployment] = parseDeployments([
      {
        name: 'capi-blue',
        managementCluster: '6f1a3c1e-8f0b-4d52-9c3a-0f6f8a1b2c3d',
        resyncPeriodMinutes: 30,
        fullResyncPeriodMinutes: 720,
        settings: {
          watchFilter: 'blue',
          featureGates: 'ClusterTopology=true',
          remoteProbe: 'off',
          remoteConnectionGracePeriodSeconds: 120,
          remoteAddresses: 'any',
          stateNamespace: 'capi',
          providerGroups: ['a.example.com', 'b.example.com'],
          extensionClientCertificateSecret: 'arn:aws:secretsmanager:eu-central-1:123456789012:secret:client-AbCdEf',
          logLevel: 'debug',
        },
      },
    ]);
    expect(deployment && parseConfig(toSettings(deployment))).toMatchObject({
      managementCluster: '6f1a3c1e-8f0b-4d52-9c3a-0f6f8a1b2c3d',
      resyncPeriodSeconds: 1800,
      fullResyncPeriodSeconds: 43_200,
      watchFilter: 'blue',
      featureGates: { ClusterTopology: true },
      remoteProbe: 'off',
      remoteConnectionGracePeriodSeconds: 120,
      remoteAddresses: 'any',
      stateNamespace: 'capi',
      providerGroups: ['a.example.com', 'b.example.com'],
      extensions: { services: 'refuse', certificate: { kind: 'secret' } },
      logLevel: 'debug',
    });
  });

  it.each([
    { given: {}, says: 'Deployments must be a list of at least one deployment' },
    { given: [], says: 'Deployments must be a list of at least one deployment' },
    { given: [{}], says: 'Deployment number 1: name: expected string' },
    {
      given: [{ name: 'Blue' }],
      says: 'Deployment Blue: name: must be 3 to 30 lower-case letters, digits and hyphens',
    },
    { given: [{ name: 'blue', size: 1 }], says: 'Deployment blue: Unrecognized key: "size"' },
    {
      given: [{ name: 'blue', workQueues: 'shared' }],
      says: 'Deployment blue: workQueues is now layout: write layout: compact for shared, and layout: per-kind for separate',
    },
    { given: [{ name: 'blue', account: 1 }], says: 'Deployment blue: account: expected string' },
    {
      given: [{ name: 'blue', concurrency: 1 }],
      says: 'Deployment blue: concurrency: Too small: expected number to be >=2',
    },
    {
      given: [{ name: 'blue', resyncPeriodMinutes: 0 }],
      says: 'Deployment blue: resyncPeriodMinutes: Too small: expected number to be >=1',
    },
    {
      given: [{ name: 'blue', monitoring: { topic: 'alarms' } }],
      says: 'Deployment blue: monitoring.topic: must be the ARN of an SNS topic',
    },
    {
      given: [{ name: 'blue', monitoring: { runbook: 'https://wiki#x' } }],
      says: 'Deployment blue: monitoring.runbook: must be a path or an address without a fragment',
    },
    {
      given: [{ name: 'blue', logRetentionDays: 2 }],
      says: 'Deployment blue: logRetentionDays: Invalid option: expected one of 1|3|5|',
    },
    {
      given: [{ name: 'blue', vpc: { id: 'vpc-1', subnets: [] } }],
      says: 'Deployment blue: vpc.id: must be the id of a VPC',
    },
    {
      given: [{ name: 'blue', apiServer: { ...eksDeployment.apiServer, endpoint: 'http://mgmt' } }],
      says: 'Deployment blue: apiServer.endpoint: must be the https address of "aws eks describe-cluster"',
    },
    {
      given: [
        {
          name: 'blue',
          apiServer: { kind: 'kubeconfig', secretArn: 'arn:aws:secretsmanager:eu-central-1:123456789012:secret:x' },
        },
      ],
      says: 'Deployment blue: apiServer.secretArn: must be the complete ARN of a secret',
    },
    {
      given: [
        { name: 'blue', apiServer: { kind: 'kubeconfig', kmsKeyArn: 'arn:aws:kms:eu-central-1:123456789012:alias/x' } },
      ],
      says: 'Deployment blue: apiServer.kmsKeyArn: must be the ARN of a KMS key, with its id and not an alias',
    },
    {
      given: [{ name: 'blue', region: 'eu-centre-1' }],
      says: 'Deployment blue: region: eu-centre-1 is not a region of infra/aws/regions.ts',
    },
    ...['cn-north-1', 'us-gov-west-1', 'mx-central-1'].map(region => ({
      given: [{ name: 'blue', region, admission: {} }],
      says: `Deployment blue: admission.door: ${region} has no Function URLs; set it to http-api`,
    })),
    {
      given: [{ name: 'blue', region: 'cn-north-1', monitoring: { tracing: true } }],
      says: 'Deployment blue: monitoring.tracing: Lambda sends no spans in cn-north-1; set it to false',
    },
    {
      given: [{ name: 'blue', region: 'eu-west-1', monitoring: { topic } }],
      says: 'Deployment blue: monitoring.topic: is in eu-central-1, and alarms notify topics of their own region; name one of eu-west-1',
    },
    {
      given: [{ name: 'blue', region: 'cn-north-1', apiServer: { kind: 'kubeconfig', secretArn: foreign } }],
      says: 'Deployment blue: apiServer.secretArn: is in partition aws, and cn-north-1 is in aws-cn; name one of aws-cn',
    },
    {
      given: [{ name: 'blue', region: 'us-gov-east-1', conversion: { door: 'http-api', kmsKeyArn: key } }],
      says: 'Deployment blue: conversion.kmsKeyArn: is in partition aws, and us-gov-east-1 is in aws-us-gov',
    },
    {
      given: [{ name: 'blue', account: '210987654321', region: 'eu-central-1', sources: { forwarder: irsa } }],
      says: 'Deployment blue: sources.forwarder.oidcProvider: is of account 123456789012, and a role trusts providers of its own account; name one of 210987654321',
    },
    {
      given: [{ name: 'blue', region: 'eu-west-1', kmsKeyArn: key }],
      says: 'Deployment blue: kmsKeyArn: the KMS key is not in eu-west-1, the region of the stack',
    },
    {
      given: [{ name: 'blue', region: 'eu-west-1', apiServer: { kind: 'kubeconfig', kmsKeyArn: key } }],
      says: 'Deployment blue: apiServer: the KMS key is not in eu-west-1, the region of its secret',
    },
    {
      given: [{ ...eksDeployment, region: 'eu-west-1', sources: { auditWebhook: { kmsKeyArn: key } } }],
      says: 'Deployment capi-eks: sources.auditWebhook: the KMS key is not in eu-west-1, the region of its secret',
    },
    {
      given: [
        {
          name: 'blue',
          settings: { extensionClientCertificateSecret: foreign, extensionClientCertificateKmsKeyArn: key },
        },
      ],
      says: 'Deployment blue: settings: the KMS key is not in eu-west-1, the region of its secret',
    },
    {
      given: [{ name: 'blue', settings: { extensionClientCertificateKmsKeyArn: key } }],
      says: 'Deployment blue: settings.extensionClientCertificateKmsKeyArn: set extensionClientCertificateSecret as well',
    },
    {
      given: [{ name: 'blue', apiServer: eksDeployment.apiServer }],
      says: 'Deployment blue: apiServer.securityGroup: requires a VPC; set vpc as well',
    },
    {
      given: [{ ...eksDeployment, sources: { auditLogOf: 'other' } }],
      says: 'Deployment capi-eks: sources.auditLogOf: differs from apiServer.cluster, mgmt',
    },
    {
      given: [{ name: 'blue', sources: { auditWebhook: {} } }],
      says: 'Deployment blue: sources.auditWebhook: the public function would get the kubeconfig of all functions only to read one uid; set managementCluster: kubectl get namespace',
    },
    {
      given: [{ ...eksDeployment, region: 'eu-central-2', sources: { auditWebhook: {} } }],
      says: 'Deployment capi-eks: sources.auditWebhook.door: eu-central-2 has no Function URLs; set it to http-api',
    },
    {
      given: [{ name: 'blue', settings: { remoteAddresses: 'everywhere' } }],
      says: 'Deployment blue: settings.remoteAddresses: Environment is not valid: CAPI_REMOTE_ADDRESSES',
    },
    {
      given: [{ name: 'blue', settings: { extensionServices: 'dns' } }],
      says: 'Deployment blue: settings.extensionServices: dns requires a VPC',
    },
    {
      given: [{ name: 'blue', settings: { featureGates: 'Nonsense=true' } }],
      says: 'Deployment blue: settings.featureGates: Environment is not valid: CAPI_FEATURE_GATES',
    },
    {
      given: [{ name: 'blue' }, { name: 'blue' }],
      says: 'Deployment blue: the name is not unique; choose another name',
    },
    {
      given: [eksDeployment, { ...eksDeployment, name: 'capi-other', settings: { watchFilter: 'blue' } }],
      says: 'Deployment capi-other: reconciles the same objects as capi-eks; set a different settings.watchFilter in each',
    },
    {
      given: ['blue', 'green'].map(name => ({ ...eksDeployment, name, settings: { watchFilter: name } })),
      says: 'Deployment green: has the same forwarder as blue; set a different sources.forwarder.namespace in each',
    },
  ])('are refused in one line: $says', ({ given, says }) => {
    const thrown = (() => {
      try {
        return parseDeployments(given);
      } catch (error) {
        return error;
      }
    })();
    expect(thrown).toBeInstanceOf(DeploymentError);
    expect(String(thrown)).toContain(says);
    expect(String(thrown)).not.toContain('\n');
  });

  it('may split one management cluster by watch filters', () => {
    const split = ['blue', 'green'].map(name => ({
      ...eksDeployment,
      name,
      settings: { watchFilter: name },
      sources: { forwarder: { kind: 'pod-identity', cluster: 'mgmt', namespace: `capi-${name}` } },
    }));
    expect(parseDeployments(split).map(({ name }) => name)).toEqual(['blue', 'green']);
  });
});

describe('a file of deployments', () => {
  let folder: string;

  beforeAll(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'capi-deployments-'));
  });

  afterAll(() => rmSync(folder, { recursive: true }));

  it('is read as YAML', () => {
    const file = path.join(folder, 'deployments.yaml');
    writeFileSync(file, '- name: blue\n- name: green\n  concurrency: 5\n');
    expect(readDeployments(file).map(({ name, concurrency }) => [name, concurrency])).toEqual([
      ['blue', 20],
      ['green', 5],
    ]);
  });

  it('is named when it cannot be read', () => {
    const missing = path.join(folder, 'missing.yaml');
    expect(() => readDeployments(missing)).toThrow(`Deployments file ${missing} cannot be read`);
  });
});
